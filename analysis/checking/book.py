"""What is every quantity of a campaign, and from which raw line does it come?

The values are those of the summary's frames; nothing is measured here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from numbers import Real

import pandas as pd

from analysis.cards.facts import Facts
from analysis.checking.quantities import QUANTITIES
from analysis.statistics.columns import columns
from analysis.statistics.rows import DERIVED, RunRow
from analysis.statistics.throughput import pooled

__all__ = ["Book", "Scope", "spoken"]

_SPOKEN = {column.name: column.spoken for column in (*columns(RunRow), *DERIVED)}
_SPOKEN |= {"1/wall_s": "pace (1 over wall time)", "rejected_share": "share of drafts rejected",
            "above_break_even": "acceptance minus break-even",
            "s_per_token": "wall time for the same number of tokens"}  # fmt: skip
_PLACE = ("workload", "task")
_FOLLOWING: tuple[tuple[str, Callable[[dict[str, float]], float]], ...] = (
    ("s_per_token", lambda row: 1 / row["effective_tps"]),
    ("1/wall_s", lambda row: 1 / row["wall_s"]),
    ("wasted_tokens", lambda row: row["draft_tokens"] - row["accepted_tokens"]),
    ("rejected_share", lambda row: 1 - row["acceptance_rate"]),
    ("above_break_even", lambda row: row["acceptance_rate"] - row["break_even_acceptance"]),
    ("distance", lambda row: abs(row["speedup"] - 1)),
    # Of a task or a class, which has no break-even, by how much it is faster.
    ("above_break_even", lambda row: row["speedup"] - 1),
)


@dataclass(frozen=True)
class Scope:
    """What a figure is about: a run over everything, over a class, or on one task."""

    run: str
    workload: str | None = None
    task: str | None = None

    @property
    def whole(self) -> bool:
        """Whether it is all that the run did."""
        return self.task is None and self.workload is None


@dataclass(frozen=True, eq=False)
class Book:
    """Looks quantities up by name and scope; null where the data does not have one."""

    facts: Facts

    @cached_property
    def _values(self) -> dict[Scope, dict[str, float]]:
        summary, facts = self.facts.summary, self.facts
        tasks = pooled(summary.tasks, ["run", "task", "workload"])
        speedups = {(row.run, row.task): row.speedup for row in facts.tasks}
        tasks["speedup"] = [
            speedups.get(pair) for pair in zip(tasks["run"], tasks["task"], strict=True)
        ]
        rows = {Scope(str(row["id"])): row for _, row in summary.runs.iterrows()}
        for _, row in summary.workloads.iterrows():
            rows[Scope(str(row["run"]), str(row["workload"]))] = row
        for _, row in tasks.iterrows():
            rows[Scope(str(row["run"]), task=str(row["task"]))] = row
        found = {scope: self._of(scope, row) for scope, row in rows.items()}
        for _, row in summary.positions.iterrows():
            workload, task = (None if pd.isna(row[name]) else row[name] for name in _PLACE)
            key = f"survival to position {row['position']}"
            values = {f"{row['source']} {key}": row["survival"],
                      f"conditional {key}": row["conditional"],
                      f"low {key}": row["low"], f"high {key}": row["high"]}  # fmt: skip
            survivals = {name: float(value) for name, value in values.items() if pd.notna(value)}
            for run in facts.runs:
                scope = Scope(run.id, None if task else workload, task)
                if run.spec_type == row["method"] and row["position"] <= (run.n_max or 0):
                    found.get(scope, {}).update(survivals)
        return found

    def _of(self, scope: Scope, row: pd.Series) -> dict[str, float]:
        """The numbers of a row, and what follows from them."""
        facts, plain = self.facts, self.facts.baseline
        numbers = ((str(name), one) for name, one in row.dropna().items() if isinstance(one, Real))
        found = {name: float(one) for name, one in numbers}
        if plain is not None and scope.run == plain.id:
            found |= {"speedup": 1.0, "decode_speedup": 1.0}
        if scope.whole:
            found |= {"n_tasks": len(facts.task_names), "n_runs": len(facts.runs)}
            found |= {"n_real": len(facts.real), "n_drafting": len(facts.drafting)}
        for name, follows in _FOLLOWING:
            with suppress(KeyError, ZeroDivisionError):
                found.setdefault(name, follows(found))
        return found

    @cached_property
    def _sources(self) -> dict[tuple[str, str | None], dict[str, None]]:
        found: dict[tuple[str, str | None], dict[str, None]] = {}
        tasks, runs = self.facts.summary.tasks, self.facts.summary.runs
        for run, task, source in zip(tasks["run"], tasks["task"], tasks["source"], strict=True):
            found.setdefault((str(run), str(task)), {})[str(source)] = None
        for run, source in zip(runs["id"], runs["source"], strict=True):
            found.setdefault((str(run), None), {})[str(source)] = None
        return found

    def source(self, scopes: Iterable[Scope]) -> str:
        """Where the raw records of scopes stand."""
        found: dict[str, None] = {}
        for scope in scopes:
            tasks = self.tasks_of(scope.workload) if scope.workload else (scope.task,)
            for task in tasks:
                found |= self._sources.get((scope.run, task), {})
        return ", ".join(list(found)[:8])

    def tasks_of(self, workload: str | None) -> tuple[str, ...]:
        """Tasks of a class, or all, in the order of the logs."""
        if workload is None:
            return self.facts.task_names
        rows = (str(row.task) for row in self.facts.tasks if row.workload == workload)
        return tuple(dict.fromkeys(rows))

    def name(self, scope: Scope) -> str:
        """A scope in words."""
        run = self.facts.by_id[scope.run].label
        return run if scope.whole else f"{run} on {scope.task or scope.workload}"

    def meaning(self, quantity: str, index: int, scope: Scope) -> tuple[str, float] | None:
        """Column and value of one of the things that a quantity may be."""
        means = QUANTITIES[quantity]
        names = means.columns if scope.whole else means.parts
        value = self.get(names[index], scope) if index < len(names) else None
        return None if value is None else (names[index], value)

    def get(self, column: str, scope: Scope) -> float | None:
        """A quantity by the name of its column."""
        return self._values.get(scope, {}).get(column)

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
