"""Batch cost: what does a forward cost over the tokens in its batch?

A forward reads all weights once, which takes the same time for one token as for
several, and computes each token, which takes time by the token: a roofline,

    T(b) = C (r^p + b^p)^(1/p),

flat up to about `r` tokens, a line through the origin far beyond, rounded
between by `p`. Verifying drafts of k tokens for n requests is a forward of
b = n (k + 1); a step without speculation is one of b = n, on the same curve.
What a run needs for each forward beyond it is its own: drafting, D, and what
each request at once adds, E n: its share of prefill, and drafts that are made
one slot after the other.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pandas as pd

__all__ = ["AskedForward", "BatchCost", "TimedForward", "roofline"]

Floats = npt.NDArray[np.floating[Any]]

_NONE = 1e-6
"""Standard deviation, as a share, of what is not there."""


@dataclass(frozen=True)
class TimedForward:
    """The time of a configuration's forwards at one number of requests at once.

    Attributes
    ----------
    series
        The configuration; all that draft nothing are one.
    at_once
        Requests under way, on average.
    tokens
        In the batch of a forward for each of them: 1, and what is drafted.
    seconds
        Of wall time per forward.
    drafts
        Whether it drafts: a plain step has no time of drafting to add.
    starts
        Server starts behind it.
    bare
        It is a forward by itself, as a benchmark of forwards times it.
    """

    series: str
    at_once: float
    tokens: float
    seconds: float
    drafts: bool
    starts: int = 1
    bare: bool = False


@dataclass(frozen=True)
class AskedForward:
    """A forward whose time is asked for: see :class:`TimedForward`."""

    series: str
    at_once: float
    tokens: float


def roofline(batch: Floats, ridge: float, sharpness: float) -> Floats:
    """Time of a forward over that of one token's computing.

    Examples
    --------
    >>> roofline(np.array([1.0, 100.0, 400.0]), 100.0, 8.0).round(1)
    array([100. , 109.1, 400. ])
    """
    out: Floats = (ridge**sharpness + batch**sharpness) ** (1 / sharpness)
    return out


@dataclass(frozen=True)
class BatchCost:
    """Draws of the time of forwards, measured ones and others.

    For each ridge and sharpness the model is linear in C, D and E; what the data
    say for each pair weighs it.

    Parameters
    ----------
    ridges, sharpnesses
        Grid of r and p; all are as likely before the data are asked.
    level_mean, level_sd
        Prior of the time of a forward of one token, as a share of the shortest measured.
    draft_mean, draft_sd
        The same of D.
    each_mean, each_sd, each_draft_sd
        The same of E; where a draft model computes for each request, it may be more.
    own_sd
        What a forward of each size has of its own, as a share of its time.
    run_sd
        Run noise as a share of the time, see ``noise.Noise``.
    draws, seed
        Of the random draws.
    """

    ridges: tuple[float, ...] = tuple(float(2 ** (power / 3)) for power in range(37))
    sharpnesses: tuple[float, ...] = (1.5, 2.0, 3.0, 5.0, 10.0)
    level_mean: float = 0.9
    level_sd: float = 0.4
    draft_mean: float = 0.2
    draft_sd: float = 0.6
    each_mean: float = 0.05
    each_sd: float = 0.05
    each_draft_sd: float = 0.15
    own_sd: float = 0.01
    run_sd: float = 0.02
    draws: int = 800
    seed: int = 13

    @classmethod
    def of(cls, noise: pd.DataFrame) -> Self:
        """Settings with a campaign's run noise, from a frame of ``noise.Noise``."""
        run = next(row for row in noise.to_dict("records") if row["level"] == "run")
        return cls(run_sd=run["sd"])

    def __call__(self, measured: Sequence[TimedForward], wanted: Sequence[AskedForward]) -> Floats:
        """Draws of the seconds per forward of each of `wanted`, shape (n_draws, n_wanted).

        Parameters
        ----------
        measured
            At least one; each series of `wanted` is among them.
        wanted
            What is asked for. Run noise is in none of the draws; all else that is drawn
            is shared by the forwards of a configuration at any number of requests.
        """
        y = np.array([one.seconds for one in measured])
        scale = float(y.min())
        own = list(dict.fromkeys(one.series for one in measured))
        noise = np.array([self.run_sd**2 / one.starts + self.own_sd**2 for one in measured])
        mean, sd = self._prior(own, measured, scale)
        shapes = list(itertools.product(self.ridges, self.sharpnesses))
        designs = np.stack([self._design(measured, own, *shape) for shape in shapes])
        totals = (designs * sd**2) @ designs.transpose(0, 2, 1) + np.diag(noise * y**2)
        off = y - designs @ mean
        solved = np.linalg.solve(totals, off[:, :, None])[:, :, 0]
        evidence = -0.5 * ((off * solved).sum(axis=1) + np.linalg.slogdet(totals)[1])
        weights = np.exp(evidence - evidence.max())
        random = np.random.default_rng(self.seed)
        shares = random.multinomial(self.draws, weights / weights.sum())
        drawn = []
        for place in np.flatnonzero(shares):
            design = designs[place] * sd**2
            spread = np.diag(sd**2) - design.T @ np.linalg.solve(totals[place], design)
            root = np.linalg.cholesky(spread + 1e-12 * scale**2 * np.eye(len(sd)))
            normal = random.standard_normal((shares[place], len(sd)))
            # No part takes less than no time.
            parts = np.maximum(mean + design.T @ solved[place] + normal @ root.T, 0.0)
            drawn.append(parts @ self._design(wanted, own, *shapes[place]).T)
        out: Floats = np.concatenate(drawn)
        random.shuffle(out)
        return np.maximum(out, 0.01 * scale)

    def _prior(
        self, own: Sequence[str], measured: Sequence[TimedForward], scale: float
    ) -> tuple[Floats, Floats]:
        """Means and standard deviations of T(1), then of D and E of each series."""
        drafts = {one.series for one in measured if one.drafts}
        bare = {one.series for one in measured if one.bare}
        mean, sd = [self.level_mean], [self.level_sd]
        for series in own:
            drafting, serving = series in drafts, series not in bare
            mean += [self.draft_mean * drafting, self.each_mean * serving]
            each = self.each_draft_sd if drafting else self.each_sd
            sd += [self.draft_sd if drafting else _NONE, each if serving else _NONE]
        return scale * np.array(mean), scale * np.array(sd)

    @staticmethod
    def _design(
        forwards: Sequence[TimedForward | AskedForward],
        own: Sequence[str],
        ridge: float,
        sharpness: float,
    ) -> Floats:
        """What each part counts for in each forward's time, shape (n, 1 + 2 n_series)."""
        out = np.zeros((len(forwards), 1 + 2 * len(own)))
        batch = np.array([one.at_once * one.tokens for one in forwards])
        one_token = roofline(np.ones(1), ridge, sharpness)[0]
        out[:, 0] = roofline(batch, ridge, sharpness) / one_token
        for row, one in enumerate(forwards):
            place = 1 + 2 * own.index(one.series)
            out[row, place : place + 2] = 1.0, one.at_once
        return out
