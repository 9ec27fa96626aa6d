"""Depth tables: how fast would each depth be, where is break-even, which is best?

Tables of what ``curves.py`` draws: medians, 90 % intervals, and shares of
draws in which something holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.depths.curves import DepthCurve
from analysis.statistics.decision import BOUND, MEASURED, NONE, decide

__all__ = [
    "ABOUT_BREAK_EVEN",
    "BEST_COLUMNS",
    "DEPTH_COLUMNS",
    "LOSES",
    "PAYS",
    "UNDECIDED",
    "BestDepth",
    "DepthTable",
    "known_from",
]

Floats = npt.NDArray[np.floating[Any]]

DEPTH_COLUMNS = (
    "method",
    "workload",
    "n_max",
    "ms_per_forward",
    "ms_low",
    "ms_high",
    "source",
    "step_cost_ratio",
    "break_even_acceptance",
    "mean_accepted_length",
    "decode_tps",
    "low",
    "high",
    "probability_best",
    "position_gain",
    "position_break_even",
    "position_verdict",
)
BEST_COLUMNS = (
    "method",
    "workload",
    "n_max",
    "probability",
    "decode_tps",
    "low",
    "high",
    "speedup",
    "speedup_low",
    "speedup_high",
    "untried",
    "untried_gain",
    "knee",
)

PAYS = "pays"
LOSES = "does not pay"
ABOUT_BREAK_EVEN = "about break-even"
UNDECIDED = "undecided"

_TAILS = (0.05, 0.95)
_CLOSE = 0.06
"""A gain that is known to lie within this of nothing is about break-even, not undecided.

Two single runs with 2 % of run noise each, read with a third, can't be known much better."""


def known_from(source: object) -> str:
    """What a row's `source` is called where the model's values are shown beside it.

    At a depth that has a run they are fitted to it: near what was measured, and not that itself.

    Examples
    --------
    >>> known_from("measured"), known_from("predicted")
    ('fitted', 'predicted')
    """
    return "fitted" if source == "measured" else str(source)


@dataclass(frozen=True)
class DepthTable:
    """What each depth costs, brings and is worth."""

    def __call__(self, curves: Sequence[DepthCurve]) -> pd.DataFrame:
        """One row per method, workload and depth from 1 to the deepest measured + 3.

        Parameters
        ----------
        curves
            Of ``curves.depth_curves``.

        Returns
        -------
        pandas.DataFrame
            Columns `DEPTH_COLUMNS`; `low`, `high` (of `decode_tps`) and
            `ms_low`, `ms_high` are 90 % intervals. `source` is ``measured``
            where the method has a run at that depth, else ``predicted``; what
            the data don't give is null. `position_gain` is what position
            `n_max` adds to the tokens per forward, `position_break_even` what
            it has to add, tok/s(k-1) (T(k) - T(k-1)), and `position_verdict`
            one of `PAYS`, `LOSES`, `ABOUT_BREAK_EVEN`, `UNDECIDED`.
        """
        rows = [row for curve in curves for row in _depth_rows(curve)]
        out = pd.DataFrame(rows, columns=list(DEPTH_COLUMNS))
        texts = ("method", "workload", "source", "position_verdict", "n_max")
        floats = [name for name in DEPTH_COLUMNS if name not in texts]
        return out.astype({"n_max": "int64", **dict.fromkeys(floats, "float64")})


def _depth_rows(curve: DepthCurve) -> Iterator[dict[str, object]]:
    best = _share_best(curve)
    plain_tps = np.median(curve.decode_tps[:, 0])
    for depth in range(1, curve.step_ms.shape[1]):
        row: dict[str, object] = {
            "method": curve.method,
            "workload": curve.workload,
            "n_max": depth,
            "source": "measured" if depth in curve.measured else "predicted",
        }
        if depth in curve.known:
            step = float(np.median(curve.step_ms[:, depth]))
            ratio = step * plain_tps / 1000
            tps = curve.decode_tps[:, depth]
            row |= {
                "ms_per_forward": step,
                "step_cost_ratio": ratio,
                "break_even_acceptance": (ratio - 1) / (depth * curve.fullness),
                "mean_accepted_length": float(np.median(curve.length[:, depth])),
                "decode_tps": float(np.median(tps)),
                "probability_best": best.get(depth),
            }
            row["ms_low"], row["ms_high"] = np.quantile(curve.step_ms[:, depth], _TAILS)
            row["low"], row["high"] = np.quantile(tps, _TAILS)
            row |= _position(curve, depth)
        yield row


