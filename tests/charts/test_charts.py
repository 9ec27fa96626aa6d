"""What holds for every chart."""

import io
import subprocess
import sys
from dataclasses import replace

import pytest
from matplotlib.colors import to_hex
from PIL import Image

from analysis.charts import CHARTS, DARK, LIGHT, THEMES, draw_all, make_all
from analysis.charts.depth_throughput import depth_throughput
from analysis.charts.over_axis import context_length, over_temperature, requests_at_once
from analysis.charts.requests import requests
from analysis.charts.run_order import run_order
from analysis.charts.style import DPI, WIDTH
from analysis.charts.survival import survival
from analysis.charts.throughput import throughput
from tests.charts.conftest import make_frames, make_runs

OVER_AXES = (requests_at_once, context_length, over_temperature)
"""Need runs under several conditions, see test_over_axis.py."""
REPEATED = (requests, run_order)
"""Need repeats, and the times at which they began."""
DRAWN = tuple(make for make in CHARTS if make not in OVER_AXES)
NAMES = [make.__name__ for make in DRAWN if make not in REPEATED]
HOSTILE = [
    "No $x^2$ speculation",
    "new\nline | `tick` <script>alert(1)</script> $\\frac{1}{2}$",
    "مرحبا بالعالم שלום \u202eabc 🦙 中",
    "$$$ unbalanced \\undefined{ " + "W" * 500 + "\x1b[31m\x00" + "\u0301" * 99,
]


@pytest.fixture(scope="session")
def again():
    """The frames of `build()` made a second time, and of `build(repeats=3)`."""
    return {repeats: make_frames(make_runs(repeats=repeats)) for repeats in (1, 3)}


@pytest.mark.parametrize("place", range(len(DRAWN)))
def test_two_renders_are_equal_byte_for_byte(build, again, place):
    repeats = 3 if DRAWN[place] in REPEATED else 1
    frames = build(repeats=repeats)
    pictures = []
    for own in (frames, again[repeats]):
        if pictures:  # another chart was drawn between them
            throughput(build(repeats=2)).png(DARK)
        tasks = own.tasks.assign(started_s=own.tasks.index * 60.0)
        same = replace(own, replay=frames.replay, reliability=frames.reliability, tasks=tasks)
        pictures.append([DRAWN[place](same).png(theme) for theme in THEMES])
    assert pictures[0] == pictures[1]


def test_a_readers_settings_change_nothing(frames):
    import matplotlib as mpl

    plain = make_all(frames)[0].png()
    with mpl.rc_context({"font.size": 30, "savefig.dpi": 10, "lines.linewidth": 9}):
        assert make_all(frames)[0].png() == plain


def test_a_png_says_nothing_of_who_made_it(frames):
    picture = Image.open(io.BytesIO(make_all(frames)[0].png()))
    assert "Software" not in picture.info
    assert picture.width == round(WIDTH * DPI)


@pytest.mark.parametrize("place", range(len(DRAWN)))
@pytest.mark.parametrize("baseline", ["plain", None])
def test_strangers_labels_are_drawn(build, place, baseline):
    tasks = ["$task$_{", "a\nb\x07", "مرحبا \u202e" + "W" * 300]
    frames = build(tasks=tasks, labels=HOSTILE, baseline=baseline, synthetic=("spark-2",))
    chart = DRAWN[place](frames)
    if chart is None:
        # Hatched runs are no sweep, and without a baseline there is nothing to compare with.
        assert baseline is None or DRAWN[place] in (survival, depth_throughput, *REPEATED)
        return
    for theme in THEMES:
        assert chart.png(theme)
    for text in (chart.alt, chart.caption):
        assert text.isprintable() or "\xa0" in text
        assert "\n" not in text
        assert len(text) < 1500


def test_one_configuration_keeps_its_colour_on_every_chart(frames, dots):
    for theme in THEMES:
        colours = set()
        for chart in make_all(frames):
            axes = chart.figure(theme).axes[0]
            found = dots(axes)
            if "flash-7" in found:
                colours.add(to_hex(found["flash-7"].get_edgecolor()[0]))
            colours |= {
                to_hex(patch.get_facecolor())
                for patch in axes.patches
                if patch.get_gid() == "flash-7:accepted"
            }
        assert colours == {frames.marks["flash-7"].colour(theme)}


def test_no_text_is_on_top_of_another(frames):
    for chart in make_all(frames):
        figure = chart.figure()
        figure.canvas.draw()
        figure.draw_without_rendering()
        axes = figure.axes[0]
        key = figure.legends[0].get_window_extent() if figure.legends else None
        title = figure._suptitle.get_window_extent()
        inside = axes.get_tightbbox()
        assert not title.overlaps(inside)
        if key is not None:
            assert not key.overlaps(inside)
            assert not key.overlaps(title)


def test_a_big_campaign_stays_readable(build, many):
    frames = build(many, tasks=[f"task {number}" for number in range(30)], baseline="run-0")
    small = {chart.name: chart.height for chart in make_all(build())}
    heights = {chart.name: chart.height for chart in make_all(frames)}
    for name, height in heights.items():
        # Lines of a survival chart are workloads, depths are drawn for one method, and a ladder has
        # a row for each policy.
        # Cost over depth has two panels whatever there is.
        if name not in (
            "depth_cost",
            "survival",
            "depth_throughput",
            "ladder",
            "truncation",
            "reliability",
        ):
            assert height > small[name]
    assert heights["throughput"] / 30 > 0.3
    assert heights["heatmap"] / 30 > 0.2


def test_every_chart_has_a_name_of_its_own_and_words(frames):
    charts = make_all(frames)
    assert [chart.name for chart in charts] == NAMES
    for chart in charts:
        assert chart.title.endswith("?")
        assert any(letter.isdigit() for letter in chart.alt)
        assert chart.caption.endswith(".")


def test_an_empty_campaign_has_no_charts(frames_of):
    assert make_all(frames_of([], None)) == ()


def test_draw_all_writes_light_and_dark_beside_each_other(summary, tmp_path):
    drawn = draw_all(summary, tmp_path)
    assert list(drawn) == NAMES
    for name, chart in drawn.items():
        assert str(chart.light) == f"figures/{name}.png"
        assert str(chart.dark) == f"figures/{name}-dark.png"
        assert (tmp_path / chart.light).read_bytes() != (tmp_path / chart.dark).read_bytes()
    assert len(list((tmp_path / "figures").iterdir())) == 2 * len(NAMES)


def test_a_notebook_shows_a_chart_with_its_alt_text(frames):
    chart = make_all(frames)[0]
    png, words = chart._repr_png_()
    assert png == chart.png(LIGHT)
    assert words["alt"] == chart.alt
    assert "0x" not in repr(chart)


def test_importing_charts_leaves_pyplot_and_seaborn_alone():
    code = (
        "import sys, analysis.charts; "
        "sys.exit(bool({'matplotlib.pyplot', 'seaborn'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
