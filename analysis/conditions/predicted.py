"""Prediction: what would twice as many requests at once give, by what a forward costs?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.conditions.batch_cost import AskedForward, BatchCost, TimedForward
from analysis.conditions.slices import Slice
from analysis.records import Run
from analysis.statistics.points import AXES
from analysis.statistics.uncertainty import LEVEL

__all__ = ["PREDICTED_COLUMNS", "bare_forwards", "explains", "predicted", "rate_draws", "usable"]

Floats = npt.NDArray[np.floating[Any]]

_PLAIN = ""
_MISSED = 0.1
"""Relative error where most requests were measured from which on nothing beyond is foretold."""
PREDICTED_COLUMNS = (
    "series",
    "home",
    *AXES,
    "effective_tps",
    "low",
    "high",
    "plain_tps",
    "plain_low",
    "plain_high",
    "speedup",
    "speedup_low",
    "speedup_high",
)


def predicted(
    found: Sequence[Slice], cost: BatchCost, bare: Sequence[TimedForward] = ()
) -> pd.DataFrame:
    """Throughput and speedup at twice the most requests at once that were measured.

    Parameters
    ----------
    found
        Slices of a campaign; those over requests at once are used, all with the
        same other values together.
    cost
        The settings of the model, run noise among them.
    bare
        Forwards that a benchmark timed by themselves, see :func:`bare_forwards`.

    Returns
    -------
    pandas.DataFrame
        Columns `PREDICTED_COLUMNS`, one row per slice whose own throughput at the most
        requests measured comes out within 10 %: aggregate throughput with
        speculation and without it, their ratio, and the ends of 90 % intervals,
        which hold what another measurement would scatter too. Acceptance is taken to
        stay what it was with the most requests measured.
    """
    groups: dict[tuple[Any, ...], list[Slice]] = {}
    for one in found:
        if one.axis == "concurrency" and usable(one):
            groups.setdefault((one.at[-1], *one.others.values()), []).append(one)
    rows = [row for group in groups.values() for row in _rows(group, cost, bare)]
    kinds = dict.fromkeys(PREDICTED_COLUMNS[2:], "float64")
    return pd.DataFrame(rows, columns=list(PREDICTED_COLUMNS)).astype(kinds)


def bare_forwards(runs: Sequence[Run]) -> list[TimedForward]:
    """Forwards over the sequences in their batch, of runs that time forwards alone.

    Of several contexts only those with the least before them.
    """
    own = [run for run in runs if run.bare]
    least = min((run.context_tokens or 0 for run in own), default=0)
    return [
        TimedForward(
            "bare",
            float(result.pooled),
            1.0,
            result.pooled / result.decode_tps,
            drafts=False,
            bare=True,
        )
        for run in own
        if (run.context_tokens or 0) == least
        for result in run.tasks
        if result.decode_tps
    ]


def usable(one: Slice) -> bool:
    """Whether the time of a slice's forwards is known at every value."""
    needed = ["effective_tps", "tokens_per_forward", "drafted_per_forward"]
    known = bool(one.rows[needed].notna().all(axis=None))
    return known and bool(one.plain[["effective_tps", "tokens_per_forward"]].notna().all(axis=None))


def rate_draws(
    group: Sequence[Slice], cost: BatchCost, requests: float, bare: Sequence[TimedForward] = ()
) -> Floats:
    """Draws of aggregate throughput in tokens/s at a number of requests at once.

    Parameters
    ----------
    group
        Slices over requests at once with the same other values.
    cost
        The settings of the model.
    requests
        How many.
    bare
        As of :func:`predicted`.

    Returns
    -------
    numpy.ndarray
        Shape (n_draws, n_slices, 2): with the slice's configuration, and without speculation.
    """
    plain = pd.concat([one.plain for one in group]).drop_duplicates("run")
    measured = [*bare, *(_measured(_PLAIN, row) for row in plain.to_dict("records"))]
    wanted, tokens = [], []
    for one in group:
        measured += [_measured(one.series, row) for row in one.rows.to_dict("records")]
        last = one.rows.iloc[-1], one.plain.iloc[-1]
        sides = [_measured(one.series, last[0]), _measured(_PLAIN, last[1])]
        times = requests / float(one.at[-1])
        wanted += [AskedForward(side.series, times * side.at_once, side.tokens) for side in sides]
        tokens += [float(row["tokens_per_forward"]) for row in last]
    seconds = cost(measured, wanted)
    # The seconds of a forward were made of the same three figures as the rate.
    rates: Floats = np.array([one.at_once for one in wanted]) * np.array(tokens) / seconds
    return rates.reshape(len(rates), len(group), 2)


def _rows(
    group: Sequence[Slice], cost: BatchCost, bare: Sequence[TimedForward]
) -> list[dict[str, Any]]:
    most = float(group[0].at[-1])
    believed = [
        explains(one, seen) for one, seen in zip(group, _seen(group, cost, most, bare), strict=True)
    ]
    if not any(believed):
        return []
    requests = 2 * most
    rates = rate_draws(group, cost, requests, bare)
    noise = np.random.default_rng(cost.seed + 1).standard_normal(rates.shape)
    rates = rates * np.exp(cost.run_sd * noise)
    return [
        {
            "series": one.series,
            "home": one.home,
            **one.others,
            "concurrency": requests,
            **_told("effective_tps", "", rates[:, place, 0]),
            **_told("plain_tps", "plain_", rates[:, place, 1]),
            **_told("speedup", "speedup_", rates[:, place, 0] / rates[:, place, 1]),
        }
        for place, one in enumerate(group)
        if believed[place]
    ]


def _seen(
    group: Sequence[Slice], cost: BatchCost, most: float, bare: Sequence[TimedForward]
) -> Floats:
    """What the model gives where it was measured, shape (n_slices, 2)."""
    return np.median(rate_draws(group, cost, most, bare), axis=0)


def explains(one: Slice, seen: Floats) -> bool:
    """Whether a forward's cost over its batch explains a slice at its last value."""
    measured = [float(side.iloc[-1]["effective_tps"]) for side in (one.rows, one.plain)]
    return bool((np.abs(seen / measured - 1) <= _MISSED).all())


def _measured(series: str, row: Any) -> TimedForward:
    at_once = float(row["at_once"])
    if np.isnan(at_once):
        at_once = float(row["concurrency"])
    drafted = 0.0 if series == _PLAIN else float(row["drafted_per_forward"])
    seconds = at_once * float(row["tokens_per_forward"]) / float(row["effective_tps"])
    starts = int(row["repeats"]) if row["repeats"] >= 1 else 1
    return TimedForward(series, at_once, 1.0 + drafted, seconds, series != _PLAIN, starts)


def _told(name: str, prefix: str, draws: Floats) -> dict[str, float]:
    low, middle, high = np.quantile(draws, [(1 - LEVEL) / 2, 0.5, (1 + LEVEL) / 2])
    return {name: float(middle), f"{prefix}low": float(low), f"{prefix}high": float(high)}
