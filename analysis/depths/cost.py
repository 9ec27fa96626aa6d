"""Step cost: what does a forward cost at each depth?

Time per forward hardly depends on the text, so a method's tasks share one
curve over depth. Between and beyond the depths measured it is a line that may
flatten or steepen a little, and that may jump once: some kernels take one
batch size and no larger one. It never falls.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pandas as pd

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
    "starts",
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
            Frame of ``methods.Sweeps``.
        tasks
            A task frame.

        Returns
        -------
        pandas.DataFrame
            Columns `COST_COLUMNS`: `ms_per_forward` is total decode time over
            total forwards, each task its mean over repeats; `spread` the
            weighted standard deviation of the tasks around it as a share of
            it. `standard_error` (ms) is that of the pooled value beside the
            method's other runs: what a task costs more at every depth moves
            them all alike and is left out of it, and so is what a server start
            shares, of which there were `starts`.
            `draft_ms` and `verify_ms` split the time where drafting time was
            recorded for every request.
        """
        used = sweeps[sweeps["excluded"].isna()]
        rows = [
            row
            for method, group in used.groupby("method", sort=False)
            for row in _method_rows(str(method), group, tasks)
        ]
        return pd.DataFrame(rows, columns=list(COST_COLUMNS)).astype(
            {"n_max": "int64", "draft_ms": "float64", "verify_ms": "float64"}
        )


def _method_rows(method: str, sweep: pd.DataFrame, tasks: pd.DataFrame) -> list[dict[str, object]]:
    timed = tasks[tasks["run"].isin(sweep["run"]) & tasks["error"].isna()]
    timed = timed[timed["ms_per_forward"].notna() & (timed["forwards"].fillna(0) > 0)]
    timed = timed[timed["draft_tokens"].fillna(0) > 0]
    timed = timed.assign(steps=timed["forwards"].astype("float64"), ms=1000 * timed["decode_s"])
    cells = timed.groupby(["run", "task"], sort=False)[["steps", "ms"]].mean()
    noise = _noise(cells)
    rows: list[dict[str, object]] = []
    for _, run in sweep.iterrows():
        own = timed[timed["run"] == run["run"]]
        if own.empty:
            continue
        by_task = cells.loc[run["run"]]
        steps, ms = by_task["steps"].to_numpy(), by_task["ms"].to_numpy()
        pooled = ms.sum() / steps.sum()
        weights = steps / steps.sum()
        spread = float(np.sqrt((weights * (ms / steps / pooled - 1) ** 2).sum()))
        draft_ms = 1000 * own["draft_s"].sum(skipna=False) / own["steps"].sum()
        rows.append(
            {
                "method": method,
                "run": run["run"],
                "n_max": int(run["n_max"]),
                "ms_per_forward": pooled,
                "standard_error": noise * pooled * float(np.sqrt((weights**2).sum())),
                "spread": spread,
                "n_requests": int(own["pooled"].sum()),
                "starts": int(own["start"].nunique()),
                "draft_ms": draft_ms,
                "verify_ms": pooled - draft_ms,
            }
        )
    return rows


_NOISE = 0.02
"""Scatter of one task's time per forward where the data can't show it."""


def _noise(cells: pd.DataFrame) -> float:
    """Relative scatter of time per forward after run and task are accounted for."""
    rates = (cells["ms"] / cells["steps"]).reset_index(name="rate")
    table = np.log(rates.pivot_table(index="task", columns="run", values="rate").dropna())
    n_tasks, n_runs = table.shape
    if n_tasks < 3:
        return _NOISE
    apart = table - table.mean(axis=0)
    if n_runs == 1:
        return float(np.sqrt((apart.to_numpy() ** 2).sum() / (n_tasks - 1)))
    apart = apart.sub(apart.mean(axis=1), axis=0)
    freedom = (n_tasks - 1) * (n_runs - 1)
    return float(np.sqrt((apart.to_numpy() ** 2).sum() / freedom))


