"""Every depth, threshold and policy on the answers of one configuration, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.replaying.costs import RoundCost
from analysis.replaying.policies import Additive, Bandit, Fixed, Pausing, Product, Threshold
from analysis.replaying.texts import Guesses, texts_of
from analysis.replaying.walk import Walked, walk

__all__ = ["REPLAY_COLUMNS", "Replay"]

Floats = npt.NDArray[np.floating[Any]]

REPLAY_COLUMNS = (
    "policy",
    "workload",
    "n_max",
    "p_min",
    "n_min",
    "draft_tokens",
    "accepted_tokens",
    "forwards",
    "mean_accepted_length",
    "low",
    "high",
    "decode_tps",
    "decode_tps_low",
    "decode_tps_high",
)

_Z = 1.6449
"""Of a 90 % interval."""


@dataclass(frozen=True)
class Replay:
    """What each policy would have done with the guesses of a log.

    Parameters
    ----------
    sampled
        Whether the answers were sampled. A run of another setting writes other
        answers then, and the interval is wider by the answers' own chance, twice.
        Greedy answers stay the same but for rounding.
    draws
        How often what the log lacks is drawn.
    seed
        Of the draws.
    own_error
        Relative standard deviation of the replay itself: rounding changes a
        greedy answer now and then, and a draft that is begun elsewhere has
        another state.
    drawn_error
        The same as a multiple of the share of guesses that had to be drawn: what
        follows a draft accepted whole is not quite like what follows within one.
    policies
        What is replayed; null for every depth, threshold and policy.
    """

    sampled: bool = True
    draws: int = 16
    seed: int = 5
    own_error: float = 0.01
    drawn_error: float = 0.15
    policies: tuple[Fixed, ...] | None = None

    def __call__(self, answers: Sequence[Guesses], cost: RoundCost | None = None) -> pd.DataFrame:
        """One row per policy and workload, see :meth:`drawn`."""
        return self.drawn(answers, cost)[0]

    def drawn(
        self, answers: Sequence[Guesses], cost: RoundCost | None = None
    ) -> tuple[pd.DataFrame, Floats | None]:
        """One row per policy and workload, and draws of its throughput.

        Parameters
        ----------
        answers
            Of ``texts.guesses``, at least one.
        cost
            Times of a forward; without them throughputs are null.

        Returns
        -------
        tuple of pandas.DataFrame and numpy.ndarray
            Columns `REPLAY_COLUMNS`; `workload` null = all answers. Counts are
            means over the draws. `low` and `high` are the 90 % interval of
            `mean_accepted_length`, which is tokens per forward. Decode
            throughput by row, shape (rows, draws of `cost`), the same draws of
            cost and of what the log lacks in every row, and without the
            replay's own error; null without times.
        """
        depth = max(int(one.beyond.shape[1]) for one in answers)
        depth = max(min(depth, _deepest(answers)), 1)
        random = np.random.default_rng(self.seed)
        # All draws side by side: a walk costs its steps, and hardly its texts.
        texts = texts_of(list(answers) * self.draws, depth, random)
        scopes: list[str | None] = [None, *dict.fromkeys(one.workload for one in answers)]
        if len(scopes) == 2:
            scopes = [None]
        rates: list[Floats] = []
        rows = [
            row
            for policy in self.policies or _policies(depth, cost)
            for row in self._rows(policy, walk(texts, policy), answers, scopes, cost, drawn=rates)
        ]
        out = pd.DataFrame(rows, columns=list(REPLAY_COLUMNS))
        whole = {"n_max": "Int64", "n_min": "Int64"}
        floats = dict.fromkeys(REPLAY_COLUMNS[5:], "float64")
        table = out.astype({**whole, **floats, "p_min": "float64"})
        return table, np.array(rates) if rates else None

    def _rows(
        self,
        policy: Fixed,
        walked: Walked,
        answers: Sequence[Guesses],
        scopes: Sequence[str | None],
        cost: RoundCost | None,
        *,
        drawn: list[Floats],
    ) -> Iterator[dict[str, Any]]:
        spent = None if cost is None else cost.spent_ms(walked, policy.n_max)
        for scope in scopes:
            among = np.array([scope is None or one.workload == scope for one in answers])
            chosen = np.tile(among, self.draws)
            lacking = _drawn_share([one for one, mine in zip(answers, among, strict=True) if mine])
            length, spread = self._length(walked, among)
            spread = float(np.hypot(spread, self.drawn_error * lacking))
            row: dict[str, Any] = {
                "policy": policy.name,
                "workload": scope,
                "n_max": policy.n_max,
                "p_min": policy.p_min,
                "n_min": policy.n_min,
                "draft_tokens": walked.drafted[chosen].sum() / self.draws,
                "accepted_tokens": walked.accepted[chosen].sum() / self.draws,
                "forwards": walked.forwards[chosen].sum() / self.draws,
                "mean_accepted_length": length,
                "low": length * np.exp(-_Z * spread),
                "high": length * np.exp(_Z * spread),
            }
            if spent is not None:
                tokens = walked.tokens[chosen].sum()
                rates = 1000 * tokens / spent[:, chosen].sum(axis=1)
                middle = float(np.median(rates))
                around = float(np.hypot(np.log(rates).std(), spread))
                row["decode_tps"] = middle
                row["decode_tps_low"] = middle * np.exp(-_Z * around)
                row["decode_tps_high"] = middle * np.exp(_Z * around)
                drawn.append(self._rates(walked, spent, among))
            yield row

    def _rates(self, walked: Walked, spent: Floats, among: npt.NDArray[np.bool_]) -> Floats:
        """Throughput by draw of the cost, each with one draw of what the log lacks."""
        tokens = walked.tokens.reshape(self.draws, -1)[:, among].sum(axis=1)
        took = spent.reshape(len(spent), self.draws, -1)[:, :, among].sum(axis=2)
        at = np.arange(len(spent))
        rates: Floats = 1000 * tokens[at % self.draws] / took[at, at % self.draws]
        return rates

    def _length(self, walked: Walked, among: npt.NDArray[np.bool_]) -> tuple[float, float]:
        """Tokens per forward, and the standard deviation of its logarithm."""
        shape = (self.draws, len(among))
        tokens, forwards, squares, lagged = (
            np.asarray(part, "float64").reshape(shape)[:, among]
            for part in (walked.tokens, walked.forwards, walked.squares, walked.lagged)
        )
        each = tokens.sum(axis=1) / np.maximum(forwards.sum(axis=1), 1)
        length = float(tokens.sum() / max(forwards.sum(), 1))
        drawn = float(np.log(each).std(ddof=1)) if self.draws > 1 else 0.0
        count = float(forwards.sum()) / self.draws
        variance = squares.sum() / forwards.sum() - length**2
        along = lagged.sum() / forwards.sum() - length**2
        chance = max(variance + 2 * along, 0.5 * variance, 0.0) / max(length**2 * count, 1e-12)
        answers = 2 * chance if self.sampled else 0.0
        return length, float(np.sqrt(drawn**2 + answers + self.own_error**2))


def _drawn_share(answers: Sequence[Guesses]) -> float:
    """Share of the tokens at which no guess is logged."""
    missing = sum(int(np.isnan(one.confidence[1:]).sum()) for one in answers)
    return missing / max(sum(len(one) - 1 for one in answers), 1)


def _deepest(answers: Sequence[Guesses]) -> int:
    """The longest draft that was logged."""
    return max(int(one.streak.max()) + 1 for one in answers) if answers else 1


def _policies(depth: int, cost: RoundCost | None) -> Iterator[Fixed]:
    thresholds = [round(0.05 * step, 2) for step in range(20)]
    for n_max in range(1, depth + 1):
        yield Fixed(n_max)
        yield from (Threshold(n_max, p_min) for p_min in thresholds)
    for n_min in range(2, min(depth, 3) + 1):
        yield from (Threshold(depth, p_min, n_min) for p_min in thresholds[4::4])
    yield from (Product(depth, p_min) for p_min in thresholds[1:])
    yield Additive(depth)
    yield Pausing(depth)
    if cost is not None:
        middle = np.median(cost.forward_ms, axis=0)[: depth + 1]
        yield Bandit(depth, step_ms=tuple(float(value) for value in middle))
