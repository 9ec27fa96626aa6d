"""Acceptance by position: how many drafted tokens survive, and how far?

The totals of a depth sweep pin the curve: depth k gives the sum of the first k
survivals. Where a log has rounds or counts by position they give it directly.
Either way the curve comes with its uncertainty, and ``positions.py`` tabulates it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.depths.draft_lengths import rounds_by_depth
from analysis.depths.scores import PositionCounts, SumCounts
from analysis.depths.survival import SurvivalModel

__all__ = [
    "AHEAD",
    "Acceptance",
    "Curves",
    "countable",
    "new_rounds",
]

Floats = npt.NDArray[np.floating[Any]]

AHEAD = 3
"""Depths beyond the deepest measured one that are predicted."""


@dataclass(frozen=True, eq=False)
class Curves:
    """Survival of every task of one method, with its uncertainty.

    Attributes
    ----------
    method
        See ``methods.method_names``.
    tasks
        One row per task: `task`, `workload`, `predicted_tokens` (mean of its requests), and
        the tokens that its forwards `drafted` beside those of `full` drafts.
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

    def among(self, tasks: Collection[str]) -> Curves:
        """The same of these tasks alone."""
        chosen = self.tasks["task"].isin(list(tasks)).to_numpy()
        rows = self.tasks[chosen].reset_index(drop=True)
        return replace(self, tasks=rows, draws=self.draws[:, chosen])


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
            Frame of ``methods.Sweeps``.
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
        rows = new_rounds(tasks[tasks["run"].isin(sweep["run"]) & countable(tasks)])
        rows = rows.assign(depth=rows["run"].map(depth).astype("int64"))
        rows = rows.assign(full=rows["depth"] * rows["forwards"])
        if rows.empty:
            return None
        grouped = rows.groupby("task", sort=False)
        texts = pd.DataFrame(
            {
                "workload": grouped["workload"].first(),
                "predicted_tokens": grouped["predicted_tokens"].sum().astype("float64")
                / grouped["pooled"].sum(),
                "drafted": grouped["draft_tokens"].sum().astype("float64"),
                "full": grouped["full"].sum().astype("float64"),
            }
        ).reset_index()
        place = {task: index for index, task in enumerate(texts["task"])}
        deepest = int(rows["depth"].max())
        by_position = counts[
            counts["run"].isin(sweep["run"])
            & (counts["definition"] == "at-risk")
            & counts["task"].isin(place)
        ]
        keys = ["run", "repeat", "task"]
        kept = pd.MultiIndex.from_frame(rows[keys])
        by_position = by_position[pd.MultiIndex.from_frame(by_position[keys]).isin(kept)]
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


def new_rounds(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows without those that only say again what another repeat of their run has said.

    Greedy decoding, or sampling with one seed, gives the same text again: its
    times are new, its rounds are not. Equal counts of one answer may be chance,
    so it takes most of a run's repeated answers.
    """
    keys, counts = ["run", "task"], ["predicted_tokens", "draft_tokens", "accepted_tokens"]
    again = rows.duplicated([*keys, *counts])
    repeated = rows.duplicated(keys)
    share = again[repeated].groupby(rows.loc[repeated, "run"]).mean()
    copies = share.index[share > _COPIES]
    return rows[~(again & rows["run"].isin(copies))]


_COPIES = 0.5
"""Share of a run's repeated answers with equal counts from which they are copies."""


def _sums(rows: pd.DataFrame, place: dict[str, int]) -> SumCounts:
    columns = ("depth", "forwards", "draft_tokens", "pooled")
    known = zip(*(rows[name].astype("int64") for name in columns), strict=True)
    rounds = np.zeros((len(rows), int(rows["depth"].max())))
    for index, (depth, forwards, drafted, requests) in enumerate(known):
        rounds[index, :depth] = rounds_by_depth(depth, forwards, drafted, requests)
    accepted = rows["accepted_tokens"].to_numpy("int64")
    return SumCounts(rows["task"].map(place).to_numpy("int64"), rounds, accepted)


def _counts(rows: pd.DataFrame, place: dict[str, int], positions: int) -> PositionCounts:
    at_risk = np.zeros((len(place), positions))
    accepted = np.zeros_like(at_risk)
    kept = rows[rows["position"] <= positions]
    where = (kept["task"].map(place).to_numpy("int64"), kept["position"].to_numpy("int64") - 1)
    np.add.at(at_risk, where, kept["denominator"].to_numpy("float64"))
    np.add.at(accepted, where, kept["accepted"].to_numpy("float64"))
    return PositionCounts(at_risk, accepted)