@dataclass(frozen=True)
class CostCurve:
    """Draws of the time per forward at every depth, from a method's measured depths.

    T(k) = a + b g(k) + d(k) + J [k >= j] with g(k) = 1 + r + … + r^(k-1): a
    line at r = 1, flatter with depth below it, a small step d(k) of every
    depth's own, and at most one jump J at a depth j that is not known.
    Verifying more tokens at once is sublinear while reading the weights
    dominates, so r is a little below 1 before the data are asked.

    Parameters
    ----------
    bends, bend_mean, bend_sd
        Grid and prior of r.
    rise_mean, rise_sd
        Prior of b as a share of the cheapest time measured.
    step_sd
        Standard deviation of d(k) as a share of it: kernels suit some sizes better.
    jump_chance, jump_mean, jump_sd
        Prior probability that a given depth is where the time jumps, and by
        which share of the cheapest time: 12 % was seen where a kernel ends.
    run_sd, run_freedom
        Run noise as a share of the time, for each server start, and the degrees
        of freedom that it is known with, see ``noise.Noise``.
    least_noise
        Below it no run noise is believed.
    draws, seed
        Of the random draws.
    """

    bends: tuple[float, ...] = (0.8, 0.85, 0.9, 0.95, 1.0, 1.05)
    bend_mean: float = 0.97
    bend_sd: float = 0.05
    rise_mean: float = 0.08
    rise_sd: float = 0.06
    step_sd: float = 0.01
    jump_chance: float = 0.07
    jump_mean: float = 0.1
    jump_sd: float = 0.06
    run_sd: float = 0.02
    run_freedom: float = 10.0
    least_noise: float = 0.003
    draws: int = 800
    seed: int = 7

    @classmethod
    def of(cls, noise: pd.DataFrame) -> Self:
        """Settings with a campaign's run noise, from a frame of ``noise.Noise``."""
        run = next(row for row in noise.to_dict("records") if row["level"] == "run")
        return cls(run_sd=run["sd"], run_freedom=run["freedom"])

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
            depth measured, only that one is more than the prior.
        """
        k = times["n_max"].to_numpy("int64")
        y = times["ms_per_forward"].to_numpy("float64")
        starts = times["starts"].to_numpy("float64")
        scale = float(y.min())
        place = np.arange(depths + 1)
        random = np.random.default_rng(self.seed)
        each = min(self.jump_chance, 0.5 / depths)
        jumps = [(1 - each * depths, np.zeros(len(place)))]
        jumps += [(each, (place >= at).astype("float64")) for at in place[1:]]
        fits = []
        for bend, (chance, jump), noise in itertools.product(self.bends, jumps, self._noises()):
            variance = times["standard_error"].to_numpy("float64") ** 2 + (noise * y) ** 2 / starts
            shape = _bent(place, bend)
            prior = (0.6 * scale) ** 2 + (self.rise_sd * scale) ** 2 * np.outer(shape, shape)
            prior += (self.jump_sd * scale) ** 2 * np.outer(jump, jump)
            prior += (self.step_sd * scale) ** 2 * np.eye(len(place))
            total = prior[np.ix_(k, k)] + np.diag(variance)
            gain = np.linalg.solve(total, prior[k]).T
            mean = scale * (1 + self.rise_mean * (shape - shape[k].min()))
            mean += scale * self.jump_mean * (jump - jump[k].min())
            off = y - mean[k]
            evidence = -0.5 * (off @ np.linalg.solve(total, off) + np.linalg.slogdet(total)[1])
            evidence += np.log(chance) - 0.5 * ((bend - self.bend_mean) / self.bend_sd) ** 2
            fits.append((float(evidence), mean + gain @ off, prior - gain @ prior[k]))
        weights = np.exp([evidence - max(fit[0] for fit in fits) for evidence, _, _ in fits])
        shares = random.multinomial(self.draws, weights / weights.sum())
        curves = [
            random.multivariate_normal(mean, covariance, size=int(number), method="cholesky")
            for (_, mean, covariance), number in zip(fits, shares, strict=True)
            if number
        ]
        drawn = np.maximum(np.concatenate(curves), 0.01 * scale)
        random.shuffle(drawn)
        return drawn if len(set(k)) == 1 else _rising(drawn)

    def _noises(self) -> Floats:
        """Run noise that is as likely as not to be less, and less and more likely ones."""
        from scipy.special import chdtri  # noqa: PLC0415 - reading a log must not wait for it

        freedom = max(self.run_freedom, 1.0)
        scaled: Floats = self.run_sd * np.sqrt(freedom / chdtri(freedom, np.array(_LEVELS)))
        return np.maximum(scaled, self.least_noise)


_LEVELS = (0.1, 0.5, 0.9)
"""Of the chi-squared distribution of an estimated variance, tails of."""


def _rising(curves: Floats) -> Floats:
    """The nearest curves that never fall, in the sense of the mean of both running extremes."""
    upward = np.maximum.accumulate(curves, axis=1)
    downward = np.minimum.accumulate(curves[:, ::-1], axis=1)[:, ::-1]
    middle: Floats = (upward + downward) / 2
    return middle


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
