"""The heat map: which configuration suits which task?"""

from __future__ import annotations

import math
from typing import cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import Colormap
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter

from analysis.charts.chart import Chart, Frames, extremes, positive
from analysis.charts.labels import distinct, ratio, width, wrap
from analysis.charts.spots import mark_spot
from analysis.charts.style import SMALLEST, WIDTH, Theme, readable_on
from analysis.charts.values import Values, values_grid

__all__ = ["heatmap"]

_ANNOTATED = 8
"""Columns up to which a cell has room for its number."""

_NAME_EMS = 12
_NAMES_INCHES = 1.65
"""What task names take of the width, about."""

_SCALE = 0.75
"""Inches of the scale below the map."""


def heatmap(frames: Frames) -> Chart | None:
    """Task × configuration; the task that gains most on top, runs as in the campaign.

    Decode speedups where there is a baseline, else decode throughput. The best
    cell of a row is bold.
    """
    relative, tasks = _shown(frames)
    if tasks.empty:
        return None
    figure_of = "speedup" if relative else "decode_tps"
    # Ordered by the middle of a row: no configuration decides alone.
    middles = tasks.groupby("task", sort=False)[figure_of].median()
    names = [str(name) for name in middles.sort_values(ascending=False, kind="stable").index]
    there = set(tasks["run"])
    runs = [run for run in frames.labels if run in there]
    annotated = len(runs) <= _ANNOTATED
    values = _grid(tasks, figure_of, names, runs)
    texts = values.map(ratio if relative else "{:.0f}".format, na_action="ignore").astype("object")
    if relative:
        texts = _open(tasks, names, runs) + texts
    best = values.eq(values.max(axis=1), axis=0) & (len(runs) > 1)
    columns, upright, header = _headings(frames, runs)
    kinds = tasks.drop_duplicates("task").set_index("task")["workload"]
    shown_names = distinct(names, _NAME_EMS, names)

    def paint(figure: Figure, theme: Theme) -> None:
        axes = figure.subplots()
        colours = values.map(math.log2, na_action="ignore") if relative else values
        reach = max(float(colours.abs().max().max()), 0.1)
        low, high = (-reach, reach) if relative else (0.0, float(colours.max().max()))
        mesh = axes.pcolormesh(
            np.ma.masked_invalid(colours.to_numpy("float64")),
            cmap=_colour_map(theme, relative=relative),
            vmin=low,
            vmax=high,
            edgecolors=theme.ground,
            linewidth=1.5 if annotated else 0.3,
        )
        axes.invert_yaxis()
        if annotated:
            grounds = np.asarray(mesh.cmap(mesh.norm(colours.to_numpy("float64"))))
            _write(axes, texts, best, grounds, theme)
        cells = texts.to_numpy()
        for row, column in zip(*np.nonzero(values.notna().to_numpy()), strict=True):
            text = f"{cells[row, column]}{'×' if relative else ' tok/s'}"
            mark_spot(
                axes,
                (column + 0.5, row + 0.5),
                f"{names[row]}, {frames.labels[runs[column]]}: {text}",
                str(kinds[names[row]]),
                (1, 1),
            )
        _scale(figure, axes, colours, theme, relative=relative)
        axes.set_yticks(np.arange(len(names)) + 0.5, labels=shown_names)
        axes.set_xticks(np.arange(len(runs)) + 0.5, labels=columns, rotation=90 if upright else 0)
        axes.tick_params(axis="both", length=0, labelcolor=theme.ink)
        axes.tick_params(axis="x", labeltop=True, labelbottom=False, labelsize=SMALLEST)
        for spine in axes.spines.values():
            spine.set_visible(False)

    return Chart(
        name="heatmap",
        title="Which configuration suits which task?",
        alt=_finding(frames, tasks, values, relative=relative),
        caption=_caption(frames, values, texts, relative=relative),
        height=0.6 + header + _SCALE + (0.3 if annotated else 0.23) * len(names),
        paint=paint,
        values=_values(frames, names, texts, "×" if relative else ""),
    )


def _values(frames: Frames, names: list[str], texts: pd.DataFrame, unit: str) -> Values:
    """Every cell of the map, also where it had no room for its number."""
    shown = texts.map(lambda text: f"{text}{unit}", na_action="ignore")
    return values_grid("Task", distinct(names, 40, names), shown.rename(columns=frames.labels))


def _shown(frames: Frames) -> tuple[bool, pd.DataFrame]:
    """Whether cells are speedups, and the rows that have one."""
    tasks = frames.by_task
    paired = tasks[(tasks["run"] != frames.baseline) & positive(tasks["speedup"])]
    if not paired.empty:
        return True, paired
    return False, tasks[positive(tasks["decode_tps"])]


def _grid(tasks: pd.DataFrame, figure: str, names: list[str], runs: list[str]) -> pd.DataFrame:
    """Tasks down, runs across."""
    wide = tasks.pivot_table(index="task", columns="run", values=figure, aggfunc="first")
    return wide.reindex(index=names, columns=runs).astype("float64")


def _open(tasks: pd.DataFrame, names: list[str], runs: list[str]) -> pd.DataFrame:
    """A tilde where the interval does not tell a speedup from 1."""
    low, high = (_grid(tasks, f"speedup_{end}", names, runs) for end in ("low", "high"))
    return ((low <= 1) & (high >= 1)).map(lambda open_: "~" * bool(open_)).astype("object")


