"""What a log with confidences adds to a campaign's advice, where the truth is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from analysis.answers.recommend import advice_text
from analysis.cards import render_sections
from analysis.cards.preset import preset
from analysis.replaying.advice import predicted_settings
from analysis.statistics.decision import Settings
from analysis.summary import Summary, summarise
from tests.replaying.campaign import Truth

Make = Callable[..., Any]


@pytest.fixture(scope="module")
def steep() -> Truth:
    return Truth.of(each_ms=5.0)


@pytest.fixture(scope="module")
def pays(campaign: Make, steep: Truth) -> Summary:
    return summarise(campaign(*steep.runs(), baseline="plain"))


def best_of(truth: Truth) -> float:
    return max(truth.tps(n, p) for n in range(1, 7) for p in np.round(np.arange(0, 1, 0.05), 2))


def test_depth_and_threshold_are_advised_together(pays: Summary, steep: Truth) -> None:
    row = pays.recommendations.iloc[0]
    assert (row["run"], row["replayed_run"], row["replayed_advised"]) == ("n2", "n6", True)
    real = steep.tps(int(row["replayed_n_max"]), float(row["replayed_p_min"]))
    assert real > 0.99 * best_of(steep)
    assert row["replayed_tps"] == pytest.approx(real, rel=0.02)
    assert row["replayed_low"] < real * steep.plain_ms / 1000 < row["replayed_high"]
    assert row["expected_speedup"] < row["replayed_speedup"]


def test_the_ladder_says_replayed(pays: Summary, steep: Truth) -> None:
    steps = pays.ladder[pays.ladder["workload"].isna()].set_index("step")
    threshold = steps.loc["threshold"]
    assert threshold["source"] == "replayed"
    real = steep.tps(int(threshold["n_max"]), float(threshold["p_min"]))
    assert threshold["low"] < real < threshold["high"]
    assert steps.at["fixed", "decode_tps"] < threshold["decode_tps"] < steps.at["ceiling", "high"]


def test_without_confidences_it_stays_assumed(campaign: Make, steep: Truth) -> None:
    runs = [*steep.runs()[:-1], steep.run(6)]
    summary = summarise(campaign(*runs, baseline="plain"))
    steps = summary.ladder[summary.ladder["workload"].isna()].set_index("step")
    assert steps.at["threshold", "source"] == "assumed"
    assert summary.recommendations["replayed_run"].isna().all()
    assert "predicted to be best" not in render_sections(summary)["recommendation"]


def test_card_preset_and_recommend_name_the_same_setting(pays: Summary) -> None:
    row = pays.recommendations.iloc[0]
    n_max, p_min = row["replayed_n_max"], row["replayed_p_min"]
    flags = f"--spec-draft-n-max {n_max} --spec-draft-p-min {p_min:.2f}"
    sections = render_sections(pays)
    (said,) = [
        line for line in sections["recommendation"].splitlines() if "Over all prompts" in line
    ]
    assert flags in said.replace("0.650", "0.65")
    assert "No run had these flags." in said
    assert "replayed from a log with the draft's confidences, not measured" in sections["policy"]
    made = preset(pays).split("\n[")
    (section,) = [
        part for part in made if part.startswith(f"draft-simple-n{n_max}-p{p_min:g}-replayed]")
    ]
    assert f"spec-draft-n-max = {n_max}\nspec-draft-p-min = {p_min:g}" in section
    assert "predicted from the log of Draft, n_max 6, no run had it: all prompts" in section
    text = advice_text(pays)
    assert f"replayed, not measured: n_max {n_max} with p_min {p_min:g} is predicted" in text
    assert "better than every setting measured, from the log of n6" in text


def test_off_is_still_advised_where_it_is_better(campaign: Make) -> None:
    truth = Truth.of(plain_ms=10.0, first_ms=40.0)
    summary = summarise(campaign(*truth.runs(), baseline="plain"))
    row = summary.recommendations.iloc[0]
    assert row["run"] is None
    assert not row["replayed_advised"]
    assert row["replayed_speedup"] < 1
    assert "no run had it: all prompts" not in preset(summary)
    assert "the closest with speculation" in advice_text(summary)
    assert (
        "predicted to come closest over all prompts" in render_sections(summary)["recommendation"]
    )


@pytest.mark.parametrize(("spec_type", "cut"), [("draft-mtp", True), ("draft-dspark", False)])
def test_no_threshold_for_a_draft_whose_p_min_looks_elsewhere(
    pays: Summary, spec_type: str, cut: bool
) -> None:
    (logged,) = pays.replays.each
    known = Settings(("n6",), np.full((40, 1), 60.0), (True,))
    sweeps = pd.DataFrame({"run": ["n6"], "method": "m", "n_max": [6], "excluded": None})
    one = replace(logged, spec_type=spec_type)
    told = predicted_settings([one], {None: known}, sweeps)[None]
    # Depths that have no run are told by any log.
    assert {depth for depth, p in zip(told.depths, told.thresholds, strict=True) if not p} == {
        1, 2, 3, 4, 5
    }  # fmt: skip
    assert any(told.thresholds) == cut


def test_a_replay_is_held_against_what_was_measured(pays: Summary) -> None:
    (logged,) = pays.replays.each
    assert logged.rates is not None
    fixed = logged.table[(logged.table["policy"] == "fixed") & logged.table["workload"].isna()]
    rates = np.median(logged.rates[fixed.index], axis=1)
    # At depth 2 the run was a tenth faster than replayed, at 6 as fast: 4 is in the middle.
    known = Settings(
        ("n2", "n6"),
        np.column_stack([logged.rates[fixed.index[1]] * 1.1, logged.rates[fixed.index[5]]]),
        (True, True),
    )
    sweeps = pd.DataFrame({"run": ["n2", "n6"], "method": "m", "n_max": [2, 6], "excluded": None})
    told = predicted_settings([logged], {None: known}, sweeps)[None]
    place = [*zip(told.depths, told.thresholds, strict=True)].index((4, 0.0))
    assert np.median(told.rates[:, place]) == pytest.approx(rates[3] * 1.1**0.5, rel=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["calibrated", "overconfident", "uninformative"])
def test_what_is_advised_loses_little(campaign: Make, kind: str) -> None:
    lost = []
    for seed in range(6):
        truth = Truth.of(kind, seed, each_ms=4.0)
        row = summarise(campaign(*truth.runs(), baseline="plain")).recommendations.iloc[0]
        chosen = (
            (row["n_max"], 0.0)
            if pd.isna(row["replayed_run"])
            else (row["replayed_n_max"], row["replayed_p_min"])
        )
        lost.append(1 - truth.tps(int(chosen[0]), float(chosen[1])) / best_of(truth))
    assert np.mean(lost) < 0.01
