"""From simulated runs to the depth model's objects, as ``summary`` does it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.depths.acceptance import Acceptance, Curves
from analysis.depths.cost import CostCurve, StepTimes
from analysis.depths.curves import DepthCurve, depth_curves
from analysis.depths.depth import BestDepth, DepthTable
from analysis.depths.methods import Sweeps
from analysis.depths.rounds import position_counts
from analysis.records import Run
from analysis.statistics.frames import run_frame, task_frame
from analysis.statistics.noise import Noise
from analysis.statistics.throughput import RunTotals


@dataclass(frozen=True, eq=False)
class Read:
    """What a campaign's runs give."""

    runs: pd.DataFrame
    tasks: pd.DataFrame
    counts: pd.DataFrame
    sweeps: pd.DataFrame
    times: pd.DataFrame
    curves: tuple[Curves, ...]
    over_depth: tuple[DepthCurve, ...]

    @property
    def depths(self) -> pd.DataFrame:
        return DepthTable()(self.over_depth)

    @property
    def best(self) -> pd.DataFrame:
        return BestDepth()(self.over_depth)

    def overall(self) -> DepthCurve:
        (curve,) = (curve for curve in self.over_depth if curve.workload is None)
        return curve

    def median_tps(self) -> np.ndarray:
        return np.median(self.overall().decode_tps, axis=0)


def read(runs: Sequence[Run], baseline: str | None = "plain") -> Read:
    tasks = task_frame(runs)
    totals = RunTotals()(run_frame(runs), tasks)
    sweeps = Sweeps(baseline)(totals)
    counts = position_counts(runs)
    curves = Acceptance()(sweeps, tasks, counts)
    times = StepTimes()(sweeps, tasks)
    plain = tasks[tasks["run"] == baseline]
    cost = CostCurve.of(Noise()(tasks))
    over_depth = depth_curves(curves, times, plain if len(plain) else None, cost)
    return Read(totals, tasks, counts, sweeps, times, curves, over_depth)