def _headings(frames: Frames, runs: list[str]) -> tuple[list[str], bool, float]:
    """Column headings, whether they stand upright, and the inches they take."""
    room = 0.94 * (WIDTH - _NAMES_INCHES) / len(runs) * 72 / SMALLEST
    labels = [frames.labels[run] for run in runs]
    wrapped = [wrap(label, room) for label in labels]
    if all(max(map(width, lines)) <= room and len(lines) <= 4 for lines in wrapped):
        deepest = max(map(len, wrapped))
        return ["\n".join(lines) for lines in wrapped], False, 0.19 * deepest
    return labels, True, max(map(width, labels)) * SMALLEST / 72


def _colour_map(theme: Theme, *, relative: bool) -> Colormap:
    # seaborn brings pyplot and half a second: only the figure that needs it waits.
    import seaborn as sns  # noqa: PLC0415

    # All colours are dark enough, or light enough, for numbers of one colour.
    centre, lightness = ("dark", 45) if theme.is_dark else ("light", 58)
    if relative:
        colours = sns.diverging_palette(
            theme.slower, theme.faster, s=85, l=lightness, center=centre, as_cmap=True
        )
    else:
        make = sns.dark_palette if theme.is_dark else sns.light_palette
        colours = make((theme.faster, 85, lightness), input="husl", as_cmap=True)
    return cast("Colormap", colours)


def _write(
    axes: Axes, texts: pd.DataFrame, best: pd.DataFrame, grounds: np.ndarray, theme: Theme
) -> None:
    """The number of every cell, or a dash; the best of a row in bold."""
    cells, first_of = texts.to_numpy(), best.to_numpy()
    for row, column in np.ndindex(texts.shape):
        shown = cells[row, column]
        known = pd.notna(shown)
        ink = readable_on(tuple(grounds[row, column])) if known else theme.muted
        first = known and bool(first_of[row, column])
        axes.text(
            column + 0.5,
            row + 0.5,
            str(shown) if known else "–",
            color=ink,
            fontsize=SMALLEST,
            fontweight="bold" if first else "normal",
            ha="center",
            va="center_baseline",
        )


def _scale(
    figure: Figure, axes: Axes, colours: pd.DataFrame, theme: Theme, *, relative: bool
) -> None:
    """Which colour is which value, with its unit, as far as there are values."""
    bar = figure.colorbar(
        axes.collections[0], ax=axes, orientation="horizontal", location="bottom", aspect=34
    )
    bar.outline.set_visible(False)
    if relative:
        low, high = min(float(colours.min().min()), 0), max(float(colours.max().max()), 0)
        low, high = (low, high) if high > low else (-0.1, 0.1)
        ends = [end for end in (low, high) if abs(end) > 0.15 * (high - low)]
        bar.locator = FixedLocator(sorted({0.0, *ends}))
        bar.ax.set_xlim(low, high)
        bar.formatter = FuncFormatter(lambda value, _: f"{2**value:.2f}×")
    words = "decode speedup over no speculation" if relative else "decode throughput, tok/s"
    bar.set_label(words, color=theme.muted)
    bar.ax.tick_params(labelcolor=theme.muted, length=0)
    bar.update_ticks()


def _caption(frames: Frames, values: pd.DataFrame, texts: pd.DataFrame, *, relative: bool) -> str:
    tasks, runs = values.shape
    shape = f"{tasks} task{'s' * (tasks != 1)} by {runs} configuration{'s' * (runs != 1)}"
    bold = " Bold: the highest of its row." if runs > 1 else ""
    if not relative:
        return f"Decode throughput in tok/s, {shape}.{bold}"
    tilde = bool(np.char.startswith(texts.fillna("").to_numpy("str"), "~").any())
    assumed = ", assumed for one run," * frames.single_runs
    unsure = f" ~: its 90 % interval{assumed} does not tell it from 1×." if tilde else ""
    return (
        f"Decode speedup over no speculation; {shape}. Blue is faster, orange slower, "
        f"logarithmic scale.{bold}{unsure}"
    )


def _finding(frames: Frames, tasks: pd.DataFrame, values: pd.DataFrame, *, relative: bool) -> str:
    names = list(values.index)
    shown = dict(zip(names, distinct(names, 15, names), strict=True))
    figure = "speedup" if relative else "decode_tps"
    form = (lambda value: f"{ratio(value)}×") if relative else "{:.1f} tok/s".format
    highest, lowest = (
        f"{form(row[figure])} ({shown[row['task']]} with {frames.labels[row['run']]})"
        for row in extremes(tasks, figure)
    )
    wins = tasks.loc[tasks.groupby("task", sort=False)[figure].idxmax(), "run"]
    leader = wins.value_counts(sort=False).idxmax()
    said = (
        f"{frames.labels[leader]} is fastest on {int((wins == leader).sum())} of {wins.size} tasks"
    )
    if not relative:
        return (
            f"Decode throughput by task and configuration: {said}. "
            f"Highest {highest}, lowest {lowest}."
        )
    ahead = int((tasks["speedup"] > 1).sum())
    return (
        f"Decode speedup by task and configuration: {ahead} of {len(tasks)} pairs are faster than "
        f"without speculation; {said} among those that speculate. "
        f"Highest {highest}, lowest {lowest}."
    )
