from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.depths.scores import PositionCounts, SumCounts, pull, survival


def sums(
    rounds: list[list[float]], accepted: list[int], task: list[int] | None = None
) -> SumCounts:
    places = task if task is not None else [0] * len(accepted)
    return SumCounts(np.array(places), np.array(rounds, dtype="float64"), np.array(accepted))


def test_survival_is_the_product_of_conditionals() -> None:
    logits = np.log(np.array([3.0, 1.0, 0.25]))  # 0.75, 0.5, 0.2
    assert survival(logits) == pytest.approx([0.75, 0.375, 0.075])


@given(st.floats(-4, 4), st.integers(1, 200), st.data())
def test_totals_at_depth_one_are_binomial(logit: float, rounds: int, data: st.DataObject) -> None:
    accepted = data.draw(st.integers(0, rounds))
    at = np.array([[logit]])
    total = pull(at, sums([[rounds]], [accepted]), None)
    counted = pull(
        at, None, PositionCounts(np.array([[rounds]]), np.array([[accepted]], dtype="float64"))
    )
    assert total.score == pytest.approx(counted.score, rel=1e-6, abs=1e-6)
    assert total.information == pytest.approx(counted.information, rel=1e-6, abs=1e-6)


def test_the_score_vanishes_where_the_total_is_expected() -> None:
    # Two positions at one half: 0.5 + 0.25 tokens a round, 1 round of depth 1 on top.
    found = pull(np.zeros((1, 2)), sums([[2, 8]], [7]), None)
    assert found.score == pytest.approx(np.zeros((1, 2)))
    assert found.misfit == 0
    # V of a round: E[L²] - E[L]² = (0.5 + 3 * 0.25) - 0.75² and 0.25.
    more = pull(np.zeros((1, 2)), sums([[2, 8]], [8]), None)
    assert more.misfit == pytest.approx(1 / (2 * 0.25 + 8 * (1.25 - 0.75**2)))
    assert (more.score > 0).all()


def test_the_information_is_that_of_simulated_scores() -> None:
    random = np.random.default_rng(2)
    logits = np.array([[0.8, 0.2, -0.3]])
    s = survival(logits)[0]
    scores = []
    for _ in range(3000):
        lengths = (random.random(50)[:, None] < s).sum(axis=1)
        scores.append(pull(logits, sums([[0, 0, 50]], [int(lengths.sum())]), None).score[0])
    information = pull(logits, sums([[0, 0, 50]], [60]), None).information[0]
    assert np.mean(scores, axis=0) == pytest.approx(np.zeros(3), abs=0.3)
    assert np.cov(np.transpose(scores)) == pytest.approx(information, rel=0.1)


def test_a_task_is_pulled_by_its_own_counts_only() -> None:
    found = pull(np.zeros((3, 2)), sums([[0, 10], [0, 10]], [20, 0], task=[0, 2]), None)
    assert (found.score[0] > 0).all()
    assert (found.score[1] == 0).all()
    assert (found.score[2] < 0).all()
    assert (found.information[1] == 0).all()
    assert found.n == 2
