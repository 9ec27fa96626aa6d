"""Passes: how long did whole runs take, from their first request to their last?

A pass is what one source gives a time for: a benchmark's total, one repeat of
a set of requests, or the time in which a server was busy with several at once.
Times of requests that overlap are never added: what counts is the union of the
intervals in which any of them was under way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from analysis.errors import encodable
from analysis.records import Run, TaskResult

__all__ = ["PASS_COLUMNS", "busy_seconds", "overlapping", "pass_frame", "starts"]

PASS_COLUMNS = {
    "run": "object",
    "repeat": "int64",
    "start": "int64",
    "tasks": "object",
    "predicted_tokens": "float64",
    "wall_s": "float64",
    "share": "float64",
    "overlapping": "bool",
    "at_once": "float64",
    "complete": "bool",
}

_TOUCHING = 0.001
"""Share of the busy time up to which intervals overlap by the rounding of clocks alone."""


def pass_frame(runs: Sequence[Run]) -> pd.DataFrame:
    """One row per pass.

    Parameters
    ----------
    runs
        Records; those that share an id are repeats.

    Returns
    -------
    pandas.DataFrame
        Columns `PASS_COLUMNS`. `tasks` is the set of tasks that were answered,
        and `complete` says that these are all that the run's id has.
        `wall_s` is null where the source has no time for the whole pass: the
        stated total, else the sum of its requests' times; with several at once
        the client's time from first to last, else of requests in a steady state
        the sum of their times over how many there were at once, else the union of
        busy intervals.
        `share` is the sum of the squared shares of its requests in its tokens, and
        `at_once` how many were under way on average, null where their times are not known.
    """
    rows = [
        row
        for run, numbers in zip(runs, starts(runs), strict=True)
        for row in _passes(run, numbers)
    ]
    frame = pd.DataFrame(rows, columns=[name for name in PASS_COLUMNS if name != "complete"])
    everything: dict[str, frozenset[str]] = {}
    for run_id, tasks in zip(frame["run"], frame["tasks"], strict=True):
        everything[run_id] = everything.get(run_id, frozenset()) | tasks
    whole = [everything[run] == own for run, own in zip(frame["run"], frame["tasks"], strict=True)]
    return frame.assign(complete=pd.Series(whole, dtype="bool")).astype(PASS_COLUMNS)


def starts(runs: Iterable[Run]) -> list[dict[int, int]]:
    """For each run, repeat to the number of its server start among those of the run's id."""
    known: dict[str, int] = {}
    out = []
    for run in runs:
        repeats = dict.fromkeys(result.repeat for result in run.tasks) or {1: None}
        first = known.get(run.id, 0) + 1
        numbers = {
            repeat: first + place * run.fresh_servers for place, repeat in enumerate(repeats)
        }
        known[run.id] = max(numbers.values())
        out.append(numbers)
    return out


def overlapping(run: Run) -> bool:
    """Whether several requests were under way at once, by what is said or by their times."""
    if run.concurrency is not None and run.concurrency > 1:
        return True
    by_start: dict[int, list[TaskResult]] = {}
    for result in run.tasks:
        key = result.repeat if run.fresh_servers else 0
        by_start.setdefault(key, []).append(result)
    for results in by_start.values():
        spans = [result.busy_s for result in results if result.busy_s is not None]
        busy = busy_seconds(spans)
        if sum(end - begin for begin, end in spans) > busy * (1 + _TOUCHING):
            return True
    return False


def busy_seconds(spans: Iterable[tuple[float, float]]) -> float:
    """Length of the union of intervals.

    Examples
    --------
    >>> busy_seconds([(0, 2), (1, 3), (5, 6)])
    4.0
    """
    total, until = 0.0, float("-inf")
    for begin, end in sorted(spans):
        if end > until:
            total += end - (max(until, begin))
            until = end
    return total


def _passes(run: Run, numbers: dict[int, int]) -> list[dict[str, object]]:
    answered = [result for result in run.tasks if result.error is None]
    at_once = overlapping(run)
    stated = run.aggregate
    total = None
    if stated is not None:
        total = stated.elapsed_s if at_once else stated.wall_s
    if total is not None or not run.tasks:
        groups = [answered]
    else:
        by_repeat: dict[int, list[TaskResult]] = {}
        for result in answered:
            key = numbers[result.repeat] if at_once else result.repeat
            by_repeat.setdefault(key, []).append(result)
        groups = list(by_repeat.values())
    return [
        {
            "run": encodable(run.id),
            "repeat": group[0].repeat if group else 1,
            "start": numbers[group[0].repeat] if group else min(numbers.values()),
            "tasks": frozenset(encodable(result.task) for result in group),
            "predicted_tokens": _tokens(run, group, alone=len(groups) == 1),
            "wall_s": total if total is not None else _seconds(run, group, at_once=at_once),
            "share": _share(group),
            "overlapping": at_once,
            "at_once": _at_once(run, group) if at_once else 1.0,
        }
        for group in groups
    ]


def _tokens(run: Run, group: Sequence[TaskResult], *, alone: bool) -> int | None:
    counts = [result.predicted_tokens for result in group]
    known = [count for count in counts if count is not None]
    if group and len(known) == len(counts):
        return sum(known)
    return run.aggregate.predicted_tokens if alone and run.aggregate else None


def _seconds(run: Run, group: Sequence[TaskResult], *, at_once: bool) -> float | None:
    if at_once and any(result.steady is not None for result in group):
        return _steady_seconds(run, group)
    if at_once:
        spans = [result.busy_s for result in group if result.busy_s is not None]
        return busy_seconds(spans) if group and len(spans) == len(group) else None
    walls = [result.wall_s for result in group if result.wall_s is not None]
    return sum(walls) if group and len(walls) == len(group) else None


def _steady_seconds(run: Run, group: Sequence[TaskResult]) -> float | None:
    """The time that these tokens take in a steady state; null where no request was in one.

    Clients that are never idle each deliver their tokens over their requests' time, so
    all together deliver the tokens over the sum of the times, times their number. The
    union of the intervals would be too long: tokens of others came in it too.
    """
    steady = [result for result in group if result.steady and result.wall_s]
    tokens = sum(result.predicted_tokens or 0 for result in steady)
    if not run.concurrency or not tokens:
        return None
    rate = run.concurrency * tokens / sum(result.wall_s or 0.0 for result in steady)
    return sum(result.predicted_tokens or 0 for result in group) / rate


def _at_once(run: Run, group: Sequence[TaskResult]) -> float | None:
    if any(result.steady is not None for result in group):
        return None if run.concurrency is None else float(run.concurrency)
    spans = [result.busy_s for result in group if result.busy_s is not None]
    busy = busy_seconds(spans)
    if len(spans) < len(group) or not busy:
        return None
    return sum(end - begin for begin, end in spans) / busy


def _share(group: Sequence[TaskResult]) -> float:
    by_task: dict[str, int] = {}
    for result in group:
        by_task[result.task] = by_task.get(result.task, 0) + (result.predicted_tokens or 0)
    total = sum(by_task.values())
    return sum(count**2 for count in by_task.values()) / total**2 if total else 1.0
