"""A card's pictures inside its page, each chart with the table of its values."""

from __future__ import annotations

import base64
import html
import io
import re
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import unquote

from PIL import Image

from analysis.charts import DrawnChart
from analysis.charts.values import Values

__all__ = ["with_pictures"]

_IMAGE = re.compile(r'<img\s[^<>]*?src="([^"<>]*)"[^<>]*?>')
_CHART = re.compile(
    # A picture for each theme, and its caption.
    r'(?<!<p>)(<img class="dark:hidden"[^<>]*?src="([^"<>]*)"[^<>]*>\s*'
    r'<img class="hidden dark:block"[^<>]*>)'
    r"(?:\s*<p><em>((?:(?!</p>).)*)</em></p>)?",
    re.DOTALL,
)
_NUMBER = re.compile(r"[-+−]?[\d,]*\.?\d+(?:\s?[%×])?|–")
_COLOURS = 256
_LEVEL = 8
"""Compression: one more takes three times as long for 2 % of the size."""

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
        Charts that may be among them: each gets a table of its values.
    """
    values = {str(figure.light): figure.values for figure in figures}
    content = _CHART.sub(lambda chart: _framed(chart, values), content)
    sources = list(dict.fromkeys(_IMAGE.findall(content)))
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        data = dict(
            zip(sources, threads.map(lambda source: _data(source, folder), sources), strict=True)
        )
    return _IMAGE.sub(lambda image: _embedded(image, data[image[1]]), content)


def _framed(chart: re.Match[str], values: Mapping[str, Values | None]) -> str:
    pictures, source, caption = chart.groups()
    shown = values.get(unquote(html.unescape(source)))
    return "\n".join(
        [
            "<figure>",
            pictures,
            *([f"<figcaption>{caption}</figcaption>"] if caption else []),
            *([_table(shown)] if shown else []),
            "</figure>",
        ]
    )


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
    try:
        if path.suffix != ".png" or not path.resolve().is_relative_to(folder.resolve()):
            return ""
        return base64.b64encode(_lean(path.read_bytes())).decode("ascii")
    except (OSError, RuntimeError, ValueError):
        # It is not there, or its name is one that no file can have.
        return ""


def _lean(png: bytes) -> bytes:
    """The picture in as many colours as a chart needs: a third of the size, and looks the same."""
    try:
        with Image.open(io.BytesIO(png), formats=["PNG"]) as opened:
            picture = opened.convert("RGBA")
    except (OSError, ValueError, SyntaxError):
        # Whatever it is, it is not made better here.
        return png
    if picture.getchannel("A").getextrema() != (255, 255):
        return png
    few = picture.convert("RGB").quantize(
        _COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE
    )
    out = io.BytesIO()
    few.save(out, "png", compress_level=_LEVEL)
    return min(png, out.getvalue(), key=len)
