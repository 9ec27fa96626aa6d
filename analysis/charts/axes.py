"""Axes: what do charts share that have rows, depths, or a key?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Protocol, TypeAlias

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, MaxNLocator

from analysis.charts.labels import width, wrap
from analysis.charts.style import SMALLEST, TITLE, WIDTH, Theme


class Look(Protocol):
    """A mark of a run, a method or a class."""

    @property
    def shape(self) -> str:
        """Marker in matplotlib's notation."""

    def colour(self, theme: Theme) -> str:
        """Colour in a theme."""


Entries: TypeAlias = Sequence[tuple[str, Look]]
"""Name and mark of each entry of a key."""

__all__ = ["Entries", "depth_axis", "key", "key_height", "rows_axis", "rows_height"]

_NAME_EMS = 11.5
"""Room for the name of a row; a longer one takes two lines."""

_ROW = 0.38
_LINE = 0.18
"""Inches of a row with a name of one line, and of each further line."""

_MOST_DEPTHS = 9
"""Depths that are each named on an axis."""

_KEY_LINE = 0.225
"""Inches from one line of a key to the next."""

_KEY_GAP_EMS = 3.0
"""Handle, padding and column gap of one entry of a key."""


def rows_axis(axes: Axes, names: Sequence[str], theme: Theme) -> None:
    """One named row per text, the first on top; a faint line leads from the name to its mark."""
    axes.set_yticks(range(len(names)), labels=["\n".join(wrap(name, _NAME_EMS)) for name in names])
    axes.set_ylim(len(names) - 0.45, -0.55)
    axes.tick_params(axis="y", length=0, pad=6)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="y", color=theme.line, linewidth=0.8)


def rows_height(names: Iterable[str]) -> float:
    """Inches that rows with these names take."""
    names = list(names)
    lines = max((len(wrap(name, _NAME_EMS)) for name in names), default=1)
    return (_ROW + _LINE * (lines - 1)) * len(names)


def depth_axis(axes: Axes, depths: Iterable[float], theme: Theme) -> None:
    """An x axis of depths that ends where they do, and names no other."""
    own = sorted({int(depth) for depth in depths})
    pad = max(0.06 * (own[-1] - own[0]), 0.35)
    axes.set_xlim(own[0] - pad, own[-1] + pad)
    few = len(own) <= _MOST_DEPTHS
    axes.xaxis.set_major_locator(FixedLocator(own) if few else MaxNLocator(8, integer=True))
    axes.grid(axis="y")
    axes.tick_params(length=0, labelcolor=theme.muted)


def _key_columns(entries: Entries) -> int:
    widest = max(width(label) for label, _ in entries) + _KEY_GAP_EMS
    fitting = max(int((WIDTH - 0.2) * 72 / SMALLEST / widest), 1)
    return math.ceil(len(entries) / math.ceil(len(entries) / fitting))


def key_height(entries: Entries) -> float:
    """Inches that `key` takes."""
    return _KEY_LINE * math.ceil(len(entries) / _key_columns(entries)) + 0.1


def key(figure: Figure, theme: Theme, entries: Entries) -> None:
    """Say above the axes which mark is whose."""
    handles = [
        Line2D(
            [],
            [],
            linestyle="none",
            marker=mark.shape,
            markersize=7.5,
            color=mark.colour(theme),
            label=label,
        )
        for label, mark in entries
    ]
    top = 1 - TITLE / figure.get_figheight()
    legend = figure.legend(
        handles=handles,
        loc="upper left",
        bbox_to_anchor=(0.004, top),
        ncols=_key_columns(entries),
        labelspacing=_KEY_LINE * 72 / SMALLEST - 1,
        handlelength=1.2,
        handleheight=1.0,
        handletextpad=0.3,
        columnspacing=1.2,
        borderaxespad=0.0,
        borderpad=0.2,
    )
    legend.set_in_layout(False)
    below = top - key_height(entries) / figure.get_figheight()
    figure.set_layout_engine("constrained", rect=(0, 0, 1, below))
