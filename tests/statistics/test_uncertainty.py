from __future__ import annotations

import numpy as np
import pytest

from analysis.statistics.uncertainty import RatioInterval

TOKENS = np.array([192, 54, 192, 192, 192, 192, 192, 192, 48, 17, 36, 192, 192.0])


def coverage(repeats: int, *, drift: float, shared: float, n: int = 300) -> float:
    """Share of simulated comparisons whose interval holds the true ratio."""
    hits = 0
    for seed in range(n):
        random = np.random.default_rng([seed, repeats])
        rates = random.lognormal(np.log(130), 0.4, 13)
        together = random.normal(0, shared, repeats)
        sides = []
        for rate in (rates, np.full(13, 128.0)):
            noise = random.normal(0, 0.02, (13, repeats)) + random.normal(0, drift, repeats)
            sides.append((TOKENS / rate)[:, None] * np.exp(noise + together))
        tokens = np.tile(TOKENS[:, None], repeats)
        margin = RatioInterval(draws=200)(tokens, sides[0], tokens, sides[1])
        found = sides[1].sum() / sides[0].sum()
        true = (TOKENS / 128).sum() / (TOKENS / rates).sum()
        hits += found / margin <= true <= found * margin
    return hits / n


@pytest.mark.parametrize("repeats", [2, 3, 5])
def test_intervals_cover_when_requests_scatter(repeats: int) -> None:
    # What both runs of a repeat share cancels.
    assert 0.84 <= coverage(repeats, drift=0.0, shared=0.03) <= 0.97


@pytest.mark.parametrize("repeats", [3, 5])
def test_intervals_cover_when_whole_runs_drift(repeats: int) -> None:
    assert 0.84 <= coverage(repeats, drift=0.02, shared=0.0) <= 0.97


def test_one_repeat_has_no_interval() -> None:
    one = np.ones((3, 1))
    assert RatioInterval()(one, one, one, one) is None


def test_equal_repeats_show_no_scatter_to_make_an_interval_of() -> None:
    tokens, seconds = np.full((3, 4), 100.0), np.full((3, 4), 2.0)
    assert RatioInterval()(tokens, seconds, tokens, 2 * seconds) is None


def test_missing_requests_are_left_out() -> None:
    random = np.random.default_rng(1)
    seconds = 1 + 0.05 * random.random((4, 3))
    tokens = np.full((4, 3), 100.0)
    whole = RatioInterval()(tokens, seconds, tokens, tokens / 100)
    holes = seconds.copy()
    holes[0, 1:] = np.nan
    holes[1, 0] = np.nan
    part = RatioInterval()(tokens, holes, tokens, tokens / 100)
    assert part is not None
    assert part > 1
    assert part != whole
