"""Survival by position: which share of drafted tokens gets there, and who says so?

*Measured* where a log has rounds or counts by position; *inferred* from the
totals of a depth sweep; with one depth only bounds. The three are marked and
never mixed, and neither are the definitions that logs print.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import betaincinv

from analysis.depths.acceptance import Curves
from analysis.depths.rounds import DEFINITIONS, dispersion

__all__ = ["POSITION_COLUMNS", "InferredPositions", "MeasuredPositions", "bounds"]

Floats = npt.NDArray[np.floating[Any]]

POSITION_COLUMNS = (
    "method",
    "workload",
    "task",
    "position",
    "survival",
    "low",
    "high",
    "conditional",
    "source",
    "basis",
    "definition",
    "rounds",
)

_TAILS = (0.05, 0.95)


@dataclass(frozen=True)
class InferredPositions:
    """Survival by position from a method's curves: per task, per workload, pooled."""

    def __call__(self, curves: Sequence[Curves]) -> pd.DataFrame:
        """One row per method, scope and position up to the deepest depth measured.

        Parameters
        ----------
        curves
            Of :class:`Acceptance`.

        Returns
        -------
        pandas.DataFrame
            Columns `POSITION_COLUMNS`; `task` and `workload` null = pooled,
            by the rounds that each task takes at the deepest depth. `low` and
            `high` are a 90 % interval where `basis` is ``"model"``. With one
            depth `basis` is ``"bounds"``: `survival` is null and `low`, `high`
            are the range that any non-increasing curve with that mean has.
        """
        rows = [row for one in curves for row in _inferred(one)]
        return _positions(rows)


def _inferred(curves: Curves) -> list[dict[str, object]]:
    deepest = curves.depths[-1]
    names = {"method": curves.method, "source": "inferred", "definition": "at-risk"}
    rows = []
    for workload, task, draws in scopes(curves):
        shown = draws[:, :deepest]
        if curves.identified:
            table = _from_draws(shown)
        else:
            low, high = np.quantile(shown.sum(axis=1), _TAILS)
            table = bounds(low, high, deepest)
        rows += [{**names, "workload": workload, "task": task, **row} for row in table]
    return rows


def scopes(curves: Curves) -> list[tuple[str | None, str | None, Floats]]:
    """Workload, task and survival draws (n_draws, n_positions) of everything that is described.

    Pooled survival weighs each task by its rounds at the deepest depth measured.
    """
    length = 1 + curves.draws[:, :, : curves.depths[-1]].sum(axis=2)
    tokens = np.maximum(curves.tasks["predicted_tokens"].to_numpy() - 1, 0)
    weights = np.maximum(tokens, 1e-9) / length
    out: list[tuple[str | None, str | None, Floats]] = []

    def pooled(among: npt.NDArray[np.bool_]) -> Floats:
        chosen = weights[:, among]
        total: Floats = (chosen[..., None] * curves.draws[:, among]).sum(axis=1)
        shares: Floats = total / chosen.sum(axis=1, keepdims=True)
        return shares

    names = curves.tasks["workload"]
    out.append((None, None, pooled(np.ones(len(names), dtype=bool))))
    out += [(str(name), None, pooled((names == name).to_numpy())) for name in dict.fromkeys(names)]
    for index, (task, name) in enumerate(zip(curves.tasks["task"], names, strict=True)):
        out.append((str(name), str(task), curves.draws[:, index]))
    return out


def _from_draws(draws: Floats) -> list[dict[str, object]]:
    middle = np.median(draws, axis=0)
    low, high = np.quantile(draws, _TAILS, axis=0)
    before = np.concatenate([[1.0], middle[:-1]])
    return [
        {
            "position": place + 1,
            "survival": float(middle[place]),
            "low": float(low[place]),
            "high": float(high[place]),
            "conditional": float(middle[place] / before[place]) if before[place] > 0 else None,
            "basis": "model",
        }
        for place in range(len(middle))
    ]


def bounds(low: float, high: float, depth: int) -> list[dict[str, object]]:
    """The range of each survival when only their sum is known to lie between `low` and `high`.

    Survival does not increase and is at most 1, so s_i is at most the sum over
    i, and at least what remains when the positions before it take 1 each.

    Parameters
    ----------
    low, high
        Of the mean number of accepted tokens per round.
    depth
        Tokens drafted per round.

    Examples
    --------
    >>> [(row["low"], row["high"]) for row in bounds(1.5, 1.5, 2)]
    [(0.75, 1.0), (0.5, 0.75)]
    """
    return [
        {
            "position": place,
            "survival": None,
            "low": float(max((low - (place - 1)) / (depth - place + 1), 0.0)),
            "high": float(min(high / place, 1.0)),
            "conditional": None,
            "basis": "bounds",
        }
        for place in range(1, depth + 1)
    ]


