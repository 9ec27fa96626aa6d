"""Survival curves: how does acceptance decay over positions, given what was counted?

One hierarchical model for every kind of count. The logit of the conditional
acceptance of a task at a position is a smooth curve shared by all tasks plus a
smooth deviation of the task, both Gaussian processes over positions, so that
conditionals may rise, fall or stay flat. Arrays in, arrays out; who counted
what is ``acceptance.py``'s business. ``docs/maths.md`` derives the formulas.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from analysis.depths.scores import PositionCounts, Pull, SumCounts, pull, survival

__all__ = ["Posterior", "SurvivalModel"]

Floats = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True, eq=False)
class Posterior:
    """What the counts say about survival.

    Attributes
    ----------
    draws
        Posterior draws of survival, shape (n_draws, n_tasks, n_positions).
    dispersion
        Posterior mean of the overdispersion: 1 when rounds are independent.
    """

    draws: Floats
    dispersion: float


@dataclass(frozen=True)
class SurvivalModel:
    """Settings of the hierarchical model; call it with counts.

    Parameters
    ----------
    positions
        Number of positions to describe, those never drafted included.
    draws
        Posterior draws.
    seed
        Of the random numbers behind the draws.
    start_mean, start_sd
        Prior of the shared logit at position 1: acceptance between 0.1 and 0.95.
    slope_sd
        Prior of the shared trend per position.
    damping
        How much of a trend is left one position later.
    level_sd, shapes, dispersion
        Grids that the data choose among: scatter of tasks around the shared
        level; of their trends around the shared one together with what no
        trend explains, from one position to the next; overdispersion of counts.
    """

    positions: int
    draws: int = 800
    seed: int = 5
    start_mean: float = 0.7
    start_sd: float = 1.5
    slope_sd: float = 0.5
    damping: float = 0.8
    level_sd: tuple[float, ...] = (0.35, 0.8, 1.5)
    shapes: tuple[tuple[float, float], ...] = ((0.05, 0.05), (0.2, 0.15), (0.5, 0.7))
    dispersion: tuple[float, ...] = (1.0, 1.6, 2.6)

    def __call__(
        self, n_tasks: int, sums: SumCounts | None, counts: PositionCounts | None = None
    ) -> Posterior:
        """Posterior of every task's survival.

        The latent curve's posterior is approximated at its mode (Laplace) for
        each point of the grid, and the points are weighted by their evidence.

        Parameters
        ----------
        n_tasks
            Number of tasks.
        sums
            Accepted totals of requests at a fixed depth, or null.
        counts
            Counts by position, or null.

        Returns
        -------
        Posterior
            The prior itself where nothing was counted.
        """
        shape = (n_tasks, self.positions)
        fits = []
        start = (np.full(self.positions, self.start_mean), np.full(shape, self.start_mean))
        for level, (tilt, rough) in itertools.product(self.level_sd, self.shapes):
            prior = self._prior(level, tilt, rough)
            for dispersion in self.dispersion:
                fit = _fit(prior, sums, counts, dispersion, start)
                start = (fit.shared, fit.own)
                fits.append((fit, dispersion))
        evidence = np.array([fit.evidence for fit, _ in fits])
        weights = np.exp(evidence - evidence.max())
        weights /= weights.sum()
        random = np.random.default_rng(self.seed)
        shares = random.multinomial(self.draws, weights)
        logits = np.concatenate(
            [
                fit.sample(int(number), random)
                for (fit, _), number in zip(fits, shares, strict=True)
                if number
            ]
        )
        random.shuffle(logits)
        scale = float(weights @ np.array([dispersion for _, dispersion in fits]))
        return Posterior(survival(logits), scale)

    def _prior(self, level: float, tilt: float, rough: float) -> _Prior:
        place = np.arange(self.positions)
        trend = (1 - self.damping**place) / (1 - self.damping)
        walk = np.minimum.outer(place, place).astype("float64")
        slope = np.outer(trend, trend)
        # A little independent scatter keeps the matrices well conditioned.
        nugget = 1e-4 * np.eye(self.positions)
        shared = self.start_sd**2 + self.slope_sd**2 * slope + rough**2 * walk + nugget
        own = level**2 + tilt**2 * slope + (0.5 * rough) ** 2 * walk + nugget
        return _Prior(self.start_mean, np.linalg.inv(shared), np.linalg.inv(own))


@dataclass(frozen=True, eq=False)
class _Prior:
    """Mean of the shared curve; precisions of it and of a task's deviation, both (k, k)."""

    mean: float
    shared: Floats
    own: Floats

    def pull(self, shared: Floats, own: Floats) -> tuple[float, Floats, Floats]:
        """Log density up to a constant, and its gradients in the shared and the tasks' curves."""
        off, apart = shared - self.mean, own - shared
        held = apart @ self.own
        value = -0.5 * float(off @ self.shared @ off + (apart * held).sum())
        return value, held.sum(axis=0) - self.shared @ off, -held


