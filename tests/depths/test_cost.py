from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.depths.cost import COST_COLUMNS, CostCurve, _rising
from tests.sweeps import read

Make = Callable[..., object]


def times(depths: list[int], ms: list[float], error: float = 0.05) -> pd.DataFrame:
    columns = {"n_max": depths, "ms_per_forward": ms, "standard_error": error, "starts": 1}
    return pd.DataFrame(columns)


def test_time_per_forward_by_hand(task: Make, run: Make) -> None:
    # 50 forwards in 1 s and 25 in 0.6 s: 1600 ms over 75.
    rows = (
        task("a", 101, 100, 50, 100.0, draft_s=0.25),
        task("b", 51, 50, 25, 50 / 0.6, draft_s=0.05),
    )
    (row,) = read([run("x", *rows, n_max=2, spec_type="draft-mtp")], None).times.itertuples()
    assert row.ms_per_forward == pytest.approx(1600 / 75)
    apart = np.array([20.0, 24.0]) / (1600 / 75) - 1
    assert row.spread == pytest.approx(np.sqrt((np.array([50, 25]) / 75 * apart**2).sum()))
    assert row.draft_ms == pytest.approx(300 / 75)
    assert row.verify_ms == pytest.approx(1300 / 75)
    assert row.n_requests == 2


def test_drafting_time_of_a_part_is_no_split(task: Make, run: Make) -> None:
    rows = (task("a", 101, 100, 50, 100.0, draft_s=0.25), task("b", 51, 50, 25, 50 / 0.6))
    frame = read([run("x", *rows, n_max=2, spec_type="draft-mtp")], None).times
    assert tuple(frame.columns) == COST_COLUMNS
    assert frame[["draft_ms", "verify_ms"]].isna().all(axis=None)


def test_what_a_task_costs_at_every_depth_is_no_error(task: Make, run: Make) -> None:
    def at(depth: int, step: float) -> object:
        cells = zip("abcd", (0.9, 1.0, 1.0, 1.1), strict=True)
        rows = [
            task(name, 101, 50 * depth, 50, 100 / (50 * step * pace / 1000)) for name, pace in cells
        ]
        return run(f"n{depth}", *rows, n_max=depth, spec_type="draft-mtp")

    frame = read([at(2, 20.0), at(4, 24.0)], None).times
    assert frame["ms_per_forward"].tolist() == pytest.approx([20, 24])
    assert frame["spread"].tolist() == pytest.approx([0.0707, 0.0707], abs=1e-4)
    assert frame["standard_error"].max() < 1e-9
    alone = read([at(2, 20.0)], None).times
    assert alone["standard_error"].iloc[0] > 0.5


@pytest.mark.parametrize("bend", [1.0, 0.9])
def test_lines_and_flattening_curves_are_followed(bend: float) -> None:
    true = 15 + 2 * np.array([(bend**k - 1) / (bend - 1) if bend < 1 else k for k in range(9)])
    known = [1, 2, 3, 5, 6]
    draws = CostCurve(run_sd=0.003)(times(known, list(true[known])), 8)
    assert np.median(draws, axis=0) == pytest.approx(true, rel=0.03)
    low, high = np.quantile(draws, [0.05, 0.95], axis=0)
    assert ((low <= true) & (true <= high)).all()
    # The farther from the data, the less is known.
    assert high[8] - low[8] > high[5] - low[5]


@given(
    st.dictionaries(st.integers(1, 12), st.floats(0.01, 1000), min_size=2, max_size=5),
    st.floats(0, 10),
)
def test_no_curve_falls(known: dict[int, float], error: float) -> None:
    draws = CostCurve(draws=50)(times(list(known), list(known.values()), error), 15)
    assert np.isfinite(draws).all()
    assert (draws > 0).all()
    assert (np.diff(draws, axis=1) >= -1e-9).all()


def test_one_depth_is_what_was_measured() -> None:
    draws = CostCurve(run_sd=0.01)(times([7], [24.9]), 10)
    assert np.median(draws[:, 7]) == pytest.approx(24.9, rel=0.01)
    assert draws[:, 7].std() < 0.5
    assert draws[:, 1].std() > 2


def test_a_cost_that_falls_is_met_from_both_sides() -> None:
    # The running maximum is 1 3 3 4, the least of what follows 1 2 2 4.
    assert _rising(np.array([[1.0, 3.0, 2.0, 4.0]])).tolist() == [[1.0, 2.5, 2.5, 4.0]]
    assert _rising(np.array([[3.0, 2.0, 1.0]])).tolist() == [[2.0, 2.0, 2.0]]
    assert _rising(np.array([[1.0, 2.0, 3.0]])).tolist() == [[1.0, 2.0, 3.0]]


def test_run_noise_is_in_every_depth_and_starts_lessen_it() -> None:
    known, ms = [2, 3, 5], [19.0, 21.0, 25.0]
    widths = [
        CostCurve(run_sd=sd)(times(known, ms).assign(starts=starts), 8).std(axis=0)
        for sd, starts in ((0.0, 1), (0.02, 1), (0.02, 9))
    ]
    assert (widths[1][known] > 1.5 * widths[0][known]).all()
    assert (widths[2][known] < 0.8 * widths[1][known]).all()


def test_a_jump_widens_what_lies_between_and_beyond() -> None:
    true = 15 + 2.0 * np.arange(9)
    jumped = true * np.where(np.arange(9) >= 4, 1.12, 1.0)
    known = [1, 2, 3, 5, 6]
    plain, found = (
        CostCurve(run_sd=0.003)(times(known, list(curve[known])), 8) for curve in (true, jumped)
    )
    assert found[:, 4].std() > 2 * plain[:, 4].std()
    low, high = np.quantile(found, [0.05, 0.95], axis=0)
    # It may be at 4 or at 5; beyond, the line goes on from where it jumped to.
    assert low[4] < true[4] * 1.02
    assert high[4] > jumped[4] * 0.98
    assert ((low <= jumped) & (jumped <= high))[[1, 2, 3, 5, 6, 7]].all()
