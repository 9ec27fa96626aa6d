"""A simulated target with a draft: every token's chance, confidence and fate are known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.records import Rounds

KINDS = {
    "calibrated": lambda chance, random: chance,
    "overconfident": lambda chance, random: chance**0.4,
    "uninformative": lambda chance, random: random.random(len(chance)),
}
"""What a draft says of a token that comes true with a known chance."""


@dataclass(frozen=True, eq=False)
class Answer:
    """One text, and what the draft would guess anywhere in it."""

    confidence: np.ndarray
    right: np.ndarray
    beyond: np.ndarray

    def rounds(self, n_max: int, p_min: float = 0.0) -> Rounds:
        """What a server would log with these settings."""
        size, at = len(self.right), 0
        drafted, accepted, sure = [], [], []
        while at < size - 1:
            row: list[float] = []
            made = hits = 0
            wrong: int | None = None
            while made < min(n_max, size - 2 - at):
                place = at + 1 + made
                value = (
                    self.confidence[place]
                    if wrong is None
                    else self.beyond[wrong, place - wrong - 1]
                )
                row.append(value)
                if value < p_min:
                    break
                made += 1
                if wrong is None and self.right[place]:
                    hits += 1
                elif wrong is None:
                    wrong = place
            drafted.append(made)
            accepted.append(hits)
            sure.append(row + [np.nan] * (n_max - len(row)))
            at += hits + 1
        return Rounds(
            np.array(drafted, np.int32),
            np.array(accepted, np.int32),
            None,
            np.round(np.array(sure, np.float32), 3),
        )


def answer(random: np.random.Generator, kind: str, tokens: int = 192) -> Answer:
    """A text that is easy in parts and hard in parts."""

    def said(count: int) -> tuple[np.ndarray, np.ndarray]:
        ease = np.zeros(count)
        steps = random.normal(size=count) * 0.9
        for place in range(1, count):
            ease[place] = 0.7 * ease[place - 1] + steps[place]
        chance = 1 / (1 + np.exp(-(ease + 0.6)))
        return chance, KINDS[kind](chance, random)

    chance, sure = said(tokens)
    beyond = np.stack([said(16)[1] for _ in range(tokens)])
    return Answer(sure, random.random(tokens) < chance, beyond)
