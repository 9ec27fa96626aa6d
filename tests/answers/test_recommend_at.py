from __future__ import annotations

import subprocess
from collections.abc import Callable

import numpy as np
import pytest

from analysis.answers.recommend_at import advice_at, advice_at_text
from analysis.errors import CampaignError
from analysis.summary import Summary, summarise
from tests import committed
from tests.conditions.world import Machine, measured

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def summary(campaign: Callable[..., object]) -> Summary:
    random = np.random.default_rng(1)
    runs = measured(Machine(token_ms=0.6), random, slots=(1, 4, 8), contexts=(0, 4096))
    return summarise(campaign(*runs, baseline=runs[0].id))


def test_a_measured_value_has_the_advice_of_its_own_runs(summary: Summary) -> None:
    advice = advice_at(summary, 4, 4096)
    assert advice.source == "measured"
    assert list(advice.summary.runs["id"]) == ["plain-x4-c4096", "n3-x4-c4096"]
    assert advice.recommendations["run"].iloc[0] == "n3-x4-c4096"
    said = advice_at_text(summary, advice)
    assert said.startswith("at 4 requests at once, 4,096 tokens of context and temperature 0, meas")
    row = summary.axes.points.set_index("run").loc["n3-x4-c4096"]
    assert f"all requests together: {row['speedup']:.2f}×" in said


def test_what_is_not_asked_for_is_the_baseline_s(summary: Summary) -> None:
    assert advice_at(summary, None, 4096).values[:2] == (1, 4096)
    assert advice_at(summary, 8, None).values[:2] == (8, 0)


def test_between_measured_values_the_curve_tells(summary: Summary) -> None:
    advice = advice_at(summary, 6, 0)
    (row,) = advice.recommendations.to_dict("records")
    assert advice.source == "between"
    assert (row["run"], row["n_max"]) == ("n3-x1-c0", 3)
    gains = summary.axes.points.set_index("run")["speedup"]
    assert gains["n3-x8-c0"] < row["expected_speedup"] < gains["n3-x4-c0"]
    assert row["low"] < row["expected_speedup"] < row["high"]
    assert "not measured there" in advice_at_text(summary, advice)


def test_up_to_twice_as_many_requests_are_predicted(summary: Summary) -> None:
    advice = advice_at(summary, 16, 0)
    assert advice.source == "predicted"
    # It stops paying before: what is advised is to leave it off.
    assert advice.recommendations["run"].iloc[0] is None
    assert "predicted, not measured" in advice_at_text(summary, advice)
    with pytest.raises(CampaignError, match="nothing is known at 17 requests at once"):
        advice_at(summary, 17, 0)


@pytest.mark.parametrize(("parallel", "context"), [(3, 1000), (1, 4097), (40, 0)])
def test_beyond_that_nothing_is_known(summary: Summary, parallel: int, context: int) -> None:
    with pytest.raises(CampaignError) as caught:
        advice_at(summary, parallel, context)
    assert "1, 4, 8 requests at once; 0, 4,096 tokens of context" in str(caught.value)


def test_a_campaign_at_one_value_is_refused() -> None:
    with pytest.raises(CampaignError, match="measure it with parallel"):
        advice_at(committed.summary(), 4, None)


def test_the_command_refuses_with_a_line_of_its_own(mtpbench: Command) -> None:
    done = mtpbench("recommend", "raw/qwen3.6-35b-a3b-dspark", "--parallel", "4")
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert "parallel = [1, 4]" in done.stderr
    assert mtpbench("recommend", "raw/live-demo", "--parallel", "0").returncode == 2
    assert mtpbench("recommend", "raw/live-demo", "--context", "many").returncode == 2
