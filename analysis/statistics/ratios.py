"""How much faster is one run than another, and how sure is that?

A rate is total units over total time, each task its mean over repeats, so that
no task weighs more for having been repeated. What a log ratio of two rates is
off by comes from three levels (see ``noise.py``): with shares `w` of the tasks
in the time, the variance of the log of a rate is

    run variance × Σ_r a_r² + request variance × Σ_i w_i² / m_i

with `m_i` the server starts that have task `i`, and `a_r` the sum of `w_i / m_i`
over the tasks of start `r`. In a balanced design this is the scatter of whole
starts over their number. Student's quantile takes the degrees of freedom of
the sum (Satterthwaite).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.statistics.noise import Believed, Noise, Scatter, TaskTable, Term, scatter

__all__ = [
    "RATIO_COLUMNS",
    "Known",
    "Ratios",
    "Side",
    "Significance",
    "TaskRatios",
    "Term",
    "half_width",
    "known",
    "significance",
    "uncertainty",
]

Floats = npt.NDArray[np.floating[Any]]
Significance = Literal["faster", "slower", "not significant", "not known"]
PRIOR = "prior"
"""What all variances come from that no repeats show: they are off alike."""

RATIO_COLUMNS = ("run", "n_tasks", "ratio", "low", "high", "sd", "freedom")

LEVEL = 0.9
"""Coverage of all intervals."""


def significance(low: float | None, high: float | None) -> Significance:
    """What an interval of a ratio says: 1 inside it is a state of its own.

    Examples
    --------
    >>> significance(1.02, 1.1), significance(0.97, 1.0), significance(None, None)
    ('faster', 'not significant', 'not known')
    """
    if low is None or high is None or np.isnan(low) or np.isnan(high):
        return "not known"
    if low > 1:
        return "faster"
    return "slower" if high < 1 else "not significant"


@dataclass(frozen=True, eq=False)
class Known:
    """What a campaign shows of how much one kind of rate scatters.

    Attributes
    ----------
    found
        What repeats show of it.
    run, request
        Variance and degrees of freedom of both levels.
    believed
        Both levels together where repeats show them; null with the prior alone.
    """

    found: Scatter
    run: Term
    request: Term
    believed: Believed | None


def known(found: Scatter, levels: pd.DataFrame, noise: Noise) -> Known:
    """What repeats of a rate show, and the campaign's levels where they show too little.

    Parameters
    ----------
    found
        Of the rate's tables.
    levels
        Frame of ``noise.Noise``.
    noise
        The settings that it was made with.
    """
    stated = {
        str(level): (float(sd) ** 2, float(freedom))
        for level, sd, freedom in zip(levels["level"], levels["sd"], levels["freedom"], strict=True)
    }
    request = (found.request_variance, found.request_freedom)
    if found.request_freedom < noise.enough or not found.request_variance:
        request = stated["request"]
    believed = noise.believed(found, request)
    run = stated["run"] if believed is None else believed.term(1.0, 0.0)
    return Known(found, run, request, believed)


@dataclass(frozen=True, eq=False)
class Side:
    """One of two runs that are compared, on the tasks that both have.

    Attributes
    ----------
    table
        What it did.
    known
        What its campaign shows of scatter; the same object for runs of one campaign.
    run
        Its id.
    campaign
        What all runs of the campaign share; nothing between runs of one.
    """

    table: TaskTable
    known: Known
    run: str
    campaign: Term | None = None

    def coefficients(self) -> tuple[float, float]:
        """Of the run and of the request variance in that of the log of the rate."""
        weights, present = self.table.shares(), self.table.present
        number = np.maximum(present.sum(axis=0), 1)
        starts = (present / number) @ weights
        run = float(starts.sum() ** 2 if self.table.one_start else (starts**2).sum())
        return run, float((weights**2 / number).sum()) * self.table.share


def uncertainty(sides: Sequence[Side], between_tasks: Term | None = None) -> tuple[float, float]:
    """Standard deviation of a log ratio of rates, and its degrees of freedom.

    Parameters
    ----------
    sides
        Two runs, of one campaign or of two.
    between_tasks
        What requests add, where the two sides' tasks show it: used unless
        repeats show more.
    """
    terms: dict[object, list[Term]] = {}
    shared: dict[int, tuple[Known, float, float]] = {}
    for side in sides:
        of_run, of_request = side.coefficients()
        source = PRIOR if side.known.believed is None else id(side.known)
        if side.campaign is not None:
            terms.setdefault(source, []).append(side.campaign)
        own = side.known.found.own.get(side.run)
        if own is not None and not side.table.one_start:
            # Of whole starts, its requests are in it.
            terms.setdefault((id(side.known), side.run), []).append((own[0] * of_run, own[1]))
            continue
        _, run, request = shared.get(id(side.known), (side.known, 0.0, 0.0))
        shared[id(side.known)] = (side.known, run + of_run, request + of_request)
    for one, of_run, of_request in shared.values():
        if one.believed is not None:
            terms.setdefault(id(one), []).append(one.believed.term(of_run, of_request))
            continue
        terms.setdefault(PRIOR, []).append((of_run * one.run[0], one.run[1]))
        if between_tasks is None or one.found.request_freedom > 0:
            alone = (of_request * one.request[0], one.request[1])
            terms.setdefault((id(one), "request"), []).append(alone)
    if between_tasks is not None:
        names = [name for name in terms if isinstance(name, tuple) and name[1] == "request"]
        if sum(part[0] for name in names for part in terms[name]) < between_tasks[0]:
            terms = {name: parts for name, parts in terms.items() if name not in names}
            terms["tasks"] = [between_tasks]
    total, spread = 0.0, 0.0
    for parts in terms.values():
        variance = sum(part[0] for part in parts)
        total += variance
        spread += variance**2 / min(part[1] for part in parts)
    return (total**0.5, total**2 / spread) if spread > 0 else (0.0, float("inf"))


def half_width(sd: float, freedom: float, level: float = LEVEL) -> float:
    """Half the width of the interval of a log ratio."""
    from scipy.special import stdtrit  # noqa: PLC0415 - reading a log must not wait for it

    return float(stdtrit(min(max(freedom, 1.0), 1e6), 0.5 + level / 2)) * sd


@dataclass(frozen=True)
class Ratios:
    """Ratio of every run's rate to one run's, over the tasks that both have.

    Parameters
    ----------
    baseline
        Run id of what is compared with; null gives no rows.
    noise
        The noise model's settings.
    level
        Coverage of the intervals.
    """

    baseline: str | None
    noise: Noise = field(default_factory=Noise)
    level: float = LEVEL

    def __call__(
        self,
        tables: Mapping[str, TaskTable],
        levels: pd.DataFrame,
    ) -> pd.DataFrame:
        """One row per run that shares a task with the baseline.

        Parameters
        ----------
        tables
            Of all runs, see ``noise.tables``.
        levels
            Frame of ``noise.Noise``.

        Returns
        -------
        pandas.DataFrame
            Columns `RATIO_COLUMNS`: `ratio` with its interval, `sd` and `freedom` of
            its logarithm. The baseline itself has no row.
        """
        plain = tables.get(self.baseline or "")
        rows = []
        if plain is not None:
            shown = known(scatter(tables), levels, self.noise)
            for run, table in tables.items():
                if run != self.baseline and (row := self._row(run, table, plain, shown)):
                    rows.append(row)
        return pd.DataFrame(rows, columns=list(RATIO_COLUMNS)).astype(
            dict.fromkeys(RATIO_COLUMNS[2:], "float64")
        )

    def _row(
        self,
        run: str,
        table: TaskTable,
        plain: TaskTable,
        shown: Known,
    ) -> dict[str, object] | None:
        others = set(plain.tasks)
        common = [task for task in table.tasks if task in others]
        if not common:
            return None
        sides = [
            Side(whole.among(common), shown, id)
            for id, whole in ((run, table), (str(self.baseline), plain))
        ]
        ratio = _ratio(sides[0].table, sides[1].table)
        sd, freedom = uncertainty(sides)
        margin = np.exp(half_width(sd, freedom, self.level))
        return {
            "run": run,
            "n_tasks": len(common),
            "ratio": ratio,
            "low": ratio / margin,
            "high": ratio * margin,
            "sd": sd,
            "freedom": freedom,
        }


def _ratio(one: TaskTable, other: TaskTable) -> float:
    if not one.geometric:
        return one.rate() / other.rate()
    (units, seconds), (others, their) = one.means(), other.means()
    return float(np.exp(np.log(units / seconds / (others / their)).mean()))


@dataclass(frozen=True)
class TaskRatios:
    """Ratio of every run's rate to one run's, task by task.

    Parameters
    ----------
    baseline, noise, level
        As of :class:`Ratios`.
    """

    baseline: str | None
    noise: Noise = field(default_factory=Noise)
    level: float = LEVEL

    def __call__(self, tables: Mapping[str, TaskTable], levels: pd.DataFrame) -> pd.DataFrame:
        """One row per task that a run and the baseline both have.

        Parameters
        ----------
        tables, levels
            As for :class:`Ratios`.

        Returns
        -------
        pandas.DataFrame
            `run`, `task`, `ratio`, `low`, `high`. A task's scatter is pooled over the
            starts of all configurations; where that leaves too few degrees of
            freedom, the campaign's levels stand for it.
        """
        plain = tables.get(self.baseline or "")
        parts = [pd.DataFrame(columns=["run", "task", "ratio", "low", "high"])]
        if plain is not None:
            shown = known(scatter(tables), levels, self.noise)
            pooled = _scatter_by_task(tables)
            others = set(plain.tasks)
            for run, table in tables.items():
                common = [task for task in table.tasks if task in others]
                if run != self.baseline and common:
                    sides = (table.among(common), plain.among(common))
                    terms = [
                        self._terms(side, id, shown, pooled.loc[common])
                        for side, id in zip(sides, (run, str(self.baseline)), strict=True)
                    ]
                    parts.append(self._rows(run, sides, terms))
        parts = parts[1:] or parts
        return pd.concat(parts, ignore_index=True)

    def _terms(
        self, side: TaskTable, run: str, shown: Known, pooled: pd.DataFrame
    ) -> tuple[Floats, Floats]:
        """Variance of the log of each task's rate, and its degrees of freedom."""
        number = np.maximum(side.present.sum(axis=0), 1).astype("float64")
        of_run = shown.run[0] / (1 if side.one_start else number)
        of_request = shown.request[0] / number
        variance = of_run + of_request
        freedom = variance**2 / (of_run**2 / shown.run[1] + of_request**2 / shown.request[1])
        if side.one_start:
            return variance, freedom
        squares, seen = pooled["squares"].to_numpy(), pooled["freedom"].to_numpy()
        if run in shown.found.own:
            squares, seen = _squares(side), number - 1
        enough = (seen >= min(self.noise.enough, shown.found.freedom)) & (squares > 0)
        own = squares / np.maximum(seen, 1) / number
        return np.where(enough, own, variance), np.where(enough, seen, freedom)

    def _rows(
        self, run: str, sides: tuple[TaskTable, TaskTable], terms: Sequence[tuple[Floats, Floats]]
    ) -> pd.DataFrame:
        from scipy.special import stdtrit  # noqa: PLC0415 - reading a log must not wait for it

        above, below = (side.means() for side in sides)
        ratio = above[0] / above[1] / (below[0] / below[1])
        variance = terms[0][0] + terms[1][0]
        # Both sides' scatter is the same estimate, so that it is off alike.
        spread = sum(part / np.maximum(freedom, 1) ** 0.5 for part, freedom in terms) ** 2
        freedom = np.where(variance > 0, variance**2 / np.where(spread > 0, spread, 1), 1e6)
        margin = np.exp(stdtrit(np.clip(freedom, 1, 1e6), 0.5 + self.level / 2) * variance**0.5)
        columns = {"task": sides[0].tasks, "ratio": ratio, "low": ratio / margin}
        return pd.DataFrame({"run": run, **columns, "high": ratio * margin})


def _squares(table: TaskTable) -> Floats:
    """Sum of the squared relative effects of each task's starts on its own rate."""
    units, seconds = table.means()
    out: Floats = np.nansum((table.units / units - table.seconds / seconds) ** 2, axis=0)
    return out


def _scatter_by_task(tables: Mapping[str, TaskTable]) -> pd.DataFrame:
    """Sums over configurations of each task's `squares` and degrees of `freedom`."""
    parts = [
        pd.DataFrame(
            {
                "squares": 0.0 if table.one_start else _squares(table),
                "freedom": 0.0 if table.one_start else table.present.sum(axis=0) - 1.0,
            },
            index=list(table.tasks),
        )
        for table in tables.values()
    ]
    return pd.concat(parts).groupby(level=0).sum()
