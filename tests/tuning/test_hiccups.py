"""Requests that took far longer than all else leads to expect."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.tuning.hiccups import FACTOR, usual_step

START, TASK = np.divmod(np.arange(12), 4)
"""Three starts of four tasks."""
STEP = np.log(10.0) + 0.05 * START + 0.2 * TASK
NONE = np.zeros(12)


def one_off(place: int, factor: float) -> np.ndarray:
    out = STEP.copy()
    out[place] += np.log(factor)
    return out


def test_what_starts_and_tasks_explain_stays() -> None:
    assert usual_step(STEP, NONE, START, TASK) == pytest.approx(STEP)


@pytest.mark.parametrize("place", [0, 5, 11])
def test_a_hiccup_gets_the_time_that_its_start_and_task_have_elsewhere(place: int) -> None:
    usual = usual_step(one_off(place, 3.0), NONE, START, TASK)
    assert usual == pytest.approx(STEP)


def test_it_is_one_and_a_half_times_as_long_at_least() -> None:
    below, above = one_off(6, FACTOR - 0.02), one_off(6, FACTOR + 0.02)
    assert (usual_step(below, NONE, START, TASK) == below).all()
    assert usual_step(above, NONE, START, TASK)[6] == pytest.approx(STEP[6])


def test_a_request_that_was_faster_is_none() -> None:
    fast = one_off(6, 0.3)
    assert (usual_step(fast, NONE, START, TASK) == fast).all()


def test_four_standard_deviations_of_noise_are_allowed() -> None:
    random = np.random.default_rng(1)
    start, task = np.divmod(np.arange(120), 8)
    noise = random.normal(0, 0.15, 120)
    noise[50] = 0.0
    for factor, found in ((2.0, 0), (4.0, 1)):
        step = noise.copy()
        step[50] += np.log(factor)
        assert (usual_step(step, np.zeros(120), start, task) < step).sum() == found


def test_of_two_starts_nobody_knows_which_is_unusual() -> None:
    step = one_off(1, 3.0)[:8]
    assert (usual_step(step, NONE[:8], START[:8], TASK[:8]) == step).all()


@pytest.mark.parametrize(("drafted", "kept"), [(4.0, False), (6.0, True)])
def test_a_task_with_more_drafts_may_take_longer(drafted: float, kept: bool) -> None:
    # Three times is 1.1 in the log: 0.4 of the factor, and 0.2 for each token drafted.
    rate = NONE.copy()
    rate[6] = drafted - 1.0
    step = one_off(6, 3.0)
    assert (usual_step(step, rate, START, TASK)[6] == step[6]) is np.bool_(kept)
