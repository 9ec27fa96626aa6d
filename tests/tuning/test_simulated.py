"""Simulated machines: is the advice good, is it cheap, and is what is said of it true?"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from analysis.tuning.chooser import ENOUGH, Chooser
from tests.tuning.machines import DEPTHS, METHODS, THRESHOLDS, Machine, Outcome, tuned

GRID = 1 + len(METHODS) * DEPTHS * len(THRESHOLDS)
"""Settings of a machine with all methods."""


def twice(machine: Machine) -> int:
    """Requests of the full grid measured twice."""
    return 2 * len(machine.settings) * len(machine.tasks)


@pytest.mark.parametrize("seed", [203, 210, 5])
def test_a_machine_is_tuned_with_a_part_of_the_grid(seed: int) -> None:
    machine = Machine(seed)
    assert len(machine.settings) == GRID == 97
    outcome = tuned(machine, Chooser())
    assert outcome.choice.why == ENOUGH
    assert outcome.regret <= 0.01
    assert outcome.requests <= 0.25 * twice(machine)
    assert outcome.choice.close >= 1 - Chooser().risk
    assert outcome.choice.expected_loss <= Chooser().loss


@pytest.mark.slow
def test_two_hundred_machines_are_tuned_well_and_cheaply(
    record_property: Callable[[str, object], None],
) -> None:
    machines = [Machine(seed) for seed in range(1000, 1200)]
    outcomes = [tuned(machine, Chooser()) for machine in machines]
    regret = np.array([one.regret for one in outcomes])
    share = np.array([one.requests / twice(m) for one, m in zip(outcomes, machines, strict=True)])
    record_property("regret at most 1 %", float((regret <= 0.01).mean()))
    record_property("median share of the full grid twice", float(np.median(share)))
    assert (regret <= 0.01).mean() >= 0.95
    assert np.median(share) <= 0.25
    assert share.max() <= 0.5
    assert_calibrated(outcomes)


def assert_calibrated(outcomes: list[Outcome]) -> None:
    """Stated chances of being the best, against how often it was so."""
    stated = np.array([one.choice.probability for one in outcomes])
    best = np.array([one.regret == 0 for one in outcomes])
    for low, high in ((0.0, 0.6), (0.6, 0.8), (0.8, 1.01), (0.0, 1.01)):
        among = (stated >= low) & (stated < high)
        expected, number = stated[among].mean(), among.sum()
        error = np.sqrt((stated[among] * (1 - stated[among])).sum()) / number
        assert abs(best[among].mean() - expected) <= 2.6 * error + 0.03