@dataclass(frozen=True)
class MeasuredPositions:
    """Survival by position as counted.

    Parameters
    ----------
    definition
        ``at-risk`` (survival is the product of the conditionals),
        ``all-rounds`` or ``drafted-rounds``, see ``rounds.py``.
    dispersion
        Stands in where only totals are known: rounds of a request are
        correlated, and how much can't be seen then.
    """

    definition: str = "at-risk"
    dispersion: float = 1.5

    def __call__(self, sweeps: pd.DataFrame, counts: pd.DataFrame) -> pd.DataFrame:
        """One row per method, scope and position that was counted by this definition.

        Parameters
        ----------
        sweeps
            Frame of ``methods.Sweeps``; runs that it excludes for ``p-min`` are
            left out here too, others that it can't use are not.
        counts
            Frame of ``rounds.position_counts``.

        Returns
        -------
        pandas.DataFrame
            Columns `POSITION_COLUMNS` with `basis` ``"counts"``; `rounds` is
            the denominator at position 1.
        """
        if self.definition not in DEFINITIONS:
            message = f"definition is {self.definition!r}, not one of {DEFINITIONS}"
            raise ValueError(message)
        usable = sweeps[~sweeps["excluded"].isin(["synthetic", "p-min"])]
        named = counts[counts["definition"] == self.definition].merge(
            usable[["run", "method"]], on="run"
        )
        rows: list[dict[str, object]] = []
        for method, group in named.groupby("method", sort=False):
            scale = dispersion(group) or self.dispersion
            parts: list[tuple[str | None, str | None, pd.DataFrame]] = [(None, None, group)]
            parts += [(str(name), None, part) for name, part in group.groupby("workload")]
            parts += [
                (str(part["workload"].iloc[0]), str(task), part)
                for task, part in group.groupby("task", sort=False)
            ]
            for workload, task, part in parts:
                names = {"method": str(method), "workload": workload, "task": task}
                rows += [{**names, **row} for row in self._table(part, scale)]
        return _positions(rows)

    def _table(self, counts: pd.DataFrame, scale: float) -> list[dict[str, object]]:
        sums = counts.groupby("position")[["denominator", "accepted"]].sum()
        rows: list[dict[str, object]] = []
        before, inverse, effective = 1.0, 0.0, 1.0
        first = float(sums["denominator"].iloc[0])
        for position, row in sums.iterrows():
            among, accepted = float(row["denominator"]), float(row["accepted"])
            share = accepted / among if among > 0 else None
            if self.definition == "at-risk":
                if share is None and before > 0:
                    break
                # Where nothing survived before, nothing survives here.
                survived = 0.0 if share is None else before * share
                if share is not None:
                    # Greenwood's sum; a half more of each outcome, as in the interval.
                    inverse += (among - accepted + 0.5) / ((accepted + 0.5) * (among + 1))
                    small = 0.5 / first
                    effective = (1 - survived + small) / ((survived + small) * inverse * scale)
                conditional = share
            else:
                if share is None:
                    break
                survived, effective = share, among / scale
                conditional = survived / before if before > 0 else None
            low, high = _interval(survived, effective)
            rows.append(
                {
                    "position": int(str(position)),
                    "survival": survived,
                    "low": low,
                    "high": high,
                    "conditional": conditional,
                    "source": "measured",
                    "basis": "counts",
                    "definition": self.definition,
                    "rounds": first,
                }
            )
            before = survived
        return rows


def _interval(share: float, effective: float) -> tuple[float, float]:
    """Jeffreys' 90 % interval of a share seen in this many independent rounds."""
    yes, no = share * effective + 0.5, (1 - share) * effective + 0.5
    low = 0.0 if share <= 0 else float(betaincinv(yes, no, _TAILS[0]))
    high = 1.0 if share >= 1 else float(betaincinv(yes, no, _TAILS[1]))
    return min(low, share), max(high, share)


def _positions(rows: Sequence[dict[str, object]]) -> pd.DataFrame:
    out = pd.DataFrame(rows, columns=list(POSITION_COLUMNS))
    floats = ("survival", "low", "high", "conditional", "rounds")
    return out.astype({"position": "int64", **dict.fromkeys(floats, "float64")})
