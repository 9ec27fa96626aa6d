from __future__ import annotations

import pytest

from analysis.cards.numbers import chance, speedup_between


@pytest.mark.parametrize(
    ("low", "high", "equal"),
    [
        (0.99, 1.01, True),
        (1.0, 1.2, True),
        (0.8, 1.0, True),
        (1.001, 1.2, False),
        (0.8, 0.999, False),
    ],
)
def test_a_speedup_is_marked_where_its_interval_holds_one(
    low: float, high: float, equal: bool
) -> None:
    written = speedup_between((low + high) / 2, low, high)
    assert written.startswith("~") is equal


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.0004, "less than 0.1 %"),
        (0.0006, "0.1 %"),
        (0.9994, "99.9 %"),
        (0.9996, "more than 99.9 %"),
    ],
)
def test_no_chance_that_was_drawn_is_certain(share: float, said: str) -> None:
    assert str(chance(share)).replace("\N{NO-BREAK SPACE}", " ") == said
