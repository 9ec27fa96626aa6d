"""Names at the ends of lines: where do they stand so that none covers another?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.transforms import ScaledTranslation

from analysis.charts.labels import shorten, wrap
from analysis.charts.style import SMALLEST, Theme

__all__ = ["End", "name_ends"]

_NAME_EMS = 9.0
_LONGEST_EMS = 26.0
_LINE = 1.25
"""Height of a line of text over its size."""
_GAP = 6
_MARK = 16
"""Points from the axes to a name, and what a mark before it takes."""


@dataclass(frozen=True)
class End:
    """The last point of a line.

    Attributes
    ----------
    y
        Its height in data units.
    name
        What is written there.
    shape, edge, face
        The line's mark, which stands before the name: names are in ink, which can be
        read where a line's colour can't. Without a shape the name stands alone.
    """

    y: float
    name: str
    shape: str = ""
    edge: str = ""
    face: str = ""


def name_ends(axes: Axes, ends: Sequence[End], inches: float, theme: Theme) -> None:
    """Name lines at the right of the axes, each as near to its end as the others let it.

    Parameters
    ----------
    axes
        With final limits on its y axis, which is linear.
    inches
        Height of the axes, about.
    theme
        The figure's.
    """
    low, high = axes.get_ylim()
    unit = SMALLEST * _LINE / (72 * inches) * (high - low)
    ordered = sorted(ends, key=lambda end: (end.y, end.name))
    texts = [wrap(shorten(end.name, _LONGEST_EMS), _NAME_EMS) for end in ordered]
    heights = [unit * len(lines) for lines in texts]
    for end, lines, middle in zip(
        ordered, texts, _apart([end.y for end in ordered], heights, low), strict=True
    ):
        axes.annotate(
            "\n".join(lines),
            (1, middle),
            xycoords=axes.get_yaxis_transform(),
            xytext=(_GAP + _MARK * bool(end.shape), 0),
            textcoords="offset points",
            va="center",
            color=theme.ink if end.shape else theme.muted,
            fontsize=SMALLEST,
            linespacing=1.1,
            annotation_clip=False,
            gid=f"name of {end.name}",
        )
        if end.shape:
            _mark(axes, end, middle)


def _mark(axes: Axes, end: End, y: float) -> None:
    aside = ScaledTranslation((_GAP + _MARK / 2) / 72, 0, axes.figure.dpi_scale_trans)
    axes.plot(
        [1],
        [y],
        transform=axes.get_yaxis_transform() + aside,
        marker=end.shape,
        markersize=6.5,
        markeredgecolor=end.edge,
        markerfacecolor=end.face,
        clip_on=False,
        scalex=False,
        scaley=False,
        gid=f"mark of {end.name}",
    )


def _apart(wanted: Sequence[float], heights: Sequence[float], floor: float) -> list[float]:
    """Middles of blocks that are in order, above the floor, and moved as little as that takes.

    Blocks that touch are moved together, around the mean of their wishes.

    Examples
    --------
    >>> _apart([0.5, 0.5, 3.0], [1.0, 1.0, 1.0], 0.0)
    [0.5, 1.5, 3.0]
    >>> _apart([2.0, 2.0], [1.0, 1.0], 0.0)
    [1.5, 2.5]
    """
    groups: list[tuple[list[float], list[float]]] = []
    for wish, height in zip(wanted, heights, strict=True):
        groups.append(([wish], [height]))
        while len(groups) > 1 and _top(groups[-2], floor) > _bottom(groups[-1], floor):
            wishes, sizes = groups.pop()
            groups[-1][0].extend(wishes)
            groups[-1][1].extend(sizes)
    out: list[float] = []
    for group in groups:
        at = _bottom(group, floor)
        for height in group[1]:
            out.append(at + height / 2)
            at += height
    return out


def _bottom(group: tuple[list[float], list[float]], floor: float) -> float:
    wishes, heights = group
    return max(sum(wishes) / len(wishes) - sum(heights) / 2, floor)


def _top(group: tuple[list[float], list[float]], floor: float) -> float:
    return _bottom(group, floor) + sum(group[1])
