"""Conditions: did requests at once, a cache or the machine's limits change what was measured?"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

import pandas as pd

from analysis.audit.finding import Check, Evidence, Hit
from analysis.records import Run, TaskResult
from analysis.statistics.points import AXES

__all__ = ["CHECKS"]

_FALL = 0.02
"""Of an acceptance rate, in itself, from which it is worth a word."""
_SURE = 2.33
"""Standard deviations: one in a hundred falls by as much by chance."""
_DISPERSION = 2.5
"""Of accepted counts against the binomial: rounds accept several tokens or none."""
_UNBATCHED = 0.75
"""Time of one draft over that with one request at once: batched drafts share theirs."""
_FELT = 0.05
"""Share of the decode time from which drafting is felt."""
_SLOWER = 0.03
"""Change of a step's time, and of a clock or power, that noise seldom makes of a third."""
_FEWEST = 9
"""Requests of a run of which thirds are compared."""
_WARM = 0.25
"""Share of a prompt in the cache from which a request is no cold one; templates are short."""


def _acceptance_falls(evidence: Evidence) -> Iterator[Hit]:
    for one, few, many in _series(evidence):
        sums = []
        for run in (few, many):
            rows = _drafted(evidence, run)
            own = rows.groupby(["task", "repeat"])[["draft_tokens", "accepted_tokens"]].sum()
            # Greedy repeats say the same again: a task counts once, with the mean of its repeats.
            sums.append(own.astype("float64").groupby("task").mean())
        common = sums[0].index.intersection(sums[1].index)
        (drafted, accepted), (others, theirs) = (
            own.loc[common, ["draft_tokens", "accepted_tokens"]].sum() for own in sums
        )
        if min(drafted, others) <= 0:
            continue
        rates = accepted / drafted, theirs / others
        pooled = (accepted + theirs) / (drafted + others)
        spread = _DISPERSION * pooled * (1 - pooled) * (1 / drafted + 1 / others)
        fall = rates[0] - rates[1]
        if fall >= _FALL and fall > _SURE * spread**0.5:
            yield (
                many,
                f"{one}: {rates[1]:.1%} of the drafts are accepted with {_count(evidence, many)} "
                f"requests at once, {rates[0]:.1%} with {_count(evidence, few)}, on the same "
                f"{len(common)} tasks",
            )


def _series(evidence: Evidence) -> Iterator[tuple[str, str, str]]:
    """Each configuration with its runs at fewer and at more requests at once, all else alike."""
    whole = evidence.whole
    if whole is None:
        return
    place = AXES.index("concurrency")
    first: dict[tuple[object, ...], str] = {}
    for point in whole.points.points:
        rest = (*point.at[:place], *point.at[place + 1 :])
        for run in point.runs:
            series = whole.points.series[run]
            few = first.setdefault((series, *rest), run)
            if few != run:
                yield series, few, run


def _drafted(evidence: Evidence, run: str) -> pd.DataFrame:
    """Answered requests of a run that drafted, wherever it was measured."""
    tasks = (evidence.whole or evidence.measured).tasks
    own = tasks[(tasks["run"] == run) & tasks["error"].isna()]
    return own[own["draft_tokens"].fillna(0) > 0]


def _count(evidence: Evidence, run: str) -> str:
    whole = evidence.whole or evidence.measured
    point = next(point for point in whole.points.points if run in point.runs)
    return f"{point.at[AXES.index('concurrency')]:g}"


def _not_batched(evidence: Evidence) -> Iterator[Hit]:
    for one, few, many in _series(evidence):
        alone, together = _per_draft(evidence, few), _per_draft(evidence, many)
        if alone is None or together is None or alone[1] < _FELT:
            continue
        ratio = together[0] / alone[0]
        if ratio >= _UNBATCHED:
            yield (
                many,
                f"{one}: a draft takes {1000 * together[0]:.2f} ms with {_count(evidence, many)} "
                f"requests at once and {1000 * alone[0]:.2f} ms with {_count(evidence, few)}: "
                "drafts of several slots are made one after the other, and drafting takes as many "
                "times as long for each forward",
            )


def _per_draft(evidence: Evidence, run: str) -> tuple[float, float] | None:
    """Seconds of one draft, and drafting's share of the decode time; null where not recorded."""
    whole = evidence.whole or evidence.measured
    spent, drafts, decode = 0.0, 0, 0.0
    for record in (record for record in whole.runs if record.id == run):
        decode += sum(task.decode_s or 0.0 for task in record.tasks)
        if record.draft_s is not None:
            times: list[float | None] = [record.draft_s]
            drafts += record.drafts or 0
        else:
            times = [task.draft_s for task in record.tasks if task.error is None]
            drafts += sum(_rounds(task) for task in record.tasks)
        known = [time for time in times if time is not None]
        if not known or len(known) < len(times):
            return None
        spent += sum(known)
    return (spent / drafts, spent / decode) if drafts and decode else None


