"""Why is it not faster? The known reasons, in the order in which they fit a question or a log.

A reason looks at what was measured and says how much of it it explains, with
the figures; or that the data speak against it; or that they can't tell.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from analysis.answers import looks
from analysis.answers.looks import Look
from analysis.records import Run

__all__ = ["REASONS", "Reason", "answer", "of_runs"]


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
        See :data:`looks.Look`; null where no log shows it.
    """

    name: str
    why: str
    asked: re.Pattern[str]
    check: str
    look: Look | None = None


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


REASONS = (
    Reason(
        "cost of a forward",
        "Verifying drafts makes each forward dearer than a plain step. Speculation pays only where "
        "a forward gives more tokens than it takes plain steps, whatever the acceptance rate is.",
        _words(r"slow|no (?:gain|speed)|not (?:any )?fast|accept|depth|n_max|deep|moe"),
        "measure without speculation, then compare tokens per forward with ms per forward over a "
        "plain step's",
        looks.forward,
    ),
    Reason(
        "truncation",
        "With p_min, or at the end of requests, drafts end before n_max: the acceptance rate rises "
        "while fewer tokens are gained.",
        _words(r"p[-_]?min|truncat|short draft|high accept|9\d ?%|accept"),
        "compare drafted tokens per forward with n_max",
        looks.cut_short,
    ),
    Reason(
        "several requests at once",
        "A batch of requests already uses the idle arithmetic that speculation lives on, and "
        "drafts of several slots may not be batched.",
        _words(r"concurren|parallel|slots?\b|batch|users|requests|-np|throughput"),
        "measure with -np 1",
        looks.at_once,
    ),
    Reason(
        "prompt processing",
        "Speculation speeds up decoding alone; the time of the prompt stays as it is, and the "
        "draft has to process it as well.",
        _words(r"prompt|prefill|wall|end to end|ttft|first token|rag"),
        "compare decode throughput, and the share of prompt time",
        looks.prefill,
    ),
    Reason(
        "long context",
        "Attention over a long context is paid by every forward, by the draft's too.",
        _words(r"context|ctx|long|kv\b|\b\d{1,4}k\b"),
        "compare ms per forward of short and long prompts",
        looks.context,
    ),
    Reason(
        "cold start",
        "The first request of a fresh server loads pages and compiles kernels.",
        _words(r"first|cold|warm|start|once"),
        "send a request before measuring",
        looks.cold,
    ),
    Reason(
        "drift",
        "Heat, clocks or other work on the machine slow everything down after a while.",
        _words(r"drift|heat|hot|throttl|after a while|later|laptop|second run|varies"),
        "repeat in another order, and watch clocks and temperature",
        looks.drift,
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
