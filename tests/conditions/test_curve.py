from __future__ import annotations

import numpy as np
import pytest

from analysis.conditions.curve import AxisCurve, grid, scaled, unscaled


def test_the_grid_holds_what_was_measured_and_nothing_beyond() -> None:
    at = grid("concurrency", np.array([1.0, 2.0, 8.0]))
    assert at[0] == 1
    assert at[-1] == 8
    assert np.isclose(at, 2).sum() == 1
    assert (np.diff(at) > 0).all()
    np.testing.assert_allclose(grid("temperature", np.array([0.0, 1.2])), np.arange(13) / 10)


@pytest.mark.parametrize("axis", ["concurrency", "context_tokens", "temperature"])
def test_what_is_scaled_comes_back(axis: str) -> None:
    values = np.array([1.0, 3.0, 9000.0])
    np.testing.assert_allclose(unscaled(axis, scaled(axis, values)), values)


def test_the_curve_goes_through_what_is_surely_known() -> None:
    x = scaled("concurrency", np.array([1.0, 2.0, 4.0, 8.0]))
    known = np.log([1.6, 1.4, 1.1, 0.8])
    drawn = AxisCurve()(x, known, np.full(4, 0.002), x)
    np.testing.assert_allclose(np.median(drawn, axis=0), known, atol=0.01)


def test_the_band_is_wider_between_values_and_with_noise() -> None:
    x = np.array([0.0, 1.0, 2.0])
    at = np.array([0.5, 1.0])
    known = np.log([1.5, 1.2, 0.9])
    sure, unsure = (AxisCurve()(x, known, np.full(3, sd), at).std(axis=0) for sd in (0.005, 0.05))
    assert sure[0] > sure[1]
    assert (unsure > sure).all()


def test_it_draws_the_same_again() -> None:
    given = (np.arange(3.0), np.zeros(3), np.full(3, 0.02), np.array([0.5]))
    assert (AxisCurve()(*given) == AxisCurve()(*given)).all()


@pytest.mark.parametrize("noise", [0.01, 0.04])
def test_intervals_hold_smooth_truths(noise: float) -> None:
    random = np.random.default_rng(5)
    x = np.arange(5.0)
    at = np.linspace(0.0, 4.0, 9)
    inside = []
    for _ in range(60):
        level, slope, bend = random.normal(0.2, 0.3), random.normal(-0.1, 0.1), random.uniform(0, 4)
        true = [level + slope * place - 0.1 * np.log1p(np.exp(2 * (place - bend))) for place in at]
        seen = np.array(true[::2]) + random.normal(0, noise, len(x))
        low, high = np.quantile(AxisCurve()(x, seen, np.full(5, noise), at), [0.05, 0.95], axis=0)
        inside.append((low <= true) & (true <= high))
    assert 0.84 <= np.mean(inside) <= 0.99