def _rounds(task: TaskResult) -> int:
    if task.rounds is not None:
        return int((task.rounds.drafted > 0).sum())
    return task.positions.rounds or 0 if task.positions else 0


def _slows_down(evidence: Evidence) -> Iterator[Hit]:
    for run in evidence.runs:
        if not any(result.surroundings for result in run.tasks):
            continue
        known = _with_surroundings(evidence, run)
        if len(known) < _FEWEST:
            continue
        third = len(known) // 3
        first, last = known.iloc[:third], known.iloc[-third:]
        slower = last["ms"].median() / first["ms"].median() - 1
        if slower < _SLOWER:
            continue
        for name, unit in (("gpu_mhz", "MHz"), ("cpu_mhz", "MHz"), ("watts", "W")):
            before, after = (part[name].dropna() for part in (first, last))
            if len(before) < third or len(after) < third or not before.median():
                continue
            if after.median() / before.median() - 1 <= -_SLOWER:
                yield (
                    str(run.source),
                    f"{run.id}: forwards take {slower:.1%} longer in the last third of the "
                    f"requests than in the first, and the {_CALLED[name]} fell from "
                    f"{before.median():.0f} to {after.median():.0f} {unit} meanwhile",
                )
                break


_CALLED = {"gpu_mhz": "GPU's clock", "cpu_mhz": "processor's clock", "watts": "power"}


def _with_surroundings(evidence: Evidence, run: Run) -> pd.DataFrame:
    """Requests in the order of their start: ms per forward, clocks and power."""
    steps = evidence.tasks[evidence.tasks["run"] == run.id]
    of = {(row.repeat, row.task): row.ms_per_forward for row in steps.itertuples()}
    rows = [
        (result.started_s, of.get((result.repeat, result.task)), around.gpu_mhz, around.cpu_mhz,
         around.watts)
        for result in run.tasks
        if (around := result.surroundings) is not None and result.started_s is not None
    ]  # fmt: skip
    columns = ["at", "ms", "gpu_mhz", "cpu_mhz", "watts"]
    frame = pd.DataFrame(rows, columns=columns).astype("float64")
    return frame.dropna(subset=["ms"]).sort_values("at", kind="stable")


def _cache_was_on(evidence: Evidence) -> Iterator[Hit]:
    for run in evidence.runs:
        answered = [task for task in run.tasks if task.cached_tokens is not None]
        shares = [_cached(task) for task in answered if task.cached_tokens]
        warm = [share for share in shares if share >= _WARM]
        if warm:
            yield (
                str(run.source),
                f"{run.id or run.label or 'this run'}: {len(warm)} of {len(answered)} requests "
                f"found part of their prompt in the cache, {median(warm):.0%} of it in the middle",
            )


def _cached(task: TaskResult) -> float:
    cached = task.cached_tokens or 0
    whole = cached + (task.prompt_tokens or 0)
    return cached / whole if whole else 0.0


CHECKS = (
    Check(
        "acceptance-falls-with-slots",
        "warning",
        "Less is accepted with several requests at once",
        "The same text is drafted for, so acceptance should be what it is with one. Where it falls "
        "the slots disturb each other: a draft's state or cache is shared, cut or built anew.",
        "Look for a newer build of llama.cpp, give each slot its context (-c), and measure at the "
        "number of requests that you will serve.",
        _acceptance_falls,
    ),
    Check(
        "drafts-not-batched",
        "note",
        "Drafts of several slots are made one after the other",
        "A forward of the target serves all slots at once. If the draft model serves them in turn, "
        "drafting takes longer with every slot, and the speedup falls sooner than it has to.",
        "Use fewer slots or a shallower depth with several requests at once; a later build may "
        "draft for all slots together.",
        _not_batched,
    ),
    Check(
        "slows-with-clocks",
        "warning",
        "Forwards became slower while clocks or power fell",
        "What was measured later was measured on a slower machine: heat or a power limit took "
        "speed away, from whichever run came last.",
        "Fix the clocks, lower the power limit to one that is held, cool, or interleave repeats.",
        _slows_down,
    ),
    Check(
        "prompt-cache-on",
        "warning",
        "Prompts were found in the cache",
        "A prompt that is not processed again takes no time, so that effective throughput and the "
        "time to the first token are better than with new prompts, and in some runs more so.",
        'Send "cache_prompt": false, start the server with --cache-ram 0, or send each prompt once '
        "to each server start.",
        _cache_was_on,
    ),
)
