"""Checks of depth sweeps: can positions and depths be told from these runs?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pandas as pd

from analysis.audit.finding import Check, Evidence, Hit
from analysis.depths.rounds import dispersion, position_counts
from analysis.depths.survival import SurvivalModel
from analysis.statistics.noise import Noise

__all__ = ["CHECKS"]

_SPREAD = 0.1
"""Relative scatter of tasks above which one step time does not describe them."""


_JUMP = 0.05
"""Share of the time by which a step is longer than the other depths let expect."""
_SURE = 3.0
"""Standard errors that it has to be longer by."""


def _with_rows(evidence: Evidence, frame: pd.DataFrame) -> pd.DataFrame:
    """Rows of the runs that have results per task: totals alone are no depth sweep."""
    named = {run.id for run in evidence.runs if run.tasks}
    return frame[frame["run"].isin(named)]


def _one_depth(evidence: Evidence) -> Iterator[Hit]:
    if not evidence.is_campaign:
        return
    counted = {
        run.id
        for run in evidence.runs
        for result in run.tasks
        if result.rounds is not None or result.positions is not None
    }
    used = _with_rows(evidence, evidence.measured.sweeps)
    used = used[used["excluded"].isna()]
    for method, group in used.groupby("method", sort=False):
        depths = set(group["n_max"])
        if len(depths) == 1 and depths != {1} and not counted & set(group["run"]):
            yield (
                str(method),
                f"{method} was measured at depth {depths.pop()} only: its mean accepted length is "
                "known, survival by position only within bounds, other depths not at all",
            )


def _depth_unknown(evidence: Evidence) -> Iterator[Hit]:
    if not evidence.is_campaign:
        return
    found = _with_rows(evidence, evidence.measured.sweeps)
    for run in found.loc[found["excluded"] == "depth-unknown", "run"]:
        yield str(run), f"{run} does not say its n_max: it can't be placed among the depths"


def _cut_short(evidence: Evidence) -> Iterator[Hit]:
    if not evidence.is_campaign:
        return
    found = _with_rows(evidence, evidence.measured.sweeps)
    for _, row in found[found["excluded"] == "p-min"].iterrows():
        yield (
            str(row["run"]),
            f"{row['run']} cuts drafts short at p_min {row['p_min']:g}: its totals say nothing of "
            "fixed depths, so it is compared as a policy and left out of the depth curves",
        )


def _step_time_varies(evidence: Evidence) -> Iterator[Hit]:
    if not evidence.is_campaign:
        return
    times = evidence.measured.step_times
    for _, row in times[times["spread"] > _SPREAD].iterrows():
        yield (
            str(row["run"]),
            f"{row['run']}: time per forward scatters by {row['spread']:.0%} between tasks around "
            f"{row['ms_per_forward']:.1f} ms",
        )


def _step_time_jumps(evidence: Evidence) -> Iterator[Hit]:
    if not evidence.is_campaign or evidence.measured.step_times.empty:
        return
    noise = Noise()(evidence.tasks).set_index("level")["sd"].to_dict()["run"]
    for method, group in evidence.measured.step_times.groupby("method", sort=False):
        times = group.drop_duplicates("n_max", keep=False).sort_values("n_max")
        steps = list(pairwise(times.to_dict("records")))
        if len(steps) < 2:
            continue
        slopes = [
            (after["ms_per_forward"] - before["ms_per_forward"])
            / (after["n_max"] - before["n_max"])
            for before, after in steps
        ]
        for place, (before, after) in enumerate(steps):
            usual = float(np.median(slopes[:place] + slopes[place + 1 :]))
            apart = after["n_max"] - before["n_max"]
            more = after["ms_per_forward"] - before["ms_per_forward"] - usual * apart
            errors = [
                np.hypot(
                    row["standard_error"], noise * row["ms_per_forward"] / row["starts"] ** 0.5
                )
                for row in (before, after)
            ]
            # What is usual was measured with such an error as well.
            error = float(np.hypot(*errors)) * 2**0.5
            share = more / before["ms_per_forward"]
            longer = after["ms_per_forward"] - before["ms_per_forward"]
            if share > _JUMP and more > _SURE * error:
                yield (
                    str(method),
                    f"{method}: from depth {before['n_max']} to {after['n_max']} a forward takes "
                    f"{longer:.1f} ms more, {more:.1f} ms of it ({share:.0%} of a forward) beyond "
                    "what the other depths let expect",
                )


def _bursty(evidence: Evidence) -> Iterator[Hit]:
    if not evidence.is_campaign:
        return
    counts = position_counts(evidence.runs)
    known = counts[counts["definition"] == "at-risk"]
    most = max(SurvivalModel(1).dispersion)
    for method, sweep in evidence.measured.sweeps.groupby("method", sort=False):
        found = dispersion(known[known["run"].isin(sweep["run"])])
        if found is not None and found > most:
            yield (
                str(method),
                f"{method}: accepted drafts come in bursts, so that counts scatter {found:.1f} "
                f"times as much as independent rounds would, more than the depth model's {most:g}",
            )


CHECKS = (
    Check(
        "one-depth",
        "note",
        "A method was measured at one depth only",
        "The totals of one depth give the mean accepted length and nothing about its positions; "
        "the cost of other depths is unknown too.",
        "Measure at least two more depths, or record rounds (LLAMA_TRACE=1).",
        _one_depth,
    ),
    Check(
        "depth-unknown",
        "warning",
        "A run with speculation does not say its depth",
        "Acceptance rates of different depths can't be compared, and no curve can use the run.",
        "State n_max in campaign.toml.",
        _depth_unknown,
    ),
    Check(
        "drafts-cut-short",
        "note",
        "A run cuts drafts short by confidence",
        "With p_min the depth of each round depends on the draft's confidence, so that totals "
        "no longer are sums of survival over fixed positions.",
        "Nothing: it is compared by its throughput. Rounds would show its positions.",
        _cut_short,
    ),
    Check(
        "step-time-varies",
        "warning",
        "Time per forward differs between tasks",
        "A forward's time is a property of hardware and model; when it depends on the task, "
        "something else ran, contexts differ a lot, or the counts are wrong.",
        "Repeat on an idle machine; compare tasks of similar context length.",
        _step_time_varies,
    ),
    Check(
        "step-time-jumps",
        "note",
        "Time per forward jumps between two depths",
        "Some kernels take a few tokens at once and others more, so a depth beyond such a switch "
        "costs more than a line through the shallower ones says; where between two measured depths "
        "it lies is not known, and depths between and beyond are less sure.",
        "Measure the depths between.",
        _step_time_jumps,
    ),
    Check(
        "acceptance-bursty",
        "warning",
        "Accepted drafts come in bursts",
        "Rounds of one text that are accepted and rejected in long stretches say less than as many "
        "independent ones; beyond what the depth model allows for its intervals are too short.",
        "Measure more and different texts; compare throughputs instead of curves.",
        _bursty,
    ),
)
