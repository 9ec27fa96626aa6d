"""How well does a survival curve explain what was counted?

Two kinds of counts, one log-likelihood each with gradient and information. For
counts by position it is the binomial's. For a request of which only the total
of accepted tokens is known it is the large-deviation form of that total's
distribution, of which the binomial is the case of depth 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Fit", "PositionCounts", "SumCounts", "evaluate", "survival"]

Floats = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.integer[Any]]

_TILT = 40.0
"""Bound of the tilt: beyond it all or nothing is accepted to within rounding."""


@dataclass(frozen=True, eq=False)
class SumCounts:
    """Requests at a fixed depth of which the totals are known; arrays of shape (n,).

    Attributes
    ----------
    task
        Index of the task.
    depth
        Tokens drafted in a full round.
    rounds
        Number of full rounds.
    rest
        Tokens drafted in the one shorter round at the end; 0 for none.
    accepted
        Accepted tokens, between 0 and ``rounds * depth + rest``.
    """

    task: Ints
    depth: Ints
    rounds: Ints
    rest: Ints
    accepted: Ints


@dataclass(frozen=True, eq=False)
class PositionCounts:
    """Counts by task and position, both of shape (n_tasks, n_positions).

    Attributes
    ----------
    at_risk
        Rounds that accepted everything before the position and drafted it.
    accepted
        Those of them that accepted it too.
    """

    at_risk: Floats
    accepted: Floats


@dataclass(frozen=True, eq=False)
class Fit:
    """Log-likelihood, its gradient and information in the logits of the conditionals.

    `gradient` has shape (n_tasks, n_positions), `information` (expected) the
    shape (n_tasks, n_positions, n_positions); `n` counts observations.
    """

    value: float
    gradient: Floats
    information: Floats
    n: int


def survival(logits: Floats) -> Floats:
    """Survival at positions 1, 2, … along the last axis: the product of the conditionals.

    Examples
    --------
    >>> survival(np.array([0.0, 0.0]))
    array([0.5 , 0.25])
    """
    survived: Floats = np.exp(-np.cumsum(np.logaddexp(0, -logits), axis=-1))
    return survived


def evaluate(logits: Floats, sums: SumCounts | None, counts: PositionCounts | None) -> Fit:
    """Log-likelihood of all counts.

    Parameters
    ----------
    logits
        Of the conditional acceptance, shape (n_tasks, n_positions).
    sums, counts
        What was counted; null for none.

    Returns
    -------
    Fit
        Sums over both kinds.
    """
    tasks, positions = logits.shape
    value, n = 0.0, 0
    gradient = np.zeros_like(logits)
    information = np.zeros((tasks, positions, positions))
    if counts is not None:
        value += float(
            -(counts.accepted * np.logaddexp(0, -logits)).sum()
            - ((counts.at_risk - counts.accepted) * np.logaddexp(0, logits)).sum()
        )
        q = 1 / (1 + np.exp(-logits))
        gradient += counts.accepted - counts.at_risk * q
        place = np.arange(positions)
        information[:, place, place] += counts.at_risk * q * (1 - q)
        n += int((counts.at_risk > 0).sum())
    if sums is not None and len(sums.task):
        part = _sums(logits, sums)
        value += part.value
        np.add.at(gradient, sums.task, part.gradient)
        np.add.at(information, sums.task, part.information)
        n += part.n
    return Fit(value, gradient, information, n)


def _sums(logits: Floats, sums: SumCounts) -> Fit:
    """One row per request: minus its total's distance from what is expected.

    With G the generating function of a round's accepted length, the value is
    min over the tilt t of  rounds log G(t) + log G_rest(t) - accepted t.
    At the minimum t its derivative in s needs no derivative of t.
    """
    positions = logits.shape[1]
    s = survival(logits)[sums.task]
    kinds = [_Round(s, sums.depth), _Round(s, sums.rest)]
    weights = [sums.rounds.astype("float64"), (sums.rest > 0).astype("float64")]
    tilt = _solve_tilt(kinds, weights, sums.accepted.astype("float64"))
    value = -tilt * sums.accepted
    by_s = np.zeros((len(sums.task), positions))
    mean_by_s = np.zeros_like(by_s)
    variance = np.zeros(len(sums.task))
    place = np.arange(1, positions + 1)
    for kind, weight in zip(kinds, weights, strict=True):
        log_g, _, _ = kind.tilted(tilt)
        value = value + weight * log_g
        drafted = place <= kind.depth[:, None]
        power = np.exp(place * tilt[:, None] - log_g[:, None], where=drafted, out=np.zeros_like(s))
        by_s += weight[:, None] * power * -np.expm1(-tilt)[:, None]
        mean_by_s += weight[:, None] * drafted
        variance += weight * kind.tilted(np.zeros_like(tilt))[2]
    # ds_i / dlogit_j = s_i (1 - q_j) for j <= i.
    rejected = 1 / (1 + np.exp(logits))[sums.task]
    gradient = rejected * _from_behind(s * by_s)
    slope = rejected * _from_behind(s * mean_by_s)
    spread = np.maximum(variance, 1e-12)
    information = slope[:, :, None] * slope[:, None, :] / spread[:, None, None]
    return Fit(float(value.sum()), gradient, information, len(sums.task))


class _Round:
    """Distribution of the accepted length of a round at each row's depth."""

    def __init__(self, s: Floats, depth: Ints) -> None:
        reached = np.concatenate([np.ones((len(s), 1)), s, np.zeros((len(s), 1))], axis=1)
        self.length = np.arange(s.shape[1] + 1)
        self.depth = depth
        share = reached[:, :-1] - reached[:, 1:]
        last = depth[:, None] == self.length
        share = np.where(last, reached[:, :-1], share)
        with np.errstate(divide="ignore"):
            self.log_share = np.log(np.maximum(share, 0))
        self.log_share[self.length > depth[:, None]] = -np.inf

    def tilted(self, tilt: Floats) -> tuple[Floats, Floats, Floats]:
        """Log G and the mean and variance of the length after tilting by exp(tilt length)."""
        terms = self.log_share + tilt[:, None] * self.length
        top = terms.max(axis=1, keepdims=True)
        weight = np.exp(terms - top)
        total = weight.sum(axis=1)
        mean = weight @ self.length / total
        variance = weight @ self.length**2 / total - mean**2
        return np.log(total) + top[:, 0], mean, np.maximum(variance, 0)


def _solve_tilt(kinds: list[_Round], weights: list[Floats], accepted: Floats) -> Floats:
    """The tilt at which the expected total is the one observed: Newton within a bracket."""
    low = np.full(len(accepted), -_TILT)
    high = -low
    tilt = np.zeros(len(accepted))
    for _ in range(60):
        moments = [kind.tilted(tilt) for kind in kinds]
        parts = list(zip(weights, moments, strict=True))
        excess = sum(weight * mean for weight, (_, mean, _) in parts) - accepted
        spread = sum(weight * variance for weight, (_, _, variance) in parts)
        high = np.where(excess > 0, tilt, high)
        low = np.where(excess < 0, tilt, low)
        if np.all((np.abs(excess) < 1e-7) | (high - low < 1e-9)):
            break
        with np.errstate(divide="ignore", invalid="ignore"):
            proposed = tilt - excess / spread
        inside = (proposed > low) & (proposed < high)
        tilt = np.where(inside, proposed, (low + high) / 2)
    return tilt


def _from_behind(values: Floats) -> Floats:
    """Sums from each position to the last."""
    return np.cumsum(values[:, ::-1], axis=1)[:, ::-1]
