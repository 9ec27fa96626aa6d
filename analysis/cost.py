"""What does a forward cost at each depth?

Time per forward hardly depends on the text, so a method's tasks share one
curve over depth. Between and beyond the depths measured it is a line that may
flatten or steepen a little; it never falls.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import truncnorm

__all__ = ["COST_COLUMNS", "CostCurve", "StepTimes"]

Floats = npt.NDArray[np.floating[Any]]

COST_COLUMNS = (
    "method",
    "run",
    "n_max",
    "ms_per_forward",
    "standard_error",
    "spread",
    "n_requests",
    "draft_ms",
    "verify_ms",
)


@dataclass(frozen=True)
class StepTimes:
    """Milliseconds per forward of each run of a sweep, pooled over its tasks."""

    def __call__(self, sweeps: pd.DataFrame, tasks: pd.DataFrame) -> pd.DataFrame:
        """One row per usable run.

        Parameters
        ----------
        sweeps
            Frame of ``sweep.Sweeps``.
        tasks
            A task frame.

        Returns
        -------
        pandas.DataFrame
            Columns `COST_COLUMNS`: `ms_per_forward` is total decode time over
            total forwards; `spread` the weighted standard deviation of the
            requests around it as a share of it, `standard_error` (ms) what
            follows for the pooled value. `draft_ms` and `verify_ms` split it
            where drafting time was recorded for every request.
        """
        used = sweeps[sweeps["excluded"].isna()]
        rows = [_row(run, tasks) for _, run in used.iterrows()]
        return pd.DataFrame([row for row in rows if row], columns=list(COST_COLUMNS)).astype(
            {"n_max": "int64", "draft_ms": "float64", "verify_ms": "float64"}
        )


def _row(run: pd.Series, tasks: pd.DataFrame) -> dict[str, object] | None:
    own = tasks[(tasks["run"] == run["run"]) & tasks["error"].isna()]
    own = own[own["ms_per_forward"].notna() & (own["forwards"].fillna(0) > 0)]
    own = own[own["draft_tokens"].fillna(0) > 0]
    if own.empty:
        return None
    steps = own["forwards"].to_numpy("float64")
    times = 1000 * own["decode_s"].to_numpy("float64")
    pooled = times.sum() / steps.sum()
    weights = steps / steps.sum()
    apart = times / steps - pooled
    spread = float(np.sqrt((weights * apart**2).sum()))
    count = 1 / float((weights**2).sum())
    error = spread / np.sqrt(count - 1) if count > 1.5 else float("nan")
    drafting = own["draft_s"].to_numpy("float64")
    draft_ms = 1000 * drafting.sum() / steps.sum()
    return {
        "method": run["method"],
        "run": run["run"],
        "n_max": int(run["n_max"]),
        "ms_per_forward": pooled,
        "standard_error": error,
        "spread": spread / pooled,
        "n_requests": len(own),
        "draft_ms": draft_ms,
        "verify_ms": pooled - draft_ms,
    }


@dataclass(frozen=True)
class CostCurve:
    """Draws of the time per forward at every depth, from a method's measured depths.

    T(k) = a + b g(k) with g(k) = 1 + r + … + r^(k-1): a line at r = 1, flatter
    with depth below it. Verifying more tokens at once is sublinear while the
    weights dominate, so r is a little below 1 before the data are asked.

    Parameters
    ----------
    bends, bend_mean, bend_sd
        Grid and prior of r.
    noise
        Standard deviation of a run's pooled time as a share of it, beyond what
        its requests show: clocks, temperature, another process.
    request_noise
        Of one request, where a run has too few to show their spread.
    rise_mean, rise_sd
        Prior of b as a share of the cheapest time measured.
    draws, seed
        Of the random draws.
    """

    bends: tuple[float, ...] = (0.8, 0.85, 0.9, 0.95, 1.0, 1.05)
    bend_mean: float = 0.94
    bend_sd: float = 0.06
    noise: float = 0.006
    request_noise: float = 0.02
    rise_mean: float = 0.08
    rise_sd: float = 0.08
    draws: int = 800
    seed: int = 7

    def __call__(self, times: pd.DataFrame, depths: int) -> Floats:
        """Draws of T(0), T(1), …, T(`depths`) in ms, shape (n_draws, depths + 1).

        Parameters
        ----------
        times
            Rows of :class:`StepTimes` of one method.
        depths
            The deepest depth asked for.

        Returns
        -------
        numpy.ndarray
            Never falling with depth. T(0) is the cost of a forward that
            speculates and drafts nothing, which is not a plain step. With one
            depth measured the others rest on the prior alone.
        """
        k = times["n_max"].to_numpy("int64")
        y = times["ms_per_forward"].to_numpy("float64")
        scale = float(y.min())
        alone = self.request_noise * y / np.sqrt(times["n_requests"].to_numpy("float64"))
        error = np.where(times["standard_error"].notna(), times["standard_error"], alone)
        variance = np.maximum(error, 0) ** 2 + (self.noise * y) ** 2
        prior_mean = np.array([scale, self.rise_mean * scale])
        prior_precision = np.diag([1 / (0.6 * scale) ** 2, 1 / (self.rise_sd * scale) ** 2])
        place = np.arange(depths + 1)
        random = np.random.default_rng(self.seed)
        fits = []
        for bend in self.bends:
            shape = _bent(place, bend)
            design = np.column_stack([np.ones(len(k)), _bent(k, bend)])
            total = design @ np.linalg.inv(prior_precision) @ design.T + np.diag(variance)
            off = y - design @ prior_mean
            evidence = -0.5 * (off @ np.linalg.solve(total, off) + np.linalg.slogdet(total)[1])
            evidence -= 0.5 * ((bend - self.bend_mean) / self.bend_sd) ** 2
            precision = prior_precision + design.T @ (design / variance[:, None])
            mean = np.linalg.solve(
                precision, prior_precision @ prior_mean + design.T @ (y / variance)
            )
            fits.append((evidence, mean, np.linalg.inv(precision), shape))
        weights = np.exp([fit[0] - max(fit[0] for fit in fits) for fit in fits])
        shares = random.multinomial(self.draws, weights / weights.sum())
        curves = []
        for (_, mean, covariance, shape), number in zip(fits, shares, strict=True):
            a, b = _rising(mean, covariance, int(number), random)
            curves.append(a[:, None] + b[:, None] * shape)
        drawn: Floats = np.maximum(np.concatenate(curves), 0.01 * scale)
        random.shuffle(drawn)
        return drawn


def _rising(
    mean: Floats, covariance: Floats, number: int, random: np.random.Generator
) -> tuple[Floats, Floats]:
    """Draws of (a, b) given that b is not negative: b first, then a given b."""
    spread = float(np.sqrt(covariance[1, 1]))
    drawn = truncnorm.rvs(-mean[1] / spread, np.inf, size=number, random_state=random)
    b = mean[1] + spread * drawn
    slope = covariance[0, 1] / covariance[1, 1]
    rest = max(float(covariance[0, 0] - slope * covariance[0, 1]), 0.0)
    a = mean[0] + slope * (b - mean[1]) + np.sqrt(rest) * random.standard_normal(number)
    return a, b


def _bent(place: npt.NDArray[np.integer[Any]], bend: float) -> Floats:
    """1 + r + … + r^(k-1) for each k, which is k at r = 1.

    Examples
    --------
    >>> _bent(np.array([0, 1, 3]), 0.5)
    array([0.  , 1.  , 1.75])
    """
    if bend == 1:
        return place.astype("float64")
    out: Floats = (1 - bend**place) / (1 - bend)
    return out
