"""Scores of counts: in which direction do they pull a survival curve, how strongly?

Two kinds of counts. For counts by position the pull is the binomial score. For
a request of which only the total of accepted tokens is known it is the
quasi-score: observed minus expected total over its variance, which uses the
first two moments only, so that it stays unbiased when rounds are correlated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["PositionCounts", "Pull", "SumCounts", "pull", "survival"]

Floats = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True, eq=False)
class SumCounts:
    """Requests of which the rounds' depths and the total accepted are known.

    Attributes
    ----------
    task
        Index of each request's task, shape (n,).
    rounds
        Number of its rounds that drafted 1, 2, … tokens, shape (n, n_depths);
        a number need not be whole where it is an expectation.
    accepted
        Its accepted tokens, at most ``rounds @ (1, 2, …)``, shape (n,).
    """

    task: Ints
    rounds: Floats
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
class Pull:
    """What counts say at some logits of the conditional acceptance.

    Attributes
    ----------
    score
        Direction, shape (n_tasks, n_positions).
    information
        Its expected slope, shape (n_tasks, n_positions, n_positions).
    misfit
        Squared distance of counts from expectation in standard deviations,
        summed (Pearson's chi-squared).
    n
        Number of counts.
    """

    score: Floats
    information: Floats
    misfit: float
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


def pull(logits: Floats, sums: SumCounts | None, counts: PositionCounts | None) -> Pull:
    """Score and information of all counts.

    Parameters
    ----------
    logits
        Of the conditional acceptance, shape (n_tasks, n_positions).
    sums, counts
        What was counted; null for none.

    Returns
    -------
    Pull
        Sums over both kinds.
    """
    tasks, positions = logits.shape
    score: Floats = np.zeros_like(logits)
    information = np.zeros((tasks, positions, positions))
    misfit, n = 0.0, 0
    if counts is not None:
        q = 1 / (1 + np.exp(-logits))
        off = counts.accepted - counts.at_risk * q
        variance = counts.at_risk * q * (1 - q)
        score += off
        place = np.arange(positions)
        information[:, place, place] += variance
        misfit += float((off**2 / np.maximum(variance, 1e-9)).sum())
        n += int((counts.at_risk > 0).sum())
    if sums is not None and len(sums.task):
        missed, width, slope = _totals(logits, sums)
        scaled = slope / np.sqrt(width)[:, None]
        np.add.at(score, sums.task, slope * (missed / width)[:, None])
        np.add.at(information, sums.task, scaled[:, :, None] * scaled[:, None, :])
        misfit += float((missed**2 / width).sum())
        n += len(sums.task)
    return Pull(score, information, misfit, n)


def _totals(logits: Floats, sums: SumCounts) -> tuple[Floats, Floats, Floats]:
    """Observed minus expected total, its variance and the expectation's slope in the logits.

    A round at depth d accepts Σ s_i tokens on average, i up to d, and
    Σ (2i - 1) s_i of their square.
    """
    s = survival(logits)[sums.task]
    depths = sums.rounds.shape[1]
    own = s[:, :depths]
    place = np.arange(1, depths + 1)
    mean = np.cumsum(own, axis=1)
    square = np.cumsum((2 * place - 1) * own, axis=1)
    variance = (sums.rounds * (square - mean**2)).sum(axis=1)
    drafted = np.zeros_like(s)
    drafted[:, :depths] = _from_behind(sums.rounds)
    off = sums.accepted - (drafted * s).sum(axis=1)
    # ds_i / dlogit_j = s_i (1 - q_j) for j <= i.
    slope = _from_behind(s * drafted) / (1 + np.exp(logits))[sums.task]
    return off, np.maximum(variance, 1e-9), slope


def _from_behind(values: Floats) -> Floats:
    """Sums from each position to the last."""
    return np.cumsum(values[:, ::-1], axis=1)[:, ::-1]
