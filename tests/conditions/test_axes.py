from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from analysis.campaigns.campaign import PROJECT_ROOT
from analysis.conditions.axes import Axes
from analysis.conditions.predicted import explains
from analysis.depths.measured import MeasuredRuns
from analysis.records import Run
from analysis.results import results
from analysis.statistics.speedups import Speedups
from analysis.summary import Summary, summarise
from tests import committed
from tests.conditions.world import Machine, measured

Make = Callable[..., object]


@pytest.fixture(scope="module")
def grid() -> list[Run]:
    return measured(
        Machine(token_ms=0.9), np.random.default_rng(3), slots=(1, 2, 4), contexts=(0, 4096)
    )


@pytest.fixture(scope="module")
def summary(campaign: Make, grid: list[Run]) -> Summary:
    return summarise(campaign(*grid, baseline="plain-x1-c0"))


def test_each_point_has_the_speedup_against_its_own_baseline(
    grid: list[Run], summary: Summary
) -> None:
    alone = [run for run in grid if run.id.endswith("-x4-c4096")]
    own = MeasuredRuns(tuple(alone), baseline="plain-x4-c4096")
    levels = MeasuredRuns(tuple(grid), baseline="plain-x1-c0").noise
    expected = Speedups("plain-x4-c4096")(own.totals, own.tasks, own.passes, levels)
    expected = expected.set_index("id").loc["n3-x4-c4096"]
    row = summary.axes.points.set_index("run").loc["n3-x4-c4096"]
    assert row["baseline"] == "plain-x4-c4096"
    for name in ("speedup", "speedup_low", "decode_speedup"):
        assert row[name] == pytest.approx(expected[name])
    plain, fast = (run for run in alone)
    tokens = [sum(task.predicted_tokens for task in run.tasks) for run in (plain, fast)]
    # Four clients that are never idle.
    busy = [sum(task.wall_s for task in run.tasks) / 4 for run in (plain, fast)]
    assert row["speedup"] == pytest.approx(tokens[1] / busy[1] / (tokens[0] / busy[0]))
    assert row["effective_tps"] == pytest.approx(tokens[1] / busy[1])


def test_the_rest_of_a_report_is_that_of_the_baseline_s_own_point(
    campaign: Make, grid: list[Run], summary: Summary
) -> None:
    home = summarise(
        campaign(*(run for run in grid if run.id.endswith("-x1-c0")), baseline="plain-x1-c0")
    )
    assert list(summary.runs["id"]) == ["plain-x1-c0", "n3-x1-c0"]
    for name in ("runs", "tasks", "recommendations", "depths", "noise"):
        assert getattr(summary, name).equals(getattr(home, name)), name


def test_results_have_every_run_with_its_own_speedup(grid: list[Run], summary: Summary) -> None:
    written = results(summary)
    assert [run["id"] for run in written["runs"]] == [run.id for run in grid]
    told = {run["id"]: run for run in written["runs"]}
    points = {row["run"]: row for row in written["points"]}
    assert told["n3-x4-c4096"]["speedup"] == points["n3-x4-c4096"]["speedup"]
    assert told["n3-x4-c4096"]["aggregate_tps"] == points["n3-x4-c4096"]["effective_tps"]
    assert {task["run"] for task in written["tasks"]} == set(told)


def test_nothing_is_compared_across_values(grid: list[Run], summary: Summary) -> None:
    for one in summary.axes.slices:
        assert one.rows[list(one.others)].nunique().max() == 1
        assert (one.plain[list(one.others)].nunique() <= 1).all()
        np.testing.assert_array_equal(one.plain[one.axis], one.rows[one.axis])
    # Three contexts' worth of slices: requests at two contexts, context at three numbers.
    assert (
        sorted(one.axis for one in summary.axes.slices)
        == ["concurrency"] * 2 + ["context_tokens"] * 3
    )
    lonely = [run for run in grid if run.id != "plain-x4-c0"]
    found = Axes.of(MeasuredRuns(tuple(lonely), baseline="plain-x1-c0"))
    assert "n3-x4-c0" not in set(found.points["run"])


def test_predictions_are_of_twice_the_most_requests(summary: Summary) -> None:
    found = summary.axes.predicted
    assert (found["concurrency"] == 8).all()
    assert sorted(found["context_tokens"]) == [0, 4096]
    assert (found["low"] < found["effective_tps"]).all()


def test_what_a_forward_s_cost_does_not_explain_is_not_foretold(summary: Summary) -> None:
    one = next(one for one in summary.axes.slices if one.axis == "concurrency")
    there = np.array([float(side["effective_tps"].iloc[-1]) for side in (one.rows, one.plain)])
    assert explains(one, there * [1.099, 0.901])
    assert not explains(one, there * [1.101, 1.0])
    assert not explains(one, there * [1.0, 0.899])
    # Two processors with a draft as large as its target: more at once was hardly faster.
    assert committed.summary("conditions-demo").axes.predicted.empty


@pytest.mark.parametrize("slug", ["qwen3.6-35b-a3b-dspark", "live-demo"])
def test_a_campaign_without_axes_is_what_it_was(slug: str) -> None:
    summary = committed.summary(slug)
    assert not summary.axes
    assert summary.every_run is summary.runs
    assert set(results(summary)) == {
        "schema_version", "campaign", "runs", "tasks", "findings", "positions", "depth",
        "recommendations",
    }  # fmt: skip


@pytest.mark.parametrize("slug", ["qwen3.6-35b-a3b-dspark", "qwen3.6-35b-a3b-dflash"])
def test_a_card_without_axes_says_nothing_of_them(slug: str) -> None:
    card = (PROJECT_ROOT / "reports" / slug / "README.md").read_text(encoding="utf-8")
    assert "stops paying" not in card


def test_a_run_that_was_measured_at_another_value_alone_stays_withheld(
    task: Make, run: Make, campaign: Make
) -> None:
    def at(id: str, depth: int = 0, **others: object) -> Run:
        row = task("a", 100, 100 * bool(depth), 50 * bool(depth), wall_s=2.0)
        kind = "draft-mtp" if depth else "none"
        return replace(run(id, row), spec_type=kind, n_max=depth or None, **others)

    runs = [at("plain", concurrency=1), at("n2", 2, concurrency=4)]
    told = summarise(campaign(*runs, baseline="plain")).runs.set_index("id")
    assert np.isnan(told.at["n2", "speedup"])
    assert told.at["n2", "unlike"] == "requests at once"
