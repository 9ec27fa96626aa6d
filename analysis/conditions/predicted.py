"""Prediction: what would twice as many requests at once give, by what a forward costs?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from analysis.conditions.batch_cost import BatchCost, Measured, Wanted
from analysis.conditions.slices import Slice
from analysis.statistics.points import AXES
from analysis.statistics.ratios import LEVEL

__all__ = ["PREDICTED_COLUMNS", "predicted"]

_PLAIN = ""
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


def predicted(found: Sequence[Slice], cost: BatchCost) -> pd.DataFrame:
    """Throughput and speedup at twice the most requests at once that were measured.

    Parameters
    ----------
    found
        Slices of a campaign; those over requests at once are used, all with the
        same other values together.
    cost
        The settings of the model, run noise among them.

    Returns
    -------
    pandas.DataFrame
        Columns `PREDICTED_COLUMNS`, one row per slice: aggregate throughput with
        speculation and without it, their ratio, and the ends of 90 % intervals,
        which hold what another measurement would scatter too. Acceptance is taken to
        stay what it was with the most requests measured.
    """
    rows: list[dict[str, Any]] = []
    groups: dict[tuple[Any, ...], list[Slice]] = {}
    for one in found:
        if one.axis == "concurrency" and _usable(one):
            groups.setdefault(tuple(one.others.values()), []).append(one)
    for group in groups.values():
        rows += _rows(group, cost)
    kinds = dict.fromkeys(PREDICTED_COLUMNS[2:], "float64")
    return pd.DataFrame(rows, columns=list(PREDICTED_COLUMNS)).astype(kinds)


def _usable(one: Slice) -> bool:
    needed = ["effective_tps", "tokens_per_forward", "drafted_per_forward"]
    known = bool(one.rows[needed].notna().all(axis=None))
    return known and bool(one.plain[["effective_tps", "tokens_per_forward"]].notna().all(axis=None))


def _rows(group: Sequence[Slice], cost: BatchCost) -> list[dict[str, Any]]:
    plain = pd.concat([one.plain for one in group]).drop_duplicates("run")
    measured = [_measured(_PLAIN, row) for row in plain.to_dict("records")]
    for one in group:
        measured += [_measured(one.series, row) for row in one.rows.to_dict("records")]
    out = []
    for one in group:
        last, base = one.rows.iloc[-1], one.plain.iloc[-1]
        sides = [_measured(series, row) for series, row in ((one.series, last), (_PLAIN, base))]
        wanted = [Wanted(side.series, 2 * side.at_once, side.tokens) for side in sides]
        seconds = cost(measured, wanted)
        noise = np.random.default_rng(cost.seed + 1).standard_normal(seconds.shape)
        seconds = seconds * np.exp(cost.run_sd * noise)
        per_forward = np.array([last["tokens_per_forward"], base["tokens_per_forward"]])
        rates = np.array([one.at_once for one in wanted]) * per_forward / seconds
        # The seconds of a forward were made of the same three figures as the rate.
        out.append(
            {
                "series": one.series,
                "home": one.home,
                **one.others,
                "concurrency": 2 * float(one.at[-1]),
                **_told("effective_tps", "", rates[:, 0]),
                **_told("plain_tps", "plain_", rates[:, 1]),
                **_told("speedup", "speedup_", rates[:, 0] / rates[:, 1]),
            }
        )
    return out


def _measured(series: str, row: Any) -> Measured:
    at_once = float(row["at_once"])
    if np.isnan(at_once):
        at_once = float(row["concurrency"])
    drafted = 0.0 if series == _PLAIN else float(row["drafted_per_forward"])
    seconds = at_once * float(row["tokens_per_forward"]) / float(row["effective_tps"])
    starts = int(row["repeats"]) if row["repeats"] >= 1 else 1
    return Measured(series, at_once, 1.0 + drafted, seconds, series != _PLAIN, starts)


def _told(name: str, prefix: str, draws: Any) -> dict[str, float]:
    low, middle, high = np.quantile(draws, [(1 - LEVEL) / 2, 0.5, (1 + LEVEL) / 2])
    return {name: float(middle), f"{prefix}low": float(low), f"{prefix}high": float(high)}
