"""Uncertainty of ratios: how sure are we of a speedup?

Repeats are what shows how much a figure scatters. Tasks are a fixed set, so
they are strata: within each task the repeats are resampled, those of a run
together with the baseline's of the same repeat, because both met the same
machine. What all tasks of one repeat share (clocks, temperature) is added when
the repeats differ by more than their requests' scatter explains.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import fdtri, stdtrit

__all__ = [
    "MINIMUM_REPEATS",
    "NO_SCATTER",
    "RatioInterval",
]

Floats = npt.NDArray[np.floating[Any]]

MINIMUM_REPEATS = 2
"""Below it nothing shows scatter and no interval is given; three or more make it useful."""

NO_SCATTER = 1e-12
"""Standard error of a log ratio up to which values differ by rounding of floats alone."""


@dataclass(frozen=True)
class RatioInterval:
    """Margin of a ratio of throughputs, total tokens over total time of two runs.

    The bootstrap gives the standard error of the log ratio; the quantile is
    Student's with the degrees of freedom that the repeats leave. With two to
    five repeats that covers as stated, where percentile and BCa intervals, whose
    ends are order statistics of so few values, are too short.

    Parameters
    ----------
    level
        Coverage.
    draws, seed
        Of the bootstrap.
    drift_level
        The shared scatter of a repeat counts when it is significant at this level.
    """

    level: float = 0.9
    draws: int = 1000
    seed: int = 3
    drift_level: float = 0.2

    def __call__(
        self, tokens: Floats, seconds: Floats, plain_tokens: Floats, plain_seconds: Floats
    ) -> float | None:
        """By which factor the ratio may be off, or null when the repeats are too few.

        Parameters
        ----------
        tokens, seconds, plain_tokens, plain_seconds
            Of the run and the baseline, shape (n_tasks, n_repeats), by the
            same tasks and repeats; NaN where a request is missing.

        Returns
        -------
        float or None
            Above 1: the interval is ratio / margin to ratio * margin. Null
            too for repeats that are all the same, which show no scatter.
        """
        cells = np.stack([tokens, seconds, plain_tokens, plain_seconds])
        present = ~np.isnan(cells).any(axis=0)
        enough = present.sum(axis=1) >= MINIMUM_REPEATS
        # A task measured once adds to the ratio, though nothing is known of its scatter.
        if not enough.any():
            return None
        weights = present / np.maximum(present.sum(axis=1, keepdims=True), 1)
        cells = np.where(present, cells, 0.0)
        resampled = self._weights(present)
        error = float(_log_ratio(cells, resampled).std(ddof=1))
        if error <= NO_SCATTER:
            return None
        freedom = _freedom(cells, present, weights)
        drift = self._drift(cells, present & enough[:, None])
        if drift is not None and drift[0] > error:
            error, freedom = drift
        return float(np.exp(stdtrit(freedom, 0.5 + self.level / 2) * error))

    def _weights(self, present: npt.NDArray[np.bool_]) -> Floats:
        """Bootstrap weights of each request, shape (n_draws, n_tasks, n_repeats).

        Of n repeats n - 1 are drawn with replacement, which makes the spread
        of the draws that of a mean of n (Rao and Wu's rescaling bootstrap).
        """
        random = np.random.default_rng(self.seed)
        n_tasks, n_repeats = present.shape
        out = np.zeros((self.draws, n_tasks, n_repeats))
        for task in range(n_tasks):
            own = np.flatnonzero(present[task])
            if len(own) < MINIMUM_REPEATS:
                out[:, task, own] = 1.0
                continue
            drawn = random.integers(len(own), size=(self.draws, len(own) - 1))
            for place, repeat in enumerate(own):
                out[:, task, repeat] = (drawn == place).mean(axis=1)
        return out

    def _drift(self, cells: Floats, present: npt.NDArray[np.bool_]) -> tuple[float, float] | None:
        """Standard error and freedom from whole repeats, when they differ more than requests do."""
        rows = present.all(axis=1)
        n_tasks, n_repeats = int(rows.sum()), present.shape[1]
        if n_tasks < 2:
            return None
        tokens, seconds, plain_tokens, plain_seconds = cells[:, rows]
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(tokens / seconds) - np.log(plain_tokens / plain_seconds)
        if not np.isfinite(logs).all():
            return None
        apart = logs - logs.mean(axis=1, keepdims=True)
        between = n_tasks * float((apart.mean(axis=0) ** 2).sum()) / (n_repeats - 1)
        rest = apart - apart.mean(axis=0)
        freedom = (n_tasks - 1) * (n_repeats - 1)
        within = float((rest**2).sum()) / freedom
        if between <= within * float(fdtri(n_repeats - 1, freedom, 1 - self.drift_level)):
            return None
        whole = np.log(tokens.sum(axis=0) / seconds.sum(axis=0))
        whole -= np.log(plain_tokens.sum(axis=0) / plain_seconds.sum(axis=0))
        return float(whole.std(ddof=1) / np.sqrt(n_repeats)), float(n_repeats - 1)


def _log_ratio(cells: Floats, weights: Floats) -> Floats:
    """Log of the ratio of throughputs for each set of weights (n, n_tasks, n_repeats)."""
    tokens, seconds, plain_tokens, plain_seconds = np.einsum("ctr,ntr->cn", cells, weights)
    out: Floats = np.log(tokens / seconds) - np.log(plain_tokens / plain_seconds)
    return out


def _freedom(cells: Floats, present: npt.NDArray[np.bool_], weights: Floats) -> float:
    """Degrees of freedom of the summed variance of the tasks (Welch and Satterthwaite)."""
    sums = np.einsum("ctr,tr->c", cells, weights)
    # First-order effect of each request on the log ratio.
    signs = np.array([1, -1, -1, 1]) / sums
    effect = np.einsum("c,ctr->tr", signs, cells)
    number = present.sum(axis=1)
    mean = np.where(present, effect, 0).sum(axis=1) / np.maximum(number, 1)
    square = np.where(present, (effect - mean[:, None]) ** 2, 0).sum(axis=1)
    freedom = np.maximum(number - 1, 0)
    usable = freedom > 0
    variance = square[usable] / freedom[usable] / number[usable]
    if not variance.sum() > 0:
        return float(freedom.sum())
    return float(max(variance.sum() ** 2 / (variance**2 / freedom[usable]).sum(), 1.0))


def paired(
    tasks: pd.DataFrame, run: str, baseline: str, seconds: str
) -> tuple[Floats, Floats, Floats, Floats] | None:
    """Tokens and seconds of two runs by the tasks and repeats that both have.

    Parameters
    ----------
    tasks
        A task frame.
    run, baseline
        Run ids.
    seconds
        Name of the column of times.

    Returns
    -------
    tuple of numpy.ndarray or None
        Tokens and seconds of the run, then of the baseline, each of shape
        (n_tasks, n_repeats); null when nothing is common or nothing was repeated.
    """
    if tasks["repeat"].nunique() < MINIMUM_REPEATS:
        return None
    done = tasks[tasks["error"].isna() & (tasks[seconds] > 0) & (tasks["predicted_tokens"] > 0)]
    sides = []
    for name in (run, baseline):
        own = done[done["run"] == name].groupby(["task", "repeat"], sort=True)
        sides.append(own[["predicted_tokens", seconds]].sum().astype("float64"))
    both = sides[0].merge(sides[1], left_index=True, right_index=True, suffixes=("_run", "_plain"))
    if both.empty:
        return None
    grids = [
        both[[name]].reset_index().pivot_table(index="task", columns="repeat", values=name)
        for name in both.columns
    ]
    tokens, times, plain_tokens, plain_times = (grid.to_numpy("float64") for grid in grids)
    return tokens, times, plain_tokens, plain_times
