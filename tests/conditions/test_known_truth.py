"""Crossings and predictions against simulated campaigns of known truth, 2 % run noise each."""

from __future__ import annotations

import numpy as np
import pytest

from tests.conditions.known_truth import context, doubled, requests


def octaves(found: list[object]) -> np.ndarray:
    """How far each crossing is off, in octaves; infinite where none was found."""
    return np.array([np.inf if one.value is None else abs(np.log2(one.value / one.true))
                     for one in found])  # fmt: skip


def told(what: str, **figures: float) -> None:
    """What was found, for who runs this with -s."""
    print(what, *(f"{name} {figure:.3f}" for name, figure in figures.items()))  # noqa: T201


def test_a_few_campaigns() -> None:
    found = [requests(seed) for seed in range(2)]
    assert (octaves(found) <= 1).all()
    error = np.array([[side[0] for side in doubled(seed)] for seed in range(2)])
    assert np.median(np.abs(error)) <= 0.06


@pytest.mark.slow
@pytest.mark.parametrize("repeats", [1, 3])
def test_the_crossing_is_found_within_one_step_of_the_grid(repeats: int) -> None:
    found = [requests(seed, repeats) for seed in range(60)]
    within, held = (octaves(found) <= 1).mean(), np.mean([one.inside for one in found])
    told(f"crossing, {repeats} repeats:", within_one_step=within, interval_holds_it=held)
    assert within >= 0.9
    assert held >= 0.8


@pytest.mark.slow
@pytest.mark.parametrize("repeats", [1, 3])
def test_the_context_of_break_even_is_found_within_ten_percent(repeats: int) -> None:
    found = [context(seed, repeats) for seed in range(60)]
    errors = [np.inf if one.value is None else abs(one.value / one.true - 1) for one in found]
    middle, held = np.median(errors), np.mean([one.inside for one in found])
    within = np.mean(np.array(errors) <= 0.1)
    told(f"context, {repeats} repeats:", median=middle, within_a_tenth=within, held=held)
    assert middle <= 0.1
    assert held >= 0.8


@pytest.mark.slow
def test_twice_as_many_requests_are_predicted_within_five_percent() -> None:
    found = np.array([doubled(seed) for seed in range(60)])
    with_, without = np.median(np.abs(found[:, :, 0]), axis=0)
    held = found[:, :, 1].mean()
    told("twice as many:", with_drafts=with_, without=without, interval_holds_it=held)
    assert max(with_, without) <= 0.05
    assert held >= 0.8
