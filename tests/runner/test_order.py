"""Slow drift meets all configurations alike, or it is said by how much not."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.runner import order
from analysis.runner.order import imbalance, orders


def flat(count: int, repeats: int, seed: int) -> list[str]:
    return [str(one) for row in orders(count, repeats, seed) for one in row]


def test_examples() -> None:
    assert doctest.testmod(order).failed == 0


@given(st.integers(1, 12), st.integers(1, 9), st.integers(0, 2**32 - 2))
def test_every_repeat_has_every_configuration_once(n: int, repeats: int, seed: int) -> None:
    found = orders(n, repeats, seed)
    assert [sorted(one) for one in found] == [list(range(n))] * repeats
    assert found == orders(n, repeats, seed)


@given(st.integers(2, 12), st.integers(2, 9), st.integers(0, 2**32 - 2))
def test_mean_places_are_as_equal_as_they_can_be(n: int, repeats: int, seed: int) -> None:
    least = 1 / repeats if repeats % 2 and n % 2 == 0 else 0
    assert imbalance(flat(n, repeats, seed)) == pytest.approx(least)


@pytest.mark.parametrize(("n", "repeats"), [(3, 3), (5, 3), (3, 5), (4, 4), (7, 9)])
def test_steady_drift_cancels(n: int, repeats: int) -> None:
    """With 1 % more at every start, the configurations' means stay equal."""
    sums: dict[str, float] = {}
    for place, id in enumerate(flat(n, repeats, 7)):
        sums[id] = sums.get(id, 0) + 100 + place
    assert len({round(total, 6) for total in sums.values()}) == 1


def test_different_seeds_give_different_orders() -> None:
    assert len({tuple(flat(5, 3, seed)) for seed in range(20)}) > 10