def _position(curve: DepthCurve, depth: int) -> dict[str, object]:
    """Whether drafting position `depth` too is worth it."""
    before = depth - 1
    if before and before not in curve.known:
        return {}
    gain = curve.length[:, depth] - curve.length[:, before]
    # Before the first position stands a plain step: no speculation.
    step = curve.step_ms[:, before] if before else 1000 / curve.decode_tps[:, 0]
    needed = curve.length[:, before] / step * (curve.step_ms[:, depth] - step)
    ratio = curve.decode_tps[:, depth] / curve.decode_tps[:, before]
    if np.isnan(ratio).any():
        return {"position_gain": float(np.median(gain))}
    low, high = np.quantile(ratio, _TAILS)
    if low > 1:
        verdict = PAYS
    elif high < 1:
        verdict = LOSES
    else:
        verdict = ABOUT_BREAK_EVEN if low > 1 - _CLOSE and high < 1 + _CLOSE else UNDECIDED
    return {
        "position_gain": float(np.median(gain)),
        "position_break_even": float(np.median(needed)),
        "position_verdict": verdict,
    }


def _candidates(curve: DepthCurve) -> list[int]:
    off = [] if np.isnan(curve.decode_tps[:, 0]).any() else [0]
    return [*off, *curve.known]


def _share_best(curve: DepthCurve) -> dict[int, float]:
    """In which share of the draws each depth is the fastest, no speculation (0) included."""
    candidates = _candidates(curve)
    if len(candidates) < 2:
        return {}
    winners = np.argmax(curve.decode_tps[:, candidates], axis=1)
    return {depth: float((winners == place).mean()) for place, depth in enumerate(candidates)}


@dataclass(frozen=True)
class BestDepth:
    """The depth to use of each method, overall and per workload; 0 is no speculation.

    Parameters
    ----------
    bound
        What no speculation may be expected to lose, see ``decision.decide``.
    advised
        Depth by method and workload where that was decided already, with runs
        that no curve describes in view.
    """

    bound: float = BOUND
    advised: Mapping[tuple[str, str | None], int] = field(default_factory=dict)

    def __call__(self, curves: Sequence[DepthCurve]) -> pd.DataFrame:
        """One row per method and workload with more than one depth to choose from.

        Parameters
        ----------
        curves
            Of ``curves.depth_curves``.

        Returns
        -------
        pandas.DataFrame
            Columns `BEST_COLUMNS`: `n_max` is chosen among no speculation and the
            depths that have a run, with the `probability` that none of them
            is faster, throughput and speedup over no speculation with 90 %
            intervals. `untried` is a depth without a run that is predicted to
            be faster by more than the bound, by `untried_gain`; null where
            there is none. `knee` is the last position up to which each is
            expected to pay.
        """
        rows = [self._row(curve) for curve in curves if len(_candidates(curve)) > 1]
        out = pd.DataFrame(rows, columns=list(BEST_COLUMNS))
        whole = {"n_max": "int64", "knee": "int64", "untried": "Int64"}
        floats = [name for name in BEST_COLUMNS[2:] if name not in whole]
        return out.astype({**whole, **dict.fromkeys(floats, "float64")})

    def _row(self, curve: DepthCurve) -> dict[str, object]:
        candidates = _candidates(curve)
        run = [depth for depth in candidates if depth in (0, *curve.measured)]
        tps = curve.decode_tps
        sizes = [MEASURED if depth else NONE for depth in run]
        decided = decide(tps[:, run], sizes, self.bound)
        chosen = self.advised.get((curve.method, curve.workload), run[decided.chosen])
        chosen = chosen if chosen in run else run[decided.chosen]
        fastest = candidates[decide(tps[:, candidates], candidates).best]
        gain = float((tps[:, fastest] / tps[:, chosen]).mean() - 1)
        untried = fastest not in run and gain > self.bound
        speedup = tps[:, chosen] / tps[:, 0]
        low, high = np.quantile(tps[:, chosen], _TAILS)
        row: dict[str, object] = {
            "method": curve.method,
            "workload": curve.workload,
            "n_max": chosen,
            "probability": float(decided.probability[run.index(chosen)]),
            "decode_tps": float(np.median(tps[:, chosen])),
            "low": low,
            "high": high,
            "untried": fastest if untried else None,
            "untried_gain": gain if untried else None,
            "knee": _knee(curve),
        }
        if not np.isnan(speedup).any():
            row["speedup"] = float(np.median(speedup))
            row["speedup_low"], row["speedup_high"] = np.quantile(speedup, _TAILS)
        return row


def _knee(curve: DepthCurve) -> int:
    middle = np.median(curve.decode_tps, axis=0)
    depth = 0
    while depth + 1 in curve.known and not middle[depth + 1] <= middle[depth]:
        depth += 1
    return depth
