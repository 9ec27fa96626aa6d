"""When does a draft stop? Policies as settings: a cap for each round, and a threshold.

A policy looks at nothing but what a server would know: the confidences of the
tokens drafted so far, and what became of the rounds before.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Additive", "Bandit", "Fixed", "Pausing", "Product", "Threshold"]

Floats = npt.NDArray[np.floating[Any]]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Fixed:
    """llama.cpp's own rule: up to `n_max` tokens, none below `p_min`, none if fewer than `n_min`.

    Every other policy differs from it in one thing.

    Attributes
    ----------
    name
        In tables: ``"fixed"``, ``"threshold"``, ….
    product
        Whether `p_min` is compared with the product of a draft's confidences.
    """

    n_max: int
    p_min: float = 0.0
    n_min: int = 0
    product: bool = field(default=False, init=False)
    name: str = field(default="fixed", init=False)

    def caps(self, state: dict[str, Any], texts: int) -> Counts:
        """How many tokens the next round of each text may draft, shape (texts,)."""
        del state
        return np.full(texts, self.n_max)

    def learn(
        self, state: dict[str, Any], now: npt.NDArray[np.bool_], drafted: Counts, accepted: Counts
    ) -> None:
        """Note in `state` what a round gave the texts that had one; here nothing."""


@dataclass(frozen=True)
class Threshold(Fixed):
    """The same with a `p_min` above 0."""

    name: str = field(default="threshold", init=False)


@dataclass(frozen=True)
class Product(Fixed):
    """Drafting ends where the product of a draft's confidences falls below `p_min`."""

    product: bool = field(default=True, init=False)
    name: str = field(default="product", init=False)


@dataclass(frozen=True)
class Additive(Fixed):
    """One token deeper after a draft accepted whole, half as deep after one that was not."""

    name: str = field(default="additive", init=False)

    def caps(self, state: dict[str, Any], texts: int) -> Counts:
        """See :class:`Fixed`."""
        depth: Counts = state.setdefault("depth", np.full(texts, self.n_max))
        return depth

    def learn(
        self, state: dict[str, Any], now: npt.NDArray[np.bool_], drafted: Counts, accepted: Counts
    ) -> None:
        """See :class:`Fixed`."""
        depth = state["depth"]
        whole = accepted >= drafted
        after = np.where(whole, np.minimum(depth + 1, self.n_max), np.maximum(depth // 2, 1))
        state["depth"] = np.where(now & (drafted > 0), after, depth)


@dataclass(frozen=True)
class Pausing(Fixed):
    """No drafts for `pause` forwards after `patience` rounds in a row without an accepted token."""

    patience: int = 2
    pause: int = 4
    name: str = field(default="pausing", init=False)

    def caps(self, state: dict[str, Any], texts: int) -> Counts:
        """See :class:`Fixed`."""
        left = state.setdefault("left", np.zeros(texts, np.int64))
        state.setdefault("vain", np.zeros(texts, np.int64))
        return np.where(left > 0, 0, self.n_max)

    def learn(
        self, state: dict[str, Any], now: npt.NDArray[np.bool_], drafted: Counts, accepted: Counts
    ) -> None:
        """See :class:`Fixed`."""
        paused = state["left"] > 0
        vain = np.where(now & ~paused & (drafted > 0), np.where(accepted > 0, 0, state["vain"] + 1),
                        state["vain"])  # fmt: skip
        begins = vain >= self.patience
        state["left"] = np.where(begins, self.pause, np.where(now & paused, state["left"] - 1,
                                                              state["left"]))  # fmt: skip
        state["vain"] = np.where(begins, 0, vain)


@dataclass(frozen=True)
class Bandit(Fixed):
    """The depth whose tokens per millisecond were best so far in this text, tried by turns.

    Parameters
    ----------
    step_ms
        Time of a forward that drafts 0, 1, … `n_max` tokens.
    explore
        Weight of how seldom a depth was tried (upper confidence bound), as a
        share of the best rate.
    """

    step_ms: tuple[float, ...] = ()
    explore: float = 0.3
    name: str = field(default="bandit", init=False)

    def caps(self, state: dict[str, Any], texts: int) -> Counts:
        """See :class:`Fixed`."""
        tried = state.setdefault("tried", np.zeros((texts, self.n_max)))
        gained = state.setdefault("gained", np.zeros((texts, self.n_max)))
        spent = state.setdefault("spent", np.zeros((texts, self.n_max)))
        rate = gained / np.maximum(spent, 1e-12)
        best = rate.max(axis=1, keepdims=True)
        total = np.maximum(tried.sum(axis=1, keepdims=True), 1)
        bonus = self.explore * best * np.sqrt(np.log(total + 1) / np.maximum(tried, 1))
        # The deepest comes first: it tells most about the others.
        value = np.where(tried == 0, np.inf, rate + bonus)[:, ::-1]
        state["arm"] = self.n_max - 1 - value.argmax(axis=1)
        return np.asarray(state["arm"] + 1, np.int64)

    def learn(
        self, state: dict[str, Any], now: npt.NDArray[np.bool_], drafted: Counts, accepted: Counts
    ) -> None:
        """See :class:`Fixed`."""
        rows = np.flatnonzero(now & (drafted > 0))
        arms = state["arm"][rows]
        state["tried"][rows, arms] += 1
        state["gained"][rows, arms] += accepted[rows] + 1
        state["spent"][rows, arms] += np.asarray(self.step_ms)[drafted[rows]]
