"""Depth sweeps with a known truth, as the runs that a parser would give.

Written from the definitions and from nothing in ``analysis`` but the records:
texts are generated round by round, so that whatever is inferred from the
totals can be held against the survival that made them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from analysis.records import BUILT_IN_WORKLOADS, Positions, Rounds, Run, Source, TaskResult

TASKS = tuple(BUILT_IN_WORKLOADS)
LENGTHS = (192, 54, 192, 192, 192, 192, 192, 192, 48, 17, 36, 192, 192)
LIMIT = 192
TRENDS = {"rising": 0.3, "flat": 0.0, "falling": -0.3}


@dataclass(frozen=True)
class World:
    """What is true: survival by task (n_tasks, n_positions), step times in ms, text lengths."""

    survival: np.ndarray
    step_ms: Callable[[int], float]
    plain_ms: float = 7.8
    lengths: tuple[int, ...] = LENGTHS
    noise: float = 0.02
    drift: float = 0.0
    """Of a whole run: what all its requests share."""
    persistence: float = 0.0
    """Chance that a round meets the same luck as the one before: correlated rounds."""
    tasks: tuple[str, ...] = field(default=TASKS)

    def forwards(self, depth: int) -> np.ndarray:
        """Expected forwards of each text: n tokens left take 1 + E[what is left then takes]."""
        out = []
        for s, length in zip(self.survival, self.lengths, strict=True):
            reached = np.concatenate([[1.0], s[:depth], [0.0]])
            share = reached[:-1] - reached[1:]
            need = np.zeros(length)
            for left in range(1, length):
                steps = np.arange(1, min(depth + 1, left) + 1)
                need[left] = 1 + share[: len(steps)] @ need[left - steps]
            out.append(need[length - 1])
        return np.array(out)

    def decode_tps(self, depth: int) -> float:
        """Pooled decode throughput: tokens after each text's first, over the time they take."""
        seconds = self.forwards(depth) * self.step_ms(depth) / 1000
        return float((np.array(self.lengths) - 1).sum() / seconds.sum())


def world(
    shape: str,
    random: np.random.Generator,
    positions: int = 8,
    *,
    rough: float = 0.0,
    uneven: float = 0.0,
    jump: tuple[int, float] | None = None,
    **others: object,
) -> World:
    """A target and a draft: tasks from hard to easy, conditionals of one shape.

    `rough` is the scatter of logits from position to position, `uneven` that of
    step times from depth to depth; `jump` a depth from which they are longer by a share.
    """
    base = random.normal(0.8, 1.0, len(TASKS))
    trend = TRENDS[shape] + random.normal(0, 0.08, len(TASKS))
    logits = base[:, None] + trend[:, None] * np.arange(positions)
    fixed, each = random.uniform(12, 16), random.uniform(1.2, 2.2)
    if rough:
        logits += np.cumsum(random.normal(0, rough, logits.shape), axis=1)
    steps = fixed + each * np.arange(positions + 1)
    if uneven:
        steps *= np.exp(random.normal(0, uneven, len(steps)))
    if jump is not None:
        steps[jump[0] :] *= 1 + jump[1]
    return World(
        np.cumprod(1 / (1 + np.exp(-logits)), axis=1),
        step_ms=lambda depth: float(steps[depth]),
        **others,
    )


def request(
    truth: World, place: int, depth: int, random: np.random.Generator, **others: object
) -> TaskResult:
    """One text at one depth, with its rounds."""
    length, s = truth.lengths[place], truth.survival[place]
    drafted, accepted = [], []
    left, luck = length - 1, random.random()
    while left > 0:
        # A limit on tokens shortens the last drafts; a stop token does not.
        draft = min(depth, left - 1) if length == LIMIT else depth
        if random.random() >= truth.persistence:
            luck = random.random()
        drafted.append(draft)
        accepted.append(int((luck < s[:draft]).sum()))
        left -= accepted[-1] + 1
    step = truth.step_ms(depth) if depth else truth.plain_ms
    seconds = len(drafted) * step / 1000 * float(np.exp(random.normal(0, truth.noise)))
    return TaskResult(
        truth.tasks[place],
        Source("simulated.log", place + 1),
        predicted_tokens=length,
        draft_tokens=sum(drafted),
        accepted_tokens=sum(accepted),
        decode_tps=(length - 1) / seconds,
        wall_s=seconds + 0.1,
        rounds=Rounds(np.array(drafted, dtype=np.int32), np.array(accepted, dtype=np.int32)),
        **others,
    )


def sweep(
    truth: World,
    depths: Sequence[int],
    random: np.random.Generator,
    *,
    repeats: int = 1,
    rounds: bool = False,
    spec_type: str = "draft-mtp",
) -> list[Run]:
    """Runs at these depths; 0 is the baseline, with the id ``plain``."""
    runs = []
    for depth in depths:
        for repeat in range(1, repeats + 1):
            pace = float(np.exp(random.normal(0, truth.drift)))
            results = []
            for place in range(len(truth.tasks)):
                made = request(truth, place, depth, random, repeat=repeat)
                changed = {"decode_tps": made.decode_tps / pace, "wall_s": made.wall_s * pace}
                results.append(replace(made, **changed, **({} if rounds else {"rounds": None})))
            runs.append(
                Run(
                    Source(f"n{depth}.log", 1),
                    "simulated",
                    tuple(results),
                    id=f"n{depth}" if depth else "plain",
                    spec_type=spec_type if depth else "none",
                    n_max=depth or None,
                )
            )
    return runs


def printed_positions(result: TaskResult, depth: int) -> TaskResult:
    """The same request with llama-server's ``acc per pos`` in place of its rounds."""
    drafted = result.rounds.drafted > 0
    reached = [int((result.rounds.accepted >= place).sum()) for place in range(1, depth + 1)]
    rounds = int(drafted.sum())
    rates = tuple(round(count / rounds, 3) for count in reached)
    return replace(result, rounds=None, positions=Positions(rates, None, rounds))
