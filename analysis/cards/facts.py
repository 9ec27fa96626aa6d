"""A summary's frames as the card reads them: one record per run, null as ``None``.

Nothing is measured here; what is derived is a choice of rows or a difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Self

import pandas as pd

from analysis.records import Finding
from analysis.statistics.conclusions import RecommendationRow
from analysis.statistics.lossless import Lossless
from analysis.statistics.rows import RunRow
from analysis.summary import Summary

__all__ = ["OUTPUTS_DIVERGED", "Facts", "Recommendation", "RunFacts", "TaskFacts", "known"]

OUTPUTS_DIVERGED = "outputs-diverged"


def known(value: Any) -> Any:
    """A cell of a frame, ``None`` when it is null."""
    return None if pd.isna(value) else value


class _Row:
    """Builds a record from a frame's row; columns that the frame lacks are null."""

    @classmethod
    def of(cls, row: pd.Series) -> Self:
        names = [item.name for item in fields(cls)]  # type: ignore[arg-type]
        return cls(**{name: known(row.get(name)) for name in names})


@dataclass(frozen=True, kw_only=True)
class RunFacts(_Row, RunRow):
    """One row of ``Summary.runs``."""

    @property
    def aside(self) -> bool:
        """Whether it can't be ranked: it lacks tasks of the others, or had other conditions."""
        return bool(self.missing_tasks) or self.unlike is not None

    @property
    def drafts(self) -> bool:
        """Whether it drafted anything."""
        return bool(self.draft_tokens)

    @property
    def wasted_tokens(self) -> int | None:
        """Drafted tokens that were rejected."""
        if self.draft_tokens is None or self.accepted_tokens is None:
            return None
        return self.draft_tokens - self.accepted_tokens

    @property
    def drafted_per_forward(self) -> float | None:
        """Drafted tokens per target forward."""
        return self.draft_tokens / self.forwards if self.drafts and self.forwards else None  # type: ignore[operator]

    @property
    def accepted_per_forward(self) -> float | None:
        """Accepted drafted tokens per target forward, the forward's own token not included."""
        if not self.drafts or not self.forwards or self.accepted_tokens is None:
            return None
        return self.accepted_tokens / self.forwards


@dataclass(frozen=True)
class TaskFacts(_Row):
    """One task, or one workload class, of a run; its repeats pooled."""

    run: str
    workload: str
    task: str | None = None
    n_tasks: int | None = None
    predicted_tokens: int | None = None
    draft_tokens: int | None = None
    accepted_tokens: int | None = None
    acceptance_rate: float | None = None
    decode_tps: float | None = None
    mean_accepted_length: float | None = None
    speedup: float | None = None
    speedup_low: float | None = None
    speedup_high: float | None = None


@dataclass(frozen=True, kw_only=True)
class Recommendation(_Row, RecommendationRow):
    """One row of ``policy.Recommend``; `run` null is speculation off."""

    decode_tps: float | None = None


