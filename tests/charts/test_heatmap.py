from dataclasses import replace

import numpy as np
import pytest

from analysis.charts.heatmap import heatmap
from analysis.charts.style import LIGHT, THEMES


def cells(figure, runs):
    """Texts of a heat map by task and run."""
    axes = figure.axes[0]
    names = [text.get_text() for text in axes.get_yticklabels()]
    return {
        (names[int(text.get_position()[1])], runs[int(text.get_position()[0])]): text
        for text in axes.texts
    }


def test_cells_hold_the_statistics_speedups(frames):
    runs = [run for run in frames.runs["id"] if run != "plain"]
    found = cells(heatmap(frames).figure(), runs)
    rows = frames.by_task[frames.by_task["run"] != "plain"]
    assert len(found) == len(rows) == 9
    for row in rows.itertuples():
        open_ = row.speedup_low <= 1 <= row.speedup_high
        assert found[row.task, row.run].get_text() == f"{'~' * open_}{row.speedup:.2f}"


def test_repeats_have_one_cell_with_the_figure_of_the_tables(build):
    frames = build(repeats=3)
    found = cells(heatmap(frames).figure(), ["spark-2", "spark-3", "flash-7"])
    rows = frames.by_task.set_index(["task", "run"])
    for place, text in found.items():
        assert text.get_text().removeprefix("~") == f"{rows.at[place, 'speedup']:.2f}"


def test_tasks_are_sorted_by_what_they_gain_and_the_best_of_each_is_bold(frames):
    figure = heatmap(frames).figure()
    own = frames.by_task[frames.by_task["run"] != "plain"]
    middle = own.groupby("task")["speedup"].median().sort_values(ascending=False)
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == list(middle.index)
    found = cells(figure, ["spark-2", "spark-3", "flash-7"])
    bold = {place for place, text in found.items() if text.get_fontweight() == "bold"}
    best = own.loc[own.groupby("task")["speedup"].idxmax()]
    assert bold == set(zip(best["task"], best["run"], strict=True))


def test_the_colours_are_centred_at_one_and_the_scale_says_what_they_are(frames):
    figure = heatmap(frames).figure()
    mesh = figure.axes[0].collections[0]
    low, high = mesh.get_clim()
    assert low == -high
    bar = figure.axes[1]
    assert bar.get_xlabel() == "decode speedup over no speculation"
    values = np.asarray(mesh.get_array())
    assert bar.get_xlim() == pytest.approx((min(values.min(), 0), values.max()))
    assert "1.00×" in [text.get_text() for text in bar.get_xticklabels()]


def test_without_a_baseline_cells_hold_tokens_per_second(build):
    frames = build(baseline=None)
    chart = heatmap(frames)
    figure = chart.figure()
    found = cells(figure, list(frames.runs["id"]))
    for row in frames.by_task.itertuples():
        assert found[row.task, row.run].get_text() == f"{row.decode_tps:.0f}"
    assert "tok/s" in chart.caption
    assert figure.axes[1].get_xlabel() == "decode throughput, tok/s"


def test_an_interval_around_one_is_marked_and_explained(frames):
    rows = frames.by_task.assign(speedup_low=0.5, speedup_high=9.0)
    chart = heatmap(replace(frames, by_task=rows))
    assert all(text.get_text().startswith("~") for text in chart.figure().axes[0].texts)
    assert "~: its 90 % interval" in chart.caption
    sure = heatmap(replace(frames, by_task=rows.assign(speedup_low=2.0)))
    assert "~" not in sure.caption


def test_every_cell_says_what_it_is_and_of_which_kind(frames):
    _, spots = heatmap(frames).drawn([LIGHT])
    assert len(spots) == 9
    rows = frames.by_task.set_index(["task", "run"])
    assert all(spot.width > 0.1 for spot in spots)
    speedup = rows.at[("translation", "flash-7"), "speedup"]
    (one,) = [spot for spot in spots if spot.text == f"translation, flash-7: {speedup:.2f}×"]
    assert one.workload == "creative"


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
@pytest.mark.parametrize("baseline", ["plain", None])
def test_numbers_can_be_read_on_their_cells(build, theme, baseline):
    axes = heatmap(build(baseline=baseline)).figure(theme).axes[0]
    axes.collections[0].update_scalarmappable()
    grounds = axes.collections[0].get_facecolor()
    for text, ground in zip(axes.texts, grounds, strict=True):
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in ground[:3]]
        luminance = np.dot(linear, (0.2126, 0.7152, 0.0722))
        white = text.get_color() == "#ffffff"
        assert (1.05 / (luminance + 0.05) if white else (luminance + 0.05) / 0.05) >= 4.5


def test_a_missing_result_is_a_dash(frames):
    gone = (frames.by_task["run"] == "spark-2") & (frames.by_task["task"] == "translation")
    found = cells(
        heatmap(replace(frames, by_task=frames.by_task[~gone])).figure(),
        ["spark-2", "spark-3", "flash-7"],
    )
    assert found["translation", "spark-2"].get_text() == "–"
    assert len(found) == 9


def test_many_configurations_get_colours_without_numbers(build, many):
    figure = heatmap(build(many, baseline="run-0")).figure()
    assert not figure.axes[0].texts
    assert len(figure.axes[0].get_xticklabels()) == 29


def test_a_run_without_speedups_has_no_column(build):
    frames = build(synthetic=("spark-3",))
    assert len(heatmap(frames).figure().axes[0].get_xticklabels()) == 2


def test_equal_speeds_everywhere_are_drawn(build, settings):
    same = [settings[0], ("twin", "draft-mtp", 2, 1.0, 0.5)]
    assert heatmap(build(same)).png()


def test_nothing_measured_is_no_chart(frames):
    assert heatmap(replace(frames, by_task=frames.by_task.iloc[:0])) is None


def test_the_alt_text_names_the_winner_and_counts_what_gains(frames):
    own = frames.by_task[frames.by_task["run"] != "plain"]
    said = heatmap(frames).alt
    assert "flash-7 is fastest on 3 of 3 tasks" in said
    assert f"{(own['speedup'] > 1).sum()} of 9 pairs" in said
    assert f"Highest {own['speedup'].max():.2f}×" in said
