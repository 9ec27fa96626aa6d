"""What is every quantity of a campaign, and from which raw line does it come?

The values are those of the summary's frames; nothing is measured here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import pandas as pd

from analysis.cards.facts import Facts, known
from analysis.checking.quantities import QUANTITIES
from analysis.statistics.columns import columns
from analysis.statistics.rows import DERIVED, RunRow

__all__ = ["Book", "Scope", "spoken"]

_SPOKEN = {column.name: column.spoken for column in (*columns(RunRow), *DERIVED)}


@dataclass(frozen=True)
class Scope:
    """What a figure is about: a run over everything, over a class, or on one task."""

    run: str
    workload: str | None = None
    task: str | None = None

    @classmethod
    def of(cls, row: Mapping[Any, Any]) -> Self:
        """What a row of a frame is about."""
        task = known(row["task"])
        return cls(row["run"], None if task else known(row["workload"]), task)

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
        """The numbers of every run, class and task, what follows from them, and survivals."""
        summary, facts, plain = self.facts.summary, self.facts, self.facts.baseline
        runs, by_task = summary.runs.rename(columns={"id": "run"}), summary.by_task
        rows = pd.concat([runs, summary.workloads, by_task.drop(columns="workload")])
        numbers = rows.apply(pd.to_numeric, errors="coerce").astype(float)
        if plain is not None:
            numbers.loc[(rows["run"] == plain.id).to_numpy(), ["speedup", "decode_speedup"]] = 1.0
        margin = numbers["acceptance_rate"] - numbers["break_even_acceptance"]
        numbers = numbers.assign(
            time_per_token=1 / numbers["effective_tps"],
            pace_by_wall_time=1 / numbers["wall_s"],
            wasted_tokens=numbers["draft_tokens"] - numbers["accepted_tokens"],
            share_of_drafts_rejected=1 - numbers["acceptance_rate"],
            # Of a task or a class, which has no break-even, by how much it is faster.
            margin=margin.fillna(numbers["speedup"] - 1),
            distance=(numbers["speedup"] - 1).abs(),
            n_tasks=len(facts.task_names),
            n_runs=len(facts.runs),
            n_real=len(facts.real),
            n_drafting=len(facts.drafting),
        )
        found = dict(
            zip(map(Scope.of, rows.to_dict("records")), numbers.to_dict("records"), strict=True)
        )
        for row in summary.positions.to_dict("records"):
            key = f"survival to position {row['position']}"
            values = {f"{name} {key}": row[name] for name in ("conditional", "low", "high")}
            values[f"{row['source']} {key}"] = row["survival"]
            for run in facts.runs:
                if run.spec_type == row["method"] and row["position"] <= (run.n_max or 0):
                    found.get(Scope.of({**row, "run": run.id}), {}).update(values)
        return found

    @cached_property
    def _lines(self) -> list[tuple[str, str | None, str | None, str]]:
        tasks = self.facts.summary.tasks[["run", "workload", "task", "source"]]
        return [*tasks.itertuples(index=False, name=None)]

    @cached_property
    def workload_of(self) -> dict[str, str]:
        """The class of every task."""
        return {str(row.task): row.workload for row in self.facts.tasks}

    def source(self, scopes: Iterable[Scope]) -> str:
        """Where the raw records of scopes stand."""
        found = [self.facts.by_id[one.run].source for one in scopes if one.whole]
        for one in scopes:
            found += [
                line
                for run, workload, task, line in self._lines
                if run == one.run
                and (workload == one.workload if one.workload else task == one.task)
            ]
        return ", ".join([*filter(None, dict.fromkeys(found))][:8])

    def advised(self, scope: Scope) -> list[str]:
        """Runs that the card recommends for a kind of text: of all, and of its own draft."""
        facts, plain = self.facts, self.facts.baseline
        workload = self.workload_of.get(scope.task or "", scope.workload)
        choices = (one for one in (*facts.choices, *facts.own_choices) if one.workload == workload)
        named = dict.fromkeys(one.run or (plain.id if plain else None) for one in choices)
        return [run for run in named if run is not None]

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
        value = self._values.get(scope, {}).get(column)
        return None if value is None or not math.isfinite(value) else float(value)


def spoken(column: str) -> str:
    """A column in words."""
    return _SPOKEN.get(column, column.replace("_", " "))
