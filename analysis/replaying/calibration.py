"""Is a draft as sure as it is right? Reliability, calibration error and power to tell apart.

A guess counts where it was at risk: all before it in its draft came true.
Guesses of one request resemble each other, so intervals come from resampling
whole stretches of text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.replaying.texts import Guesses

__all__ = ["RELIABILITY_COLUMNS", "SCORE_COLUMNS", "Calibration"]

Floats = npt.NDArray[np.floating[Any]]

RELIABILITY_COLUMNS = ("workload", "from", "to", "guesses", "confidence", "accepted", "low", "high")
SCORE_COLUMNS = (
    "workload",
    "guesses",
    "calibration_error",
    "calibration_low",
    "calibration_high",
    "auc",
    "auc_low",
    "auc_high",
)

_FINEST = 1000
"""Confidences are printed with three digits."""


@dataclass(frozen=True)
class Calibration:
    """Reliability of confidences by bins, and two scores of it.

    Parameters
    ----------
    bins
        Of equal width between 0 and 1.
    stretch
        Tokens of a stretch of text that is resampled as one.
    resamples, seed
        Of the bootstrap.
    """

    bins: int = 10
    stretch: int = 48
    resamples: int = 400
    seed: int = 3

    def __call__(self, answers: Sequence[Guesses]) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Compare confidences with what became of the guesses.

        Parameters
        ----------
        answers
            Of ``texts.guesses``.

        Returns
        -------
        tuple of pandas.DataFrame
            Reliability, columns `RELIABILITY_COLUMNS`: of the guesses between
            two confidences their mean confidence and the share accepted, with
            its 90 % interval. Scores, columns `SCORE_COLUMNS`:
            `calibration_error` is the mean distance of the two over all
            guesses, `auc` the probability that of a right and a wrong guess
            the right one has the higher confidence: 0.5 tells nothing.
            `workload` null = all; scopes with one outcome only have a null `auc`.
        """
        scopes: list[str | None] = [None, *dict.fromkeys(one.workload for one in answers)]
        reliability: list[dict[str, Any]] = []
        scores: list[dict[str, Any]] = []
        for scope in scopes[:1] if len(scopes) == 2 else scopes:
            counts = self._counts([one for one in answers if scope in (None, one.workload)])
            if not counts.sum():
                continue
            reliability += [{"workload": scope, **row} for row in self._bins(counts)]
            scores.append({"workload": scope, **self._scores(counts)})
        return (
            pd.DataFrame(reliability, columns=list(RELIABILITY_COLUMNS)),
            pd.DataFrame(scores, columns=list(SCORE_COLUMNS)),
        )

    def _counts(self, answers: Sequence[Guesses]) -> npt.NDArray[np.int64]:
        """Guesses of each stretch by confidence and outcome, shape (stretches, 1001, 2)."""
        out = []
        for one in answers:
            known = ~np.isnan(one.confidence)
            for begin in range(0, len(one), self.stretch):
                part = slice(begin, begin + self.stretch)
                level = np.rint(one.confidence[part][known[part]] * _FINEST).astype(np.int64)
                both = np.zeros((_FINEST + 1, 2), np.int64)
                np.add.at(both, (level, one.right[part][known[part]].astype(np.int64)), 1)
                out.append(both)
        return np.array(out) if out else np.zeros((0, _FINEST + 1, 2), np.int64)

    def _resampled(self, counts: npt.NDArray[Any]) -> Floats:
        random = np.random.default_rng(self.seed)
        size = len(counts)
        weights = random.multinomial(size, np.full(size, 1 / size), size=self.resamples)
        out: Floats = (weights @ counts.reshape(size, -1)).reshape(-1, *counts.shape[1:])
        return out

    def _place(self) -> npt.NDArray[np.int64]:
        """The bin of each of the 1001 confidences."""
        return np.minimum(np.arange(_FINEST + 1) * self.bins // _FINEST, self.bins - 1)

    def _binned(self, counts: npt.NDArray[Any]) -> tuple[Floats, Floats, Floats]:
        """Guesses, sum of confidences and accepted ones by bin, along the last axis."""
        place = self._place()
        edges = np.searchsorted(place, np.arange(self.bins))
        each = counts.sum(axis=-1)
        level = np.arange(_FINEST + 1) / _FINEST
        return (
            np.add.reduceat(each, edges, axis=-1),
            np.add.reduceat(each * level, edges, axis=-1),
            np.add.reduceat(counts[..., 1], edges, axis=-1),
        )

    def _bins(self, counts: npt.NDArray[Any]) -> list[dict[str, float | int]]:
        many, sure, right = self._binned(counts.sum(axis=0))
        drawn, _, hits = self._binned(self._resampled(counts))
        # One guess of each outcome more keeps the interval of a bin without misses open.
        shares = (hits + 0.5) / (drawn + 1)
        chance = 1.645 * np.sqrt((right + 0.5) * (many - right + 0.5)) / (many + 1) ** 1.5
        rows = []
        for place in np.flatnonzero(many):
            share = right[place] / many[place]
            low, high = np.quantile(shares[:, place], (0.05, 0.95))
            rows.append(
                {
                    "from": place / self.bins,
                    "to": (place + 1) / self.bins,
                    "guesses": int(many[place]),
                    "confidence": sure[place] / many[place],
                    "accepted": share,
                    "low": max(min(low, share - chance[place]), 0.0),
                    "high": min(max(high, share + chance[place]), 1.0),
                }
            )
        return rows

    def _scores(self, counts: npt.NDArray[Any]) -> dict[str, float | int | None]:
        whole = counts.sum(axis=0)
        drawn = self._resampled(counts)
        error, power = self._error(whole), _auc(whole)
        errors, powers = self._error(drawn), _auc(drawn)
        powers = powers[~np.isnan(powers)]
        enough = len(powers) > self.resamples / 2
        return {
            "guesses": int(whole.sum()),
            "calibration_error": float(error),
            "calibration_low": float(np.quantile(errors, 0.05)),
            "calibration_high": float(np.quantile(errors, 0.95)),
            "auc": None if np.isnan(power) else float(power),
            "auc_low": float(np.quantile(powers, 0.05)) if enough else None,
            "auc_high": float(np.quantile(powers, 0.95)) if enough else None,
        }

    def _error(self, counts: npt.NDArray[Any]) -> Floats:
        many, sure, right = self._binned(counts)
        out: Floats = np.abs(sure - right).sum(axis=-1) / np.maximum(many.sum(axis=-1), 1)
        return out


def _auc(counts: npt.NDArray[Any]) -> Floats:
    """Probability that a right guess has more confidence than a wrong one; ties count half."""
    wrong, right = counts[..., 0], counts[..., 1]
    below = np.cumsum(wrong, axis=-1) - wrong
    pairs = wrong.sum(axis=-1) * right.sum(axis=-1)
    won = (right * (below + wrong / 2)).sum(axis=-1)
    out: Floats = np.divide(won, pairs, out=np.full(np.shape(pairs), np.nan), where=pairs > 0)
    return out
