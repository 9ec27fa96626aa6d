"""How fast would settings be that no run had, beside those that were measured?

A replay tells ratios better than rates: what a threshold gains over the same depth
without one. So each replayed throughput is held against the depths that have a
run: it is multiplied by what those have over what the replay says of them, on
straight lines between depths.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.replaying.replayed import Replayed
from analysis.replaying.verdict import settings_of
from analysis.statistics.decision import Predicted, Settings

__all__ = ["predicted_settings"]

Floats = npt.NDArray[np.floating[Any]]

_OTHER_THRESHOLD = frozenset({"draft-dspark"})
"""Drafters whose p_min looks at another number than the one they log."""

_Z = 1.6449
"""Of the 90 % interval that a replay's row has."""


def predicted_settings(
    replays: Sequence[Replayed], settings: Mapping[str | None, Settings], sweeps: pd.DataFrame
) -> dict[str | None, Predicted]:
    """Draws of the replayed depths and thresholds, by workload, null = all tasks.

    Parameters
    ----------
    replays
        Of ``replayed.Replays``.
    settings
        Of ``depths.settings.measured_settings``.
    sweeps
        Frame of ``depths.methods.Sweeps``. A depth that has a run is measured, and
        not predicted.

    Returns
    -------
    dict
        Without workloads in which nothing is predicted. No threshold for
        drafters whose own p_min looks at another number.
    """
    found = {}
    for workload, known in settings.items():
        parts = [
            part
            for one in replays
            if one.run in known.runs and (part := _of_run(one, workload, known, sweeps)) is not None
        ]
        if parts:
            found[workload] = Predicted(
                tuple(run for part in parts for run in part.runs),
                tuple(depth for part in parts for depth in part.depths),
                tuple(threshold for part in parts for threshold in part.thresholds),
                np.hstack([part.rates for part in parts]),
            )
    return found


def _of_run(
    one: Replayed, workload: str | None, known: Settings, sweeps: pd.DataFrame
) -> Predicted | None:
    among = one.table["workload"]
    # With a single kind of text the whole is all there is.
    scope = None if among.isna().all() else workload
    rows = settings_of(one.table, scope)
    measured = _measured(one, known, sweeps)
    replayed = rows[rows["policy"] == "fixed"].reset_index().set_index("n_max")["index"]
    depths = sorted(set(measured) & set(replayed.index))
    if one.rates is None or not depths:
        return None
    kept = rows[(rows["p_min"] > 0) | ~rows["n_max"].isin(depths)]
    if one.spec_type in _OTHER_THRESHOLD:
        kept = kept[kept["p_min"] == 0]
    if kept.empty:
        return None
    logs = np.log(one.rates[:, np.arange(len(known.rates)) % one.rates.shape[1]])
    above = np.array([np.log(measured[depth]) - logs[replayed[depth]] for depth in depths])
    weights = np.array([np.interp(kept["n_max"], depths, unit) for unit in np.eye(len(depths))])
    ends = kept[["low", "high"]].to_numpy("float64")
    spread = np.log(ends[:, 1] / ends[:, 0]) / (2 * _Z)
    rates = np.exp(logs[kept.index].T + above.T @ weights)
    return Predicted(
        (one.run,) * len(kept),
        tuple(int(depth) for depth in kept["n_max"]),
        tuple(float(value) for value in kept["p_min"]),
        rates * np.exp(spread * _both_sides(rates.shape)),
    )


def _measured(one: Replayed, known: Settings, sweeps: pd.DataFrame) -> dict[int, Floats]:
    """Draws of the depths that the logged run's method was measured at, its own among them."""
    own = sweeps[sweeps["run"].isin(known.runs)].set_index("run")
    method = own["method"].get(one.run)
    same = own[(own["method"] == method) & own["excluded"].isna()]["n_max"].to_dict()
    if one.n_max is not None:
        same[one.run] = one.n_max
    logs: dict[int, list[Floats]] = {}
    for run, depth in same.items():
        draws = np.log(known.rates[:, known.runs.index(str(run))])
        logs.setdefault(int(depth), []).append(draws)
    return {depth: np.exp(np.mean(draws, axis=0)) for depth, draws in logs.items()}


def _both_sides(shape: tuple[int, int]) -> Floats:
    """Normal numbers that are as much above zero as below, so that they move no choice."""
    half = np.random.default_rng(17).standard_normal((shape[0] // 2, shape[1]))
    out: Floats = np.zeros(shape)
    out[: len(half)], out[len(half) : 2 * len(half)] = half, -half
    return out
