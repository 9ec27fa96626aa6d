"""How well is a depth predicted that was left out, and what does the depth model cost?

Run alone it first prints, for every depth of the published sweeps, the pooled decode throughput
predicted from the others: by the depth model, and by the usual geometric one (one acceptance
probability for every position, fitted to each depth and averaged, with a straight line of costs).
"""

from __future__ import annotations

import gc
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from timing import ROOT, Ratio, main

from analysis.audit import audit
from analysis.campaigns.campaign import Campaign, load
from analysis.cards.markdown import picture
from analysis.charts import draw, frames_of
from analysis.charts.break_even import break_even
from analysis.charts.depth_cost import depth_cost
from analysis.charts.depth_throughput import depth_throughput
from analysis.charts.ladder import ladder
from analysis.charts.survival import survival
from analysis.depths.acceptance import Acceptance
from analysis.depths.cost import CostCurve, StepTimes
from analysis.depths.curves import DepthCurve, depth_curves
from analysis.depths.depth import BestDepth, DepthTable
from analysis.depths.ladder import Ladder
from analysis.depths.methods import Sweeps
from analysis.depths.positions import InferredPositions, MeasuredPositions
from analysis.depths.rounds import position_counts
from analysis.depths.settings import measured_settings
from analysis.page import page
from analysis.records import Run
from analysis.statistics.frames import run_frame, task_frame
from analysis.statistics.noise import Noise
from analysis.statistics.policy import Recommend
from analysis.statistics.throughput import RunTotals
from analysis.summary import Summary, summarise

DEPTH_CHARTS = (depth_cost, survival, depth_throughput, break_even, ladder)
LIMIT_S = 2.0
INNER, END = 0.025, 0.05
"""Errors to stay within, between the depths measured and at their ends."""


@dataclass(frozen=True)
class LeftOut:
    """A depth that was left out: measured and predicted decode throughput."""

    run: str
    inner: bool
    measured: float
    model: float
    low: float
    high: float
    geometric: float

    @property
    def bound(self) -> float:
        return INNER if self.inner else END

    @property
    def met(self) -> bool:
        return abs(self.model / self.measured - 1) <= self.bound


def published() -> dict[str, list[Run]]:
    """Both sweeps; the deepest DFlash run is from the other card."""
    dflash, dspark = (
        load(ROOT / "raw" / f"qwen3.6-35b-a3b-{name}") for name in ("dflash", "dspark")
    )
    return {
        "DFlash": [*dflash.runs, *(run for run in dspark.runs if run.id == "dflash-n7")],
        "DSpark": [run for run in dspark.runs if run.spec_type == "draft-dspark"],
    }


def frames(runs: Sequence[Run]) -> tuple[pd.DataFrame, pd.DataFrame]:
    tasks = task_frame(runs)
    return RunTotals()(run_frame(runs), tasks), tasks


def left_out(runs: Sequence[Run], run: Run) -> LeftOut:
    others = [other for other in runs if other is not run]
    totals, tasks = frames(others)
    sweeps = Sweeps()(totals)
    curves = Acceptance()(sweeps, tasks, position_counts(others))
    draws = depth_curves(curves, StepTimes()(sweeps, tasks), None, CostCurve())[0]
    tps = draws.decode_tps[:, run.n_max or 0]
    depths = [other.n_max or 0 for other in others]
    low, high = np.quantile(tps, [0.05, 0.95])
    return LeftOut(
        run.id,
        min(depths) < (run.n_max or 0) < max(depths),
        float(frames([run])[0]["decode_tps"].iloc[0]),
        float(np.median(tps)),
        float(low),
        float(high),
        geometric(totals, run.n_max or 0),
    )


def geometric(totals: pd.DataFrame, depth: int) -> float:
    """One probability for all positions, one line for all costs."""
    depths = totals["n_max"].to_numpy("float64")
    shares = [
        brentq(lambda p, k=int(k), mean=mean: tokens(p, k) - mean, 0, 1)
        for k, mean in zip(depths, totals["mean_accepted_length"], strict=True)
    ]
    cost = np.polyval(np.polyfit(depths, totals["ms_per_forward"], 1), depth)
    return float(1000 * tokens(float(np.mean(shares)), depth) / cost)


def tokens(p: float, depth: int) -> float:
    return float(sum(p**place for place in range(depth + 1)))


