import numpy as np
import pytest

from analysis.charts.heatmap import heatmap
from analysis.charts.style import THEMES


def cells(figure, names, runs):
    """Numbers of a heat map by task and run."""
    return {
        (names[int(text.get_position()[1])], runs[int(text.get_position()[0])]): text.get_text()
        for text in figure.axes[0].texts
    }


def test_cells_hold_the_speedups_in_field_order(frames):
    figure = heatmap(frames).figure()
    axes = figure.axes[0]
    names = [text.get_text() for text in axes.get_yticklabels()]
    assert names == list(frames.tasks["task"].unique())
    found = cells(figure, names, list(frames.runs["id"]))
    for row in frames.tasks.itertuples():
        plain = row.run == "plain"
        said = f"{row.decode_tps:.0f}" if plain else f"{row.speedup:.2f}"
        assert found[row.task, row.run] == said


def test_the_colours_are_centred_at_one(frames):
    mesh = heatmap(frames).figure().axes[0].collections[0]
    low, high = mesh.get_clim()
    assert low == -high
    values = np.asarray(mesh.get_array()).reshape(3, 4)
    speedup = frames.tasks.set_index(["task", "run"])["speedup"]
    assert values[1, 3] == pytest.approx(np.log2(speedup["translation", "flash-7"]))
    assert values[:, 0].tolist() == [0, 0, 0]


def test_without_a_baseline_cells_hold_tokens_per_second(build):
    frames = build(baseline=None)
    chart = heatmap(frames)
    figure = chart.figure()
    found = cells(figure, list(frames.tasks["task"].unique()), list(frames.runs["id"]))
    for row in frames.tasks.itertuples():
        assert found[row.task, row.run] == f"{row.decode_tps:.0f}"
    assert "tok/s" in chart.caption


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
@pytest.mark.parametrize("baseline", ["plain", None])
def test_numbers_can_be_read_on_their_cells(build, theme, baseline):
    axes = heatmap(build(baseline=baseline)).figure(theme).axes[0]
    grounds = axes.collections[0].get_facecolor()
    for text, ground in zip(axes.texts, grounds, strict=True):
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in ground[:3]]
        luminance = np.dot(linear, (0.2126, 0.7152, 0.0722))
        white = text.get_color() == "#ffffff"
        assert (1.05 / (luminance + 0.05) if white else (luminance + 0.05) / 0.05) >= 4.5


def test_a_missing_result_is_a_dash(frames):
    failed = (frames.tasks["run"] == "spark-2") & (frames.tasks["task"] == "translation")
    frames.tasks.loc[failed, "error"] = "timed out"
    found = cells(
        heatmap(frames).figure(), list(frames.tasks["task"].unique()), list(frames.runs["id"])
    )
    assert found["translation", "spark-2"] == "–"
    assert len(found) == 12


def test_many_configurations_get_a_scale_instead_of_numbers(build, many):
    figure = heatmap(build(many, baseline="run-0")).figure()
    assert not figure.axes[0].texts
    assert len(figure.axes) == 2
    assert len(figure.axes[0].get_xticklabels()) == 29


def test_equal_speeds_everywhere_are_drawn(build, settings):
    same = [settings[0], ("twin", "draft-mtp", 2, 1.0, 0.5)]
    assert heatmap(build(same)).png()


def test_nothing_measured_is_no_chart(frames):
    frames.tasks["error"] = "refused"
    assert heatmap(frames) is None


def test_the_alt_text_names_the_winner(frames):
    assert "flash-7 is fastest on 3 of 3 tasks" in heatmap(frames).alt
