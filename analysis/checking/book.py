"""What is every quantity of a campaign, and from which raw line does it come?

The values are those of the summary's frames; nothing is measured here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from analysis.cards.facts import Facts, RunFacts, TaskFacts, known
from analysis.statistics.columns import DERIVED, RunRow, columns
from analysis.statistics.throughput import pooled

__all__ = ["COLUMNS", "PARTS", "Book", "Scope", "spoken"]

COLUMNS: Mapping[str, tuple[str, ...]] = {
    # A quantity's name in the vocabulary to what it may be of a whole run, the likeliest first.
    "throughput": ("effective_tps", "decode_tps"),
    "effective": ("effective_tps",),
    "decode": ("decode_tps",),
    "pace": ("effective_tps", "decode_tps", "1/wall_s"),
    "time": ("wall_s", "decode_s"),
    "acceptance": ("acceptance_rate",),
    "rejected_share": ("rejected_share",),
    "drafted": ("draft_tokens",),
    "accepted": ("accepted_tokens",),
    "wasted": ("wasted_tokens",),
    "predicted": ("predicted_tokens",),
    "forwards": ("forwards",),
    "forward_ms": ("ms_per_forward",),
    "length": ("mean_accepted_length",),
    "cost": ("step_cost_ratio",),
    "break_even": ("break_even_acceptance",),
    "speedup": ("speedup", "decode_speedup"),
    "decode_speedup": ("decode_speedup",),
    "geomean": ("geomean_task_speedup",),
    "time_saved": ("time_saved",),
    "requests": ("n_requests",),
}
PARTS: Mapping[str, tuple[str, ...]] = {
    # What differs for a task or a class, of which only decoding was timed.
    "throughput": ("decode_tps",),
    "pace": ("decode_tps",),
    "effective": (),
    "time": ("decode_s",),
    "speedup": ("speedup",),
    "decode_speedup": ("speedup",),
}
_SPOKEN = {column.name: column.spoken for column in (*columns(RunRow), *DERIVED)}
_SPOKEN |= {"1/wall_s": "pace (1 over wall time)", "rejected_share": "share of drafts rejected"}


@dataclass(frozen=True)
class Scope:
    """What a figure is about: a run over everything, over a class, or on one task."""

    run: str
    workload: str | None = None
    task: str | None = None


@dataclass(frozen=True)
class _Part(TaskFacts):
    """A task's or class's row with what the card does not show."""

    forwards: int | None = None
    ms_per_forward: float | None = None
    decode_s: float | None = None


@dataclass(frozen=True, eq=False)
class Book:
    """Looks quantities up by name and scope; null where the data does not have one."""

    facts: Facts

    @cached_property
    def _rows(self) -> dict[tuple[str, str], _Part]:
        frame = pooled(self.facts.summary.tasks, ["run", "task", "workload"])
        speedups = {(row.run, row.task): row.speedup for row in self.facts.tasks}
        frame["speedup"] = [
            speedups.get((run, task)) for run, task in zip(frame["run"], frame["task"], strict=True)
        ]
        return {(str(row["run"]), str(row["task"])): _Part.of(row) for _, row in frame.iterrows()}

    @cached_property
    def _classes(self) -> dict[tuple[str, str], _Part]:
        rows = (_Part.of(row) for _, row in self.facts.summary.workloads.iterrows())
        return {(row.run, row.workload): row for row in rows}

    @cached_property
    def _sources(self) -> dict[tuple[str, str | None], str]:
        found: dict[tuple[str, str | None], dict[str, None]] = {}
        summary = self.facts.summary
        tasks = summary.tasks
        for run, task, source in zip(tasks["run"], tasks["task"], tasks["source"], strict=True):
            found.setdefault((str(run), str(task)), {})[str(source)] = None
        for run, source in zip(summary.runs["id"], summary.runs["source"], strict=True):
            found.setdefault((str(run), None), {})[str(source)] = None
        return {key: ", ".join(sources) for key, sources in found.items()}

    @cached_property
    def _tasks_of(self) -> dict[str, dict[str, None]]:
        found: dict[str, dict[str, None]] = {}
        for row in self.facts.tasks:
            found.setdefault(row.workload, {})[str(row.task)] = None
        return found

    @cached_property
    def real(self) -> frozenset[str]:
        """Ids of runs that are no simulation of acceptance."""
        return frozenset(run.id for run in self.facts.real)

    @cached_property
    def drafting(self) -> frozenset[str]:
        """Ids of real runs with speculation."""
        return frozenset(run.id for run in self.facts.drafting)

    def source(self, scopes: Iterable[Scope]) -> str:
        """Where the raw records of scopes stand."""
        found: dict[str, None] = {}
        for scope in scopes:
            tasks: Iterable[str | None] = [scope.task]
            if scope.task is None and scope.workload is not None:
                tasks = self.tasks_of(scope.workload)
            for task in tasks:
                found[self._sources.get((scope.run, task), "")] = None
        return ", ".join([source for source in found if source][:8])

    def tasks_of(self, workload: str) -> tuple[str, ...]:
        """Tasks of a class, in the order of the logs."""
        return tuple(self._tasks_of.get(workload, ()))

    def name(self, scope: Scope) -> str:
        """A scope in words."""
        run = self.facts.by_id[scope.run].label
        part = scope.task or scope.workload
        return run if part is None else f"{run} on {part}"

    def columns(self, quantity: str, scope: Scope) -> tuple[str, ...]:
        """What a quantity may be for a scope, the likeliest first."""
        whole = COLUMNS.get(quantity, ())
        return (
            whole if scope.task is None and scope.workload is None else PARTS.get(quantity, whole)
        )

    def get(self, column: str, scope: Scope) -> float | None:
        """A quantity by the name of its column."""
        row: RunFacts | TaskFacts | None
        if scope.task is not None:
            row = self._rows.get((scope.run, scope.task))
        elif scope.workload is not None:
            row = self._classes.get((scope.run, scope.workload))
        else:
            row = self.facts.by_id.get(scope.run)
        if row is None:
            return None
        plain = self.facts.baseline
        if column in ("speedup", "decode_speedup") and plain is not None and scope.run == plain.id:
            return 1.0
        if column == "1/wall_s":
            wall = getattr(row, "wall_s", None)
            return 1 / wall if wall else None
        if column in ("wasted_tokens", "rejected_share"):
            drafted, accepted = row.draft_tokens, row.accepted_tokens
            if drafted is None or accepted is None or (column == "rejected_share" and not drafted):
                return None
            return float(drafted - accepted) / (drafted if column == "rejected_share" else 1)
        found = known(getattr(row, column, None))
        return None if found is None or isinstance(found, str) else float(found)

    def comparable(self, first: str, second: str) -> bool:
        """Whether two runs may be held against each other: same tasks, and no speedup withheld."""
        runs = [self.facts.by_id[first], self.facts.by_id[second]]
        if any(run.missing_tasks for run in runs):
            return False
        plain = self.facts.baseline
        others = [run for run in runs if plain is not None and run.id != plain.id]
        return all(run.synthetic or run.decode_speedup is not None for run in others)


def spoken(column: str) -> str:
    """A column in words."""
    return _SPOKEN.get(column, column.replace("_", " "))
