"""Walk answers round by round as a policy would: how many forwards, drafted and accepted tokens?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from analysis.replaying.policies import Fixed
from analysis.replaying.texts import Texts

__all__ = ["Walked", "walk"]

Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True, eq=False)
class Walked:
    """What a policy did on each text, each of shape (texts,).

    Attributes
    ----------
    tokens
        Tokens after the first, which prefill gives.
    forwards, rounds
        Target forwards, and those of them that verified a draft.
    drafted, accepted
        Tokens.
    dropped
        Guesses that were made and dropped for their confidence: a step of the
        draft each, for a draft that works token by token.
    dropped_whole
        Forwards whose draft was dropped from its first token on.
    squares, lagged
        Sums over forwards of the squared tokens per forward, and of the product
        with the next one's: how much forwards vary.
    by_length
        Forwards by number of drafted tokens, shape (texts, n_max + 1).
    """

    tokens: Counts
    forwards: Counts
    rounds: Counts
    drafted: Counts
    accepted: Counts
    dropped: Counts
    dropped_whole: Counts
    squares: Floats
    lagged: Floats
    by_length: Counts


def walk(texts: Texts, policy: Fixed) -> Walked:
    """Replay a policy on every text at once.

    Parameters
    ----------
    texts
        One draw of ``texts.texts_of``, made for the policy's depth at least.
    policy
        What ends each draft.

    Returns
    -------
    Walked
        Counts of each text.
    """
    count = len(texts.start)
    at = texts.start.copy()
    last = texts.end - 1
    names = ("forwards", "rounds", "drafted", "accepted", "dropped", "whole")
    sums = {name: np.zeros(count, np.int64) for name in names}
    squares, lagged, before = (np.zeros(count) for _ in range(3))
    by_length = np.zeros((count, policy.n_max + 1), np.int64)
    state: dict[str, Any] = {}
    ends = _Product(texts, policy) if policy.product else _EachToken(texts, policy)
    everyone = np.arange(count)
    while (now := at < last).any():
        left = last - at
        cap = np.minimum(policy.caps(state, count), policy.n_max)
        # A server drafts no token that the limit would cut off.
        cap = np.where(texts.limited, np.minimum(cap, left - 1), cap)
        cap = np.where(now, np.maximum(cap, 0), 0)
        hits = np.minimum(texts.miss[np.minimum(at + 1, last)] - (at + 1), left)
        hits = np.where(now, np.maximum(hits, 0), 0)
        drafted, stopped = ends(at, cap, hits)
        dropped = (stopped & now & (cap > 0)).astype(np.int64)
        short = drafted < policy.n_min
        drafted = np.where(short, 0, drafted)
        accepted = np.minimum(drafted, hits)
        step = np.where(now, np.minimum(accepted + 1, left), 0)
        accepted = np.where(now, np.minimum(accepted, left), 0)
        sums["forwards"] += now
        sums["rounds"] += now & (drafted > 0)
        sums["drafted"] += np.where(now, drafted, 0)
        sums["accepted"] += accepted
        sums["dropped"] += dropped
        sums["whole"] += (dropped > 0) & (drafted == 0)
        squares += step.astype(float) ** 2
        lagged += before * step
        before = step.astype(float)
        by_length[everyone[now], drafted[now]] += 1
        policy.learn(state, now, drafted, accepted)
        at = at + step
    return Walked(
        last - texts.start, sums["forwards"], sums["rounds"], sums["drafted"], sums["accepted"],
        sums["dropped"], sums["whole"], squares, lagged, by_length,
    )  # fmt: skip


Ends = tuple[Counts, npt.NDArray[np.bool_]]


class _EachToken:
    """A threshold on each token's confidence: where do drafts end?"""

    def __init__(self, texts: Texts, policy: Fixed) -> None:
        self.size = len(texts.right)
        places = np.where(texts.confidence < policy.p_min, np.arange(self.size), self.size)
        self.below = np.minimum.accumulate(np.append(places, self.size)[::-1])[::-1]
        self.stays = np.cumprod(texts.beyond >= policy.p_min, axis=1).sum(axis=1)
        self.width = texts.beyond.shape[1]

    def __call__(self, at: Counts, cap: Counts, hits: Counts) -> Ends:
        """Drafted tokens, and whether one more was made and dropped.

        `hits` right guesses come first; behind a wrong one the draft goes on in
        a text that was never written.
        """
        ends = self.below[np.minimum(at + 1, self.size)] - (at + 1)
        wrong = np.minimum(at + 1 + hits, self.size - 1)
        early = ends <= hits
        reach = np.where(early, ends, hits + 1 + self.stays[wrong])
        whole = ~early & (self.stays[wrong] >= self.width)
        return np.minimum(reach, cap), (reach < cap) & ~whole


class _Product:
    """The same for a threshold on the product of a draft's confidences."""

    def __init__(self, texts: Texts, policy: Fixed) -> None:
        self.size = len(texts.right)
        self.n_max = policy.n_max
        self.limit = np.log(policy.p_min) if policy.p_min > 0 else -np.inf
        self.sums = np.concatenate(([0.0], np.cumsum(_logs(texts.confidence))))
        self.behind = np.cumsum(_logs(texts.beyond), axis=1)

    def __call__(self, at: Counts, cap: Counts, hits: Counts) -> Ends:
        """See :class:`_EachToken`."""
        before = self.sums[np.minimum(at + 1, self.size)]
        wrong = np.minimum(at + 1 + hits, self.size - 1)
        upto = self.sums[np.minimum(wrong + 1, self.size)] - before
        rows = np.arange(len(at))
        drafted = np.zeros(len(at), np.int64)
        stopped, going = np.zeros(len(at), np.bool_), np.ones(len(at), np.bool_)
        for place in range(self.n_max):
            own = self.sums[np.minimum(at + 2 + place, self.size)] - before
            far = np.clip(place - hits - 1, 0, self.behind.shape[1] - 1)
            value = np.where(place <= hits, own, upto + self.behind[rows, far])
            going &= place < cap
            falls = going & (value < self.limit)
            stopped |= falls
            going &= ~falls
            drafted += going
        return drafted, stopped


def _logs(confidence: Floats) -> Floats:
    """Logarithms; what is printed as zero is less than half of the last digit."""
    out: Floats = np.log(np.maximum(confidence, 0.0005))
    return out