@dataclass(frozen=True, eq=False)
class Facts:
    """What the sections of one card ask of a summary."""

    summary: Summary

    @cached_property
    def runs(self) -> tuple[RunFacts, ...]:
        """All runs in campaign order."""
        return tuple(RunFacts.of(row) for _, row in self.summary.runs.iterrows())

    @cached_property
    def by_id(self) -> dict[str, RunFacts]:
        """Runs by id."""
        return {run.id: run for run in self.runs}

    @cached_property
    def real(self) -> tuple[RunFacts, ...]:
        """Runs that are no simulation of acceptance."""
        return tuple(run for run in self.runs if not run.synthetic)

    @cached_property
    def baseline(self) -> RunFacts | None:
        """The run without speculation, if there is one with results."""
        found = self.by_id.get(self.summary.campaign.baseline or "")
        return None if found is None or found.synthetic or not found.predicted_tokens else found

    @cached_property
    def drafting(self) -> tuple[RunFacts, ...]:
        """Real runs with speculation."""
        return tuple(
            run
            for run in self.real
            if run is not self.baseline
            and run.predicted_tokens
            and (run.drafts or run.spec_type not in (None, "none"))
        )

    @cached_property
    def compared(self) -> tuple[RunFacts, ...]:
        """Real runs that are compared with the baseline, or with each other without one."""
        if self.baseline is not None:
            return self.drafting
        return tuple(run for run in self.real if run.predicted_tokens)

    @cached_property
    def undeclared(self) -> tuple[RunFacts, ...]:
        """Runs that drafted nothing and may be the baseline that the campaign does not name."""
        if self.summary.campaign.baseline is not None:
            return ()
        return tuple(
            run
            for run in self.compared
            if run.draft_tokens == 0 and run.spec_type in (None, "none")
        )

    @cached_property
    def method(self) -> str | None:
        """What the card's repository is about: stated by the author, or the first method run."""
        stated = self.summary.campaign.card.get("spec_type")
        if isinstance(stated, str):
            return stated
        return next((run.spec_type for run in self.drafting if run.spec_type), None)

    @cached_property
    def own(self) -> tuple[RunFacts, ...]:
        """Runs of the card's own method."""
        return tuple(run for run in self.drafting if run.spec_type == self.method)

    @cached_property
    def choices(self) -> tuple[Recommendation, ...]:
        """Recommendations over everything measured; the first is overall."""
        return _choices(self.summary.recommendations)

    @cached_property
    def own_choices(self) -> tuple[Recommendation, ...]:
        """Recommendations for who has the card's own draft only."""
        frame = self.summary.method_recommendations
        return _choices(frame[frame["method"] == self.method])

    @cached_property
    def best(self) -> RunFacts | None:
        """The overall recommendation; null where that is speculation off."""
        chosen = self.choices[0].run if self.choices else None
        return self.by_id.get(chosen) if chosen is not None else None

    @cached_property
    def best_drafting(self) -> RunFacts | None:
        """The run with speculation that comes closest to paying, or pays."""
        return self._closest(self.choices) or self.fastest(self.drafting)

    @cached_property
    def best_own(self) -> RunFacts | None:
        """The one of the card's own method that comes closest to paying, or pays."""
        return self._closest(self.own_choices) or self.fastest(self.own)

    def _closest(self, choices: Sequence[Recommendation]) -> RunFacts | None:
        closest = choices[0].closest if choices else None
        return None if closest is None else self.by_id[closest]

    @cached_property
    def shown(self) -> tuple[RunFacts | None, str | None]:
        """The run whose command a reader gets, and the workload it is for (null = all).

        The best of the card's own method: over all prompts if it pays there,
        else where it pays most, else the one that comes closest.
        """
        overall, *rest = self.own_choices or (Recommendation(),)
        if overall.run is not None:
            return self.by_id[overall.run], None
        paying = [choice for choice in rest if choice.run is not None]
        if paying:
            most = max(paying, key=lambda choice: choice.expected_speedup or 0.0)
            return self.by_id[str(most.run)], most.workload
        return self.best_own, None

    @cached_property
    def effective(self) -> bool:
        """Whether the runs that are ranked have an effective throughput; else decode is used."""
        runs = self.compared if self.baseline is None else (*self.drafting, self.baseline)
        runs = tuple(run for run in runs if not run.aside)
        rated = all(run.effective_tps is not None for run in runs)
        return rated and (self.baseline is None or all(run.speedup is not None for run in runs))

    def rate(self, run: RunFacts) -> float | None:
        """The throughput that the card compares runs by."""
        return run.effective_tps if self.effective else run.decode_tps

    def gain(self, run: RunFacts) -> float | None:
        """The speedup that goes with :meth:`rate`."""
        return run.speedup if self.effective else run.decode_speedup

    @cached_property
    def tasks(self) -> tuple[TaskFacts, ...]:
        """Per run and task, in field order; failed requests are not in it."""
        return tuple(TaskFacts.of(row) for _, row in self.summary.by_task.iterrows())

    @cached_property
    def task_names(self) -> tuple[str, ...]:
        """Tasks in field order."""
        return tuple(dict.fromkeys(str(name) for name in self.summary.tasks["task"]))

    def tasks_of(self, run: RunFacts) -> frozenset[str]:
        """Tasks that a run finished."""
        return frozenset(str(row.task) for row in self.tasks if row.run == run.id)

    @cached_property
    def baseline_tasks(self) -> int:
        """Number of tasks that the baseline finished."""
        return 0 if self.baseline is None else len(self.tasks_of(self.baseline))

    @cached_property
    def workloads(self) -> dict[str, tuple[TaskFacts, ...]]:
        """Workload class to its runs, classes in the order of first appearance."""
        rows = [TaskFacts.of(row) for _, row in self.summary.workloads.iterrows()]
        return {
            name: tuple(row for row in rows if row.workload == name)
            for name in dict.fromkeys(row.workload for row in rows)
        }

    @cached_property
    def diverged(self) -> tuple[Finding, ...]:
        """Findings that outputs differ between configurations."""
        return self.found(OUTPUTS_DIVERGED)

    @cached_property
    def outputs(self) -> pd.DataFrame:
        """Greedy outputs against the baseline's, see ``lossless.Lossless``."""
        return Lossless(self.summary.campaign.baseline)(self.summary.home_runs)

    def found(self, code: str) -> tuple[Finding, ...]:
        """Findings with this code."""
        return tuple(finding for finding in self.summary.findings if finding.code == code)

    def fastest(self, runs: Sequence[RunFacts]) -> RunFacts | None:
        """The run with the highest :meth:`rate`, of those that lack no task of the others."""
        rated = [run for run in runs if self.rate(run) and not run.aside]
        return max(rated, key=lambda run: self.rate(run) or 0.0, default=None)


def _choices(frame: pd.DataFrame) -> tuple[Recommendation, ...]:
    return tuple(Recommendation.of(row) for _, row in frame.iterrows())
