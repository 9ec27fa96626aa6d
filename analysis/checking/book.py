"""What is every quantity of a campaign, and from which raw line does it come?

The values are those of the summary's frames; nothing is measured here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

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
        places = zip(rows["run"], rows["workload"], rows["task"], strict=True)
        scopes = [Scope(str(run), known(workload), known(task)) for run, workload, task in places]
        found = dict(zip(scopes, numbers.to_dict("records"), strict=True))
        for row in summary.positions.to_dict("records"):
            workload, task = known(row["workload"]), known(row["task"])
            key = f"survival to position {row['position']}"
            values = {f"{name} {key}": row[name] for name in ("conditional", "low", "high")}
            values[f"{row['source']} {key}"] = row["survival"]
            for run in facts.runs:
                scope = Scope(run.id, None if task else workload, task)
                if run.spec_type == row["method"] and row["position"] <= (run.n_max or 0):
                    found.get(scope, {}).update(values)
        return found

    @cached_property
    def _sources(self) -> dict[tuple[str, str | None], dict[str, None]]:
        tasks, runs = self.facts.summary.tasks, self.facts.summary.runs
        found: dict[tuple[str, str | None], dict[str, None]] = {}
        for run, task, source in (
            *zip(tasks["run"], tasks["task"], tasks["source"], strict=True),
            *((run, None, source) for run, source in zip(runs["id"], runs["source"], strict=True)),
        ):
            found.setdefault((run, task), {})[str(source)] = None
        return found

    def source(self, scopes: Iterable[Scope]) -> str:
        """Where the raw records of scopes stand."""
        found: dict[str, None] = {}
        for scope in scopes:
            for task in self.tasks_of(scope.workload) if scope.workload else (scope.task,):
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
        value = self._values.get(scope, {}).get(column)
        return None if value is None or not math.isfinite(value) else float(value)

    def comparable(self, first: str, second: str) -> bool:
        """Whether two runs may be held against each other: same tasks, and no speedup withheld."""
        plain = self.facts.baseline
        return not any(
            run.missing_tasks
            or (plain and run != plain and not run.synthetic and run.decode_speedup is None)
            for run in (self.facts.by_id[first], self.facts.by_id[second])
        )


def spoken(column: str) -> str:
    """A column in words."""
    return _SPOKEN.get(column, column.replace("_", " "))
