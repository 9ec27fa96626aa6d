"""How sure a change between campaigns is: by the tasks where there are enough, else by noise."""

from __future__ import annotations

import pytest

from analysis.answers.two_runs import Comparable, ratio_between
from analysis.statistics.frames import task_frame
from analysis.statistics.noise import Noise
from analysis.statistics.task_tables import tables
from tests.statistics.starts import rows


def change(seconds: list[float]) -> dict[str, object]:
    """From tasks of 1 s each to tasks of these times."""
    levels = Noise()(task_frame([]))
    sides = [
        (Comparable.told(tables(rows({"x": [times]}), geometric=True), levels, {}), "x")
        for times in ([1.0] * len(seconds), seconds)
    ]
    found = ratio_between(*sides)
    assert found is not None
    return found


@pytest.mark.parametrize(("even", "uneven"), [([1.2] * 3, [1.0, 1.2, 1.44])])
def test_three_tasks_show_how_much_requests_scatter(even: list[float], uneven: list[float]) -> None:
    for number, wider in ((2, False), (3, True)):
        one, other = change(even[:number]), change(uneven[-number:])
        widths = [found["high"] / found["low"] for found in (one, other)]
        assert (widths[1] > widths[0] * 1.05) is wider


def test_the_ratio_is_the_geometric_mean_of_the_tasks() -> None:
    assert change([1.25, 0.8, 1.6])["ratio"] == pytest.approx((0.8 * 1.25 / 1.6) ** (1 / 3))
