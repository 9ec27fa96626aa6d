from __future__ import annotations

import numpy as np
import pytest

from analysis.statistics.scatter import Scatter
from analysis.statistics.task_tables import TaskTable
from analysis.statistics.uncertainty import Known, Side, significance, uncertainty


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (1.01, 1.2, "faster"),
        (0.8, 0.99, "slower"),
        (0.99, 1.01, "not significant"),
        (1.0, 1.2, "not significant"),
        (0.8, 1.0, "not significant"),
        (None, None, "not known"),
        (float("nan"), float("nan"), "not known"),
    ],
)
def test_significance(low: float, high: float, expected: str) -> None:
    assert significance(low, high) == expected


def table(*, one_start: bool) -> TaskTable:
    """Two measurements of one task."""
    seconds = np.array([[1.0], [1.0]])
    return TaskTable(100 * seconds, seconds, (1, 2), ("a",), one_start)


def test_repeats_on_one_server_share_its_run_noise() -> None:
    shown = Known(Scatter(), (4e-4, 10.0), (1e-4, 20.0), None)
    sides = [Side(table(one_start=one), shown, "x") for one in (True, False)]
    assert [side.coefficients() for side in sides] == [(1.0, 0.5), (0.5, 0.5)]


def test_what_comes_from_one_source_is_known_as_badly_as_its_worst_part() -> None:
    """By hand, after Satterthwaite: variances of one source are off alike."""
    shown = Known(Scatter(), (4e-4, 10.0), (1e-4, 20.0), None)
    side = Side(table(one_start=False), shown, "x", campaign=(2e-4, 5.0))
    sd, freedom = uncertainty([side, side])
    prior = 2 * 2e-4 + 2 * 0.5 * 4e-4
    request = 2 * 0.5 * 1e-4
    assert sd == pytest.approx((prior + request) ** 0.5)
    assert freedom == pytest.approx((prior + request) ** 2 / (prior**2 / 5 + request**2 / 20))
