"""Depth curves and advice against simulated campaigns of known truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from analysis.cards import render_sections
from analysis.cards.facts import Facts
from analysis.cards.preset import preset
from analysis.statistics.decision import BOUND
from analysis.summary import Summary, summarise
from tests import committed
from tests.known_truth import Scenario, campaign_runs, outcome
from tests.simulator import TRENDS

Make = Callable[..., object]


def test_a_few_campaigns_with_run_noise() -> None:
    once = outcome(Scenario(1, 0.02, 0.02), range(3))
    assert 0.8 <= once.covered.mean() <= 1
    assert once.regret.mean() <= 0.01
    again = outcome(Scenario(3, 0.02, 0.02, greedy=True), range(3))
    assert 0.8 <= again.covered.mean() <= 1
    assert again.regret.mean() <= 0.01


@pytest.mark.slow
@pytest.mark.parametrize("run", [0.0, 0.02])
@pytest.mark.parametrize("repeats", [1, 3])
@pytest.mark.parametrize("greedy", [False, True])
def test_intervals_cover(repeats: int, run: float, *, greedy: bool) -> None:
    found = outcome(Scenario(repeats, 0.02, run, greedy=greedy and repeats > 1), range(12))
    # One run each does not show that there is no run noise, so its intervals allow for some.
    most = 1.0 if repeats == 1 and run == 0 else 0.98
    assert 0.85 <= found.covered.mean() <= most
    assert 0.85 <= found.survival.mean() <= 0.96


@pytest.mark.slow
@pytest.mark.parametrize("at", [4, 5])
@pytest.mark.parametrize("repeats", [1, 3])
def test_a_jump_between_two_depths_widens_what_lies_around_it(at: int, repeats: int) -> None:
    found = outcome(Scenario(repeats, 0.02, 0.01, jump=at), range(12))
    assert found.covered.mean() >= 0.8
    assert found.regret.mean() <= 0.005


@pytest.mark.slow
@pytest.mark.parametrize(("request_noise", "run"), [(0.01, 0.0), (0.02, 0.01), (0.1, 0.03)])
def test_advice_never_gets_worse_with_more_data(request_noise: float, run: float) -> None:
    lost = [
        outcome(Scenario(repeats, request_noise, run), range(14)).regret.mean()
        for repeats in (1, 2, 3, 5)
    ]
    assert max(lost) <= 0.005
    assert max(lost[1:]) <= lost[0] + 0.001


def summaries(campaign: Make) -> list[Summary]:
    names = ("qwen3.6-35b-a3b-dflash", "qwen3.6-35b-a3b-dspark", "live-demo")
    made = [committed.summary(name) for name in names]
    for seed, shape in enumerate(TRENDS):
        _, runs = campaign_runs(Scenario(1 + seed, 0.05, 0.02), seed, shape)
        made.append(summarise(campaign(*runs, baseline="plain")))
        made.append(summarise(campaign(*runs[1 + seed :])))
    return made


def test_all_places_name_the_same_setting(campaign: Make) -> None:
    for summary in summaries(campaign):
        facts = Facts(summary)
        sections = render_sections(summary)
        depth_of = summary.runs.set_index("id")["n_max"].fillna(0).to_dict()
        # The depth section and what is recommended with its method only.
        for row in summary.best_depths.to_dict("records"):
            own = summary.method_recommendations
            own = own[own["method"] == row["method"]]
            scope = row["workload"]
            at = (
                own["workload"].isna()
                if scope is None or scope != scope
                else own["workload"] == scope
            )
            advised = own[at].iloc[0]["run"]
            depth = depth_of[advised] if isinstance(advised, str) else 0
            assert depth == row["n_max"], (summary.campaign.slug, row["method"], scope)
        # The headline, the table of settings and the preset.
        overall = facts.choices[0]
        label = "leave speculation off" if overall.run is None else facts.by_id[overall.run].label
        assert f"| All prompts | {label}" in sections["recommendation"].replace("**", "")
        if overall.run is not None:
            assert facts.best is facts.by_id[overall.run]
            assert f"; {label}: all prompts" in preset(summary)
        for choice in facts.choices:
            if choice.fastest not in (choice.run, None) and not (
                choice.run is None and choice.fastest == summary.campaign.baseline
            ):
                said = f"**{facts.by_id[choice.fastest].label}** was measured at"
                assert said in sections["recommendation"]


def test_the_published_advice_is_explained_where_a_rate_was_higher() -> None:
    summary = committed.summary("qwen3.6-35b-a3b-dflash")
    advised = summary.recommendations.set_index(summary.recommendations["workload"].fillna("all"))
    assert (advised["run"].to_dict(), advised["fastest"].to_dict()) == (
        {"all": "dflash-n5", "code": "dflash-n5", "reasoning": "dflash-n5",
         "creative": "dflash-n2", "explanation": "dflash-n2"},
        {"all": "dflash-n5", "code": "dflash-n5", "reasoning": "dflash-n4",
         "creative": "dflash-n2", "explanation": "dflash-n3"},
    )  # fmt: skip
    sections = render_sections(summary)
    said = "**DFlash, n_max 3** was measured at 120.5 tok/s decode and **DFlash, n_max 2**"
    assert said in sections["recommendation"]
    assert f"lose less than {BOUND:.1%}".replace("%", " %") in sections["recommendation"]
    assert "the fastest of 4 configurations" in sections["summary"]
    assert "depth 5 is the one to use with DFlash" in sections["depth"]


def test_the_same_data_twice_change_no_advice(campaign: Make) -> None:
    """A greedy repeat with the same times is no evidence at all."""
    _, runs = campaign_runs(Scenario(1, 0.02, 0.01), 5, "flat")
    again = [
        replace(run, tasks=tuple(replace(task, repeat=2) for task in run.tasks)) for run in runs
    ]
    one = summarise(campaign(*runs, baseline="plain"))
    two = summarise(campaign(*runs, *again, baseline="plain"))
    assert one.recommendations["run"].tolist() == two.recommendations["run"].tolist()
    widths = [(made.depths["high"] / made.depths["low"]).to_numpy() for made in (one, two)]
    assert np.median(widths[1] / widths[0]) > 0.7
