"""Campaigns over requests at once and context whose truth is known.

Written from the definitions and from nothing in ``analysis`` but the records:
a forward takes what a roofline says of the tokens in its batch, and each
request draws what is accepted, round by round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from analysis.records import BUILT_IN_WORKLOADS, Run, Source, TaskResult

TASKS = tuple(BUILT_IN_WORKLOADS)[:8]
LIMIT = 160


@dataclass(frozen=True)
class Machine:
    """What is true of a target, a draft and what they run on.

    `memory_ms` and `token_ms` are the two lines of the roofline, `context_ms` what a
    thousand tokens of context of a request add to a forward without speculation and
    `draft_context_ms` what they add to drafting; `draft_ms` is drafting itself,
    `slot_ms` what every further request adds to it.
    """

    memory_ms: float = 8.0
    token_ms: float = 0.25
    sharpness: float = 6.0
    draft_ms: float = 1.5
    slot_ms: float = 0.0
    context_ms: float = 0.3
    draft_context_ms: float = 0.0
    prompt_s: float = 0.05
    survival: tuple[float, ...] = (0.75, 0.55, 0.4, 0.3)
    run_noise: float = 0.02
    request_noise: float = 0.01

    def length(self, depth: int) -> float:
        """Expected tokens of a forward."""
        return 1 + sum(self.survival[:depth])

    def step_s(self, slots: float, depth: int, context: float = 0.0) -> float:
        """Seconds of a forward that serves `slots` requests."""
        batch = slots * (depth + 1)
        lines = self.memory_ms, self.token_ms * batch
        forward = sum(line**self.sharpness for line in lines) ** (1 / self.sharpness)
        forward += self.context_ms * slots * context / 1000
        if depth:
            forward += self.draft_ms * depth / 4 + self.slot_ms * (slots - 1)
            forward += self.draft_context_ms * slots * context / 1000
        return forward / 1000

    def forwards(self, depth: int) -> float:
        """Expected forwards of one request, the first token not among them."""
        return _forwards(self.survival[:depth])

    def rate(self, slots: int, depth: int, context: float = 0.0) -> float:
        """True tokens per second of `slots` requests at once, their prompts included."""
        one = self.prompt_s * slots + self.forwards(depth) * self.step_s(slots, depth, context)
        return slots * LIMIT / one

    def decode_rate(self, depth: int, context: float = 0.0) -> float:
        """True tokens per second after the prompt, one request at once."""
        return (LIMIT - 1) / (self.forwards(depth) * self.step_s(1, depth, context))

    def speedup(self, slots: int, depth: int, context: float = 0.0) -> float:
        """Of :meth:`rate`."""
        return self.rate(slots, depth, context) / self.rate(slots, 0, context)


@cache
def _forwards(survival: tuple[float, ...]) -> float:
    s = np.concatenate([[1.0], survival, [0.0]])
    share = s[:-1] - s[1:]
    need = np.zeros(LIMIT)
    for left in range(1, LIMIT):
        steps = np.arange(1, min(len(share), left) + 1)
        need[left] = 1 + share[: len(steps)] @ need[left - steps]
    return float(need[-1])


def measured(
    machine: Machine,
    random: np.random.Generator,
    *,
    slots: Sequence[int] = (1,),
    contexts: Sequence[int | None] = (None,),
    depth: int = 3,
    repeats: int = 1,
) -> list[Run]:
    """The runs of a campaign: without speculation and with it, at every point of the grid."""
    runs = []
    for context in contexts:
        for number in slots:
            for deep in (0, depth):
                name = f"n{deep}" if deep else "plain"
                place = f"{name}-x{number}" + ("" if context is None else f"-c{context}")
                tasks: list[TaskResult] = []
                for repeat in range(1, repeats + 1):
                    tasks += _pass(machine, random, number, deep, context or 0, repeat)
                runs.append(
                    Run(
                        Source(f"{place}.jsonl", 1),
                        "simulated",
                        tuple(tasks),
                        id=place,
                        label=place,
                        spec_type="draft-mtp" if deep else "none",
                        n_max=deep or None,
                        concurrency=number,
                        context_tokens=context,
                        temperature=0.0,
                        max_tokens=LIMIT,
                        fresh_servers=True,
                        rate_convention="n-1",
                    )
                )
    return runs


def _answer(machine: Machine, random: np.random.Generator, depth: int) -> tuple[int, int, int]:
    """Rounds, drafted and accepted tokens of one request; its last drafts are cut by the limit."""
    luck = random.random((LIMIT, 1))
    taken = (luck < np.array(machine.survival[:depth])).sum(axis=1)
    left = LIMIT - 1 - np.concatenate([[0], np.cumsum(taken + 1)[:-1]])
    left = left[left > 0]
    draft = np.minimum(depth, left - 1)
    return len(left), int(draft.sum()), int(np.minimum(taken[: len(left)], draft).sum())


def _pass(
    machine: Machine, random: np.random.Generator, slots: int, depth: int, context: int, repeat: int
) -> list[TaskResult]:
    """Every slot answers every task, one after the other, each from another one on."""
    pace = float(np.exp(random.normal(0, machine.run_noise)))
    step = machine.step_s(slots, depth, context) * pace
    out = []
    for slot in range(slots):
        at = 0.0
        for place in range(len(TASKS)):
            rounds, drafted, accepted = _answer(machine, random, depth)
            decode = rounds * step * float(np.exp(random.normal(0, machine.request_noise)))
            prompt = machine.prompt_s * slots * pace
            out.append(
                TaskResult(
                    TASKS[(place + slot) % len(TASKS)],
                    Source("simulated", len(out) + 1),
                    repeat=repeat,
                    predicted_tokens=LIMIT,
                    draft_tokens=drafted,
                    accepted_tokens=accepted,
                    decode_s=decode,
                    decode_tps=(LIMIT - 1) / decode,
                    wall_s=prompt + decode,
                    prompt_tokens=50 + context,
                    first_token_s=prompt,
                    busy_s=(at, at + prompt + decode),
                    # A step is as long as all slots make it, also while some have no more to do.
                    steady=True if slots > 1 else None,
                )
            )
            at += prompt + decode
    return out
