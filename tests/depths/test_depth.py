"""The depth model against simulated sweeps of known truth, and against the published logs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest

from analysis.campaigns.campaign import PROJECT_ROOT, load
from analysis.depths.curves import DepthCurve
from analysis.depths.depth import (
    ABOUT_BREAK_EVEN,
    LOSES,
    PAYS,
    UNDECIDED,
    BestDepth,
    _position,
)
from analysis.records import Run
from analysis.statistics.columns import names
from analysis.statistics.conclusions import DepthRow
from analysis.summary import Summary, summarise
from tests import committed
from tests.simulator import TRENDS, World, sweep, world
from tests.sweeps import read

SHOWN = (0, 2, 3, 5)


@dataclass
class Study:
    """Figures of many simulated sweeps, one row each."""

    covered: np.ndarray
    width: np.ndarray
    error: np.ndarray
    bias: np.ndarray
    throughput_covered: np.ndarray
    regret: np.ndarray


def study(seeds: range, **others: object) -> Study:
    rows = []
    for seed in seeds:
        for shape in TRENDS:
            random = np.random.default_rng([seed, len(shape)])
            truth = world(shape, random, **others)
            found = read(sweep(truth, SHOWN, random))
            draws = found.curves[0].draws
            low, high = np.quantile(draws, [0.05, 0.95], axis=0)
            true = np.array([truth.decode_tps(depth) for depth in range(1, 9)])
            ratio = found.median_tps()[1:] / true
            ends = np.quantile(found.overall().decode_tps[:, 1:], [0.05, 0.95], axis=0)
            best = found.best
            chosen = int(best.loc[best["workload"].isna(), "n_max"].iloc[0])
            every = np.concatenate([[1000 / truth.plain_ms], true])
            rows.append(
                (
                    ((low <= truth.survival) & (truth.survival <= high))[:, :5],
                    (high - low)[:, :5],
                    np.abs(ratio - 1),
                    ratio - 1,
                    (ends[0] <= true) & (true <= ends[1]),
                    1 - every[chosen] / every[list(SHOWN)].max(),
                )
            )
    return Study(*(np.array(column) for column in zip(*rows, strict=True)))


def assert_holds(found: Study) -> None:
    error = found.error.mean(axis=0)
    assert 0.84 <= found.covered.mean() <= 0.98
    assert np.median(found.width) <= 0.15
    assert error[[1, 2, 4]].max() <= 0.025
    assert error[3] <= 0.03
    assert error[5:].max() <= 0.07
    assert found.regret.mean() <= 0.01


def test_simulated_sweeps_are_read_right() -> None:
    assert_holds(study(range(100, 103)))


@pytest.mark.slow
def test_many_simulated_sweeps_are_read_right() -> None:
    found = study(range(20))
    assert_holds(found)
    # Better than a solver that takes each task alone.
    error = found.error.mean(axis=0)
    assert 0.87 <= found.covered.mean() <= 0.96
    assert np.median(found.width) <= 0.14
    assert error[[1, 2, 4]].mean() <= 0.015
    assert error[3] <= 0.0125
    assert error[5:].mean() <= 0.037
    assert found.regret.mean() <= 0.003
    # No depth is pulled one way.
    assert np.abs(found.bias.mean(axis=0)[:5]).max() <= 0.01
    assert 0.84 <= found.throughput_covered.mean() <= 0.99


@pytest.mark.slow
def test_correlated_rounds_do_not_make_intervals_too_short() -> None:
    found = study(range(40, 48), persistence=0.3)
    assert 0.84 <= found.covered.mean() <= 0.98


def many(truth: World, depths: tuple[int, ...], **others: object) -> list[Run]:
    return sweep(truth, depths, np.random.default_rng(8), **others)


@pytest.fixture(scope="module")
def steep() -> World:
    """Half of all drafts survive each position, and depth costs a lot."""
    survival = np.tile(0.5 ** np.arange(1, 9), (13, 1))
    return World(survival, lambda depth: 10 + 2.0 * depth, plain_ms=9.0, noise=0.001)


def test_throughput_over_depth_by_hand(steep: World) -> None:
    found = read(many(steep, (0, 1, 2, 3, 5), repeats=12))
    rows = found.depths
    overall = rows[rows["workload"].isna()].set_index("n_max")
    assert list(overall.index) == list(range(1, 9))
    assert list(overall["source"] == "measured") == [k in (1, 2, 3, 5) for k in range(1, 9)]
    for depth in (2, 3, 5):
        length = 1 + sum(0.5**place for place in range(1, depth + 1))
        assert overall.at[depth, "mean_accepted_length"] == pytest.approx(length, rel=0.02)
        assert overall.at[depth, "ms_per_forward"] == pytest.approx(10 + 2 * depth, rel=0.02)
        assert overall.at[depth, "step_cost_ratio"] == pytest.approx((10 + 2 * depth) / 9, rel=0.02)
        ratio = overall.at[depth, "step_cost_ratio"]
        # Drafts are full up to the last ones before the limit on tokens.
        runs = found.runs[found.runs["n_max"].notna()]
        full = runs["draft_tokens"].sum() / (runs["n_max"] * runs["forwards"]).sum()
        even = overall.at[depth, "break_even_acceptance"]
        assert even == pytest.approx((ratio - 1) / (depth * full))
        assert overall.at[depth, "low"] < overall.at[depth, "decode_tps"]
        assert overall.at[depth, "decode_tps"] < overall.at[depth, "high"]
    # Position 2 adds 0.25 tokens, and has to add 1.5 / 12 ms of 2 ms: it exactly doesn't lose.
    assert overall.at[2, "position_gain"] == pytest.approx(0.25, abs=0.02)
    assert overall.at[2, "position_break_even"] == pytest.approx(1.5 / 12 * 2, abs=0.03)
    assert overall.at[2, "position_verdict"] == ABOUT_BREAK_EVEN
    # 1.5 tokens in 12 ms against 1 in 9 ms; 0.0625 more for 2 ms.
    assert overall.at[1, "position_verdict"] == PAYS
    assert overall.at[4, "position_verdict"] == LOSES


def test_a_tie_goes_to_the_smaller_depth(steep: World) -> None:
    best = read(many(steep, (0, 1, 2, 3, 5), repeats=4)).best
    overall = best[best["workload"].isna()].iloc[0]
    # Depths 1 and 2 are equal in truth.
    assert overall["n_max"] == 1
    assert pd.isna(overall["untried"])
    assert 0 < overall["probability"] < 1
    assert overall["speedup_low"] < overall["speedup"] < overall["speedup_high"]
    assert overall["speedup"] == pytest.approx(1.5 / 12 * 9, rel=0.03)


def test_speculation_that_never_pays_is_left_off(steep: World) -> None:
    slow = replace(steep, step_ms=lambda depth: 30 + 2.0 * depth)
    found = read(many(slow, SHOWN))
    assert (found.best["n_max"] == 0).all()
    assert (found.best["probability"] > 0.99).all()
    assert (found.best["speedup"] == 1).all()
    assert (found.best["knee"] == 0).all()
    overall = found.depths[found.depths["workload"].isna()].set_index("n_max")
    assert overall.at[1, "position_verdict"] == LOSES


def test_without_a_baseline_depths_are_compared_with_each_other(steep: World) -> None:
    found = read(many(steep, (2, 3, 5)))
    assert found.depths["decode_tps"].notna().all()
    compared = ["step_cost_ratio", "break_even_acceptance"]
    assert found.depths[compared].isna().all(axis=None)
    assert (found.best["n_max"] > 0).all()
    assert found.best["speedup"].isna().all()


def test_one_depth_is_known_and_no_other(steep: World) -> None:
    found = read(many(steep, (0, 4)))
    known = found.depths[found.depths["decode_tps"].notna()]
    assert set(known["n_max"]) == {4}
    assert set(found.depths["n_max"]) == set(range(1, 8))
    overall = known[known["workload"].isna()].iloc[0]
    measured = found.runs.set_index("id").at["n4", "decode_tps"]
    assert overall["low"] < measured < overall["high"]
    assert overall["decode_tps"] == pytest.approx(measured, rel=0.04)


def test_rounds_of_one_depth_show_survival_at_every_shorter_one(steep: World) -> None:
    found = read(many(steep, (0, 4), rounds=True))
    overall = found.depths[found.depths["workload"].isna()].set_index("n_max")
    assert overall.at[2, "mean_accepted_length"] != overall.at[2, "mean_accepted_length"]
    (curves,) = found.curves
    assert curves.identified
    assert curves.draws.mean(axis=(0, 1))[:4] == pytest.approx(steep.survival[0, :4], abs=0.03)


def test_ties_are_a_setting(steep: World) -> None:
    curves = read(many(steep, SHOWN)).over_depth
    smallest = BestDepth(bound=1.0)(curves)
    assert (smallest["n_max"] == 0).all()
    assert (BestDepth(bound=0.0)(curves)["n_max"] > 0).any()


def test_a_depth_without_a_run_is_named_where_it_is_predicted_to_be_faster() -> None:
    survival = np.tile(0.97 ** np.arange(1, 9), (13, 1))
    cheap = World(survival, lambda depth: 10 + 0.3 * depth, plain_ms=9.0, noise=0.001)
    best = read(many(cheap, (0, 2, 3), repeats=2)).best
    overall = best[best["workload"].isna()].iloc[0]
    assert overall["n_max"] == 3
    assert overall["untried"] > 3
    gain = cheap.decode_tps(int(overall["untried"])) / cheap.decode_tps(3) - 1
    assert overall["untried_gain"] == pytest.approx(gain, abs=0.1)
    # Off among all of them, and nothing to try.
    never = replace(cheap, step_ms=lambda depth: 60.0 + depth)
    assert read(many(never, (0, 2, 3))).best["untried"].isna().all()


@pytest.fixture(scope="module")
def dspark() -> Summary:
    return committed.summary()


def test_the_third_position_of_dspark_is_about_break_even(dspark: Summary) -> None:
    rows = dspark.depths
    own = rows[(rows["method"] == "draft-dspark") & rows["workload"].isna()].set_index("n_max")
    assert own.at[3, "position_gain"] == pytest.approx(0.31, abs=0.01)
    assert own.at[3, "position_break_even"] == pytest.approx(0.265, abs=0.02)
    assert own.at[3, "position_verdict"] == ABOUT_BREAK_EVEN
    assert own.at[2, "position_verdict"] == PAYS
    assert own.at[6, "position_verdict"] == LOSES


def test_the_published_depths_are_fitted(dspark: Summary) -> None:
    rows = dspark.depths[dspark.depths["workload"].isna()]
    measured = dspark.runs.set_index(["spec_type", "n_max"])
    for method, depth in (("draft-dspark", 2), ("draft-dspark", 3), ("draft-dspark", 5)):
        row = rows[(rows["method"] == method) & (rows["n_max"] == depth)].iloc[0]
        run = measured.loc[(method, depth)]
        assert row["decode_tps"] == pytest.approx(run["decode_tps"], rel=0.01)
        assert row["ms_per_forward"] == pytest.approx(run["ms_per_forward"], rel=0.01)
        assert row["low"] < run["decode_tps"] < row["high"]


def test_rows_are_complete_by_method_workload_and_depth(dspark: Summary) -> None:
    rows = dspark.depths
    assert set(names(DepthRow)) <= set(rows.columns)
    assert not rows.duplicated(["method", "workload", "n_max"]).any()
    counts = rows.groupby(["method", rows["workload"].fillna("all")]).size()
    assert set(counts["draft-dspark"]) == {8}
    assert set(counts["draft-dflash"]) == {10}
    assert len(counts) == 10


def left_out() -> list[tuple[str, list[Run], Run]]:
    dflash, dspark = (
        load(PROJECT_ROOT / "raw" / f"qwen3.6-35b-a3b-{name}") for name in ("dflash", "dspark")
    )
    sweeps = {
        "dflash": [*dflash.runs, *(run for run in dspark.runs if run.id == "dflash-n7")],
        "dspark": [run for run in dspark.runs if run.spec_type == "draft-dspark"],
    }
    return [
        (name, [other for other in runs if other is not run], run)
        for name, runs in sweeps.items()
        for run in runs
    ]


@pytest.mark.parametrize(
    ("method", "others", "run"), left_out(), ids=[run.id for _, _, run in left_out()]
)
def test_a_depth_left_out_is_predicted(method: str, others: list[Run], run: Run) -> None:
    measured = read([run], None).runs.iloc[0]
    predicted = read(others, None).median_tps()[run.n_max]
    depths = [other.n_max for other in others]
    inner = min(depths) < run.n_max < max(depths)
    assert predicted == pytest.approx(measured["decode_tps"], rel=0.025 if inner else 0.05)


def test_two_readings_are_equal(dspark: Summary) -> None:
    again = summarise(load(PROJECT_ROOT / "raw" / "qwen3.6-35b-a3b-dspark"))
    for name in ("positions", "depths", "best_depths", "ladder"):
        pd.testing.assert_frame_equal(getattr(again, name), getattr(dspark, name), check_exact=True)


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.945, 1.055, ABOUT_BREAK_EVEN),
        (0.935, 1.045, UNDECIDED),
        (0.955, 1.065, UNDECIDED),
        (1.001, 1.2, PAYS),
        (0.999, 1.2, UNDECIDED),
        (0.8, 0.999, LOSES),
        (0.8, 1.001, UNDECIDED),
    ],
)
def test_what_a_position_s_gain_is_called(low: float, high: float, verdict: str) -> None:
    # A tenth of the draws at each end, so that the 5 % quantiles are the ends.
    ratio = np.concatenate([np.full(3, low), np.linspace(low, high, 21), np.full(3, high)])
    flat = np.ones_like(ratio)
    curve = DepthCurve(
        "draft-mtp",
        None,
        (1,),
        step_ms=np.stack([10 * flat, 20 * flat], axis=1),
        length=np.stack([flat, 2 * ratio], axis=1),
        decode_tps=np.stack([100 * flat, 100 * ratio], axis=1),
        known=(1,),
        tokens=np.ones(1),
        survival=np.ones((len(ratio), 1, 1)),
    )
    assert _position(curve, 1)["position_verdict"] == verdict
