import numpy as np
import pytest
from matplotlib.colors import to_hex

from analysis.charts.style import LIGHT
from analysis.charts.task_speedup import task_speedup


def test_dots_stand_at_the_frames_speedups(frames, dots):
    axes = task_speedup(frames).figure().axes[0]
    rows = [text.get_text() for text in axes.get_yticklabels()]
    found = {
        (run, rows[round(y)]): x for run, item in dots(axes).items() for x, y in item.get_offsets()
    }
    own = frames.tasks[frames.tasks["run"] != "plain"]
    assert found == pytest.approx(own.set_index(["run", "task"])["speedup"].to_dict())


def test_the_axis_is_logarithmic_with_a_line_at_one(frames):
    axes = task_speedup(frames).figure().axes[0]
    assert axes.get_xscale() == "log"
    assert [line.get_xdata()[0] for line in axes.lines] == [1.0]
    low, high = axes.get_xlim()
    assert low < 1 < high
    assert "1×" in [text.get_text() for text in axes.get_xticklabels()]


def test_tasks_are_sorted_by_what_they_gain(frames):
    axes = task_speedup(frames).figure().axes[0]
    own = frames.tasks[frames.tasks["run"] != "plain"]
    middle = own.groupby("task")["speedup"].median().sort_values(ascending=False)
    assert [text.get_text() for text in axes.get_yticklabels()] == list(middle.index)


def test_repeats_are_pooled_into_one_dot(build, dots):
    frames = build(repeats=3)
    axes = task_speedup(frames).figure().axes[0]
    rows = [text.get_text() for text in axes.get_yticklabels()]
    found = {rows[round(y)]: x for x, y in dots(axes)["spark-3"].get_offsets()}
    for task, value in found.items():
        speeds = {}
        for run in ("spark-3", "plain"):
            own = frames.tasks[(frames.tasks["run"] == run) & (frames.tasks["task"] == task)]
            speeds[run] = own["predicted_tokens"].sum() / own["decode_s"].sum()
        assert value == pytest.approx(speeds["spark-3"] / speeds["plain"])


def test_the_key_shows_the_marks_that_are_drawn(frames, dots):
    figure = task_speedup(frames).figure()
    (key,) = figure.legends
    drawn = dots(figure.axes[0])
    for handle, text in zip(key.legend_handles, key.get_texts(), strict=True):
        run = text.get_text()
        assert to_hex(drawn[run].get_edgecolor()[0]) == handle.get_markeredgecolor()
        assert handle.get_marker() == frames.marks[run].shape
    assert {text.get_text() for text in key.get_texts()} == set(drawn)
    assert "plain" not in drawn


@pytest.mark.parametrize("baseline", [None, "not-there"])
def test_no_baseline_is_no_chart(build, baseline):
    assert task_speedup(build(baseline=baseline)) is None


def test_only_a_baseline_is_no_chart(build, settings):
    assert task_speedup(build(settings[:1])) is None


def test_impossible_speedups_are_left_out(frames, dots):
    own = frames.tasks.index[frames.tasks["run"] == "flash-7"]
    frames.tasks.loc[own, "speedup"] = [0.0, np.inf, 1.5]
    axes = task_speedup(frames).figure().axes[0]
    assert dots(axes)["flash-7"].get_offsets()[:, 0].tolist() == [1.5]


def test_the_alt_text_counts_what_gains(frames):
    own = frames.tasks[frames.tasks["run"] != "plain"]
    ahead = (own["speedup"] > 1).sum()
    said = task_speedup(frames).alt
    assert f"{ahead} of 9 pairs" in said
    assert f"Highest {own['speedup'].max():.2f}×" in said


@pytest.mark.parametrize("factor", [1.0, 1.0001, 3.0, 40.0, 1e5, 1e-9])
def test_any_range_has_readable_ticks(build, settings, factor):
    wide = [settings[0], ("fast", "draft-mtp", 2, factor, 0.5)]
    axes = task_speedup(build(wide)).figure(LIGHT).axes[0]
    ticks = [tick for tick in axes.get_xticks() if np.prod(axes.get_xlim() - tick) <= 0]
    assert 1 <= len(ticks) <= 12
    assert 1.0 in ticks
