"""Checks of acceptance: can it be what a user gets, and is it one quantity?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from analysis.audit.finding import Check, Evidence, Hit
from analysis.records import Run, TaskResult

__all__ = ["CHECKS"]

_SUSPICIOUS = 0.97
_ENOUGH_DRAFTED = 100
_STATEFUL = frozenset({"ngram-mod", "ngram-cache"})
_FEWEST_ROWS = 4


def _suspicious(evidence: Evidence) -> Iterator[Hit]:
    for run in evidence.runs:
        # At temperature 0 a good draft may be right every time, and p_min drops the doubtful ones.
        if run.synthetic or run.temperature == 0 or run.p_min:
            continue
        counted = [
            (task.draft_tokens, task.accepted_tokens or 0)
            for task in run.tasks
            if task.draft_tokens
        ]
        drafted = sum(pair[0] for pair in counted)
        accepted = sum(pair[1] for pair in counted)
        if drafted < _ENOUGH_DRAFTED or not _SUSPICIOUS <= accepted / drafted <= 1:
            continue
        temperature = (
            "with the temperature not recorded"
            if run.temperature is None
            else f"at temperature {run.temperature:g}"
        )
        yield (
            str(run.source),
            f"{_called(run)}: {accepted} of {drafted} drafted tokens accepted {temperature}",
        )


def _by_id(runs: Iterable[Run]) -> Iterator[tuple[str, Run, dict[str, list[TaskResult]]]]:
    """Each run id, its first run, and the results of every task that was repeated."""
    merged: dict[str, list[Run]] = {}
    for run in runs:
        merged.setdefault(run.id or str(run.source), []).append(run)
    for key, own in merged.items():
        results = [result for run in own for result in run.tasks if result.error is None]
        if len({result.task for result in results}) == len(results):
            continue
        tasks: dict[str, list[TaskResult]] = {}
        for result in results:
            tasks.setdefault(result.task, []).append(result)
        yield key, own[0], {task: of for task, of in tasks.items() if len(of) > 1}


def _identical_repeats(evidence: Evidence) -> Iterator[Hit]:
    for name, run, tasks in _by_id(evidence.runs):
        drafted = [results for results in tasks.values() if results[0].draft_tokens]
        if not drafted:
            continue
        same = [
            results
            for results in drafted
            if len({(r.predicted_tokens, r.draft_tokens, r.accepted_tokens) for r in results}) == 1
        ]
        if len(same) == len(drafted):
            yield (
                str(run.source),
                f"{name}: every repeat of {_tasks(len(same))} has the same counts: its spread is "
                "that of the clock, not of the text",
            )


def _stateful(evidence: Evidence) -> Iterator[Hit]:
    for name, run, tasks in _by_id(run for run in evidence.runs if _remembering(run)):
        methods = _remembering(run)
        rising = [
            task for task, results in tasks.items() if _rate(results[-1]) > _rate(results[0]) + 0.1
        ]
        repeated = len(tasks)
        if not run.fresh_servers:
            grown = f"; acceptance rose in {', '.join(rising)}" if rising else ""
            yield (
                str(run.source),
                f"{name}: {', '.join(sorted(methods))} remembers earlier requests, and "
                f"{_tasks(repeated)} {'was' if repeated == 1 else 'were'} repeated{grown}",
            )


def _remembering(run: Run) -> frozenset[str]:
    return _STATEFUL & set((run.spec_type or "").split(","))


def _rate(task: TaskResult) -> float:
    return (task.accepted_tokens or 0) / task.draft_tokens if task.draft_tokens else 0.0


def _cumulative(evidence: Evidence) -> Iterator[Hit]:
    for run in evidence.runs:
        if run.cumulative:
            yield (
                str(run.source),
                f"{_called(run)}: the counts are those since the engine started",
            )
        elif _only_grows(run):
            yield (
                str(run.source),
                f"{_called(run)}: drafted and accepted tokens only grow from request to request, "
                "beyond what was predicted: they look like counters since the engine started",
            )


def _only_grows(run: Run) -> bool:
    rows = [
        (task.draft_tokens, task.accepted_tokens, task.predicted_tokens)
        for task in run.tasks
        if task.draft_tokens is not None and task.accepted_tokens is not None
    ]
    grows = all(a[0] < b[0] and a[1] <= b[1] for a, b in pairwise(rows))
    impossible = any(row[2] is not None and row[1] >= row[2] for row in rows)
    return len(rows) >= _FEWEST_ROWS and grows and impossible


def _definitions(evidence: Evidence) -> Iterator[Hit]:
    rates: dict[str, list[str]] = {}
    curves: dict[str, list[str]] = {}
    for run in evidence.runs:
        stated = run.aggregate
        if any(task.draft_tokens for task in run.tasks) or (stated and stated.draft_tokens):
            rates.setdefault(run.acceptance_definition, []).append(_called(run))
        found = [task.positions for task in run.tasks] + [stated.positions if stated else None]
        for definition in {positions.definition for positions in found if positions}:
            curves.setdefault(definition, []).append(_called(run))
    for what, said in (("acceptance", rates), ("acceptance by position", curves)):
        if len(said) > 1:
            parts = "; ".join(
                f"{definition}: {', '.join(dict.fromkeys(runs))}"
                for definition, runs in said.items()
            )
            place = "campaign" if evidence.is_campaign else "all runs"
            yield place, f"{what} is not the same quantity in all runs ({parts})"


def _called(run: Run) -> str:
    return run.id or str(run.source)


def _tasks(number: int) -> str:
    return "1 task" if number == 1 else f"{number} tasks"


CHECKS = (
    Check(
        "acceptance-suspicious",
        "warning",
        "Nearly every drafted token was accepted",
        "Above temperature 0 the target picks by chance, so even a perfect draft misses now and "
        "then. An acceptance near 1 means text that repeats itself, a warm n-gram store, counters "
        "that a replay inflates, or a setting that drops doubtful drafts.",
        "Read the output, restart the server before each run, and state p_min if it was set.",
        _suspicious,
    ),
    Check(
        "repeats-identical",
        "note",
        "Repeats have identical counts",
        "With a fixed seed, or at temperature 0, a repeat writes the same text. Its interval "
        "covers the noise of the machine and not that of the text.",
        "For the spread of acceptance measure other prompts, not the same ones again.",
        _identical_repeats,
    ),
    Check(
        "stateful-drafter",
        "warning",
        "Prompts were repeated with a drafter that remembers",
        "ngram-mod and ngram-cache keep what they saw in earlier requests: a prompt that comes "
        "again is drafted from its own answer. A user's new prompt is not.",
        "Restart the server before each repeat, or never send a prompt twice.",
        _stateful,
    ),
    Check(
        "counters-cumulative",
        "warning",
        "Counts are counters since the engine started",
        "They contain every request before the benchmark, warm-up and other users included, and "
        "adding them up counts requests several times.",
        "Save the counters before and after, put both into one file, and the difference is read.",
        _cumulative,
    ),
    Check(
        "definitions-mixed",
        "warning",
        "Acceptance counts different things in different runs",
        "Engines divide by different things, see docs/formats.md. Such rates are never pooled, and "
        "ranking runs by them means nothing.",
        "Compare tokens per forward, or throughput, or measure with one engine.",
        _definitions,
    ),
)
