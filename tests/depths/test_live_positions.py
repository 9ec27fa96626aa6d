"""A recorded depth sweep has both: rounds to measure positions, and rows to infer them from.

The record is real output of ``mtpbench run`` on the packaged model with a
self-draft at depths 2, 3 and 5, six tasks of 80 tokens, on one thread.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from analysis.campaigns.campaign import load
from analysis.summary import summarise

KEYS = ["method", "workload", "task", "position"]


@pytest.fixture(scope="module")
def both() -> pd.DataFrame:
    """Measured rows beside what the same runs' totals alone would have said."""
    recorded = load(Path(__file__).parents[1] / "data" / "live-depth")
    bare = replace(
        recorded,
        runs=tuple(
            replace(
                run,
                tasks=tuple(replace(task, rounds=None, positions=None) for task in run.tasks),
            )
            for run in recorded.runs
        ),
    )
    measured = summarise(recorded).positions
    inferred = summarise(bare).positions
    assert set(inferred["source"]) == {"inferred"}
    return measured[measured["source"] == "measured"].merge(
        inferred, on=KEYS, suffixes=("_measured", "_inferred"), validate="one_to_one"
    )


def test_the_pooled_curve_is_inferred_where_it_was_measured(both: pd.DataFrame) -> None:
    pooled = both[both["task"].isna() & both["workload"].isna()]
    assert pooled["position"].tolist() == [1, 2, 3, 4, 5]
    apart = (pooled["survival_measured"] - pooled["survival_inferred"]).abs()
    assert apart.iloc[:3].max() < 0.06
    # Positions 4 and 5 were drafted in one run only, so both sides are unsure.
    overlap = (pooled["low_inferred"] <= pooled["high_measured"]) & (
        pooled["low_measured"] <= pooled["high_inferred"]
    )
    assert overlap.all()


def test_inferred_intervals_of_tasks_hold_the_measured_shares(both: pd.DataFrame) -> None:
    tasks = both[both["task"].notna()]
    assert len(tasks) == 30
    inside = (tasks["low_inferred"] <= tasks["survival_measured"]) & (
        tasks["survival_measured"] <= tasks["high_inferred"]
    )
    assert inside.mean() >= 0.84
