"""How many drafted tokens survive, at which position?

*Measured* where a log has rounds or counts by position; *inferred* from the
totals of a depth sweep, of which depth k pins the sum of the first k survivals;
with one depth only bounds. The three are marked and never mixed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import beta

from analysis.rounds import DEFINITIONS
from analysis.scores import PositionCounts, SumCounts
from analysis.survival import SurvivalModel

__all__ = [
    "AHEAD",
    "POSITION_COLUMNS",
    "Acceptance",
    "Curves",
    "InferredPositions",
    "MeasuredPositions",
]

Floats = npt.NDArray[np.floating[Any]]

AHEAD = 3
"""Depths beyond the deepest measured one that are predicted."""

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


@dataclass(frozen=True, eq=False)
class Curves:
    """Survival of every task of one method, with its uncertainty.

    Attributes
    ----------
    method
        See ``sweep.method_names``.
    tasks
        One row per task: `task`, `workload`, `predicted_tokens` (mean of its requests).
    draws
        Survival at positions 1 … deepest + `AHEAD`, shape (n_draws, n_tasks, n_positions).
    depths
        Depths measured, ascending.
    dispersion
        Variance of counts over that of independent rounds.
    identified
        False when there is one depth and nothing by position: then only the
        mean accepted length at that depth is known.
    """

    method: str
    tasks: pd.DataFrame
    draws: Floats
    depths: tuple[int, ...]
    dispersion: float
    identified: bool


@dataclass(frozen=True)
class Acceptance:
    """Survival curves of each method from everything its sweep counted.

    Parameters
    ----------
    draws, seed
        Of the posterior, see ``survival.SurvivalModel``.
    """

    draws: int = 800
    seed: int = 5

    def __call__(
        self, sweeps: pd.DataFrame, tasks: pd.DataFrame, counts: pd.DataFrame
    ) -> tuple[Curves, ...]:
        """One :class:`Curves` per method with a run that can be used.

        Parameters
        ----------
        sweeps
            Frame of ``sweep.Sweeps``.
        tasks
            A task frame.
        counts
            Frame of ``rounds.position_counts``; its ``at-risk`` rows replace
            the totals of the requests that have them.

        Returns
        -------
        tuple of Curves
            In the order of the sweeps.
        """
        used = sweeps[sweeps["excluded"].isna()]
        found = [
            self._curves(str(method), group, tasks, counts)
            for method, group in used.groupby("method", sort=False)
        ]
        return tuple(curves for curves in found if curves is not None)

    def _curves(
        self, method: str, sweep: pd.DataFrame, tasks: pd.DataFrame, counts: pd.DataFrame
    ) -> Curves | None:
        depth = sweep.set_index("run")["n_max"]
        rows = tasks[tasks["run"].isin(sweep["run"]) & countable(tasks)]
        rows = rows.assign(depth=rows["run"].map(depth).astype("int64"))
        if rows.empty:
            return None
        grouped = rows.groupby("task", sort=False)
        texts = pd.DataFrame(
            {
                "workload": grouped["workload"].first(),
                "predicted_tokens": grouped["predicted_tokens"].sum().astype("float64")
                / grouped["pooled"].sum(),
            }
        ).reset_index()
        place = {task: index for index, task in enumerate(texts["task"])}
        deepest = int(rows["depth"].max())
        by_position = counts[
            counts["run"].isin(sweep["run"])
            & (counts["definition"] == "at-risk")
            & counts["task"].isin(place)
        ]
        counted = pd.MultiIndex.from_frame(by_position[["run", "repeat", "task"]])
        totals = rows[~pd.MultiIndex.from_frame(rows[["run", "repeat", "task"]]).isin(counted)]
        posterior = SurvivalModel(deepest + AHEAD, draws=self.draws, seed=self.seed)(
            len(texts),
            _sums(totals, place) if len(totals) else None,
            _counts(by_position, place, deepest + AHEAD) if len(by_position) else None,
        )
        depths = tuple(sorted({int(value) for value in rows["depth"]}))
        return Curves(
            method,
            texts,
            posterior.draws,
            depths,
            posterior.dispersion,
            len(depths) > 1 or depths == (1,) or len(by_position) > 0,
        )


def countable(tasks: pd.DataFrame) -> pd.Series:
    """Rows whose counts can be true and can be read as rounds of a fixed depth."""
    drafted, accepted = tasks["draft_tokens"], tasks["accepted_tokens"]
    whole = tasks["error"].isna() & drafted.notna() & accepted.notna() & tasks["forwards"].notna()
    return whole & (accepted.fillna(0) <= drafted.fillna(0)) & (drafted.fillna(0) > 0)


def _sums(rows: pd.DataFrame, place: dict[str, int]) -> SumCounts:
    known = zip(rows["depth"], rows["forwards"], rows["draft_tokens"], strict=True)
    rounds = np.zeros((len(rows), int(rows["depth"].max())))
    for index, (depth, forwards, drafted) in enumerate(known):
        rounds[index, :depth] = rounds_by_depth(int(depth), int(forwards), int(drafted))
    accepted = rows["accepted_tokens"].to_numpy("int64")
    return SumCounts(rows["task"].map(place).to_numpy("int64"), rounds, accepted)


def rounds_by_depth(depth: int, forwards: int, drafted: int) -> Floats:
    """How many rounds of a request drafted 1, 2, …, `depth` tokens.

    All draft `depth` but the last ones before a limit on tokens: as fewer
    tokens are left, drafts get shorter, and no two are equally short. What is
    missing to full drafts is thus a sum of different numbers up to `depth`,
    and all such sums count alike.

    Parameters
    ----------
    depth
        Tokens of a full draft.
    forwards, drafted
        Of the request.

    Returns
    -------
    numpy.ndarray
        Shape (depth,), expected numbers; they draft `drafted` tokens in total.

    Examples
    --------
    >>> rounds_by_depth(3, 10, 30)
    array([ 0.,  0., 10.])
    >>> rounds_by_depth(3, 10, 29)
    array([0., 1., 9.])
    >>> rounds_by_depth(3, 10, 27)
    array([0.5, 0.5, 8.5])
    """
    out = np.zeros(depth)
    missing = max(depth * forwards - drafted, 0)
    # Rounds without a draft beyond those that a limit explains tell nothing of acceptance.
    idle = max(-(-(missing - depth * (depth + 1) // 2) // depth), 0)
    missing -= idle * depth
    ways = np.zeros((depth + 1, missing + 1))
    ways[0, 0] = 1
    for part in range(1, depth + 1):
        ways[part] = ways[part - 1]
        ways[part, part:] += ways[part - 1, : max(missing + 1 - part, 0)]
    short = np.zeros(depth + 1)
    # The largest parts first: the share of the sums that contain each.
    states = {missing: 1.0}
    for part in range(depth, 0, -1):
        after: dict[int, float] = {}
        for left, share in states.items():
            taking = ways[part - 1, left - part] / ways[part, left] if left >= part else 0.0
            short[part] += share * taking
            for rest, portion in ((left - part, taking), (left, 1 - taking)):
                if portion > 0:
                    after[rest] = after.get(rest, 0.0) + share * portion
        states = after
    out[depth - 1] = max(forwards - idle - short.sum(), 0)
    for part in range(1, depth):
        out[depth - part - 1] += short[part]
    return out


def _counts(rows: pd.DataFrame, place: dict[str, int], positions: int) -> PositionCounts:
    at_risk = np.zeros((len(place), positions))
    accepted = np.zeros_like(at_risk)
    kept = rows[rows["position"] <= positions]
    where = (kept["task"].map(place).to_numpy("int64"), kept["position"].to_numpy("int64") - 1)
    np.add.at(at_risk, where, kept["denominator"].to_numpy("float64"))
    np.add.at(accepted, where, kept["accepted"].to_numpy("float64"))
    return PositionCounts(at_risk, accepted)


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
    mean = draws.mean(axis=0)
    low, high = np.quantile(draws, _TAILS, axis=0)
    before = np.concatenate([[1.0], mean[:-1]])
    return [
        {
            "position": place + 1,
            "survival": float(mean[place]),
            "low": float(low[place]),
            "high": float(high[place]),
            "conditional": float(mean[place] / before[place]) if before[place] > 0 else None,
            "basis": "model",
        }
        for place in range(len(mean))
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
            Frame of ``sweep.Sweeps``; runs that it excludes for ``p-min`` are
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
            parts: list[tuple[str | None, str | None, pd.DataFrame]] = [(None, None, group)]
            parts += [(str(name), None, part) for name, part in group.groupby("workload")]
            parts += [
                (str(part["workload"].iloc[0]), str(task), part)
                for task, part in group.groupby("task", sort=False)
            ]
            for workload, task, part in parts:
                names = {"method": str(method), "workload": workload, "task": task}
                rows += [{**names, **row} for row in self._table(part)]
        return _positions(rows)

    def _table(self, counts: pd.DataFrame) -> list[dict[str, object]]:
        spread = counts["dispersion"].fillna(self.dispersion) * counts["denominator"]
        sums = (
            counts.assign(spread=spread)
            .groupby("position")[["denominator", "accepted", "spread"]]
            .sum()
        )
        rows: list[dict[str, object]] = []
        before, inverse = 1.0, 0.0
        first = float(sums["denominator"].iloc[0])
        for position, row in sums.iterrows():
            if row["denominator"] <= 0:
                break
            share = float(row["accepted"] / row["denominator"])
            scale = float(row["spread"] / row["denominator"])
            if self.definition == "at-risk":
                conditional, survived = share, before * share
                # Greenwood's sum, with one half added as the interval's prior does.
                inverse += (
                    scale
                    * (row["denominator"] - row["accepted"] + 0.5)
                    / ((row["accepted"] + 0.5) * (row["denominator"] + 1))
                )
                effective = (1 - survived + 0.5 / first) / ((survived + 0.5 / first) * inverse)
            else:
                survived = share
                conditional = survived / before if before > 0 else float("nan")
                effective = float(row["denominator"]) / scale
            low, high = _interval(survived, effective)
            rows.append(
                {
                    "position": int(str(position)),
                    "survival": survived,
                    "low": low,
                    "high": high,
                    "conditional": conditional if before > 0 else None,
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
    low = 0.0 if share <= 0 else float(beta.ppf(_TAILS[0], yes, no))
    high = 1.0 if share >= 1 else float(beta.ppf(_TAILS[1], yes, no))
    return min(low, share), max(high, share)


def _positions(rows: Sequence[dict[str, object]]) -> pd.DataFrame:
    out = pd.DataFrame(rows, columns=list(POSITION_COLUMNS))
    floats = ("survival", "low", "high", "conditional", "rounds")
    return out.astype({"position": "int64", **dict.fromkeys(floats, "float64")})
