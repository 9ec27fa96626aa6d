"""What do runs say by themselves? The frames that audit and summary share, each made once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import pandas as pd

from analysis.depths.cost import StepTimes
from analysis.depths.methods import Sweeps
from analysis.records import Run
from analysis.statistics.conditions import unlike
from analysis.statistics.frames import run_frame, task_frame
from analysis.statistics.noise import Noise
from analysis.statistics.passes import pass_frame
from analysis.statistics.points import Points, points
from analysis.statistics.throughput import RunTotals

__all__ = ["MeasuredRuns"]


@dataclass(frozen=True, eq=False)
class MeasuredRuns:
    """Runs and the frames made of them, each when it is first asked for.

    Attributes
    ----------
    runs
        The records, each with an `id`.
    workloads
        Task name to workload class, over the built-in classes.
    baseline
        Run id of the run without speculation, or null.
    build
        llama.cpp's build where a run names none.
    """

    runs: tuple[Run, ...]
    workloads: Mapping[str, str] = field(default_factory=dict)
    baseline: str | None = None
    build: str | None = None

    @cached_property
    def tasks(self) -> pd.DataFrame:
        """Frame of ``frames.task_frame``."""
        return task_frame(self.runs, self.workloads, self.build)

    @cached_property
    def totals(self) -> pd.DataFrame:
        """Frame of ``throughput.RunTotals``."""
        return RunTotals()(run_frame(self.runs, self.passes), self.tasks)

    @cached_property
    def passes(self) -> pd.DataFrame:
        """Frame of ``passes.pass_frame``."""
        return pass_frame(self.runs)

    @cached_property
    def noise(self) -> pd.DataFrame:
        """Frame of ``noise.Noise``."""
        return Noise()(self.tasks)

    @cached_property
    def unlike(self) -> dict[str, dict[str, str]]:
        """Runs measured under other conditions than the baseline, see ``conditions.unlike``."""
        return unlike(self.runs, self.baseline)

    @cached_property
    def points(self) -> Points:
        """Where a run without speculation was measured at several values of a condition."""
        return points(self.runs, self.baseline)

    @cached_property
    def by_point(self) -> tuple[MeasuredRuns, ...]:
        """The runs of each point by themselves, home first; all together where there is one."""
        elsewhere = self.points.elsewhere
        if not elsewhere:
            return (self,)
        away = [point for point in self.points.points if point is not self.points.home]
        parts = []
        for point in (None, *away):
            own = tuple(run for run in self.runs if elsewhere.get(run.id) == point)
            baseline = self.baseline if point is None else point.baseline
            parts.append(MeasuredRuns(own, self.workloads, baseline, self.build))
        return tuple(parts)

    @property
    def home(self) -> MeasuredRuns:
        """The runs that the campaign's baseline stands for; all, where there is one point only."""
        return self.by_point[0]

    @cached_property
    def sweeps(self) -> pd.DataFrame:
        """Frame of ``methods.Sweeps``."""
        return Sweeps(self.baseline)(self.totals)

    @cached_property
    def step_times(self) -> pd.DataFrame:
        """Frame of ``cost.StepTimes``."""
        return StepTimes()(self.sweeps, self.tasks)
