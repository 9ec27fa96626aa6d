"""Everything a report states about one campaign, computed once.

`summarise` runs the statistics in order and gathers their frames. Charts, the
card and results.json take a :class:`Summary` and compute nothing themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from analysis.campaigns.campaign import Campaign
from analysis.conditions.axes import Axes
from analysis.depths.acceptance import Acceptance
from analysis.depths.cost import CostCurve
from analysis.depths.curves import depth_curves
from analysis.depths.depth import BestDepth, DepthTable
from analysis.depths.ladder import Ladder
from analysis.depths.measured import MeasuredRuns
from analysis.depths.positions import InferredPositions, MeasuredPositions
from analysis.depths.rounds import position_counts
from analysis.depths.settings import measured_settings
from analysis.records import WORKLOAD_ORDER, Finding, Run
from analysis.replaying.advice import predicted_settings
from analysis.replaying.replayed import Replays
from analysis.statistics.coverage import Coverage, Ranked, ranked
from analysis.statistics.decision import Predicted, Settings
from analysis.statistics.pairs import Pair, chosen_pairs, side_by_side
from analysis.statistics.policy import Recommend
from analysis.statistics.routing import Routing, routed
from analysis.statistics.speedups import GroupSpeedups, Speedups, TaskSpeedups
from analysis.statistics.throughput import pooled

__all__ = ["Summary", "summarise"]


@dataclass(frozen=True, eq=False)
class Summary:
    """The frames of a report, in campaign order.

    Attributes
    ----------
    campaign
        Settings and records.
    runs
        One row per run: `frames.RUN_COLUMNS` and what ``throughput.RunTotals`` and
        ``speedups.Speedups`` add.
    noise
        How much times scatter at each level, ``noise.Noise``.
    tasks
        One row per task result: `frames.TASK_COLUMNS` and `speedup`.
    by_task
        One row per run and task, repeats averaged: ``throughput.pooled`` columns,
        `speedup` (decode, over the baseline's) and the ends of its interval.
    workloads
        The same per workload class and run, classes in `records.WORKLOAD_ORDER`.
    pairs
        Comparisons worth a section.
    recommendations
        Frame of ``policy.Recommend``; the first row is overall.
    method_recommendations
        The same among the runs of one spec_type and no speculation, with that as `method`.
    routing
        Fixed best, routed and baseline decode throughput; null without runs.
    findings
        What the audit says, errors first.
    positions
        Survival by draft position, `positions.POSITION_COLUMNS`: measured
        rows, then inferred ones.
    step_times
        Time per forward of each run of a sweep, `cost.COST_COLUMNS`.
    depths
        What each depth costs and brings, `depth.DEPTH_COLUMNS`.
    best_depths
        The best depth of each method, `depth.BEST_COLUMNS`.
    ladder
        What each policy reaches, from off to the ceiling of dynamic
        truncation, `ladder.LADDER_COLUMNS`.
    replays
        What other settings would have done, where drafts were logged with
        their confidences.
    axes
        What requests at once, context and temperature change, where a run without
        speculation was measured at several values. All other frames are of the
        runs at the baseline's own values; :attr:`every_run` and :attr:`every_task`
        have the others too.
    """

    campaign: Campaign
    runs: pd.DataFrame
    noise: pd.DataFrame
    tasks: pd.DataFrame
    by_task: pd.DataFrame
    workloads: pd.DataFrame
    pairs: tuple[Pair, ...]
    recommendations: pd.DataFrame
    method_recommendations: pd.DataFrame
    routing: Routing | None
    findings: tuple[Finding, ...]
    positions: pd.DataFrame
    step_times: pd.DataFrame
    depths: pd.DataFrame
    best_depths: pd.DataFrame
    ladder: pd.DataFrame
    replays: Replays
    axes: Axes

    @property
    def home_runs(self) -> tuple[Run, ...]:
        """The records at the baseline's own values."""
        elsewhere = self.axes.where.elsewhere
        return tuple(run for run in self.campaign.runs if run.id not in elsewhere)

    @property
    def every_run(self) -> pd.DataFrame:
        """`runs`, and those at other values, each against the baseline at its own."""
        return self._with("id", self.runs, self.axes.runs)

    @property
    def every_task(self) -> pd.DataFrame:
        """`tasks`, and those of the runs at other values."""
        return self._with("run", self.tasks, self.axes.tasks)

    def _with(self, key: str, home: pd.DataFrame, elsewhere: pd.DataFrame) -> pd.DataFrame:
        if elsewhere.empty:
            return home
        place = {run: number for number, run in enumerate(self.campaign.run_ids)}
        both = pd.concat([home, elsewhere], ignore_index=True)
        order = both[key].map(place).sort_values(kind="stable").index
        return both.loc[order].reset_index(drop=True)


# Of so few rows, Arrow's strings take a quarter of the time of all that is computed.
@pd.option_context("mode.string_storage", "python")
def summarise(
    campaign: Campaign, findings: Sequence[Finding] = (), measured: MeasuredRuns | None = None
) -> Summary:
    """Compute a campaign's figures.

    Parameters
    ----------
    campaign
        A loaded campaign.
    findings
        What ``audit.audit`` found; carried along for the report.
    measured
        Its runs, where the frames made of them are there already.

    Returns
    -------
    Summary
        See its attributes.
    """
    baseline = campaign.baseline
    whole = measured or MeasuredRuns(
        campaign.runs, campaign.workloads, baseline, campaign.conditions.get("build")
    )
    own = whole.home
    tasks = TaskSpeedups(baseline)(own.tasks, own.unlike)
    runs = Speedups(baseline)(own.totals, tasks, own.passes, own.noise, own.unlike)
    runs = Coverage(baseline)(runs, tasks)
    by_task = GroupSpeedups(baseline, "task")(
        pooled(tasks, ["run", "task", "workload"]), tasks, own.noise, own.unlike
    )
    workloads = GroupSpeedups(baseline, "workload")(
        _in_field_order(pooled(tasks, ["run", "workload"])), tasks, own.noise, own.unlike
    )
    fair = ranked(runs, workloads, tasks, baseline)
    counts = position_counts(own.runs, campaign.workloads)
    curves = Acceptance()(own.sweeps, tasks, counts)
    noise = own.noise
    plain = None if baseline is None else tasks[tasks["run"] == baseline]
    cost = CostCurve.of(noise)
    over_depth = depth_curves(curves, own.step_times, plain, cost)
    shared = set(fair.tasks["task"])
    same = all(set(one.tasks["task"]) == shared for one in curves)
    ranked_curves = (
        over_depth
        if same
        else depth_curves([one.among(shared) for one in curves], own.step_times, plain, cost)
    )
    settings = measured_settings(
        ranked_curves, own.sweeps, own.step_times, fair.tasks, noise, baseline=baseline
    )
    replays = Replays.of(own.runs, campaign.logged, campaign.workloads, own.step_times, over_depth)
    predicted = predicted_settings(replays.each, settings, own.sweeps)
    recommendations = Recommend(baseline)(fair.runs, fair.workloads, settings, predicted)
    by_method = _by_method(fair, settings, predicted, baseline)
    return Summary(
        campaign=campaign,
        runs=runs,
        noise=own.noise,
        tasks=tasks,
        by_task=by_task,
        workloads=workloads,
        pairs=tuple(
            side_by_side(*pair, totals=own.totals, tasks=tasks, passes=own.passes, levels=own.noise)
            for pair in campaign.card.get("pairs") or chosen_pairs(fair.runs)
        ),
        recommendations=recommendations,
        method_recommendations=by_method,
        routing=routed(recommendations, fair.runs, fair.workloads, baseline, settings),
        findings=tuple(findings),
        positions=_best_known(MeasuredPositions()(own.sweeps, counts), InferredPositions()(curves)),
        step_times=own.step_times,
        depths=DepthTable()(over_depth),
        best_depths=BestDepth(advised=_depths(by_method))(over_depth),
        ladder=Ladder(baseline)(
            over_depth, own.sweeps, fair.runs, fair.workloads, settings, predicted=predicted
        ),
        replays=replays,
        axes=Axes.of(whole),
    )


def _by_method(
    fair: Ranked,
    settings: Mapping[str | None, Settings],
    predicted: Mapping[str | None, Predicted],
    baseline: str | None,
) -> pd.DataFrame:
    """What to run with one method only: rows of every spec_type, with that as `method`."""
    drafting = (fair.runs["id"] != baseline) & ~fair.runs["synthetic"]
    kinds = fair.runs["spec_type"].where(drafting & (fair.runs["spec_type"] != "none"))
    made = []
    for kind in dict.fromkeys(kinds.dropna()):
        ids = {*fair.runs.loc[kinds == kind, "id"], *([] if baseline is None else [baseline])}
        own = Recommend(baseline)(
            fair.runs[fair.runs["id"].isin(ids)],
            fair.workloads[fair.workloads["run"].isin(ids)],
            {name: among.among(ids) for name, among in settings.items()},
            predicted,
        )
        made.append(own.assign(method=kind))
    return pd.concat(made, ignore_index=True) if made else pd.DataFrame(columns=["method"])


def _depths(by_method: pd.DataFrame) -> dict[tuple[str, str | None], int]:
    """Depth that is advised by method and workload, 0 for none."""
    return {
        (row["method"], None if pd.isna(row["workload"]) else row["workload"]): 0
        if pd.isna(row["run"])
        else int(row["n_max"])
        for row in by_method.to_dict("records")
        if pd.isna(row["run"]) or not pd.isna(row["n_max"])
    }


def _best_known(measured: pd.DataFrame, inferred: pd.DataFrame) -> pd.DataFrame:
    """Measured rows, then the inferred ones of what was not measured.

    Where rounds were counted the model has seen them too: its rows would only
    say the same again under a weaker name.
    """
    keys = ["method", "workload", "task", "position"]
    both = pd.concat([measured, inferred], ignore_index=True)
    known = both[keys].astype("object").where(both[keys].notna(), None)
    return both[~known.duplicated()].reset_index(drop=True)


def _in_field_order(workloads: pd.DataFrame) -> pd.DataFrame:
    rank = {name: place for place, name in enumerate(WORKLOAD_ORDER)}
    return workloads.sort_values(
        "workload", key=lambda names: names.map(rank).fillna(len(rank)), kind="stable"
    ).reset_index(drop=True)
