from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from analysis.depths.positions import POSITION_COLUMNS, InferredPositions, MeasuredPositions, bounds
from analysis.records import Positions, Rounds
from tests import committed
from tests.simulator import printed_positions, sweep, world
from tests.sweeps import read

Make = Callable[..., object]


def pooled(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[frame["task"].isna() & frame["workload"].isna()].set_index("position")


@given(st.integers(1, 8), st.data())
def test_bounds_hold_every_curve_with_that_mean(depth: int, data: st.DataObject) -> None:
    shares = st.floats(0, 1)
    s = np.cumprod(data.draw(st.lists(shares, min_size=depth, max_size=depth)))
    rows = bounds(s.sum(), s.sum(), depth)
    for survived, row in zip(s, rows, strict=True):
        assert row["low"] - 1e-9 <= survived <= row["high"] + 1e-9


def test_bounds_are_reached() -> None:
    # 1.5 tokens of 3: either 1, 0.5, 0 or 0.5 each.
    rows = bounds(1.5, 1.5, 3)
    assert [(row["low"], row["high"]) for row in rows] == [(0.5, 1.0), (0.25, 0.75), (0.0, 0.5)]


def test_inferred_positions_of_the_published_sweep() -> None:
    frame = committed.summary().positions
    assert tuple(frame.columns) == POSITION_COLUMNS
    own = frame[frame["method"] == "draft-dspark"]
    assert set(own["source"]) == {"inferred"}
    assert set(own["basis"]) == {"model"}
    assert set(own.groupby(own["task"].fillna("all"))["position"].max()) == {5}
    overall = pooled(own)
    # 990 of 891 forwards at depth 2, 112 more accepted of 776 at depth 3.
    assert overall["survival"].iloc[:2].sum() == pytest.approx(1.06, abs=0.06)
    assert overall.at[3, "survival"] == pytest.approx(0.31, abs=0.02)
    assert (np.diff(overall["survival"]) < 0).all()
    assert (own["low"] < own["survival"]).all()
    assert (own["survival"] < own["high"]).all()
    easy = own[own["task"] == "repeat_pattern"].set_index("position")
    hard = own[own["task"] == "translation"].set_index("position")
    assert easy.at[5, "low"] > hard.at[5, "high"]
    assert hard.at[1, "high"] - hard.at[1, "low"] > easy.at[1, "high"] - easy.at[1, "low"]


def test_one_depth_gives_bounds_and_says_so() -> None:
    frame = committed.summary().positions
    own = frame[frame["method"] == "draft-dflash"]
    assert set(own["basis"]) == {"bounds"}
    assert own[["survival", "conditional"]].isna().all(axis=None)
    assert own[["low", "high"]].notna().all(axis=None)
    overall = pooled(own)
    # 1405 of 472 forwards: at least 2.98 / 7 at the first, at most 2.98 / 7 at the last.
    assert overall.at[1, "low"] <= 1405 / 472 / 7 <= overall.at[7, "high"]


@pytest.mark.parametrize("rounds", ["rounds", "printed"])
def test_inferred_positions_agree_with_measured_ones_of_the_same_runs(rounds: str) -> None:
    random = np.random.default_rng(12)
    runs = sweep(world("falling", random), (1, 2, 3, 5), random, repeats=2, rounds=True)
    if rounds == "printed":
        runs = [
            replace(run, tasks=tuple(printed_positions(one, run.n_max) for one in run.tasks))
            for run in runs
        ]
    known = read(runs, None)
    measured = MeasuredPositions()(known.sweeps, known.counts)
    bare = [
        replace(run, tasks=tuple(replace(one, rounds=None, positions=None) for one in run.tasks))
        for run in runs
    ]
    inferred = InferredPositions()(read(bare, None).curves)
    assert set(measured["source"]) == {"measured"}
    keys = ["task", "position"]
    both = measured[measured["task"].notna()].merge(
        inferred[inferred["task"].notna()], on=keys, suffixes=("_measured", "_inferred")
    )
    assert len(both) == 13 * 5
    apart = (both["survival_measured"] - both["survival_inferred"]).abs()
    assert apart.mean() < 0.04
    overlap = (both["low_measured"] <= both["high_inferred"]) & (
        both["low_inferred"] <= both["high_measured"]
    )
    assert overlap.mean() > 0.95
    inside = (both["low_inferred"] <= both["survival_measured"]) & (
        both["survival_measured"] <= both["high_inferred"]
    )
    assert inside.mean() > 0.8
    apart = pooled(measured)["survival"] - pooled(inferred)["survival"]
    assert apart.abs().max() < 0.05


def test_measured_intervals_cover() -> None:
    covered = []
    for seed in range(6):
        random = np.random.default_rng(seed)
        truth = world("flat", random, persistence=0.3)
        known = read(sweep(truth, (5,), random, repeats=3, rounds=True), None)
        frame = MeasuredPositions()(known.sweeps, known.counts)
        rows = frame[frame["task"].notna()]
        for row in rows.itertuples():
            true = truth.survival[truth.tasks.index(row.task), row.position - 1]
            covered.append(row.low <= true <= row.high)
    assert 0.84 <= np.mean(covered) <= 0.99


def measured(task: Make, run: Make, definition: str, **others: object) -> pd.DataFrame:
    rounds = Rounds(
        np.array([3, 3, 1, 0, 2], dtype=np.int32), np.array([3, 0, 1, 0, 1], dtype=np.int32)
    )
    row = task("code_cpp", 10, 9, 5, rounds=rounds)
    found = read([run("x", row, n_max=3, spec_type="draft-mtp", **others)], None)
    return pooled(MeasuredPositions(definition)(found.sweeps, found.counts))


@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        ("at-risk", [3 / 4, 3 / 8, 3 / 8]),
        ("all-rounds", [3 / 4, 1 / 4, 1 / 4]),
        ("drafted-rounds", [3 / 4, 1 / 3, 1 / 2]),
    ],
)
def test_definitions_by_hand(task: Make, run: Make, definition: str, expected: list[float]) -> None:
    frame = measured(task, run, definition)
    assert list(frame["survival"]) == pytest.approx(expected)
    assert set(frame["definition"]) == {definition}
    assert (frame["low"] < frame["survival"]).all()
    assert (frame["survival"] < frame["high"]).all()


def test_cut_drafts_and_synthetic_runs_are_not_measured(task: Make, run: Make) -> None:
    for others in ({"p_min": 0.5}, {"synthetic": True}):
        assert measured(task, run, "at-risk", **others).empty


def test_totals_alone_count_as_correlated_rounds(task: Make, run: Make) -> None:
    # Jeffreys' interval of 90 in 150 rounds that are worth 100, as nobody saw them one by one.
    printed = Positions((0.6,), accepted=(90,), rounds=150)
    row = task("code_cpp", 241, 150, 90, positions=printed)
    found = read([run("x", row, n_max=1, spec_type="draft-mtp")], None)
    frame = pooled(MeasuredPositions("all-rounds")(found.sweeps, found.counts))
    low, high = beta(60.5, 40.5).ppf([0.05, 0.95])
    assert frame.at[1, "survival"] == 0.6
    assert (frame.at[1, "low"], frame.at[1, "high"]) == pytest.approx((low, high))


def test_an_unknown_definition_is_refused(task: Make, run: Make) -> None:
    with pytest.raises(ValueError, match="not one of"):
        measured(task, run, "all")
