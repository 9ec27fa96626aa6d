"""Panels: how do charts of several runs or methods lay them out?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.charts.style import Theme

__all__ = ["few", "panels", "panels_height"]

_MOST = 3
"""Panels of a figure; a campaign with more shows its first ones."""

_NAME = 0.3
"""Inches that the name of a panel takes."""


def few(names: Iterable[str]) -> list[str]:
    """The distinct names that have a panel, in order."""
    return list(dict.fromkeys(map(str, names)))[:_MOST]


def panels_height(number: int, inches: float) -> float:
    """Inches of a figure with that many panels, its title and one label of the x axis."""
    return 0.95 + number * (inches + _NAME * (number > 1))


def panels(
    figure: Figure, names: Sequence[str], theme: Theme, rows: Sequence[int] | None = None
) -> Iterator[Axes]:
    """Axes below each other on one scale, each with its name where there are several.

    With `rows`, the number of rows in each, they have y axes of their own.
    """
    column = figure.subplots(
        len(names), 1, sharex=True, sharey=rows is None, squeeze=False, height_ratios=rows
    )[:, 0]
    for axes, name in zip(column, names, strict=True):
        if len(names) > 1:
            axes.set_title(name, color=theme.ink)
            axes.tick_params(labelbottom=True)
        yield axes
