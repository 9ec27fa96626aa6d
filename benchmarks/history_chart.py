"""Draw the history of the ratios, each against its target: history.jsonl to history.png."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from history import HISTORY, Entry, read
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from analysis.charts import Chart, Theme, write

TITLE = "Is every ratio below its target?"
PICTURE = HISTORY.with_suffix(".png")
COLUMNS = 3
ROW_INCHES = 1.75
WORDS_INCHES = 0.9
LABELS = 3
"""Commits named below a panel."""


def share(ratio: Mapping[str, Any]) -> float:
    """A ratio over its target: at most 1 is what is wanted."""
    return float(ratio["value"]) / float(ratio["target"])


def series(entries: Sequence[Entry]) -> dict[str, list[tuple[int, Mapping[str, Any]]]]:
    """Each ratio's measurements with their places in the history, by name as first met."""
    found: dict[str, list[tuple[int, Mapping[str, Any]]]] = {}
    for place, entry in enumerate(entries):
        for ratio in entry.ratios:
            found.setdefault(ratio["name"], []).append((place, ratio))
    return found


def chart(entries: Sequence[Entry]) -> Chart:
    """One panel for each ratio, measurements side by side in their order."""
    panels = series(entries)
    rows = math.ceil(len(panels) / COLUMNS)
    last = {name: measured[-1][1] for name, measured in panels.items()}
    missed = [name for name, ratio in last.items() if not ratio["met"]]
    alt = (
        f"{len(panels)} ratios, measured up to {len(entries)} times. Last: "
        + ", ".join(
            f"{name} {ratio['value']:.3g} of {ratio['target']:g}" for name, ratio in last.items()
        )
        + f". Missed: {', '.join(missed) or 'none'}."
    )

    def paint(figure: Figure, theme: Theme) -> None:
        axes = figure.subplots(rows, COLUMNS, sharex=True, sharey=True, squeeze=False).flat
        for place, name in enumerate(panels):
            panel(axes[place], name, panels[name], entries, theme)
        limits(axes[0], [share(ratio) for values in panels.values() for _, ratio in values])
        for place in range(len(panels), rows * COLUMNS):
            axes[place].set_axis_off()
        name_commits(axes, len(panels), entries)
        figure.supylabel("ratio / target", fontsize=10, color=theme.muted)

    caption = "Line: the target. Points of one machine are joined; a cross misses its target."
    return Chart("history", TITLE, alt, caption, rows * ROW_INCHES + WORDS_INCHES, paint)


def panel(
    axes: Axes,
    name: str,
    measured: Sequence[tuple[int, Mapping[str, Any]]],
    entries: Sequence[Entry],
    theme: Theme,
) -> None:
    good, bad = theme.palette[0], theme.palette[2]
    axes.axhline(1.0, color=theme.ink, linewidth=1.4, zorder=1.5)
    axes.grid(axis="y", color=theme.line, linewidth=0.8)
    for (place, ratio), (after, later) in pairwise(measured):
        if entries[place].hardware == entries[after].hardware:
            axes.plot([place, after], [share(ratio), share(later)], color=good, linewidth=1.6)
    for place, ratio in measured:
        met = ratio["met"]
        axes.plot(
            [place], [share(ratio)], "o" if met else "X", color=good if met else bad, markersize=6.5
        )
    newest = measured[-1][1]
    says = f"{newest['value']:.3g} of {newest['target']:g}"
    axes.set_title(f"{name}: {says}", fontsize=10)


def limits(axes: Axes, shares: Sequence[float]) -> None:
    """A logarithmic axis of shares with the target on it, for all panels."""
    axes.set_yscale("log")
    axes.set_ylim(min(*shares, 0.5) / 1.4, max(*shares, 1.0) * 1.4)
    axes.yaxis.set_major_locator(LogLocator(base=10, subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def name_commits(axes: Sequence[Axes], used: int, entries: Sequence[Entry]) -> None:
    """Name as many commits as there is room for, the newest always, below the lowest panels."""
    every = math.ceil(len(entries) / LABELS)
    places = sorted(range(len(entries) - 1, -1, -every))
    names = [f"{entries[place].commit or 'no commit'}"[:7] for place in places]
    axes[0].set_xticks(places, labels=names)
    axes[0].set_xlim(-0.5, len(entries) - 0.5)
    for place in range(max(used - COLUMNS, 0), used):
        axes[place].tick_params(axis="x", labelbottom=True, labelsize=8.5)


def draw(history: Path = HISTORY, picture: Path = PICTURE) -> Chart:
    """Draw a history into a PNG."""
    made = chart(read(history))
    write(made.png(), picture)
    return made


if __name__ == "__main__":
    print(draw().alt)
    sys.exit(0)
