from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from analysis.records import Run
from analysis.summary import summarise

Make = Callable[..., object]


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


def test_one_run_each_has_the_interval_of_the_prior(repeated: Make, campaign: Make) -> None:
    runs = [*repeated("plain", [100]), *repeated("fast", [150], 2), *repeated("near", [103], 4)]
    frame = summarise(campaign(*runs, baseline="plain")).runs.set_index("id")
    assert frame["significance"].to_dict() == {
        "plain": "not known",
        "fast": "faster",
        "near": "not significant",
    }
    # Two runs of 2 % each, and what two requests of 2 % add: t of about 14 degrees of freedom.
    row = frame.loc["near"]
    half = math.log(row["decode_speedup_high"] / row["decode_speedup"])
    assert half == pytest.approx(1.76 * math.hypot(0.02, 0.02 / 2**0.5) * 2**0.5, rel=0.03)


def test_a_synthetic_run_has_no_interval(repeated: Make, campaign: Make) -> None:
    coin = [replace(run, synthetic=True) for run in repeated("coin", [900, 910, 890], 2)]
    runs = [*repeated("plain", [100, 101, 99]), *coin]
    frame = summarise(campaign(*runs, baseline="plain")).runs.set_index("id")
    assert frame.loc["coin", ["speedup_low", "speedup_high"]].isna().all()
    assert frame.at["coin", "significance"] == "not known"
