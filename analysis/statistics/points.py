"""Points: at which number of requests at once, context and temperature was each run measured?

A speedup compares two runs at the same values of all of them. Where a campaign
has a run without speculation at several values, each of those is a point of
its own, and what was measured there is held against that run alone. The point
of the campaign's baseline is called home: its runs are what the campaign says
of speed in general.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from analysis.records import Run
from analysis.statistics.conditions import conditions, differing

__all__ = ["AXES", "Points", "RunsAtPoint", "points"]

AXES = ("concurrency", "context_tokens", "temperature")
"""What a campaign may vary beside its configurations, as :class:`analysis.records.Run` has it."""

Values = tuple[float | None, ...]
_Known = Mapping[str, frozenset[object]]


@dataclass(frozen=True)
class RunsAtPoint:
    """Runs that were measured at the same values of all axes.

    Attributes
    ----------
    at
        In the order of `AXES`; null is not recorded.
    baseline
        Id of the run without speculation that the others are held against.
    runs
        Ids of the runs with speculation that may be compared with it.
    """

    at: Values
    baseline: str
    runs: tuple[str, ...]


@dataclass(frozen=True)
class Points:
    """Every point of a campaign; none where it has fewer than two.

    Attributes
    ----------
    points
        In the order of their values.
    home
        That of the campaign's baseline.
    series
        Run id to what it is one point of: the id of the same configuration at
        home, or of its first run.
    elsewhere
        Run id to its point, of all runs that are not at home: those without speculation
        and those that can't be compared with it are among them.
    """

    points: tuple[RunsAtPoint, ...] = ()
    home: RunsAtPoint | None = None
    series: Mapping[str, str] = field(default_factory=dict)
    elsewhere: Mapping[str, RunsAtPoint] = field(default_factory=dict)

    @property
    def axes(self) -> tuple[str, ...]:
        """Axes that vary while all others, and a configuration, stay the same."""
        return tuple(name for name in AXES if any(map(len, self._steps(name).values())))

    def _steps(self, axis: str) -> dict[tuple[object, ...], set[object]]:
        """By series and the other axes' values: the values of an axis, if there are two or more."""
        place = AXES.index(axis)
        found: dict[tuple[object, ...], set[object]] = {}
        for point in self.points:
            value = point.at[place]
            rest = (*point.at[:place], *point.at[place + 1 :])
            for run in point.runs:
                if value is not None:
                    found.setdefault((self.series[run], *rest), set()).add(value)
        return {key: values for key, values in found.items() if len(values) > 1}


def points(runs: Sequence[Run], baseline: str | None) -> Points:
    """The points of a campaign.

    Parameters
    ----------
    runs
        Records.
    baseline
        Run id of the campaign's run without speculation.

    Returns
    -------
    Points
        Without points where fewer than two have both a run with and one
        without speculation, or where there is no baseline.
    """
    known = conditions(runs)
    if baseline not in known:
        return Points()
    values = {run: _values(own) for run, own in known.items()}
    plain, drafting = _kinds(runs, baseline)
    fixed = _fixed(known[baseline])
    beside: dict[Values, str] = {}
    for run in (baseline, *plain):
        key = values[run]
        if key is not None and not differing(_fixed(known[run]), fixed):
            beside.setdefault(key, run)
    found = []
    for key in sorted(beside, key=_order):
        other = known[beside[key]]
        own = [run for run in drafting if values[run] == key and not differing(known[run], other)]
        if own:
            found.append(RunsAtPoint(key, beside[key], tuple(own)))
    if len(found) < 2:
        return Points()
    home = next((point for point in found if point.baseline == baseline), None)
    away = {point.at: point for point in found if point is not home}
    return Points(
        tuple(found),
        home,
        _series(runs, found, home),
        {run: away[key] for run, key in values.items() if key in away},
    )


def _values(known: _Known) -> Values | None:
    """Values of the axes; null where repeats differ or several ran at once, nobody knows how many.

    One that says nothing of requests at once had one, as elsewhere.
    """
    out: list[float | None] = []
    for name in AXES:
        said = set(known[name])
        if len(said) > 1 or any(isinstance(value, str) for value in said):
            return None
        value = said.pop() if said else 1 if name == "concurrency" else None
        out.append(None if value is None else float(value))  # type: ignore[arg-type]
    return tuple(out)


def _order(values: Values) -> tuple[float, ...]:
    return tuple(-1.0 if value is None else value for value in values)


def _fixed(known: _Known) -> dict[str, frozenset[object]]:
    """The conditions that are no axis."""
    return {name: values for name, values in known.items() if name not in AXES}


def _kinds(runs: Sequence[Run], baseline: str) -> tuple[list[str], list[str]]:
    """Ids of the real runs without speculation, and of those with it."""
    # What times forwards alone has nobody's prompts: nothing is held against it.
    fake = {run.id for run in runs if run.synthetic or (run.bare and run.id != baseline)}
    by_id = {run.id: run for run in runs if run.id not in fake}
    plain = [id for id, run in by_id.items() if run.spec_type == "none"]
    return plain, [id for id in by_id if id not in (*plain, baseline)]


def _series(
    runs: Iterable[Run], found: Sequence[RunsAtPoint], home: RunsAtPoint | None
) -> dict[str, str]:
    by_id = {run.id: run for run in runs}
    names: dict[tuple[object, ...], str] = {}
    out: dict[str, str] = {}
    ordered = [*([home] if home else []), *(point for point in found if point is not home)]
    for point in ordered:
        seen: dict[tuple[object, ...], int] = {}
        for id in point.runs:
            run = by_id[id]
            key: tuple[object, ...] = (run.spec_type, run.n_max, run.p_min or 0.0, run.draft)
            # Of two that differ in nothing that is recorded, the order tells.
            seen[key] = seen.get(key, 0) + 1
            out[id] = names.setdefault((*key, seen[key]), id)
    return out
