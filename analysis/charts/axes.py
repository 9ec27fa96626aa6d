"""Axes: what do charts with one row per thing have in common?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator
from matplotlib.typing import LineStyleType

from analysis.charts.chart import Frames
from analysis.charts.labels import width
from analysis.charts.marks import RunMark
from analysis.charts.style import TITLE, WIDTH, Theme

Entries: TypeAlias = Sequence[tuple[str, "RunMark | LineStyleType"]]
"""Label and look of each entry of a key."""

__all__ = ["Entries", "key", "key_height", "ratio_axis", "rows_axis", "runs_in_order"]

_FINE = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.6, 1.8, 2.0, 2.5, 3.0, 3.5, 4.0)
_KEY_FONT = 10
_KEY_LINE = 0.215
"""Inches from one line of a key to the next."""

_KEY_GAP_EMS = 3.0
"""Handle, padding and column gap of one entry of a key."""


def rows_axis(axes: Axes, names: Sequence[str], theme: Theme, *, banded: bool = False) -> None:
    """One named row per text, the first on top.

    The eye follows a faint line, or a band where a row has marks side by side.
    """
    axes.set_yticks(range(len(names)), labels=list(names))
    axes.set_ylim(len(names) - 0.45, -0.55)
    axes.tick_params(axis="y", length=0, pad=6)
    axes.spines["left"].set_visible(False)
    if not banded:
        axes.grid(axis="y", color=theme.line, linewidth=0.8)
        return
    for row in range(0, len(names), 2):
        axes.axhspan(row - 0.5, row + 0.5, color=theme.line, alpha=0.32, linewidth=0, zorder=0)


def ratio_axis(axes: Axes, values: pd.Series, theme: Theme) -> None:
    """Logarithmic x axis of ratios that has 1 on it, and a line there.

    Parameters
    ----------
    values
        Positive and finite; they decide the limits.
    """
    low, high = min(float(values.min()), 1.0), max(float(values.max()), 1.0)
    pad = max((high / low) ** 0.05, 1.03)
    low, high = low / pad, high * pad
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    axes.xaxis.set_major_locator(FixedLocator(_ratio_ticks(low, high)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}×"))
    axes.axvline(1.0, color=theme.ink, linewidth=1.4, zorder=1.5)


def _ratio_ticks(low: float, high: float) -> list[float]:
    if high / low <= 2.2:
        ticks = list(_FINE)
    elif high / low <= 5:
        ticks = [value for value in _FINE if value not in {0.7, 0.9, 1.1, 1.3, 1.8, 3.5}]
    elif high / low <= 100:
        ticks = [2.0**power for power in _powers(low, high, 2)]
    else:
        every = max(math.ceil(math.log10(high / low) / 7), 1)
        ticks = [10.0**power for power in _powers(low, high, 10) if power % every == 0]
    return [tick for tick in ticks if low <= tick <= high]


def _powers(low: float, high: float, base: int) -> range:
    return range(math.floor(math.log(low, base)), math.ceil(math.log(high, base)) + 1)


def runs_in_order(frames: Frames, drawn: pd.Series) -> list[str]:
    """Ids in campaign order, of those that `drawn` holds."""
    there = set(drawn)
    return [run for run in frames.labels if run in there]


def _key_columns(entries: Entries) -> int:
    widest = max(width(label) for label, _ in entries) + _KEY_GAP_EMS
    fitting = max(int((WIDTH - 0.2) * 72 / _KEY_FONT / widest), 1)
    return math.ceil(len(entries) / math.ceil(len(entries) / fitting))


def key_height(entries: Entries) -> float:
    """Inches that `key` takes."""
    return _KEY_LINE * math.ceil(len(entries) / _key_columns(entries)) + 0.1


def key(figure: Figure, theme: Theme, entries: Entries) -> None:
    """Say above the axes which mark is whose.

    Parameters
    ----------
    entries
        Label and mark of each configuration, or dashes of a line.
    """
    handles = []
    for label, mark in entries:
        if not isinstance(mark, RunMark):
            line = Line2D([], [], color=theme.muted, linewidth=1.6, linestyle=mark, label=label)
            handles.append(line)
            continue
        style = mark.scatter(theme)
        handles.append(
            Line2D(
                [],
                [],
                linestyle="none",
                marker=mark.shape,
                markersize=7.5,
                markerfacecolor=style["facecolors"],
                markeredgecolor=style["edgecolors"],
                markeredgewidth=1.8,
                label=label,
            )
        )
    top = 1 - TITLE / figure.get_figheight()
    legend = figure.legend(
        handles=handles,
        loc="upper left",
        bbox_to_anchor=(0.004, top),
        ncols=_key_columns(entries),
        labelspacing=_KEY_LINE * 72 / _KEY_FONT - 1,
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
