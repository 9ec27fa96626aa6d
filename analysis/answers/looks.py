"""What do the figures of logs say of each reason for which a draft may not pay?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from analysis.errors import printable
from analysis.records import Run, TaskResult

__all__ = ["Fit", "Look", "at_once", "cold", "context", "cut_short", "drift", "forward", "prefill"]


@dataclass(frozen=True)
class Fit:
    """How far a reason explains what was measured.

    Attributes
    ----------
    share
        Of the time, that the reason accounts for: 0 where the data speak against it.
    said
        The figures, as a sentence.
    """

    share: float
    said: str


Look = Callable[[Sequence[Run]], Fit | None]
"""Runs to how far a reason fits; null where they can't tell."""


def _results(runs: Sequence[Run]) -> Iterator[tuple[Run, TaskResult]]:
    for run in runs:
        for task in run.tasks:
            if task.error is None and task.pooled == 1:
                yield run, task


def _decode_s(task: TaskResult) -> float | None:
    if task.decode_s is not None or not task.decode_tps or task.predicted_tokens is None:
        return task.decode_s
    return (task.predicted_tokens - 1) / task.decode_tps


def _plain(run: Run) -> bool:
    """Whether a run drafted nothing, and is not said to have tried."""
    silent = all(task.draft_tokens == 0 for _, task in _results([run]))
    return bool(run.tasks) and silent and run.spec_type in {None, "none"}


def _steps(run: Run) -> list[float]:
    """Milliseconds per forward of each request that has its counts, in order."""
    found = []
    for _, task in _results([run]):
        seconds = _decode_s(task)
        if seconds is None or task.accepted_tokens is None or task.draft_tokens is None:
            continue
        steps = (task.predicted_tokens or 0) - task.accepted_tokens - 1
        if steps > 0:
            found.append(1000 * seconds / steps)
    return found


def forward(runs: Sequence[Run]) -> Fit | None:
    """Whether a forward takes more plain steps than it gives tokens; the worst run."""
    plain = [step for run in runs if _plain(run) for step in _steps(run)]
    drafting = [run for run in runs if any(task.draft_tokens for task in run.tasks)]
    worst: Fit | None = None
    for run in drafting:
        predicted = accepted = forwards = 0
        for _, task in _results([run]):
            if task.predicted_tokens and task.accepted_tokens is not None:
                predicted += task.predicted_tokens - 1
                accepted += task.accepted_tokens
                forwards += max(task.predicted_tokens - task.accepted_tokens - 1, 0)
        steps = _steps(run)
        if not plain or not steps or not forwards:
            continue
        length, ratio = predicted / forwards, median(steps) / median(plain)
        said = (
            f"{_called(run)}: a forward takes {ratio:.2f} plain steps and gives {length:.2f} tokens"
        )
        fit = Fit(max(1 - length / ratio, 0.0), said)
        worst = fit if worst is None or fit.share > worst.share else worst
    return worst


def prefill(runs: Sequence[Run]) -> Fit | None:
    """How much of the time is the prompt's."""
    known = [
        (task.prompt_s, task.prompt_s + task.decode_s)
        for _, task in _results(runs)
        if task.prompt_s is not None and task.decode_s is not None
    ]
    whole = sum(both for _, both in known)
    if not whole:
        return None
    share = sum(prompt for prompt, _ in known) / whole
    return Fit(share if share > _LITTLE else 0.0, f"{share:.0%} of the time is prompt processing")


def at_once(runs: Sequence[Run]) -> Fit | None:
    """Whether several requests were under way at once."""
    known = [run.concurrency for run in runs if run.concurrency is not None]
    if not known:
        return None
    most = max(known)
    share = 1 - 1 / most if most > 1 else 0.0
    return Fit(share / 2, f"at most {most} {'request' if most == 1 else 'requests'} at once")


def context(runs: Sequence[Run]) -> Fit | None:
    """Whether forwards take longer behind long prompts than behind short ones."""
    for run in runs:
        rows = [
            (task.prompt_tokens or 0, step)
            for (_, task), step in zip(_results([run]), _steps(run), strict=False)
            if task.prompt_tokens
        ]
        if len(rows) < _FEWEST or len(rows) != len(_steps(run)):
            continue
        rows.sort()
        third = len(rows) // 3
        short, long = rows[:third], rows[-third:]
        if long[0][0] < 2 * max(short[-1][0], 1):
            continue
        growth = median(step for _, step in long) / median(step for _, step in short)
        said = (
            f"{_called(run)}: a forward takes {growth:.2f} times as long behind prompts of "
            f"{long[0][0]:,} tokens and more as behind those of up to {short[-1][0]:,}"
        )
        return Fit(max(1 - 1 / growth, 0.0) if growth > 1 + _LITTLE else 0.0, said)
    return None


def cold(runs: Sequence[Run]) -> Fit | None:
    """Whether the first request was slower than the others."""
    for run in runs:
        steps = _steps(run)
        if len(steps) < _FEWEST:
            continue
        others = median(steps[1:])
        ratio = steps[0] / others
        lost = max(steps[0] - others, 0.0) / sum(steps)
        said = f"{_called(run)}: the first request's forwards took {ratio:.2f} times the others'"
        return Fit(lost if ratio > 1 + 2 * _LITTLE else 0.0, said)
    return None


def cut_short(runs: Sequence[Run]) -> Fit | None:
    """Whether drafts were shorter than n_max allows."""
    for run in runs:
        drafted = forwards = 0
        for _, task in _results([run]):
            if task.draft_tokens and task.predicted_tokens and task.accepted_tokens is not None:
                drafted += task.draft_tokens
                forwards += max(task.predicted_tokens - task.accepted_tokens - 1, 0)
        if not run.n_max or not forwards:
            continue
        length = drafted / forwards
        said = f"{_called(run)}: {length:.2f} tokens are drafted per forward, n_max is {run.n_max}"
        missing = 1 - length / run.n_max
        return Fit(missing / 2 if missing > _LITTLE else 0.0, said)
    return None


def drift(runs: Sequence[Run]) -> Fit | None:
    """Whether forwards were slower at the end than at the beginning."""
    for run in runs:
        steps = _steps(run)
        if len(steps) < 2 * _FEWEST:
            continue
        third = len(steps) // 3
        ratio = median(steps[-third:]) / median(steps[:third])
        said = f"{_called(run)}: forwards at the end took {ratio:.2f} times those at the beginning"
        return Fit(max(1 - 1 / ratio, 0.0) if ratio > 1 + _LITTLE else 0.0, said)
    return None


def _called(run: Run) -> str:
    return printable(run.id or run.label or str(run.source))


_LITTLE = 0.1
_FEWEST = 6
