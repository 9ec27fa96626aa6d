"""What a round costs, by hand and from a clock."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from analysis.records import Rounds
from analysis.replaying.costs import RoundCost, curve_cost, fitted
from analysis.replaying.policies import Threshold
from analysis.replaying.texts import guesses, texts_of
from analysis.replaying.walk import Walked, walk
from tests.depths.test_truncation import curve
from tests.replaying.test_walk import LOG

FORWARD = np.array([[10.0, 12.0, 14.0, 16.0, 18.0]])
DRAFT = np.array([[0.0, 1.0, 2.0, 3.0, 4.0]])


def walked():
    made = guesses(LOG)
    assert made is not None
    return walk(texts_of([made], 4, np.random.default_rng(0)), Threshold(4, 0.45))


def test_a_draft_that_works_token_by_token_pays_what_it_drops():
    # Forwards of 3, 1 and 0 drafted tokens, and three dropped ones.
    spent = RoundCost(FORWARD, DRAFT, block=False).spent_ms(walked(), 4)
    assert spent.tolist() == [[16 + 12 + 10 + 3 * 1.0]]


def test_a_block_is_paid_whole():
    # Verification is what a forward takes without its drafting; the block takes 4 each time.
    spent = RoundCost(FORWARD, DRAFT, block=True).spent_ms(walked(), 4)
    assert spent.tolist() == [[(16 - 3 + 4) + (12 - 1 + 4) + (10 + 4)]]


@pytest.mark.parametrize(
    ("draft_ms", "spent"),
    [
        # Nothing split off: the line has 12 ms at depth 0, 2 above a plain step of 10.
        ([np.nan, np.nan], (16 + 14) + (10 + 2)),
        # 3 ms at depth 1 and 4 at 2: the block of depth 2 is paid in each round.
        ([3.0, 4.0], (16 - 4 + 4) + (14 - 3 + 4) + (10 + 4)),
    ],
)
def test_a_block_that_is_dropped_whole_was_paid_for(draft_ms: list[float], spent: float):
    made = curve([0.5, 0.25], [12, 14, 16], plain=100)
    times = pd.DataFrame({"n_max": [1, 2], "draft_ms": draft_ms})
    cost = curve_cost(made, times, block=True)
    each = np.array([[1, 1, 1]])
    one = np.array([1])
    walk = Walked(one, one, one, one, one, one, one, one * 1.0, one * 1.0, each)
    assert cost.spent_ms(walk, 2) == pytest.approx(np.array([[spent]]))


def timed(lengths: list[int], step: float, verify: float, each: float) -> Rounds:
    at, whole_s, at_s = 0.0, [], []
    for length in lengths:
        at += step * length
        whole_s.append(at)
        at += verify + each * length
        at_s.append(at)
    size = len(lengths)
    sure = np.full((size, max(lengths)), 0.5, np.float32)
    return Rounds(np.array(lengths, np.int32), np.zeros(size, np.int32), np.array(at_s), sure,
                  np.array(whole_s))  # fmt: skip


def test_times_come_from_the_logs_own_clock():
    rounds = timed([5] * 30 + [1, 2, 3, 4, 1, 2, 3, 4], step=0.003, verify=0.020, each=0.001)
    cost = fitted([rounds], block=False, draws=50)
    assert cost is not None
    np.testing.assert_allclose(
        np.median(cost.forward_ms, axis=0), 20 + 4.0 * np.arange(6), rtol=0.01
    )
    np.testing.assert_allclose(np.median(cost.draft_ms, axis=0), 3.0 * np.arange(6), rtol=0.01)


@pytest.mark.parametrize("short", [5, 6])
def test_too_few_short_rounds_tell_nothing(short: int):
    rounds = timed([5] * 30 + [2] * short, step=0.003, verify=0.02, each=0.001)
    assert (fitted([rounds], block=False) is None) == (short == 5)


def test_no_clock_no_times():
    assert fitted([LOG], block=False) is None
