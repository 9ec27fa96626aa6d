"""How much faster is a run of one campaign than a run of another?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.statistics.conditions import conditions
from analysis.statistics.noise import Noise, Term
from analysis.statistics.scatter import scatter
from analysis.statistics.speedups import decode_cells
from analysis.statistics.task_tables import TaskTable, tables
from analysis.statistics.uncertainty import (
    Known,
    Side,
    half_width,
    known,
    significance,
    uncertainty,
)
from analysis.summary import Summary

__all__ = ["Comparable", "ratio_between"]

_FEWEST_TASKS = 3
"""Tasks from which the scatter of their changes says something."""


@dataclass(frozen=True, eq=False)
class Comparable:
    """What of a campaign is compared.

    Attributes
    ----------
    tables
        Of its runs, geometric: see ``task_tables.tables``.
    known
        What it shows of scatter.
    campaign
        Variance that all its runs share.
    conditions
        Of each run, see ``analysis/statistics/conditions.py``.
    """

    tables: Mapping[str, TaskTable]
    known: Known
    campaign: Term
    conditions: Mapping[str, Mapping[str, frozenset[object]]]

    @classmethod
    def of(cls, summary: Summary) -> Comparable:
        """From all that was computed of a campaign."""
        tasks = summary.tasks
        found = tables(decode_cells(tasks[~tasks["synthetic"]]), geometric=True)
        return cls.told(found, summary.noise, conditions(summary.campaign.runs))

    @classmethod
    def told(
        cls,
        found: Mapping[str, TaskTable],
        levels: pd.DataFrame,
        conditions: Mapping[str, Mapping[str, frozenset[object]]],
    ) -> Comparable:
        """From its tables and the frame of ``noise.Noise``."""
        level = levels[levels["level"] == "campaign"]
        sd, freedom = float(level["sd"].iloc[0]), float(level["freedom"].iloc[0])
        shown = known(scatter(found), levels, Noise())
        return cls(found, shown, (sd**2, freedom), conditions)


def ratio_between(
    first: tuple[Comparable, str], second: tuple[Comparable, str]
) -> dict[str, object] | None:
    """Second over first, geometric mean over the common tasks; null without one."""
    own = [side.tables.get(run) for side, run in (first, second)]
    if own[0] is None or own[1] is None:
        return None
    common = [task for task in own[0].tasks if task in set(own[1].tasks)]
    if not common:
        return None
    sides = [
        Side(table.among(common), side.known, run, campaign=side.campaign)
        for table, (side, run) in zip(own, (first, second), strict=True)
        if table is not None
    ]
    before, after = (np.divide(*side.table.means()) for side in sides)
    logs = np.log(after / before)
    # By how different amounts tasks changed says how much their requests scatter.
    few = len(logs) < _FEWEST_TASKS
    between = None if few else (float(logs.var(ddof=1)) / len(logs), len(logs) - 1.0)
    sd, freedom = uncertainty(sides, between)
    middle, margin = float(logs.mean()), half_width(sd, freedom)
    low, high = float(np.exp(middle - margin)), float(np.exp(middle + margin))
    return {
        "n_tasks": len(logs),
        "ratio": float(np.exp(middle)),
        "low": low,
        "high": high,
        "significance": significance(low, high),
    }
