"""Files of charts: where does a chart become a picture on disk?"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from PIL import Image

from analysis.charts.chart import Chart, encoded
from analysis.charts.spots import Spot
from analysis.charts.style import THEMES
from analysis.charts.values import Values
from analysis.errors import ReportError
from analysis.files.storage import write_bytes

__all__ = ["DrawnChart", "draw", "write"]


@dataclass(frozen=True)
class DrawnChart:
    """The files of one chart and the words that go with them.

    Attributes
    ----------
    name
        Name of the chart, e.g. ``throughput``.
    light, dark
        PNG files ``NAME.png`` and ``NAME-dark.png``, relative to the report folder.
    title
        The question it answers.
    alt
        The finding with its numbers; plain text that may hold strangers'
        words: escape it for wherever it goes.
    caption
        What is shown, how many, and which intervals; plain text as well.
    values
        What is drawn, as a table.
    spots
        What is at which place of the pictures.
    """

    name: str
    light: PurePosixPath
    dark: PurePosixPath
    title: str
    alt: str
    caption: str
    values: Values | None = None
    spots: tuple[Spot, ...] = ()


def write(png: bytes, path: Path) -> None:
    """Write beside and rename: a reader sees the old file or the new one, never half of it.

    Raises
    ------
    ReportError
        The folder or the file can't be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problem = f"the figure can't be written ({error.strerror or error})"
        raise ReportError(problem, "choose a folder you may write to", file=path) from error
    write_bytes(path, png)


def draw(charts: Iterable[Chart], folder: Path, within: str = "figures") -> dict[str, DrawnChart]:
    """Draw charts light and dark.

    Parameters
    ----------
    charts
        What to draw.
    folder
        The report folder.
    within
        Where in it the files go; made where it is missing, and other files in
        it are left alone.

    Returns
    -------
    dict of str to DrawnChart
        By name, in the order given.

    Raises
    ------
    ReportError
        The folder can't be written.
    """
    drawn = {}
    writing: list[Future[None]] = []
    # Encoding a picture takes as long as painting the next: another thread does it meanwhile.
    with ThreadPoolExecutor(1) as writer:
        for chart in charts:
            light = PurePosixPath(within, f"{chart.name}.png")
            dark = PurePosixPath(within, f"{chart.name}-dark.png")
            pictures, spots = chart.drawn(THEMES)
            for picture, path in zip(pictures, (light, dark), strict=True):
                writing.append(writer.submit(_write_picture, picture, folder / path))
            drawn[chart.name] = DrawnChart(
                chart.name, light, dark, chart.title, chart.alt, chart.caption, chart.values, spots
            )
    for file in writing:
        file.result()
    return drawn


def _write_picture(picture: Image.Image, path: Path) -> None:
    write(encoded(picture), path)
