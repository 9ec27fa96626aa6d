"""Checks of times: can they be true, and do they measure what is quoted?"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean

import numpy as np

from analysis.audit.finding import Check, Evidence, Hit
from analysis.records import Run, TaskResult

__all__ = ["CHECKS"]

_ROUNDING = 0.01
_COLD_STEP = 1.3
_FEWEST_STEPS = 4
_FEWEST_TOKENS = 400
_SAME_RATE = 0.01
_FAR_OFF = 3.0
"""Factor from the run's median beyond which a step is no step of the same machine."""
_FEWEST_STEADY = 5
_SHORTEST = 10


def _decode_at_least(task: TaskResult) -> float | None:
    """Decode seconds by the convention that gives the fewest; rates are printed rounded."""
    if task.decode_s is not None:
        return task.decode_s
    if task.predicted_tokens is None or not task.decode_tps:
        return None
    return max(task.predicted_tokens - task.pooled, 0) / (task.decode_tps + 0.05)


def _wall_too_short(evidence: Evidence) -> Iterator[Hit]:
    for run in evidence.runs:
        for task in run.tasks:
            decode = _decode_at_least(task)
            # A pooled row's rate is a mean, which does not give the time of its requests.
            if task.wall_s is None or decode is None or task.pooled > 1:
                continue
            if task.wall_s < decode * (1 - _ROUNDING):
                yield (
                    str(task.source),
                    f"{_called(run)}, {task.task}: {task.wall_s:.2f} s in all, "
                    f"{decode:.2f} s of them decoding",
                )
        total = run.aggregate
        if total is None or total.wall_s is None:
            continue
        wall = total.wall_s
        whole = [task for task in run.tasks if task.error is None]
        parts = [_decode_at_least(task) for task in whole]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts) or any(task.pooled > 1 for task in whole):
            continue
        if wall < sum(known) * (1 - _ROUNDING):
            yield (
                str(total.source),
                f"{_called(run)}: {wall:.2f} s in all, {sum(known):.2f} s of decoding in the rows",
            )


def _cold_first(evidence: Evidence) -> Iterator[Hit]:
    answered = evidence.tasks[evidence.tasks["error"].isna()]
    for run, own in answered.groupby("run", sort=False)[["source", "ms_per_forward"]]:
        every = own["ms_per_forward"].to_numpy()
        steps = every[~np.isnan(every)]
        # The cost of a step is the machine's, nearly the same for every text of a run.
        if len(steps) <= _FEWEST_STEPS or np.isnan(every[0]):
            continue
        first, others = float(steps[0]), float(np.median(steps[1:]))
        if first > _COLD_STEP * others and first > steps[1:].max():
            yield (
                str(own["source"].iloc[0]),
                f"{run}: a step of the first request took {first:.1f} ms, of the others "
                f"{others:.1f} ms",
            )


def _outliers(evidence: Evidence) -> Iterator[Hit]:
    tasks = evidence.tasks
    long = tasks[tasks["error"].isna() & (tasks["predicted_tokens"].fillna(0) >= _SHORTEST)]
    long = long.assign(drafts=long["draft_tokens"].fillna(0) > 0)
    first = long.groupby("run", sort=False)["source"].first()
    timed = long[long["ms_per_forward"].notna()]
    # A request that drafted nothing takes another step than one that verifies drafts.
    groups = timed.groupby(["run", "drafts"], sort=False)["ms_per_forward"]
    counts, middles = groups.transform("size"), groups.transform("median")
    share = timed["ms_per_forward"] / middles
    steady = timed.assign(count=counts, usual=middles)[counts >= _FEWEST_STEADY]
    far = steady[~share[steady.index].between(1 / _FAR_OFF, _FAR_OFF)]
    for row in far.to_dict("records"):
        run, step, usual = row["run"], row["ms_per_forward"], row["usual"]
        if row["source"] == first[run] and step > usual:
            continue  # measured cold, which is a finding of its own
        what = "per forward" if row["drafts"] else "per token"
        yield (
            row["source"],
            f"{run}, {row['task']}: {step:.2f} ms {what} ({row['decode_tps']:.1f} tok/s), the "
            f"median of the run's {row['count']} requests is {usual:.2f} ms",
        )


def _too_few(evidence: Evidence) -> Iterator[Hit]:
    for run in evidence.runs if evidence.is_campaign else ():
        counts = [task.predicted_tokens for task in run.tasks if task.error is None]
        known = [count for count in counts if count is not None]
        if known and len(known) == len(counts) and sum(known) < _FEWEST_TOKENS:
            number = "1 request" if len(known) == 1 else f"{len(known)} requests"
            yield str(run.source), f"{_called(run)}: {sum(known)} predicted tokens in {number}"


def _mean_of_rates(evidence: Evidence) -> Iterator[Hit]:
    for run in evidence.runs:
        total = run.aggregate
        if total is None or total.quoted_tps is None:
            continue
        quoted = total.quoted_tps
        wall = total.wall_s if total.wall_s is not None else total.elapsed_s
        predicted = total.predicted_tokens
        if predicted is None:
            rows = [task.predicted_tokens for task in run.tasks]
            predicted = sum(n or 0 for n in rows) if rows and None not in rows else None
        actual = predicted / wall if predicted and wall else None
        if actual is not None and abs(quoted / actual - 1) <= _SAME_RATE:
            continue
        said = f"{_called(run)}: {quoted:g} tok/s is quoted"
        rates = [task.decode_tps for task in run.tasks if task.decode_tps]
        is_mean = total.quoted_is_mean or (
            bool(rates) and abs(quoted / fmean(rates) - 1) <= _SAME_RATE
        )
        said += ", a mean of rates" if is_mean else ", without its tokens and its time"
        if actual is not None:
            said += f"; {predicted} tokens in {wall:.2f} s are {actual:.2f} tok/s"
        yield str(total.source), said


def _called(run: Run) -> str:
    return run.id or str(run.source)


CHECKS = (
    Check(
        "wall-too-short",
        "error",
        "A wall time is shorter than the decoding in it",
        "A request takes at least as long as its decoding, so the time, the rate or the number of "
        "tokens is wrong. With several requests at once, the sum of their times is needed, not the "
        "time from first to last.",
        "Paste the block again from the original output, or state which time it is.",
        _wall_too_short,
    ),
    Check(
        "cold-first-request",
        "warning",
        "The first request was measured cold",
        "A fresh server compiles kernels, touches its memory for the first time and warms caches "
        "in its first request, which then counts like any other.",
        "Send one request before measuring, or repeat and leave the first repeat out.",
        _cold_first,
    ),
    Check(
        "rate-outlier",
        "warning",
        "A request's rate is far from that of its run",
        "The time of a forward is the machine's, nearly the same for every text of a run, so a "
        "rate that is threefold off is a digit mistyped or lost, or the machine did other work.",
        "Correct the rate from the original output, or measure again; explain it if it is true "
        "(a far longer context, other requests at the same time).",
        _outliers,
    ),
    Check(
        "too-few-tokens",
        "note",
        "Too few tokens to compare",
        "At some hundred tokens one lucky draft moves the result by a percent or more.",
        "Measure more or longer requests.",
        _too_few,
    ),
    Check(
        "mean-of-rates",
        "warning",
        "A quoted throughput is not tokens over time",
        "A mean of rates weighs a request of 17 tokens like one of 192, and leaves out everything "
        "but decoding. It is usually above what a user waits for.",
        "Quote tokens over wall time (effective) or over decode time, and say which.",
        _mean_of_rates,
    ),
)
