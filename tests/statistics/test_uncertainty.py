from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from analysis.records import Run
from analysis.statistics.uncertainty import RatioInterval, significance
from analysis.summary import summarise

Make = Callable[..., object]

TOKENS = np.array([192, 54, 192, 192, 192, 192, 192, 192, 48, 17, 36, 192, 192.0])


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


@pytest.fixture
def repeated(task: Make, run: Make) -> Callable[..., list[Run]]:
    """``repeated(id, rates, n_max)``: two tasks, one run per repeat."""

    def make(id: str, rates: list[float], n_max: int | None = None) -> list[Run]:
        drafted = 60 if n_max else 0
        return [
            run(
                id,
                *(
                    task(name, 100, drafted, 0, rate, repeat=number, wall_s=100 / rate + 0.1)
                    for name in ("code_python", "translation")
                ),
                n_max=n_max,
                spec_type="draft-mtp" if n_max else "none",
            )
            for number, rate in enumerate(rates, 1)
        ]

    return make


def test_runs_get_their_intervals(repeated: Make, campaign: Make) -> None:
    runs = [
        *repeated("plain", [100, 101, 99]),
        *repeated("fast", [150, 152, 149], 2),
        *repeated("same", [101, 99, 100], 4),
        *repeated("slow", [70, 71, 69], 6),
    ]
    frame = summarise(campaign(*runs, baseline="plain")).runs.set_index("id")
    assert frame.loc["plain", ["speedup_low", "speedup_high"]].isna().all()
    for name in ("fast", "same", "slow"):
        row = frame.loc[name]
        assert row["speedup_low"] < row["speedup"] < row["speedup_high"]
        assert row["decode_speedup_low"] < row["decode_speedup"] < row["decode_speedup_high"]
    assert frame["significance"].to_dict() == {
        "plain": "not known",
        "fast": "faster",
        "same": "not significant",
        "slow": "slower",
    }


def test_one_run_has_no_interval(repeated: Make, campaign: Make) -> None:
    runs = [*repeated("plain", [100]), *repeated("fast", [150], 2)]
    summary = summarise(campaign(*runs, baseline="plain"))
    assert summary.runs["speedup_low"].isna().all()
    assert set(summary.runs["significance"]) == {"not known"}
    assert summary.recommendations[["low", "high"]].isna().all(axis=None)


def test_a_gain_within_noise_is_no_recommendation(repeated: Make, campaign: Make) -> None:
    noisy = [*repeated("plain", [100, 90, 110]), *repeated("fast", [104, 115, 98], 2)]
    clear = [*repeated("plain", [100, 100.5, 99.5]), *repeated("fast", [104, 104.5, 103.5], 2)]
    choices = [
        summarise(campaign(*runs, baseline="plain")).recommendations.iloc[0]
        for runs in (noisy, clear)
    ]
    assert pd.isna(choices[0]["run"])
    assert "significantly" in choices[0]["reason"]
    assert choices[1]["run"] == "fast"
    assert choices[1]["low"] < choices[1]["expected_speedup"] < choices[1]["high"]
    assert choices[1]["low"] > 1


def test_a_deeper_draft_within_noise_is_not_preferred(repeated: Make, campaign: Make) -> None:
    runs = [
        *repeated("plain", [50, 51, 49]),
        *repeated("n4", [104, 115, 98], 4),
        *repeated("n2", [100, 90, 110], 2),
    ]
    row = summarise(campaign(*runs, baseline="plain")).recommendations.iloc[0]
    assert row["run"] == "n2"
    assert "within noise" in row["reason"]


def test_a_synthetic_run_has_no_interval(repeated: Make, campaign: Make) -> None:
    coin = [replace(run, synthetic=True) for run in repeated("coin", [900, 910, 890], 2)]
    runs = [*repeated("plain", [100, 101, 99]), *coin]
    frame = summarise(campaign(*runs, baseline="plain")).runs.set_index("id")
    assert frame.loc["coin", ["speedup_low", "speedup_high"]].isna().all()
    assert frame.at["coin", "significance"] == "not known"
