"""Spots: what is said of the place that a reader points at?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

_POINT = 15.0
"""Points of the square around a point that counts as being there."""

__all__ = ["Spot", "mark_spot", "spots_of"]


@dataclass(frozen=True)
class Spot:
    """A place of a picture and its values.

    Attributes
    ----------
    x, y
        Middle, as shares of the picture's width and height from its top left corner.
    width, height
        Of the place, as such shares; of a point those of a small square.
    text
        What is there; plain text that may hold strangers' words.
    workload
        Class of its tasks; null where it is of all or none.
    """

    x: float
    y: float
    width: float
    height: float
    text: str
    workload: str | None = None


class _Place(Artist):
    """Draws nothing: it knows a place in data units, and moves with its axes."""

    def __init__(
        self, corners: tuple[float, float, float, float], text: str, workload: str | None
    ) -> None:
        super().__init__()
        self.corners, self.text, self.workload = corners, text, workload
        self.set_in_layout(False)

    def draw(self, renderer: Any) -> None:
        """Nothing is drawn."""


def mark_spot(
    axes: Axes,
    at: tuple[float, float],
    text: str,
    workload: str | None = None,
    size: tuple[float, float] = (0.0, 0.0),
) -> None:
    """Say what is at a place of axes, in data units; `size` is its width and height."""
    x, y = at
    half = (size[0] / 2, size[1] / 2)
    corners = (x - half[0], y - half[1], x + half[0], y + half[1])
    axes.add_artist(_Place(corners, text, workload))


def spots_of(figure: Figure) -> Iterator[Spot]:
    """The places of a figure that is laid out, in the order in which they were marked."""
    size = figure.get_size_inches() * figure.dpi
    least = (_POINT / 72 / figure.get_size_inches()).tolist()
    for axes in figure.axes:
        for place in axes.get_children():
            if isinstance(place, _Place):
                left, low, right, high = place.corners
                ends = axes.transData.transform([(left, low), (right, high)]) / size
                (x0, y0), (x1, y1) = ends.tolist()
                yield Spot(
                    round((x0 + x1) / 2, 4),
                    round(1 - (y0 + y1) / 2, 4),
                    round(max(abs(x1 - x0), least[0]), 4),
                    round(max(abs(y1 - y0), least[1]), 4),
                    place.text,
                    place.workload,
                )
