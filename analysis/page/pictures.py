"""A card's pictures inside its page, each chart with its values: at its marks, and as a table."""

from __future__ import annotations

import base64
import html
import io
import re
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import unquote

import numpy as np
from PIL import Image
from scipy.spatial import KDTree

from analysis.charts import DrawnChart
from analysis.charts.spots import Spot
from analysis.charts.values import Values
from analysis.files.inside import bytes_inside
from analysis.names import workload_title

__all__ = ["with_pictures"]

_IMAGE = re.compile(r'<img\s[^<>]*?src="([^"<>]*)"[^<>]*?>')
_CHART = re.compile(
    # A picture for each theme, and its caption.
    r'(?<!<p>)(<img class="dark:hidden"[^<>]*?src="([^"<>]*)"[^<>]*>\s*'
    r'<img class="hidden dark:block"[^<>]*>)'
    r"(?:\s*<p><em>((?:(?!</p>).)*)</em></p>)?",
    re.DOTALL,
)
_NUMBER = re.compile(r"~?[-+−]?(?:[\d,]++(?:\.\d++)?|\.\d++)(?:\s?[%×])?|–")
_COLOURS = 256
_MOST_COLOURS = 1 << 16
"""A picture with more colours is no chart but a photograph, and is left as it is."""

_AT_ONCE = 4
"""Pictures converted at a time; Pillow lets other threads run meanwhile."""


def with_pictures(content: str, folder: Path, figures: Iterable[DrawnChart]) -> str:
    """HTML with the pictures that it names put into it.

    Parameters
    ----------
    content
        HTML whose pictures are named relative to `folder`. Any that is not a
        PNG file inside of it is taken out.
    folder
        Where they are.
    figures
        Charts that may be among them: each gets its values, where a reader
        points at and as a table.
    """
    drawn = {str(figure.light): figure for figure in figures}
    content = _CHART.sub(lambda chart: _framed(chart, drawn), content)
    sources = list(dict.fromkeys(_IMAGE.findall(content)))
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        data = dict(
            zip(sources, threads.map(lambda source: _data(source, folder), sources), strict=True)
        )
    return _IMAGE.sub(lambda image: _embedded(image, data[image[1]]), content)


def _framed(chart: re.Match[str], drawn: Mapping[str, DrawnChart]) -> str:
    pictures, source, caption = chart.groups()
    shown = drawn.get(unquote(html.unescape(source)))
    return "\n".join(
        [
            "<figure>",
            '<div class="chart">',
            pictures,
            *([_spots(shown.spots)] if shown and shown.spots else []),
            "</div>",
            *([f"<figcaption>{caption}</figcaption>"] if caption else []),
            *([_table(shown.values)] if shown and shown.values else []),
            "</figure>",
        ]
    )


def _spots(spots: Iterable[Spot]) -> str:
    """Places of a picture on top of it, each with what is there as its title."""
    return "\n".join(
        [
            '<svg class="spots" viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">',
            *(
                f'<rect x="{spot.x - spot.width / 2:.4f}" y="{spot.y - spot.height / 2:.4f}" '
                f'width="{spot.width:.4f}" height="{spot.height:.4f}"{_kind(spot.workload)}>'
                f"<title>{html.escape(spot.text)}</title></rect>"
                for spot in spots
            ),
            "</svg>",
        ]
    )


def _kind(workload: str | None) -> str:
    if workload is None:
        return ""
    return f' data-workload="{html.escape(workload_title(workload))}"'


def _table(values: Values) -> str:
    columns = list(zip(*values.rows, strict=True)) or [() for _ in values.headers]
    marks = [
        ' class="number"' if cells and all(map(_NUMBER.fullmatch, cells)) else ""
        for cells in columns
    ]

    def row(tag: str, cells: Iterable[str]) -> str:
        written = (
            f"<{tag}{mark}>{html.escape(cell)}</{tag}>"
            for mark, cell in zip(marks, cells, strict=True)
        )
        return f"<tr>{''.join(written)}</tr>"

    return "\n".join(
        [
            "<details>",
            "<summary>Values of this chart</summary>",
            '<div class="table"><table>',
            f"<thead>{row('th', values.headers)}</thead>",
            "<tbody>",
            *(row("td", cells) for cells in values.rows),
            "</tbody>",
            "</table></div>",
            "</details>",
        ]
    )


def _embedded(image: re.Match[str], data: str) -> str:
    if not data:
        return ""
    tag = image[0].replace(f'src="{image[1]}"', f'src="data:image/png;base64,{data}"')
    return tag.replace("hidden dark:block", "dark").replace("dark:hidden", "light")


def _data(source: str, folder: Path) -> str:
    """A picture as base64; empty for what is none, or is not in the folder."""
    path = folder / html.unescape(source)
    png = bytes_inside(path, folder) if path.suffix == ".png" else None
    return base64.b64encode(_lean(png)).decode("ascii") if png else ""


def _lean(png: bytes) -> bytes:
    """The picture in as many colours as a chart needs: a third of the size, and looks the same.

    The most frequent colours stay what they are, so grounds, lines and cells do;
    rare shades at the edges of letters become the nearest of them.
    """
    try:
        with Image.open(io.BytesIO(png), formats=["PNG"]) as opened:
            picture = opened.convert("RGBA")
    except (OSError, ValueError, SyntaxError):
        # A damaged picture goes into the page as it is.
        return png
    counted = picture.getcolors(_MOST_COLOURS)
    if counted is None or picture.getchannel("A").getextrema() != (255, 255):
        return png
    ordered = sorted(counted, key=lambda one: (-one[0], one[1]))
    colours = np.array([colour for _, colour in ordered], dtype=np.int64)[:, :3]
    kept = colours[:_COLOURS]
    place = np.zeros(1 << 24, dtype=np.uint8)
    place[colours @ (1, 1 << 8, 1 << 16)] = KDTree(kept).query(colours)[1]
    # A pixel's four bytes as one number, without the last one, which is its opacity.
    pixels = np.asarray(picture).view("<u4")[..., 0] & 0xFFFFFF
    few = Image.frombytes("P", picture.size, place[pixels].tobytes())
    few.putpalette(kept.astype(np.uint8).tobytes())
    out = io.BytesIO()
    few.save(out, "png")
    return min(png, out.getvalue(), key=len)
