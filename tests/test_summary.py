from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import pytest

from analysis.summary import Summary, _best_known, summarise
from tests import committed

Make = Callable[..., object]


@pytest.fixture(scope="module")
def dspark() -> Summary:
    return committed.summary()


@pytest.fixture(scope="module")
def dflash() -> Summary:
    return committed.summary("qwen3.6-35b-a3b-dflash")


@pytest.mark.parametrize(
    ("run", "effective", "speedup", "forwards", "break_even"),
    [
        ("dspark-n2", 108.548, 0.9586, 891, 0.586),
        ("dspark-n3", 109.191, 0.9642, 776, 0.495),
        ("dspark-n5", 102.501, 0.9052, 666, 0.396),
        ("dflash-n7", 133.878, 1.1822, 472, 0.317),
    ],
)
def test_the_published_dspark_figures(
    dspark: Summary, run: str, effective: float, speedup: float, forwards: int, break_even: float
) -> None:
    row = dspark.runs.set_index("id").loc[run]
    assert round(row["effective_tps"], 3) == effective
    assert round(row["speedup"], 4) == speedup
    assert row["forwards"] == forwards
    assert round(row["break_even_acceptance"], 3) == break_even


def test_the_published_baseline(dspark: Summary) -> None:
    row = dspark.runs.set_index("id").loc["baseline"]
    assert round(row["effective_tps"], 3) == 113.241
    assert row["speedup"] == 1
    assert row["ms_per_forward"] == pytest.approx(7.78, abs=0.005)


def test_the_published_pairs(dspark: Summary) -> None:
    runs = dspark.runs.set_index("id")
    two, three, five, seven = (
        runs.loc[name] for name in ("dspark-n2", "dspark-n3", "dspark-n5", "dflash-n7")
    )
    assert round(100 * (three["effective_tps"] / two["effective_tps"] - 1), 2) == 0.59
    assert three["draft_tokens"] - two["draft_tokens"] == 535
    assert three["accepted_tokens"] - two["accepted_tokens"] == 112
    assert (five["wall_s"], seven["wall_s"]) == (18.39, 14.08)
    assert round(five["wall_s"] / seven["wall_s"], 3) == 1.306
    assert round(seven["geomean_task_speedup"], 3) == 1.211


@pytest.mark.parametrize(
    ("run", "step"),
    [("dspark-n2", 16.8), ("dspark-n3", 19.2), ("dspark-n5", 23.0), ("dflash-n7", 24.7)],
)
def test_the_published_step_times(dspark: Summary, run: str, step: float) -> None:
    assert round(dspark.runs.set_index("id").loc[run, "ms_per_forward"], 1) == step


def test_the_published_dflash_figures(dflash: Summary) -> None:
    assert [round(value, 3) for value in dflash.runs["effective_tps"]] == [
        118.614,
        130.327,
        131.168,
        133.210,
    ]
    assert list(dflash.runs["forwards"]) == [714, 588, 538, 492]
    assert dflash.runs["speedup"].isna().all()


def test_readers_are_shown_the_pairs_that_they_would_ask_about(
    dspark: Summary, dflash: Summary
) -> None:
    assert [(pair.first, pair.second) for pair in dspark.pairs] == [
        ("dspark-n2", "dspark-n3"),
        ("dspark-n5", "dflash-n7"),
    ]
    assert [(pair.first, pair.second) for pair in dflash.pairs] == [("dflash-n4", "dflash-n5")]
    assert all(len(pair.tasks) == 13 for pair in dspark.pairs)


def test_workloads_of_the_published_campaign(dspark: Summary) -> None:
    rows = dspark.workloads.set_index(["run", "workload"])
    code = rows.loc[("dflash-n7", "code")]
    assert code["predicted_tokens"] == 192 + 54 + 192 + 192 + 192
    seconds = 191 / 206.1 + 53 / 229.5 + 191 / 237.4 + 191 / 300.9 + 191 / 275.9
    assert code["decode_tps"] == pytest.approx(817 / seconds)
    plain = 191 / 128.8 + 53 / 129.6 + 191 / 129.5 + 191 / 129.3 + 191 / 125.3
    assert code["speedup"] == pytest.approx(plain / seconds)
    assert rows.loc[("dspark-n5", "creative"), "speedup"] < 1


def test_workload_classes_come_in_one_order(task: Make, run: Make, campaign: Make) -> None:
    names = ("my_task", "explain_concept", "translation", "qa_factual", "code_cpp")
    summary = summarise(campaign(run("x", *map(task, names))))
    assert list(summary.workloads["workload"]) == [
        "code",
        "reasoning",
        "creative",
        "explanation",
        "other",
    ]


def test_the_author_may_choose_the_pairs(task: Make, run: Make, campaign: Make) -> None:
    runs = [run(id, task("a"), task("b")) for id in ("x", "y", "z")]
    (pair,) = summarise(campaign(*runs, card={"pairs": [["z", "x"]]})).pairs
    assert (pair.first, pair.second) == ("z", "x")
    assert list(pair.tasks["ratio"]) == [1.0, 1.0]


def test_a_synthetic_run_is_not_paired(task: Make, run: Make, campaign: Make) -> None:
    drafted = task("a", 100, 60, 30, 120.0)
    runs = [
        run("n2", drafted, n_max=2, spec_type="draft-mtp"),
        run("coin", drafted, n_max=4, spec_type="draft-mtp", synthetic=True),
    ]
    assert summarise(campaign(*runs)).pairs == ()


def test_a_run_that_does_not_say_what_it_drafted_is_not_paired(
    task: Make, run: Make, campaign: Make
) -> None:
    silent, drafted = task("a", 100, None, None, 120.0), task("a", 100, 60, 30, 120.0)
    runs = [
        run(f"n{depth}", one, n_max=depth, spec_type="draft-mtp")
        for depth, one in ((2, drafted), (4, silent))
    ]
    assert summarise(campaign(*runs)).pairs == ()


def test_an_empty_campaign_has_empty_frames(campaign: Make) -> None:
    summary = summarise(campaign())
    frames = (summary.runs, summary.tasks, summary.workloads, summary.recommendations)
    assert all(isinstance(frame, pd.DataFrame) and frame.empty for frame in frames)
    assert summary.pairs == ()


def test_what_was_measured_is_not_stated_again_as_inferred() -> None:
    columns = ["method", "workload", "task", "position", "survival", "source"]
    rows = [["m", None, None, 1, 0.8, "measured"], ["m", None, "a", 1, 0.7, "measured"]]
    model = [["m", None, None, 1, 0.81, "inferred"], ["m", None, None, 2, 0.5, "inferred"]]
    both = _best_known(pd.DataFrame(rows, columns=columns), pd.DataFrame(model, columns=columns))
    assert both["source"].tolist() == ["measured", "measured", "inferred"]
    assert both["position"].tolist() == [1, 1, 2]
