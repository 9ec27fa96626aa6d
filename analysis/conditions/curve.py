"""Curves: how does a speedup go over an axis, between the values that were measured?

The logarithm of a speedup is taken for a smooth function of the axis: a
constant, a slope and a bend, whose sizes have wide priors, and a little of
every value's own. What is measured comes with its interval from the one model
of noise, so that the band is wide where little is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["AxisCurve", "grid", "scaled", "unscaled"]

Floats = npt.NDArray[np.floating[Any]]

_STEPS = 12
"""Of the grid between two measured values."""
_FIRM = 1e-8
"""Variance that keeps a matrix of close values from being singular by rounding."""


_CONTEXT = 2048.0
"""Tokens of context from which on their octaves count, rather than they themselves."""


def scaled(axis: str, values: Floats) -> Floats:
    """An axis as curves go over it: requests at once, and long contexts, in octaves.

    Over these a speedup bends about as much everywhere: its two step times are lines
    over context, and their ratio changes most where the context is short.

    Examples
    --------
    >>> scaled("concurrency", np.array([1.0, 2.0, 8.0]))
    array([0., 1., 3.])
    >>> scaled("context_tokens", np.array([0.0, 2048.0, 6144.0]))
    array([0., 1., 2.])
    """
    if axis == "concurrency":
        return np.log2(values)
    return np.log2(1 + values / _CONTEXT) if axis == "context_tokens" else 1.0 * values


def unscaled(axis: str, places: Floats) -> Floats:
    """What :func:`scaled` was made of.

    Examples
    --------
    >>> unscaled("context_tokens", np.array([0.0, 1.0, 2.0]))
    array([   0., 2048., 6144.])
    """
    if axis == "concurrency":
        return np.exp2(places)
    return _CONTEXT * (np.exp2(places) - 1) if axis == "context_tokens" else 1.0 * places


def grid(axis: str, values: Floats) -> Floats:
    """Values from the least to the most measured, the measured ones among them, rising."""
    places = scaled(axis, np.unique(values))
    parts = [np.linspace(low, high, _STEPS, endpoint=False) for low, high in pairwise(places)]
    return unscaled(axis, np.concatenate([*parts, places[-1:]]))


@dataclass(frozen=True)
class AxisCurve:
    """Draws of a speedup over an axis, from its measured values.

    Parameters
    ----------
    level_sd, slope_sd, bend_sd
        Standard deviations of the log of the speedup: of it altogether, of what it
        changes over the measured range, and of what it bends on the way.
    bend_range
        How far along the measured range a bend goes, as a share of it.
    own_sd
        What each value has of its own: kernels suit some batches better.
    draws, seed
        Of the random draws.
    """

    level_sd: float = 0.7
    slope_sd: float = 0.7
    bend_sd: float = 0.35
    bend_range: float = 0.5
    own_sd: float = 0.005
    draws: int = 800
    seed: int = 11

    def __call__(self, x: Floats, log_ratio: Floats, sd: Floats, at: Floats) -> Floats:
        """Draws of the log of the speedup at the values `at`, shape (n_draws, n_at).

        Parameters
        ----------
        x
            Where it was measured, see :func:`scaled`, shape (n,).
        log_ratio, sd
            Logarithm of the speedup there and its standard deviation, shape (n,).
        at
            Where it is asked for, scaled alike.
        """
        span = float(np.ptp(x)) or 1.0
        here, there = ((place - x.min()) / span for place in (x, at))
        seen = self._covariance(here, here) + np.diag(sd**2 + self.own_sd**2)
        across = self._covariance(there, here)
        gain = np.linalg.solve(seen, across.T).T
        mean = gain @ log_ratio
        spread = self._covariance(there, there) - gain @ across.T
        # Cholesky's root, which is the only one: that of eigenvectors differs by processor.
        root = np.linalg.cholesky(spread + _FIRM * np.eye(len(at)))
        normal = np.random.default_rng(self.seed).standard_normal((self.draws, len(at)))
        drawn: Floats = mean + normal @ root.T
        return drawn

    def _covariance(self, one: Floats, other: Floats) -> Floats:
        apart = (one[:, None] - other[None, :]) / self.bend_range
        out: Floats = (
            self.level_sd**2
            + self.slope_sd**2 * np.outer(one - 0.5, other - 0.5)
            + self.bend_sd**2 * np.exp(-0.5 * apart**2)
        )
        return out
