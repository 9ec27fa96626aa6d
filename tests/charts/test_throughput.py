import numpy as np
import pytest
from matplotlib.colors import to_hex

from analysis.charts.style import LIGHT, THEMES
from analysis.charts.throughput import throughput


def test_dots_stand_at_the_frames_values_sorted(frames, dots):
    chart = throughput(frames)
    axes = chart.figure().axes[0]
    found = {run: item.get_offsets()[0] for run, item in dots(axes).items()}
    expected = frames.runs.set_index("id")["effective_tps"]
    assert {run: x for run, (x, _) in found.items()} == pytest.approx(expected.to_dict())
    rows = sorted(found, key=lambda run: found[run][1])
    assert rows == list(expected.sort_values(ascending=False).index)
    names = [text.get_text() for text in axes.get_yticklabels()]
    assert names == [frames.labels[run] for run in rows]
    assert "effective" in axes.get_xlabel()


def test_the_baseline_is_a_dashed_line(frames):
    (line,) = throughput(frames).figure().axes[0].lines
    assert line.get_xdata()[0] == frames.plain["effective_tps"]
    assert line.is_dashed()


def test_no_baseline_no_line_and_no_speedup(build):
    chart = throughput(build(baseline=None))
    axes = chart.figure().axes[0]
    assert not axes.lines
    assert not any("×" in text.get_text() for text in axes.texts)
    assert "without speculation" not in chart.alt


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_one_sample_is_a_hollow_marker_without_a_bar(frames, build, dots, theme):
    figure = throughput(frames).figure(theme)
    item = dots(figure.axes[0])["spark-3"]
    assert to_hex(item.get_facecolor()[0]) == theme.ground
    assert to_hex(item.get_edgecolor()[0]) == frames.marks["spark-3"].colour(theme)
    assert not figure.axes[0].containers
    filled = dots(throughput(build(repeats=2)).figure(theme).axes[0])["spark-3"]
    assert to_hex(filled.get_facecolor()[0]) == frames.marks["spark-3"].colour(theme)


def test_without_wall_times_the_axis_says_decode(build, dots):
    frames = build(wall=False)
    chart = throughput(frames)
    axes = chart.figure().axes[0]
    assert "decode" in axes.get_xlabel()
    assert chart.alt.startswith("Decode throughput")
    assert "no wall time" in chart.caption
    found = {run: item.get_offsets()[0][0] for run, item in dots(axes).items()}
    assert found == pytest.approx(frames.runs.set_index("id")["decode_tps"].to_dict())


def test_a_run_without_a_figure_is_named_and_not_drawn(frames, dots):
    frames.runs.loc[frames.runs["id"] == "spark-2", "effective_tps"] = np.nan
    frames.runs.loc[frames.runs["id"] == "spark-2", "decode_tps"] = np.nan
    chart = throughput(frames)
    assert "spark-2" not in dots(chart.figure().axes[0])
    assert "Not drawn, no time recorded: spark-2." in chart.caption


def test_intervals_are_drawn_where_they_are_known(frames):
    frames.runs["effective_tps_low"] = frames.runs["effective_tps"] - 3
    frames.runs["effective_tps_high"] = frames.runs["effective_tps"] + 5
    frames.runs.loc[0, ["effective_tps_low", "effective_tps_high"]] = np.nan
    chart = throughput(frames)
    bars = chart.figure().axes[0].containers
    assert len(bars) == len(frames.runs) - 1
    for bar in bars:
        low, high = bar.lines[2][0].get_segments()[0][:, 0]
        assert high - low == pytest.approx(8)
    assert "90 % interval" in chart.caption


def test_intervals_of_speedups_are_drawn_at_the_throughput(build):
    frames = build(repeats=2)
    frames.runs["speedup_low"] = frames.runs["speedup"] * 0.9
    frames.runs["speedup_high"] = frames.runs["speedup"] * 1.2
    frames.runs.loc[frames.runs["id"] == "plain", ["speedup_low", "speedup_high"]] = np.nan
    chart = throughput(frames)
    bars = chart.figure().axes[0].containers
    assert len(bars) == len(frames.runs) - 1
    drawn = {tuple(bar.lines[2][0].get_segments()[0][:, 0].round(6)) for bar in bars}
    rates = frames.runs.loc[frames.runs["id"] != "plain", "effective_tps"]
    assert drawn == {(round(rate * 0.9, 6), round(rate * 1.2, 6)) for rate in rates}
    assert chart.caption.endswith("Bars: 90 % intervals of the speedup.")
    assert frames.certainty() == ""


def test_hollow_is_said_only_where_a_run_is_single(build):
    frames = build(repeats=2)
    assert frames.certainty() == ""
    frames.runs.loc[0, "repeats"] = 1
    assert frames.certainty() == "Hollow marks: one run."
    assert frames.certainty(intervals=True).endswith("hollow marks: one run.")


def test_the_alt_text_states_the_finding(frames, build, settings):
    values = frames.runs.set_index("id")["effective_tps"]
    said = throughput(frames).alt
    assert f"flash-7 is fastest at {values['flash-7']:.1f} tok/s, 1.60 times" in said
    assert f"spark-2 is slowest at {values['spark-2']:.1f} tok/s" in said
    slow = throughput(build(settings[:2])).alt
    assert "plain is fastest" in slow
    assert "no configuration that speculates is faster" in slow


def test_nothing_to_draw_is_no_chart(frames):
    frames.runs["effective_tps"] = np.nan
    frames.runs["decode_tps"] = np.nan
    assert throughput(frames) is None


def test_the_figure_is_opaque(frames):
    assert to_hex(throughput(frames).figure(LIGHT).get_facecolor()) == LIGHT.ground


def test_a_synthetic_run_has_no_speedup_and_is_never_the_fastest(build):
    frames = build(synthetic=("spark-3",))
    frames.runs.loc[frames.runs["id"] == "spark-3", "effective_tps"] = 1e4
    chart = throughput(frames)
    label = frames.labels["spark-3"]
    assert f"{label} is fastest" not in chart.alt
    (row,) = [row for row in chart.values.rows if row[0] == label]
    assert row[-1] == "–"
    assert all(row[-1].endswith("×") for row in chart.values.rows if row[0] != label)
    shown = [text.get_text() for text in chart.figure().axes[0].texts]
    assert shown.count("–") == 1
    assert shown.count("10,000") == 1
