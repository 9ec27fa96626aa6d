from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.depths.scores import PositionCounts, SumCounts
from analysis.depths.survival import SurvivalModel

MODEL = SurvivalModel(4, draws=200)


def totals(rounds: np.ndarray, accepted: list[int], task: list[int]) -> SumCounts:
    return SumCounts(np.array(task), rounds, np.array(accepted))


def test_without_counts_the_prior_says_little() -> None:
    draws = MODEL(2, None).draws
    assert draws.shape == (200, 2, 4)
    low, high = np.quantile(draws[:, 0, 0], [0.05, 0.95])
    assert low < 0.3
    assert high > 0.9


def test_many_rounds_leave_little_doubt() -> None:
    at_risk = np.array([[10000.0, 8000, 4000, 1000]])
    accepted = np.array([[8000.0, 4000, 1000, 500]])
    draws = MODEL(1, None, PositionCounts(at_risk, accepted)).draws[:, 0]
    assert draws.mean(axis=0) == pytest.approx([0.8, 0.4, 0.1, 0.05], abs=0.01)
    assert draws.std(axis=0).max() < 0.02


def test_depths_pin_the_curve_that_positions_show() -> None:
    # s = 0.8, 0.4, 0.3: totals of 4000 rounds at depths 1, 2, 3.
    rounds = 4000.0 * np.eye(3)
    draws = MODEL(1, totals(rounds, [3200, 4800, 6000], [0, 0, 0])).draws[:, 0, :3]
    assert draws.mean(axis=0) == pytest.approx([0.8, 0.4, 0.3], abs=0.03)


def test_a_task_with_few_rounds_leans_on_the_others() -> None:
    rounds = np.array([[0, 0, 300.0]] * 6 + [[0, 0, 2.0]])
    draws = SurvivalModel(3, draws=400)(7, totals(rounds, [600] * 6 + [0], list(range(7)))).draws
    alone = SurvivalModel(3, draws=400)(1, totals(rounds[-1:], [0], [0])).draws
    assert draws[:, 6, 0].mean() > alone[:, 0, 0].mean() + 0.1
    assert draws[:, 6, 0].mean() < draws[:, 0, 0].mean()


def test_scattered_repeats_show_overdispersion() -> None:
    rounds = np.tile([0, 0, 100.0], (20, 1))
    calm = MODEL(1, totals(rounds, [150] * 20, [0] * 20))
    wild = MODEL(1, totals(rounds, [90, 210] * 10, [0] * 20))
    assert calm.dispersion < 1.2
    assert wild.dispersion > 2
    assert wild.draws[:, 0].sum(axis=1).std() > calm.draws[:, 0].sum(axis=1).std()


def test_one_seed_one_answer() -> None:
    counts = totals(np.array([[0, 30.0]]), [25], [0])
    assert np.array_equal(MODEL(1, counts).draws, MODEL(1, counts).draws)
    assert not np.array_equal(
        MODEL(1, counts).draws, SurvivalModel(4, draws=200, seed=6)(1, counts).draws
    )


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 4), st.integers(1, 300), st.data()), min_size=1, max_size=5)
)
def test_any_totals_give_curves(known: list) -> None:
    rounds = np.zeros((len(known), 4))
    accepted = []
    for row, (depth, number, data) in enumerate(known):
        rounds[row, depth - 1] = number
        accepted.append(data.draw(st.integers(0, depth * number)))
    draws = MODEL(len(known), totals(rounds, accepted, list(range(len(known))))).draws
    assert np.isfinite(draws).all()
    assert (draws >= 0).all()
    assert (draws <= 1).all()
    assert (np.diff(draws, axis=2) <= 0).all()
