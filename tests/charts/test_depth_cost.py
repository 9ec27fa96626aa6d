import numpy as np
import pandas as pd
import pytest

from analysis.charts.depth_cost import depth_cost

COLUMNS = ("ms_per_forward", "mean_accepted_length")


@pytest.mark.parametrize(("panel", "column"), list(enumerate(COLUMNS)))
def test_dots_stand_at_depth_and_value(frames, dots, panel, column):
    found = dots(depth_cost(frames).figure().axes[panel])
    rows = frames.runs.set_index("id")
    found = {run: item for run, item in found.items() if not run.startswith("band of ")}
    assert set(found) == {"spark-2", "spark-3", "flash-7"}
    for run, item in found.items():
        assert item.get_offsets()[0].tolist() == pytest.approx(
            [rows.at[run, "n_max"], rows.at[run, column]]
        )


@pytest.mark.parametrize(("panel", "column"), list(enumerate(COLUMNS)))
def test_a_line_joins_one_method(frames, panel, column):
    lines = {line.get_gid(): line for line in depth_cost(frames).figure().axes[panel].lines}
    assert lines["draft-dspark"].get_xdata().tolist() == [2, 3]
    rows = frames.runs.set_index("id")[column]
    assert list(lines["draft-dspark"].get_ydata()) == [rows["spark-2"], rows["spark-3"]]
    assert "draft-dflash" not in lines


@pytest.mark.parametrize(("panel", "column"), list(enumerate(COLUMNS)))
def test_the_plain_step_is_a_reference(frames, build, panel, column):
    level = frames.plain[column]
    lines = depth_cost(frames).figure().axes[panel].lines
    assert [line for line in lines if list(line.get_ydata()) == [level, level]]
    lone = depth_cost(build(baseline=None)).figure().axes[panel].lines
    assert not [line for line in lone if line.get_gid() is None]


def test_two_panels_and_no_second_scale(frames):
    figure = depth_cost(frames).figure()
    left, right = figure.axes
    assert left.get_position().x1 < right.get_position().x0
    assert left.get_xlim() == right.get_xlim()


def test_truncated_runs_are_another_line(build, settings):
    frames = build([*settings, ("cut-2", "draft-dspark", 2, 1.1, 0.6)])
    frames.runs.loc[frames.runs["id"] == "cut-2", "p_min"] = 0.4
    chart = depth_cost(frames)
    assert "draft-dspark, p_min 0.4" in chart.alt
    lines = {line.get_gid() for line in chart.figure().axes[0].lines}
    assert "draft-dspark" in lines


def test_runs_at_the_same_depth_are_not_joined(build, settings):
    frames = build([*settings, ("again", "draft-dspark", 3, 1.1, 0.6)])
    assert "draft-dspark" not in {
        line.get_gid() for line in depth_cost(frames).figure().axes[0].lines
    }


def test_three_methods_are_named_in_the_key(build, settings):
    more = [
        *settings,
        ("flash-3", "draft-dflash", 3, 1.2, 0.5),
        ("mtp-1", "draft-mtp", 1, 1.1, 0.8),
        ("mtp-2", "draft-mtp", 2, 1.1, 0.7),
    ]
    (key,) = depth_cost(build(more)).figure().legends
    names = [text.get_text() for text in key.get_texts()]
    assert names[-3:] == ["draft-mtp", "draft-dspark", "draft-dflash"]


def test_an_unknown_depth_is_left_out(frames, dots):
    frames.runs.loc[frames.runs["id"] == "flash-7", "n_max"] = pd.NA
    assert "flash-7" not in dots(depth_cost(frames).figure().axes[0])


def test_an_unknown_method_is_said_so(frames):
    frames.runs.loc[frames.runs["id"] == "flash-7", "spec_type"] = None
    assert "method not stated: " in depth_cost(frames).alt


def test_no_forwards_is_no_chart(frames):
    frames.runs["ms_per_forward"] = np.nan
    assert depth_cost(frames) is None


def test_the_alt_text_gives_cost_and_gain(frames):
    row = frames.runs.set_index("id").loc["flash-7"]
    said = depth_cost(frames).alt
    assert (
        f"{row['ms_per_forward']:.1f} ms for {row['mean_accepted_length']:.2f} tokens at depth 7"
        in said
    )
    assert f"plain step: {frames.plain['ms_per_forward']:.1f} ms" in said


def test_the_fitted_curve_and_its_band(dspark):
    axes = depth_cost(dspark).figure().axes[0]
    fitted = {line.get_gid(): line for line in axes.lines}["model of draft-dspark"]
    rows = dspark.depths[
        (dspark.depths["method"] == "draft-dspark") & dspark.depths["workload"].isna()
    ]
    assert list(fitted.get_xdata()) == list(range(1, 9))
    assert list(fitted.get_ydata()) == list(rows["ms_per_forward"])
    band = next(item for item in axes.collections if item.get_gid() == "band of draft-dspark")
    extents = band.get_paths()[0].get_extents()
    assert extents.y0 == pytest.approx(rows["ms_low"].min())
    assert extents.y1 == pytest.approx(rows["ms_high"].max())
    assert "model of draft-dflash" not in {line.get_gid() for line in axes.lines}


def test_the_name_of_the_plain_step_is_not_behind_a_mark(frames):
    level = float(frames.plain["ms_per_forward"])

    def side(cost):
        frames.runs.loc[frames.runs["id"] == "flash-7", "ms_per_forward"] = cost
        (text,) = [
            text
            for text in depth_cost(frames).figure().axes[0].texts
            if text.get_text().startswith("plain step")
        ]
        return text.get_ha()

    assert side(3 * level) == "right"
    assert side(1.01 * level) == "left"
