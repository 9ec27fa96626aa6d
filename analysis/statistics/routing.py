"""Routing: what does choosing per workload gain over one setting for all?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.statistics.decision import Settings

_TAILS = (0.05, 0.95)

__all__ = ["Routing", "routed"]


@dataclass(frozen=True)
class Routing:
    """What choosing per workload gains over one setting, in decode tok/s.

    Attributes
    ----------
    fixed_run, fixed_tps
        The recommended single configuration.
    routed_tps
        Each workload on the configuration recommended for it.
    baseline_tps
        Without speculation; null without a baseline.
    gain_low, gain_high
        90 % interval of `routed_tps` over `fixed_tps`, null where a workload has no draws.
        What both share (a configuration that stays, its server start) cancels.
    """

    fixed_run: str
    fixed_tps: float
    routed_tps: float
    baseline_tps: float | None
    gain_low: float | None = None
    gain_high: float | None = None


def routed(
    recommendations: pd.DataFrame,
    runs: pd.DataFrame,
    workloads: pd.DataFrame,
    baseline: str | None,
    settings: Mapping[str | None, Settings],
) -> Routing | None:
    """Throughput with the recommended setting of each workload, and with one for all.

    Parameters
    ----------
    recommendations
        Frame of :class:`Recommend`.
    runs, workloads
        Frames of a ``summary.Summary``.
    baseline
        Run id, or null.
    settings
        Of ``settings.measured_settings``.

    Returns
    -------
    Routing or None
        Routed throughput is total timed tokens over total decode time of
        the chosen runs' tasks. Null when nothing is recommended.
    """
    chosen = recommendations["run"].astype("object").fillna(baseline)
    of_workload = recommendations["workload"].notna()
    if of_workload.all() or not of_workload.any():
        return None
    wanted = zip(recommendations.loc[of_workload, "workload"], chosen[of_workload], strict=True)
    used = pd.MultiIndex.from_frame(workloads[["workload", "run"]]).isin(list(wanted))
    best = workloads[used]
    fixed = str(chosen[~of_workload].iloc[0])
    rates = runs.set_index("id")["decode_tps"]
    plain = rates.get(baseline)
    by_workload = float(best["timed_tokens"].sum() / best["decode_s"].sum())
    low, high = _gain(best, fixed, by_workload / float(rates[fixed]), settings)
    return Routing(
        fixed_run=fixed,
        fixed_tps=float(rates[fixed]),
        routed_tps=by_workload,
        baseline_tps=None if plain is None or pd.isna(plain) else float(plain),
        gain_low=low,
        gain_high=high,
    )


def _gain(
    best: pd.DataFrame, fixed: str, measured: float, settings: Mapping[str | None, Settings]
) -> tuple[float, float] | tuple[None, None]:
    """The interval around a measured gain, from the time that each workload's tokens take."""
    with_one = by_workload = 0.0
    for workload, run, tokens in zip(
        best["workload"], best["run"], best["timed_tokens"], strict=True
    ):
        known = settings.get(str(workload))
        if known is None or not {fixed, run} <= set(known.runs):
            return None, None
        with_one = with_one + tokens / known.rates[:, known.runs.index(fixed)]
        by_workload = by_workload + tokens / known.rates[:, known.runs.index(run)]
    gains = with_one / by_workload
    low, high = measured * np.quantile(gains, _TAILS) / np.median(gains)
    return float(low), float(high)
