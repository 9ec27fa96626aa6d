"""Repeats: do they agree with each other, and were they measured in a fair order?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from analysis.audit.finding import Check, Evidence, Hit
from analysis.statistics.scatter import scatter
from analysis.statistics.speedups import decode_cells
from analysis.statistics.task_tables import tables

__all__ = ["CHECKS"]

_FEWEST_FOR_DRIFT = 6
"""Degrees of freedom from which times show a drift."""
_DRIFT = 0.01
"""Change of a ratio from which a drift is worth a word."""
_DISPERSION = 2.5
"""Of accepted counts against the binomial: rounds accept several tokens or none."""


def _wall_missing(evidence: Evidence) -> Iterator[Hit]:
    if not evidence.is_campaign:
        return
    passes = evidence.measured.passes
    for run, own in passes.groupby("run", sort=False):
        timed = own["complete"] & (own["wall_s"] > 0)
        if timed.any() and not timed.all():
            yield (
                str(run),
                f"{run}: {len(own) - int(timed.sum())} of {len(own)} repeats have no wall time of "
                "all tasks and are no part of its effective throughput",
            )


def _cell_missing(evidence: Evidence) -> Iterator[Hit]:
    if not evidence.is_campaign:
        return
    done = evidence.tasks[evidence.tasks["error"].isna()]
    for run, own in done.groupby("run", sort=False):
        times = own.groupby("task", sort=False)["repeat"].nunique()
        few = times[times < times.max()]
        if len(few):
            said = ", ".join(f"{task} ({count} of {times.max()})" for task, count in few.items())
            yield (
                str(run),
                f"{run} has fewer repeats of {said}: every task counts alike, and the intervals "
                "are wider for it",
            )


def _run_outlier(evidence: Evidence) -> Iterator[Hit]:
    if not evidence.is_campaign:
        return
    for run, (variance, freedom) in scatter(tables(decode_cells(evidence.tasks))).own.items():
        yield (
            run,
            f"{run}: its repeats scatter by {variance**0.5:.1%} (standard deviation, "
            f"{freedom:.0f} degrees of freedom), far more than those of the other configurations",
        )


def _drift_in_blocks(evidence: Evidence) -> Iterator[Hit]:
    """Configurations measured one after the other while the machine became slower or faster."""
    if not evidence.is_campaign:
        return
    from scipy.special import stdtrit  # noqa: PLC0415 - reading a log must not wait for it

    begun = {
        (run.id, result.repeat, result.task): result.started_s
        for run in evidence.runs
        for result in run.tasks
        if result.started_s is not None
    }
    rows = evidence.tasks[evidence.tasks["error"].isna() & (evidence.tasks["decode_s"] > 0)]
    keys = zip(rows["run"], rows["repeat"], rows["task"], strict=True)
    rows = rows.assign(at=pd.Series([begun.get(key) for key in keys], rows.index, dtype="float64"))
    rows = rows[rows["at"].notna() & rows["ms_per_forward"].notna()]
    if rows["run"].nunique() < 2:
        return
    cell = [rows["run"], rows["task"]]
    log = rows["ms_per_forward"].astype("float64").map(np.log)
    apart = log - log.groupby(cell).transform("mean")
    at = rows["at"].astype("float64")
    later = at - at.groupby(cell).transform("mean")
    square, freedom = float((later**2).sum()), len(rows) - rows.groupby(["run", "task"]).ngroups - 1
    if square <= 0 or freedom < _FEWEST_FOR_DRIFT:
        return
    slope = float((apart * later).sum()) / square
    error = (float(((apart - slope * later) ** 2).sum()) / freedom / square) ** 0.5
    middle = at.groupby(rows["run"]).mean()
    change = slope * float(middle.max() - middle.min())
    if abs(change) >= _DRIFT and abs(slope) > float(stdtrit(freedom, 0.995)) * error:
        yield (
            "campaign",
            f"times drifted by {slope * 3600:+.1%} an hour and {middle.idxmin()} was measured "
            f"{(middle.max() - middle.min()) / 60:.0f} minutes before {middle.idxmax()} on "
            f"average: that alone moves their ratio by {abs(change):.1%}",
        )


def _acceptance_moves(evidence: Evidence) -> Iterator[Hit]:
    """Repeats of a configuration whose acceptance differs by more than chance."""
    if not evidence.is_campaign:
        return
    from scipy.special import chdtri  # noqa: PLC0415 - reading a log must not wait for it

    done = evidence.tasks[evidence.tasks["error"].isna() & (evidence.tasks["draft_tokens"] > 0)]
    for run, own in done.groupby("run", sort=False):
        sums = own.groupby(["task", "repeat"])[["draft_tokens", "accepted_tokens"]].sum()
        sums = sums.astype("float64")
        if sums.index.get_level_values("repeat").nunique() < 2:
            continue
        whole = sums.groupby("task").sum()
        rate = (whole["accepted_tokens"] / whole["draft_tokens"]).clip(1e-9, 1 - 1e-9)
        place = sums.index.get_level_values("task")
        expected = sums["draft_tokens"] * rate.reindex(place).to_numpy()
        variance = expected * (1 - rate.reindex(place).to_numpy()) * _DISPERSION
        by_repeat = (sums["accepted_tokens"] - expected).groupby("repeat").sum()
        spread = (by_repeat**2 / variance.groupby("repeat").sum()).sum()
        freedom = len(by_repeat) - 1
        if spread > float(chdtri(freedom, 0.01)):
            shares = (
                sums["accepted_tokens"].groupby("repeat").sum()
                / sums["draft_tokens"].groupby("repeat").sum()
            )
            yield (
                str(run),
                f"{run}: acceptance differs between repeats by more than chance, "
                f"{shares.min():.1%} to {shares.max():.1%}",
            )


CHECKS = (
    Check(
        "repeat-untimed",
        "warning",
        "A repeat has no wall time of all tasks",
        "Effective throughput is tokens over the wall time of the same requests, so such a repeat "
        "has no part in it.",
        "Paste the aggregate of that repeat as well, or measure it again.",
        _wall_missing,
    ),
    Check(
        "repeats-unequal",
        "note",
        "Tasks were not repeated equally often",
        "A task that was repeated more often must not weigh more, so each is averaged over its "
        "repeats first; what was measured less often is less sure.",
        "Measure the missing repeats.",
        _cell_missing,
    ),
    Check(
        "repeat-outlier",
        "warning",
        "A configuration's repeats scatter far more than the others'",
        "Something else ran, or the clocks changed, in one of them. Its interval is its own and "
        "wide, and its mean may be off.",
        "Look at its repeats and measure the odd one again.",
        _run_outlier,
    ),
    Check(
        "drift-in-blocks",
        "warning",
        "Configurations were measured in blocks while the machine drifted",
        "What was measured later was measured on a slower or faster machine, and repeats do not "
        "show it: the ratio is off by as much as the machine changed in between.",
        "Interleave the configurations: A B B A.",
        _drift_in_blocks,
    ),
    Check(
        "acceptance-moves",
        "warning",
        "Acceptance differs between repeats by more than chance",
        "The text was not the same kind, or the server was not: another seed explains chance, not "
        "more. Pooled acceptance is then of no one setting.",
        "Check that sampler, draft and prompts are the same in all repeats.",
        _acceptance_moves,
    ),
)
