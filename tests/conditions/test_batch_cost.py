from __future__ import annotations

import numpy as np
import pytest

from analysis.conditions.batch_cost import AskedForward, BatchCost, TimedForward, roofline


def seconds(batch: float, ridge: float = 24.0) -> float:
    return float(0.01 * roofline(np.array([batch]), ridge, 8.0)[0] / ridge)


def test_a_roofline_is_flat_then_a_line() -> None:
    np.testing.assert_allclose(roofline(np.array([1.0, 4.0]), 100.0, 10.0), 100.0, rtol=1e-6)
    np.testing.assert_allclose(roofline(np.array([1000.0]), 100.0, 10.0), 1000.0, rtol=1e-6)
    # At the ridge both lines are as long: 2^(1/p) of either.
    assert roofline(np.array([100.0]), 100.0, 2.0)[0] == pytest.approx(100 * 2**0.5)


def test_plain_steps_and_verifying_share_one_curve() -> None:
    plain = [TimedForward("", n, 1.0, seconds(n), drafts=False) for n in (1, 2, 4)]
    drafted = [TimedForward("n3", n, 4.0, seconds(4 * n) + 0.002, drafts=True) for n in (1, 2, 4)]
    drawn = BatchCost(run_sd=0.005)([*plain, *drafted], [AskedForward("", 16.0, 1.0)])
    low, middle, high = np.quantile(drawn[:, 0], [0.05, 0.5, 0.95])
    # Sixteen plain requests are as many tokens as four that draft three.
    assert middle == pytest.approx(seconds(16), rel=0.06)
    assert low < seconds(16) < high
    # With plain steps alone nobody knows where the line begins.
    alone = BatchCost(run_sd=0.005)(plain, [AskedForward("", 16.0, 1.0)])
    assert np.ptp(np.quantile(alone[:, 0], [0.05, 0.95])) > 1.5 * (high - low)


def test_forwards_timed_by_themselves_tell_where_the_line_begins() -> None:
    plain = [TimedForward("", n, 1.0, seconds(n), drafts=False) for n in (1, 2, 4)]
    bare = [
        TimedForward("bare", n, 1.0, seconds(n), drafts=False, bare=True) for n in (1, 8, 16, 32)
    ]
    wanted = [AskedForward("", 16.0, 1.0)]
    cost = BatchCost(run_sd=0.005)
    assert np.median(cost([*bare, *plain], wanted)) == pytest.approx(seconds(16), rel=0.04)
    assert cost([*bare, *plain], wanted).std() < 0.5 * cost(plain, wanted).std()


def test_what_each_request_adds_is_found() -> None:
    drafts = [TimedForward("n3", n, 4.0, seconds(4 * n, 200.0) + 0.001 * n, drafts=True)
              for n in (1, 2, 4, 8)]  # fmt: skip
    drawn = BatchCost(run_sd=0.005)(drafts, [AskedForward("n3", 16.0, 4.0)])
    assert np.median(drawn) == pytest.approx(seconds(64, 200.0) + 0.016, rel=0.08)


def test_it_draws_the_same_again_and_nothing_below_zero() -> None:
    given = [TimedForward("", 1.0, 1.0, 0.01, drafts=False)]
    wanted = [AskedForward("", 2.0, 1.0)]
    assert (BatchCost()(given, wanted) == BatchCost()(given, wanted)).all()
    assert (BatchCost()(given, wanted) > 0).all()
