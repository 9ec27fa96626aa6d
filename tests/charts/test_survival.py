from dataclasses import replace
from itertools import pairwise

import pandas as pd
import pytest

from analysis.charts.labels import percent
from analysis.charts.style import DARK, LIGHT
from analysis.charts.survival import survival
from analysis.charts.workload_marks import workload_marks


def lines_of(axes):
    return {line.get_gid(): line for line in axes.lines if line.get_gid()}


def containers(axes):
    return {item.lines[0].get_gid(): item for item in axes.containers}


def test_points_and_bars_are_the_frames_values(dspark):
    axes = survival(dspark).figure().axes
    assert len(axes) == 1  # the other method has one depth: a range, and no curve
    rows = dspark.positions
    code = rows[
        (rows["method"] == "draft-dspark") & (rows["workload"] == "code") & rows["task"].isna()
    ].sort_values("position")
    drawn = containers(axes[0])["code"]
    assert list(drawn.lines[0].get_xdata().round()) == [1, 2, 3, 4, 5]
    assert list(drawn.lines[0].get_ydata()) == list(code["survival"])
    segments = drawn.lines[2][0].get_segments()
    assert [tuple(segment[:, 1]) for segment in segments] == [
        pytest.approx(pair) for pair in zip(code["low"], code["high"], strict=True)
    ]


def test_inferred_is_hollow_and_dashed_measured_is_solid(dspark):
    inferred = containers(survival(dspark).figure().axes[0])["code"].lines[0]
    assert inferred.get_markerfacecolor() == LIGHT.ground
    assert inferred.get_linestyle() == "--"
    made = replace(dspark, positions=dspark.positions.assign(source="measured"))
    measured = containers(survival(made).figure().axes[0])["code"].lines[0]
    assert measured.get_linestyle() == "-"
    assert measured.get_markerfacecolor() == measured.get_markeredgecolor()
    assert "Inferred" in survival(dspark).caption
    assert "Measured" in survival(made).caption


def test_measured_takes_the_place_of_inferred(dspark):
    extra = dspark.positions[dspark.positions["survival"].notna()].assign(
        source="measured", survival=0.5, low=0.4, high=0.6
    )
    both = replace(dspark, positions=pd.concat([dspark.positions, extra], ignore_index=True))
    for item in containers(survival(both).figure().axes[0]).values():
        assert set(item.lines[0].get_ydata()) == {0.5}


def test_nothing_without_a_curve(dspark):
    assert survival(replace(dspark, positions=pd.DataFrame())) is None
    lone = dspark.positions[dspark.positions["method"] == "draft-dflash"]
    assert survival(replace(dspark, positions=lone)) is None


def test_the_finding_states_the_pooled_curve(dspark):
    rows = dspark.positions[dspark.positions["method"] == "draft-dspark"]
    pooled = rows[rows["task"].isna() & rows["workload"].isna()].sort_values("position")
    said = ", ".join(
        f"{percent(value)} at {place}"
        for place, value in zip(pooled["position"], pooled["survival"], strict=True)
    )
    assert len(pooled) == 5
    assert f"DSpark: {said}" in survival(dspark).alt


def boxes(figure, panels=None):
    figure.draw_without_rendering()
    return sorted(
        (text.get_window_extent() for axes in panels or figure.axes for text in axes.texts),
        key=lambda box: box.y0,
    )


def test_names_at_the_ends_do_not_touch(dspark):
    found = boxes(survival(dspark).figure())
    assert len(found) == 4
    assert all(low.y1 <= high.y0 + 1 for low, high in pairwise(found))


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_workloads_differ_in_shape_and_shade(theme):
    looks = workload_marks(["a", "b", "c", "d"]).values()
    assert len({look.shape for look in looks}) == 4
    assert len({look.colour(theme) for look in looks}) == 4


def test_two_renders_are_equal(dspark):
    assert survival(dspark).png() == survival(dspark).png()


def test_a_name_is_not_struck_through_by_the_axis(dspark):
    rows = dspark.positions.assign(survival=0.0, low=0.0, high=0.0)
    figure = survival(replace(dspark, positions=rows)).figure()
    for axes in figure.axes:
        found = boxes(figure, [axes])
        assert found[0].y0 >= axes.get_window_extent().y0 - 2
        assert all(low.y1 <= high.y0 + 1 for low, high in pairwise(found))


def test_names_stand_behind_the_longest_line(dspark):
    rows = dspark.positions[dspark.positions["survival"].notna()]
    rows = rows[(rows["workload"] != "code") | (rows["position"] < 3)]
    figure = survival(replace(dspark, positions=rows)).figure()
    found = boxes(figure)
    assert all(box.x0 > figure.axes[0].get_window_extent().x1 for box in found)
    assert all(box.x1 < figure.bbox.x1 for box in found)


def test_the_axis_ends_with_the_drafts_and_lines_stand_side_by_side(dspark):
    (axes,) = survival(dspark).figure().axes
    assert list(axes.get_xticks()) == [1, 2, 3, 4, 5]
    assert axes.get_xlim()[1] < 5.5
    firsts = [item.lines[0].get_xdata()[0] for item in axes.containers]
    assert len(set(firsts)) == 4
    assert all(abs(x - 1) < 0.1 for x in firsts)
