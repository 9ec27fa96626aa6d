"""The heat map: which configuration suits which task?"""

from __future__ import annotations

import math
from typing import cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import Colormap
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from analysis.charts.axes import runs_in_order
from analysis.charts.chart import Chart, Frames, extremes, positive
from analysis.charts.labels import distinct, ratio, width, wrap
from analysis.charts.style import WIDTH, Theme, readable_on
from analysis.charts.values import Values, values_grid

__all__ = ["heatmap"]

_ANNOTATED = 10
"""Columns up to which a cell has room for its number."""

_NAMES_INCHES = 1.75
"""What task names take of the width, about."""

_FONT = 10


def heatmap(frames: Frames) -> Chart | None:
    """Task × configuration in field order: tasks as in the logs, runs as in the campaign.

    Speedups where there is a baseline, whose own column then gives tok/s; else
    decode throughput everywhere.
    """
    tasks = frames.per_task
    tasks = tasks[positive(tasks["decode_tps"])]
    if tasks.empty:
        return None
    names = list(dict.fromkeys(tasks["task"]))
    runs = runs_in_order(frames, tasks["run"])
    annotated = len(runs) <= _ANNOTATED
    rates = _grid(tasks, "decode_tps", names, runs)
    drafting = tasks[tasks["run"] != frames.baseline]
    relative = bool(positive(drafting["speedup"]).any())
    values, texts = rates, _texts(rates)
    if relative:
        values = _grid(drafting, "speedup", names, runs)
        values = values.where(values > 0)
        texts = values.map(ratio).astype("object")
        if not annotated:
            # The baseline's column has one colour: without numbers it would say nothing.
            runs = [run for run in runs if run != frames.baseline]
            values = values[runs]
        elif frames.baseline in runs:
            plain = rates[frames.baseline]
            values[frames.baseline] = plain.where(plain.isna(), 1.0)
            texts[frames.baseline] = _texts(plain.to_frame())
    columns, upright, header = _headings(frames, runs, relative=relative)

    def paint(figure: Figure, theme: Theme) -> None:
        # seaborn brings pyplot and half a second: only the figure that needs it waits.
        import seaborn as sns  # noqa: PLC0415

        axes = figure.subplots()
        colours = values.map(math.log2, na_action="ignore") if relative else values
        reach = max(float(colours.abs().max().max()), 0.1)
        sns.heatmap(
            colours,
            ax=axes,
            cmap=_colour_map(theme, relative=relative),
            vmin=-reach if relative else None,
            vmax=reach if relative else None,
            annot=texts if annotated else None,
            fmt="",
            annot_kws={"fontsize": _FONT},
            cbar=False,
            linewidths=1.5 if annotated else 0.3,
            linecolor=theme.ground,
            xticklabels=False,
            yticklabels=False,
        )
        if annotated:
            _make_readable(axes)
            _mark_missing(axes, values, theme)
        else:
            _colour_bar(figure, axes, theme, relative=relative)
        axes.set_yticks(np.arange(len(names)) + 0.5, labels=distinct(names, 15, names))
        axes.set_xticks(np.arange(len(runs)) + 0.5, labels=columns, rotation=90 if upright else 0)
        axes.tick_params(axis="both", length=0, labelcolor=theme.ink)
        axes.tick_params(axis="x", labeltop=True, labelbottom=False)
        axes.set(xlabel="", ylabel="")

    return Chart(
        name="heatmap",
        title="Which configuration suits which task?",
        alt=_finding(frames, tasks, values, relative=relative),
        caption=_caption(frames, values, relative=relative),
        height=0.75 + header + (0.29 if annotated else 0.21) * len(names),
        paint=paint,
        values=_values(frames, names, texts[runs], relative=relative),
    )


def _values(frames: Frames, names: list[str], texts: pd.DataFrame, *, relative: bool) -> Values:
    """Every cell of the map, also where it had no room for its number."""
    missing = texts.isin(["nan"])
    shown = texts.mask(missing)
    labelled = shown.rename(
        columns={
            run: frames.labels[run] + (" (tok/s)" if relative and run == frames.baseline else "")
            for run in map(str, texts.columns)
        }
    )
    return values_grid("Task", distinct(names, 40, names), labelled)


def _grid(tasks: pd.DataFrame, figure: str, names: list[str], runs: list[str]) -> pd.DataFrame:
    """Tasks down, runs across."""
    wide = tasks.pivot_table(index="task", columns="run", values=figure, aggfunc="first")
    return wide.reindex(index=names, columns=runs).astype("float64")