@dataclass(frozen=True, eq=False)
class _Fit:
    """A Gaussian around the mode of the shared curve (k,) and the tasks' curves (n, k).

    The precision is an arrow: `blocks` (n, k, k) of each task, tied to the
    shared curve through the prior alone; `schur` is what remains for it.
    """

    shared: Floats
    own: Floats
    blocks: Floats
    schur: Floats
    coupling: Floats
    evidence: float

    def sample(self, number: int, random: np.random.Generator) -> Floats:
        """Draws of the tasks' curves, shape (number, n, k)."""
        n, k = self.own.shape
        moved = random.standard_normal((number, k)) @ _root(self.schur).T
        # Where the shared curve goes, a task follows as far as its own counts let it.
        follow = np.linalg.solve(self.blocks, np.broadcast_to(self.coupling, (n, k, k)))
        noise = random.standard_normal((number, n, k))
        alone = np.einsum("tij,dtj->dti", _root(self.blocks), noise)
        drawn: Floats = self.own + np.einsum("tij,dj->dti", follow, moved) + alone
        return drawn


def _fit(
    prior: _Prior,
    sums: SumCounts | None,
    counts: PositionCounts | None,
    dispersion: float,
    start: tuple[Floats, Floats],
) -> _Fit:
    """Fisher scoring for where the counts' pull and the prior's are equal."""
    shared, own = start
    state = _State(prior, pull(own, sums, counts), shared, own, dispersion)
    for _ in range(60):
        if state.decrement < _CLOSE_ENOUGH:
            break
        size = min(1.0, 3.0 / max(float(np.abs(state.step_own).max()), 1e-12))
        while True:
            shared = state.shared + size * state.step_shared
            own = state.own + size * state.step_own
            after = _State(prior, pull(own, sums, counts), shared, own, dispersion)
            # A step that leads farther from the solution went too far.
            if after.decrement < state.decrement or size < 1 / 64:
                break
            size /= 2
        state = after
    determinant = np.linalg.slogdet(state.blocks)[1].sum() + np.linalg.slogdet(state.schur)[1]
    before = np.linalg.slogdet(prior.shared)[1] + len(own) * np.linalg.slogdet(prior.own)[1]
    value = state.log_prior - 0.5 * state.counted.misfit / dispersion
    value -= 0.5 * state.counted.n * np.log(dispersion)
    evidence = float(value + 0.5 * (before - determinant))
    return _Fit(state.shared, state.own, state.blocks, state.schur, prior.own, evidence)


_CLOSE_ENOUGH = 1e-4
"""Squared distance from the solution, in posterior standard deviations, at which it is reached."""


class _State:
    """Where the search is, and the next step from there."""

    def __init__(
        self, prior: _Prior, counted: Pull, shared: Floats, own: Floats, dispersion: float
    ) -> None:
        self.counted, self.shared, self.own = counted, shared, own
        self.log_prior, by_shared, by_own = prior.pull(shared, own)
        by_own = by_own + counted.score / dispersion
        self.blocks, self.schur = _arrow(prior, counted.information / dispersion)
        inner = np.linalg.solve(self.blocks, by_own[..., None])[..., 0]
        toward = by_shared + (inner @ prior.own).sum(axis=0)
        self.step_shared = np.linalg.solve(self.schur, toward)
        drawn_along = by_own + prior.own @ self.step_shared
        self.step_own = np.linalg.solve(self.blocks, drawn_along[..., None])[..., 0]
        self.decrement = float(by_shared @ self.step_shared + (by_own * self.step_own).sum())


def _arrow(prior: _Prior, information: Floats) -> tuple[Floats, Floats]:
    """Blocks of the tasks, and the shared curve's precision once they are eliminated."""
    blocks = prior.own + information
    n, k, _ = blocks.shape
    inner = np.linalg.solve(blocks, np.broadcast_to(prior.own, (n, k, k)))
    return blocks, prior.shared + n * prior.own - (prior.own @ inner).sum(axis=0)


def _root(precision: Floats) -> Floats:
    """A matrix whose product with standard normal noise has this precision."""
    return np.swapaxes(np.linalg.inv(np.linalg.cholesky(precision)), -1, -2)
