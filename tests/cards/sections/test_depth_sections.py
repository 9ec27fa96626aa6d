"""The sections on positions and depth, against the frames and on poor data."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from analysis.cards import render_sections
from analysis.pipeline import summary_of as summary_of_folder
from analysis.summary import Summary
from tests.cards.conftest import make_run, uniform


@pytest.fixture(scope="module")
def dspark() -> Summary:
    return summary_of_folder("raw/qwen3.6-35b-a3b-dspark")


def test_the_third_position_is_about_break_even_by_itself(dspark: Summary) -> None:
    text = render_sections(dspark)["depth"]
    row = dspark.depths[
        (dspark.depths["method"] == "draft-dspark")
        & dspark.depths["workload"].isna()
        & (dspark.depths["n_max"] == 3)
    ].iloc[0]
    assert (
        "With DSpark, each further drafted token has to earn its time: position 2 pays, positions "
        "3 and 4 are about break-even, position 5 does not pay." in text
    )
    (line,) = [line for line in text.splitlines() if line.startswith("| 3 | fitted |")]
    assert f"| {row['position_gain']:.2f} | {row['position_break_even']:.2f} |" in line


def test_positions_say_how_they_are_known(dspark: Summary) -> None:
    text = render_sections(dspark)["positions"]
    pooled = dspark.positions[
        (dspark.positions["method"] == "draft-dspark")
        & dspark.positions["workload"].isna()
        & dspark.positions["task"].isna()
    ].set_index("position")["survival"]
    assert f"{pooled[1]:.1%}".replace("%", " %") + " of the forwards accept the first" in text
    assert "Inferred, not measured" in text
    assert "depths 2, 3 and 5" in text
    assert "With DFlash, only depth 7 was run" in text


def test_predicted_depths_are_called_predicted(dspark: Summary) -> None:
    text = render_sections(dspark)["depth"]
    rows = [line for line in text.splitlines() if line.startswith(("| 2 |", "| 8 |"))]
    assert [row.split("|")[2].strip() for row in rows] == ["fitted", "predicted"]


def test_one_depth_gives_no_curve(summary_of: Callable[..., Summary]) -> None:
    runs = [
        make_run("plain", uniform(100.0, 0, 0), spec_type="none", n_max=None),
        make_run("one", uniform(150.0, 300, 120), n_max=3),
    ]
    sections = render_sections(summary_of(runs, baseline="plain"))
    assert "only depth 3 was run" in sections["positions"]
    assert "only one depth was run" in sections["depth"]
    assert "predicted" not in sections["depth"].replace("predict them", "")


def test_where_speculation_loses_everywhere_no_depth_is_praised(
    summary_of: Callable[..., Summary],
) -> None:
    runs = [make_run("plain", uniform(200.0, 0, 0), spec_type="none", n_max=None)]
    runs += [
        make_run(f"d{depth}", uniform(60.0, depth * 170, 20), n_max=depth) for depth in (2, 3, 4)
    ]
    text = render_sections(summary_of(runs, baseline="plain"))["depth"]
    assert "With DSpark, no speculation is the one to use over all prompts" in text
    assert " pays" not in text.partition("has to earn its time")[2].partition("\n")[0]


def test_no_sections_without_drafts(summary_of: Callable[..., Summary]) -> None:
    plain = make_run("plain", uniform(100.0, 0, 0), spec_type="none", n_max=None)
    sections = render_sections(summary_of([plain], baseline="plain"))
    assert "positions" not in sections
    assert "depth" not in sections


def test_the_ceiling_is_called_foresight_and_the_threshold_assumed(dspark: Summary) -> None:
    text = render_sections(dspark)["policy"]
    rows = dspark.ladder[
        (dspark.ladder["method"] == "draft-dspark") & dspark.ladder["workload"].isna()
    ].set_index("step")
    assert f"The ceiling is {rows.at['ceiling', 'decode_tps']:.1f} tok/s" in text
    assert "which takes foresight" in text
    assert f"could reach {rows.at['threshold', 'decode_tps']:.1f} tok/s" in text
    assert "That is assumed, not measured" in text
    assert "generate 179.0 tok/s" in text


def test_a_run_that_the_model_does_not_give_back_is_said(dspark: Summary) -> None:
    assert "does not fit" not in render_sections(dspark)["depth"]
    runs = dspark.runs.copy()
    runs.loc[runs["id"] == "dspark-n3", "decode_tps"] = 150.0
    text = render_sections(replace(dspark, runs=runs))["depth"]
    assert "The model does not fit **DSpark, n_max 3**: its run gave 150.0 tok/s decode" in text
    assert text.count("does not fit") == 1