def _texts(rates: pd.DataFrame) -> pd.DataFrame:
    return rates.map("{:.0f}".format).astype("object")


def _headings(frames: Frames, runs: list[str], *, relative: bool) -> tuple[list[str], bool, float]:
    """Column headings, whether they stand upright, and the inches they take."""
    room = 0.94 * (WIDTH - _NAMES_INCHES) / len(runs) * 72 / _FONT
    labels = [
        f"{frames.labels[run]} (tok/s)"
        if relative and run == frames.baseline
        else frames.labels[run]
        for run in runs
    ]
    wrapped = [wrap(label, room) for label in labels]
    if all(max(map(width, lines)) <= room and len(lines) <= 3 for lines in wrapped):
        deepest = max(map(len, wrapped))
        return ["\n".join(lines) for lines in wrapped], False, 0.18 * deepest
    return labels, True, max(map(width, labels)) * _FONT / 72


def _colour_map(theme: Theme, *, relative: bool) -> Colormap:
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


def _make_readable(axes: Axes) -> None:
    """Give the numbers the contrast that seaborn's own threshold leaves to chance."""
    mesh = axes.collections[0]
    there = ~np.ma.getmaskarray(np.ma.asarray(mesh.get_array())).ravel()
    grounds = np.asarray(mesh.get_facecolor())[there]
    for text, ground in zip(axes.texts, grounds, strict=False):
        text.set_color(readable_on(tuple(ground)))
        text.set_verticalalignment("center_baseline")


def _mark_missing(axes: Axes, values: pd.DataFrame, theme: Theme) -> None:
    """A dash where a configuration has no result for a task."""
    for row, column in zip(*np.nonzero(values.isna().to_numpy()), strict=True):
        axes.text(
            column + 0.5,
            row + 0.5,
            "–",
            color=theme.muted,
            ha="center",
            va="center_baseline",
            fontsize=_FONT,
        )


def _colour_bar(figure: Figure, axes: Axes, theme: Theme, *, relative: bool) -> None:
    bar = figure.colorbar(
        axes.collections[0], ax=axes, orientation="horizontal", location="bottom", aspect=40
    )
    bar.outline.set_visible(False)
    if relative:
        bar.formatter = FuncFormatter(lambda value, _: f"{2**value:.2f}×")
    bar.set_label("decode speedup" if relative else "decode throughput, tok/s", color=theme.muted)
    bar.ax.tick_params(labelcolor=theme.muted, length=0)
    bar.update_ticks()


def _caption(frames: Frames, values: pd.DataFrame, *, relative: bool) -> str:
    tasks, runs = values.shape
    shape = f"{tasks} task{'s' * (tasks != 1)} by {runs} configuration{'s' * (runs != 1)}"
    if not relative:
        return f"Decode throughput in tok/s, {shape}. {frames.certainty()}"
    plain = "; its own column gives tok/s" if frames.baseline in values else ""
    return (
        f"Decode speedup to no speculation{plain}; {shape}. Blue is faster, orange slower, "
        f"logarithmic scale. {frames.certainty()}"
    )


def _finding(frames: Frames, tasks: pd.DataFrame, values: pd.DataFrame, *, relative: bool) -> str:
    names = list(values.index)
    shown = dict(zip(names, distinct(names, 15, names), strict=True))
    figure = "speedup" if relative else "decode_tps"
    form = (lambda value: f"{ratio(value)}×") if relative else "{:.1f} tok/s".format
    if relative:
        tasks = tasks[(tasks["run"] != frames.baseline) & positive(tasks["speedup"])]
    highest, lowest = (
        f"{form(row[figure])} ({shown[row['task']]} with {frames.labels[row['run']]})"
        for row in extremes(tasks, figure)
    )
    wins = tasks.loc[tasks.groupby("task", sort=False)[figure].idxmax(), "run"]
    leader = wins.value_counts(sort=False).idxmax()
    said = (
        f"{frames.labels[leader]} is fastest on {int((wins == leader).sum())} of {wins.size} tasks"
    )
    return (
        f"{'Decode speedup' if relative else 'Decode throughput'} by task and configuration: "
        f"{said}{' among those that speculate' if relative else ''}. "
        f"Highest {highest}, lowest {lowest}."
    )
