"""How fast is each setting that was measured, draw by draw?

A run of a depth sweep is as fast as its method's depth curve says at its
depth: the curve was fitted to that run, and to what the other depths tell of
it. Any other run is as fast as it was measured, give or take noise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.depths.acceptance import new_rounds
from analysis.depths.curves import DepthCurve
from analysis.statistics.decision import Settings
from analysis.statistics.throughput import pooled

__all__ = ["measured_settings"]

Floats = npt.NDArray[np.floating[Any]]

SPREAD = 0.1
DRAWS = 800
DISPERSION = 1.5
"""Variance of counts over that of independent rounds, where rounds are not known."""


def measured_settings(
    curves: Sequence[DepthCurve],
    sweeps: pd.DataFrame,
    times: pd.DataFrame,
    tasks: pd.DataFrame,
    noise: pd.DataFrame,
    *,
    baseline: str | None,
) -> dict[str | None, Settings]:
    """Draws of the real runs on all tasks (key null) and on each workload.

    Parameters
    ----------
    curves
        Of ``curves.depth_curves``, on the same tasks.
    sweeps
        Frame of ``methods.Sweeps``.
    times
        Frame of ``cost.StepTimes``: where a run's tasks scatter more than
        `SPREAD`, no step time describes them all, and no curve is believed.
    tasks
        Task frame of the runs that can be ranked, with the tasks that they share.
    noise
        Frame of ``noise.Noise``.
    baseline
        Run id of the run without speculation, or null.

    Returns
    -------
    dict
        Workload to settings, runs in the order of the frame; runs without a
        decode rate there are left out.
    """
    real = tasks[~tasks["synthetic"] & tasks["error"].isna()]
    uneven = set(times.loc[times["spread"] > SPREAD, "method"])
    curves = [curve for curve in curves if curve.method not in uneven]
    levels = {row["level"]: row for row in noise.to_dict("records")}
    found = {}
    for workload in (None, *dict.fromkeys(real["workload"])):
        own = real if workload is None else real[real["workload"] == workload]
        rates = pooled(own, ["run"]).set_index("run")["decode_tps"].dropna()
        fitted = _fitted(curves, sweeps, workload, baseline)
        noises = {} if set(map(str, rates.index)) <= set(fitted) else _noises(own, levels)
        freedom = max(float(levels["run"]["freedom"]), 1.0)
        columns: dict[str, Floats] = {
            str(run): fitted[str(run)]
            if str(run) in fitted
            else _as_measured(float(rate), noises[str(run)], freedom, place)
            for place, (run, rate) in enumerate(rates.items())
        }
        if columns:
            found[workload] = Settings(
                tuple(columns),
                np.column_stack([_resized(draws) for draws in columns.values()]),
                tuple(run in fitted for run in columns),
            )
    return found


def _resized(draws: Floats) -> Floats:
    return draws[np.arange(DRAWS) % len(draws)]


def _fitted(
    curves: Sequence[DepthCurve], sweeps: pd.DataFrame, workload: str | None, baseline: str | None
) -> dict[str, Floats]:
    """Run id to the draws of its method's curve, where one run stands for its depth."""
    out: dict[str, Floats] = {}
    for curve in curves:
        if curve.workload != workload:
            continue
        used = sweeps[(sweeps["method"] == curve.method) & sweeps["excluded"].isna()]
        alone = used[~used.duplicated("n_max", keep=False) & used["n_max"].isin(curve.known)]
        for run, depth in zip(alone["run"], alone["n_max"], strict=True):
            out[str(run)] = curve.decode_tps[:, int(depth)]
        if baseline is not None and not np.isnan(curve.decode_tps[:, 0]).any():
            out[baseline] = curve.decode_tps[:, 0]
    return out


def _as_measured(rate: float, noise: tuple[float, float], freedom: float, place: int) -> Floats:
    """Draws around a measured rate, given its own noise and that of its server's start."""
    random = np.random.default_rng([13, place])
    own, shared = noise
    logs = own * random.standard_normal(DRAWS // 2)
    logs += shared * random.standard_t(freedom, DRAWS // 2)
    # As much above as below, so that what was measured is the middle.
    out: Floats = rate * np.exp(random.permutation(np.concatenate([logs, -logs])))
    return out


def _noises(rows: pd.DataFrame, levels: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    """Of each run, the noise of its requests with their luck in drafts, and of its starts."""
    run_sd, request_sd = float(levels["run"]["sd"]), float(levels["request"]["sd"])
    cells = rows.groupby(["run", "task"])["decode_s"].mean()
    shares = cells / cells.groupby("run").transform("sum")
    by_run = rows.groupby("run")
    frame = pd.DataFrame(
        {
            "squared": (shares**2).groupby("run").sum(),
            "repeats": by_run.size() / cells.groupby("run").size(),
            "starts": by_run["start"].nunique(),
        }
    )
    luck = _luck(rows)
    out = {}
    for run, squared, repeats, starts in frame.itertuples():
        own = np.hypot(request_sd * np.sqrt(squared / repeats), luck.get(run, 0.0))
        out[str(run)] = (float(own), run_sd / float(np.sqrt(starts)))
    return out


def _luck(rows: pd.DataFrame) -> dict[str, float]:
    """Relative standard deviation of tokens per forward: a round's is taken to be geometric's."""
    names = ["accepted_tokens", "forwards"]
    sums = new_rounds(rows).groupby("run")[names].sum().astype("float64")
    sums = sums[(sums > 0).all(axis=1)]
    each = sums["accepted_tokens"] / sums["forwards"]
    relative = (DISPERSION * each / (1 + each) / sums["forwards"]) ** 0.5
    return {str(run): float(value) for run, value in relative.items()}