def table() -> list[LeftOut]:
    return [left_out(runs, run) for runs in published().values() for run in runs]


def show(rows: Sequence[LeftOut]) -> None:
    print("Decode tok/s of a depth left out, predicted from the others (90 % interval)")
    print(f"{'left out':<10} measured     model         interval    error  bound  geometric  error")
    for row in rows:
        print(
            f"{row.run:<10} {row.measured:8.1f}  {row.model:8.1f}"
            f"  {row.low:7.1f} to {row.high:5.1f}"
            f"  {row.model / row.measured - 1:+7.1%}  {row.bound:5.1%}  {row.geometric:9.1f}"
            f"  {row.geometric / row.measured - 1:+6.1%}{'' if row.met else '  MISSED'}"
        )
    print()


def depth_model(
    campaign: Campaign, runs: pd.DataFrame, tasks: pd.DataFrame
) -> tuple[pd.DataFrame, tuple[DepthCurve, ...]]:
    sweeps = Sweeps(campaign.baseline)(runs)
    curves = Acceptance()(sweeps, tasks, position_counts(campaign.runs))
    InferredPositions()(curves)
    plain = tasks[tasks["run"] == campaign.baseline]
    over_depth = depth_curves(curves, StepTimes()(sweeps, tasks), plain, CostCurve())
    DepthTable()(over_depth)
    BestDepth()(over_depth)
    return sweeps, over_depth


def statistics_of(summary: Summary) -> None:
    """All that a report computes about positions, depths and policies."""
    campaign = summary.campaign
    sweeps, over_depth = depth_model(campaign, summary.runs, summary.tasks)
    MeasuredPositions()(sweeps, position_counts(campaign.runs))
    noise = Noise()(summary.tasks)
    settings = measured_settings(
        over_depth, sweeps, summary.step_times, summary.tasks, noise, baseline=campaign.baseline
    )
    Recommend(campaign.baseline)(summary.runs, summary.workloads, settings)
    Ladder(campaign.baseline)(over_depth, sweeps, summary.runs, summary.workloads, settings)


def charts_of(summary: Summary, out: Path) -> None:
    """All that it shows of them, light and dark, and in the page."""
    made = (chart(frames_of(summary)) for chart in DEPTH_CHARTS)
    drawn = draw((chart for chart in made if chart is not None), out)
    pictures = [picture(one.alt, str(one.light), str(one.dark)) for one in drawn.values()]
    page("\n\n".join(pictures), out, drawn)


def taken(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measure(runs: int, quick: bool = False) -> list[Ratio]:  # noqa: ARG001 - nothing is smaller
    """The depth model against reading and auditing a campaign, and what depths add to a report."""
    folder = ROOT / "raw" / "qwen3.6-35b-a3b-dspark"
    campaign = load(folder)
    totals, tasks = frames(campaign.runs)
    summary = summarise(campaign)
    with tempfile.TemporaryDirectory() as out:
        sides = {
            "model": lambda: depth_model(campaign, totals, tasks),
            "floor": lambda: audit(load(folder)),
            "statistics": lambda: statistics_of(summary),
            "charts": lambda: charts_of(summary, Path(out)),
        }
        times: dict[str, list[float]] = {side: [] for side in sides}
        # As in a report's kernel: what was imported is not searched for garbage.
        gc.collect()
        gc.freeze()
        for place in range(runs + 1):
            for side, work in sides.items():
                spent = taken(work)
                if place:
                    times[side].append(spent)
    subject_s, floor_s = (statistics.median(times[side]) for side in ("model", "floor"))
    # The best of them: what else the machine does only adds.
    computed, drawn = (min(times[side]) for side in ("statistics", "charts"))
    return [
        Ratio("depth", "depth model", "load and audit", subject_s, floor_s, 4.0, runs),
        Ratio(
            "depth-report",
            "positions and depths in a report",
            "the limit",
            computed + drawn,
            LIMIT_S,
            1.0,
            runs,
            note=f"statistics {computed:.2f} s, charts {drawn:.2f} s",
        ),
    ]


if __name__ == "__main__":
    rows = table()
    if "--json" not in sys.argv:
        show(rows)
    sys.exit(main(measure) or (0 if all(row.met for row in rows) else 1))
