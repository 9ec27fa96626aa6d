from __future__ import annotations

import pytest

from analysis.statistics.uncertainty import significance


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
