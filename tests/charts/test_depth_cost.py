from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from analysis.charts.depth_cost import depth_cost
from analysis.charts.style import LIGHT

COLUMNS = ("ms_per_forward", "mean_accepted_length")


@pytest.mark.parametrize(("panel", "column"), list(enumerate(COLUMNS)))
def test_dots_stand_at_depth_and_value(frames, dots, panel, column):
    found = dots(depth_cost(frames).figure().axes[panel])
    rows = frames.runs.set_index("id")
    found = {run: item for run, item in found.items() if run != "band"}
    assert set(found) == {"spark-2", "spark-3", "flash-7"}
    for run, item in found.items():
        assert item.get_offsets()[0].tolist() == pytest.approx(
            [rows.at[run, "n_max"], rows.at[run, column]]
        )


@pytest.mark.parametrize(("panel", "column"), list(enumerate(COLUMNS)))
def test_the_line_of_a_method_is_the_models_between_its_runs(dspark, panel, column):
    axes = depth_cost(dspark).figure().axes[panel]
    (line,) = [item for item in axes.lines if item.get_gid() == "model"]
    rows = dspark.depths[
        (dspark.depths["method"] == "draft-dspark")
        & dspark.depths["workload"].isna()
        & dspark.depths["n_max"].between(2, 5)
    ]
    assert list(line.get_xdata()) == [2, 3, 4, 5]
    assert list(line.get_ydata()) == list(rows[column])
    assert line.get_color() == dspark.marks["dspark-n2"].hue(LIGHT)
    bands = [item for item in axes.collections if item.get_gid() == "band"]
    assert len(bands) == (column == "ms_per_forward")
    for band in bands:
        extents = band.get_paths()[0].get_extents()
        assert extents.y0 == pytest.approx(rows["ms_low"].min())
        assert extents.y1 == pytest.approx(rows["ms_high"].max())


@pytest.mark.parametrize(("panel", "column"), list(enumerate(COLUMNS)))
def test_without_a_model_the_line_joins_the_runs(frames, panel, column):
    bare = replace(frames, depths=pd.DataFrame())
    lines = [it for it in depth_cost(bare).figure().axes[panel].lines if it.get_gid()]
    rows = bare.runs.set_index("id")[column]
    assert [list(line.get_xdata()) for line in lines] == [[2, 3]]
    assert list(lines[0].get_ydata()) == [rows["spark-2"], rows["spark-3"]]


@pytest.mark.parametrize(("panel", "column"), list(enumerate(COLUMNS)))
def test_the_plain_step_is_a_reference(frames, build, panel, column):
    level = frames.plain[column]
    axes = depth_cost(frames).figure().axes[panel]
    assert [line for line in axes.lines if list(line.get_ydata()) == [level, level]]
    assert [text.get_text() for text in axes.texts] == ["no speculation"]
    lone = depth_cost(build(baseline=None)).figure().axes[panel].lines
    assert not [line for line in lone if line.get_gid() is None]


def test_two_panels_on_one_scale_of_depths_that_ends_with_them(frames):
    figure = depth_cost(frames).figure()
    above, below = figure.axes
    assert below.get_position().y1 < above.get_position().y0
    assert above.get_xlim() == below.get_xlim()
    assert above.get_xlim()[1] < 7.5
    assert list(below.get_xticks()) == [2, 3, 7]


def test_truncated_runs_are_another_line(build, settings):
    frames = build([*settings, ("cut-2", "draft-dspark", 2, 1.1, 0.6)])
    frames.runs.loc[frames.runs["id"] == "cut-2", "p_min"] = 0.4
    assert "DSpark, p_min 0.4: " in depth_cost(frames).alt


def test_runs_at_the_same_depth_are_not_joined(build, settings):
    frames = build([*settings, ("again", "draft-dspark", 3, 1.1, 0.6)])
    bare = replace(frames, depths=pd.DataFrame())
    assert not [it for it in depth_cost(bare).figure().axes[0].lines if it.get_gid()]


def test_methods_are_named_at_the_ends_or_in_a_key_where_they_end_apart(build, settings):
    apart = depth_cost(build()).figure()
    (key,) = apart.legends
    assert [text.get_text() for text in key.get_texts()] == ["DSpark", "DFlash"]
    together = depth_cost(build([*settings[:3], ("flash-3", "draft-dflash", 3, 1.2, 0.5)])).figure()
    assert not together.legends
    names = {text.get_text() for text in together.axes[0].texts}
    assert names == {"DSpark", "DFlash", "no speculation"}


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
    assert f"no speculation: {frames.plain['ms_per_forward']:.1f} ms" in said
