import base64
import html
import io
import re
from dataclasses import replace
from pathlib import Path, PurePosixPath

import numpy as np
import pytest
from PIL import Image

from analysis.campaigns.campaign import PROJECT_ROOT
from analysis.cards.markdown import picture
from analysis.charts import DrawnChart
from analysis.charts.spots import Spot
from analysis.charts.values import Values
from analysis.page import page

VALUES = Values(("Run", "tok/s", "Note"), (("<b>a</b>", "1,234.5", "x"), ("b", "–", "7")))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one chart in it, of more colours than a palette has."""
    (tmp_path / "figures").mkdir()
    real = PROJECT_ROOT / "reports" / "qwen3.6-35b-a3b-dspark" / "figures" / "heatmap.png"
    for name in ("a.png", "a-dark.png"):
        (tmp_path / "figures" / name).write_bytes(real.read_bytes())
    return tmp_path


CHART = DrawnChart(
    "a",
    PurePosixPath("figures/a.png"),
    PurePosixPath("figures/a-dark.png"),
    "Title",
    "What it shows",
    "A caption.",
    VALUES,
)
CARD = f"{picture(CHART.alt, str(CHART.light), str(CHART.dark))}\n\n*A caption.*\n\nText.\n"


def test_chart_is_a_figure_with_its_caption_and_values(folder):
    shown = page(CARD, folder, {"a": CHART})
    figure = shown[shown.index("<figure>") : shown.index("</figure>")]
    assert figure.count("<img") == 2
    assert "<svg" not in figure
    assert "<figcaption>A caption.</figcaption>" in figure
    assert "<summary>Values of this chart</summary>" in figure
    assert '<tr><th>Run</th><th class="number">tok/s</th><th>Note</th></tr>' in figure
    assert '<tr><td>&lt;b&gt;a&lt;/b&gt;</td><td class="number">1,234.5</td>' in figure
    assert "<p>Text.</p>" in shown[shown.index("</figure>") :]


def test_a_mark_has_its_place_its_words_and_its_kind(folder):
    spots = (
        Spot(0.5, 0.25, 0.1, 0.2, "a </title><script>", "code"),
        Spot(0.1, 0.9, 0.02, 0.04, "b"),
    )
    shown = page(CARD, folder, {"a": replace(CHART, spots=spots)})
    layer = shown[shown.index("<svg") : shown.index("</svg>")]
    assert (
        '<rect x="0.4500" y="0.1500" width="0.1000" height="0.2000" '
        'data-workload="Code and structured output">'
        "<title>a &lt;/title&gt;&lt;script&gt;</title></rect>"
    ) in layer
    assert '<rect x="0.0900" y="0.8800" width="0.0200" height="0.0400"><title>b</title>' in layer
    assert layer.count("<rect") == 2


def test_chart_without_values_has_no_table(folder):
    assert "<table>" not in page(CARD, folder)


def test_each_picture_is_there_once_per_theme(folder):
    shown = page(CARD, folder, {"a": CHART})
    assert shown.count("data:image/png;base64,") == 2
    assert re.findall(r'<img class="(\w+)"', shown) == ["light", "dark"]


def test_picture_is_lean_and_looks_the_same(folder):
    original = (folder / "figures" / "a.png").read_bytes()
    data = re.findall(r"base64,([^\"]*)", page(CARD, folder))[0]
    small = base64.b64decode(html.unescape(data))
    assert len(small) < len(original) / 2
    before, after = (
        np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)
        for png in (original, small)
    )
    assert before.shape == after.shape
    assert np.abs(before - after).mean() < 0.15


def test_frequent_colours_stay_what_they_are(folder):
    shades = np.random.default_rng(1).permutation(1 << 24)[:900]
    codes = np.concatenate([np.repeat(shades[:200], 40), shades, np.repeat(shades[:1], 100)])
    pixels = np.stack([codes & 255, codes >> 8 & 255, codes >> 16], -1).astype(np.uint8)[None]
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "png", compress_level=0)
    (folder / "figures" / "a.png").write_bytes(out.getvalue())
    data = re.findall(r"base64,([^\"]*)", page(CARD, folder))[0]
    shown = np.asarray(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB"))
    assert (shown[0, : 200 * 40] == pixels[0, : 200 * 40]).all()
    assert len(np.unique(shown[0], axis=0)) == 256
    # Each of the others is the nearest of what is left.
    kept = np.unique(shown[0], axis=0).astype(int)
    apart = np.abs(shown[0].astype(int) - pixels[0]) ** 2
    nearest = ((pixels[0, 8000:8900, None].astype(int) - kept) ** 2).sum(-1).min(1)
    assert (apart[8000:8900].sum(-1) == nearest).all()


def test_picture_that_can_be_seen_through_stays_as_it_is(folder):
    out = io.BytesIO()
    Image.new("RGBA", (2, 2), (1, 2, 3, 4)).save(out, "png")
    (folder / "figures" / "a.png").write_bytes(out.getvalue())
    assert base64.b64encode(out.getvalue()).decode() in page(CARD, folder)


def test_file_that_is_no_picture_breaks_nothing(folder):
    (folder / "figures" / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n broken")
    assert "<p>Text.</p>" in page(CARD, folder, {"a": CHART})
