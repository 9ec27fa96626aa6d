"""Why is it not faster? The known reasons, in the order in which they fit a question or a log.

A reason looks at what was measured and says how much of it it explains, with
the figures; or that the data speak against it; or that they can't tell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from analysis.errors import printable
from analysis.records import Run, TaskResult

__all__ = ["REASONS", "Fit", "Reason", "answer", "of_runs"]


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


@dataclass(frozen=True)
class Reason:
    """A known reason.

    Attributes
    ----------
    name, why
        What it is called, and how it makes decoding slower.
    asked
        Words of a question that point to it.
    check
        What shows whether it is the one.
    look
        See :data:`Look`; null where no log shows it.
    """

    name: str
    why: str
    asked: re.Pattern[str]
    check: str
    look: Look | None = None


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


def _forward(runs: Sequence[Run]) -> Fit | None:
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


def _prefill(runs: Sequence[Run]) -> Fit | None:
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


def _at_once(runs: Sequence[Run]) -> Fit | None:
    known = [run.concurrency for run in runs if run.concurrency is not None]
    if not known:
        return None
    most = max(known)
    share = 1 - 1 / most if most > 1 else 0.0
    return Fit(share / 2, f"at most {most} {'request' if most == 1 else 'requests'} at once")


def _context(runs: Sequence[Run]) -> Fit | None:
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


def _cold(runs: Sequence[Run]) -> Fit | None:
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


def _cut_short(runs: Sequence[Run]) -> Fit | None:
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


def _drift(runs: Sequence[Run]) -> Fit | None:
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


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_LITTLE = 0.1
_FEWEST = 6

REASONS = (
    Reason(
        "cost of a forward",
        "Verifying drafts makes each forward dearer than a plain step. Speculation pays only where "
        "a forward gives more tokens than it takes plain steps, whatever the acceptance rate is.",
        _words(r"slow|no (?:gain|speed)|not (?:any )?fast|accept|depth|n_max|deep|moe"),
        "measure without speculation, then compare tokens per forward with ms per forward over a "
        "plain step's",
        _forward,
    ),
    Reason(
        "truncation",
        "With p_min, or at the end of requests, drafts end before n_max: the acceptance rate rises "
        "while fewer tokens are gained.",
        _words(r"p[-_]?min|truncat|short draft|high accept|9\d ?%|accept"),
        "compare drafted tokens per forward with n_max",
        _cut_short,
    ),
    Reason(
        "several requests at once",
        "A batch of requests already uses the idle arithmetic that speculation lives on, and "
        "drafts of several slots may not be batched.",
        _words(r"concurren|parallel|slots?\b|batch|users|requests|-np|throughput"),
        "measure with -np 1",
        _at_once,
    ),
    Reason(
        "prompt processing",
        "Speculation speeds up decoding alone; the time of the prompt stays as it is, and the "
        "draft has to process it as well.",
        _words(r"prompt|prefill|wall|end to end|ttft|first token|rag"),
        "compare decode throughput, and the share of prompt time",
        _prefill,
    ),
    Reason(
        "long context",
        "Attention over a long context is paid by every forward, by the draft's too.",
        _words(r"context|ctx|long|kv\b|\b\d{1,4}k\b"),
        "compare ms per forward of short and long prompts",
        _context,
    ),
    Reason(
        "cold start",
        "The first request of a fresh server loads pages and compiles kernels.",
        _words(r"first|cold|warm|start|once"),
        "send a request before measuring",
        _cold,
    ),
    Reason(
        "drift",
        "Heat, clocks or other work on the machine slow everything down after a while.",
        _words(r"drift|heat|hot|throttl|after a while|later|laptop|second run|varies"),
        "repeat in another order, and watch clocks and temperature",
        _drift,
    ),
    Reason(
        "thinking",
        "Reasoning and free text are harder to draft than code: acceptance of the thinking part "
        "may be far below that of the answer.",
        _words(r"think|reason|cot\b|creative|chat|text"),
        "compare acceptance by task, and with thinking switched off",
    ),
)

_PERCENT = re.compile(r"(\d{1,3}(?:[.,]\d+)?) ?%")
_DEPTHS = (2, 4, 8)


def answer(question: str) -> str:
    """Which known reasons a question points to, the likeliest first.

    Parameters
    ----------
    question
        In words, e.g. ``"slower at 70 % acceptance"``.
    """
    asked = {reason.name: len(reason.asked.findall(question)) for reason in REASONS}
    # Reasons stand in the order of how often they are the one: it decides between equals.
    order = sorted(REASONS, key=lambda reason: -asked[reason.name])
    parts = []
    found = _PERCENT.search(question)
    rate = float(found[1].replace(",", ".")) / 100 if found else None
    if rate is not None and 0 <= rate <= 1:
        gains = ", ".join(f"{1 + rate * depth:.1f} at depth {depth}" for depth in _DEPTHS)
        parts.append(
            f"At {rate:.0%} acceptance a forward with a full draft gives {gains} tokens. It is "
            "slower than without speculation if it takes more plain steps than that.\n"
        )
    parts += [
        f"{place}. {reason.name}: {reason.why}\n   To see it: {reason.check}.\n"
        for place, reason in enumerate(order, start=1)
    ]
    return "\n".join([*parts, "`mtpbench explain LOG` says which of them a log's figures show.\n"])


def of_runs(runs: Sequence[Run]) -> str:
    """Which known reasons the figures of logs show, the one that explains most first."""
    looks = [(reason, reason.look(runs) if reason.look else None) for reason in REASONS]
    known = [(reason, fit) for reason, fit in looks if fit is not None]
    fitting = sorted((one for one in known if one[1].share > 0), key=lambda one: -one[1].share)
    parts = [
        f"{place}. {reason.name}: {fit.said}.\n   {reason.why}\n   To see it: {reason.check}.\n"
        for place, (reason, fit) in enumerate(fitting, start=1)
    ]
    if not fitting:
        parts.append(
            "None of the known reasons shows in these figures.\n"
            if known
            else "These figures can't tell.\n"
        )
    against = [f"  {reason.name}: {fit.said}" for reason, fit in known if not fit.share]
    if against:
        parts.append("\n".join(["Not these:", *against]) + "\n")
    silent = [f"  {reason.name}: {reason.check}" for reason, fit in looks if fit is None]
    if silent:
        parts.append("\n".join(["What these logs can't tell:", *silent]) + "\n")
    return "\n".join(parts)
