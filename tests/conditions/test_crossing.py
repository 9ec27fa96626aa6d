from __future__ import annotations

import numpy as np
import pytest

from analysis.conditions.crossing import Crossing, crossings

AT = np.arange(5.0)


def draws(*curves: list[float]) -> np.ndarray:
    return np.array(curves)


def test_a_curve_that_falls_through_one_stops_where_its_line_does() -> None:
    (found,) = crossings(draws([0.4, 0.2, 0.1, -0.3, -0.4]), AT)
    assert (found.turn, found.value, found.low, found.high) == ("stops", 2.25, 2.25, 2.25)


def test_the_interval_is_that_of_the_draws() -> None:
    curves = [[place - x for x in AT] for place in np.linspace(1.0, 3.0, 101)]
    (found,) = crossings(draws(*curves), AT)
    assert found.value == pytest.approx(2.0, abs=0.02)
    assert found.low == pytest.approx(1.1, abs=0.02)
    assert found.high == pytest.approx(2.9, abs=0.02)


def test_an_end_that_was_not_measured_is_null() -> None:
    curves = [[place - x for x in AT] for place in np.linspace(2.0, 4.4, 101)]
    (found,) = crossings(draws(*curves), AT)
    assert found.turn == "stops"
    assert found.value == pytest.approx(3.2, abs=0.02)
    assert found.low == pytest.approx(2.12, abs=0.03)
    assert found.high is None


@pytest.mark.parametrize(
    ("level", "turn", "low", "high"),
    [(4.5, "pays", True, False), (6.0, "pays", False, False), (-0.2, "never", False, True),
     (-3.0, "never", False, False)],
)  # fmt: skip
def test_without_a_crossing_within_what_was_measured(
    level: float, turn: str, low: bool, high: bool
) -> None:
    curves = [[place - x for x in AT] for place in np.linspace(level - 0.8, level + 0.8, 101)]
    (found,) = crossings(draws(*curves), AT)
    assert (found.turn, found.value) == (turn, None)
    assert (found.low is not None) == low
    assert (found.high is not None) == high


@pytest.mark.parametrize(("level", "turn"), [(0.004, "pays"), (0.0, "never"), (-0.004, "never")])
def test_it_pays_above_one_and_not_at_it(level: float, turn: str) -> None:
    (found,) = crossings(draws([level] * 5), AT)
    assert found == Crossing(turn, None, None, None)


def test_draws_just_below_one_have_turned() -> None:
    # Nine of ten go through 1 at 2.5, where they fall to half a percent below it.
    curves = [[0.3, 0.2, 0.005, -0.005, -0.005]] * 9 + [[0.3, 0.2, 0.005, -0.005, -0.3]]
    (found,) = crossings(draws(*curves), AT)
    assert (found.turn, found.value, found.low, found.high) == (
        "stops", pytest.approx(2.5), pytest.approx(2.5), pytest.approx(2.5)
    )  # fmt: skip


def test_a_curve_that_goes_up_and_down_turns_twice() -> None:
    first, second = crossings(draws([-0.2, 0.2, 0.3, 0.1, -0.1]), AT)
    assert (first.turn, first.value) == ("starts", pytest.approx(0.5))
    assert (second.turn, second.value) == ("stops", pytest.approx(3.5))
