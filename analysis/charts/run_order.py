"""The chart of run order: did the machine become slower or faster meanwhile?"""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from analysis.charts.axes import key, key_height
from analysis.charts.chart import Chart, Frames, extremes
from analysis.charts.labels import shorten
from analysis.charts.marks import RunMark
from analysis.charts.spots import mark_spot
from analysis.charts.style import Theme
from analysis.charts.values import Values
from analysis.statistics.order import RunOrder

__all__ = ["run_order"]


def run_order(frames: Frames) -> Chart | None:
    """Speed of each request over what its task usually had, in the order in which they ran."""
    rows = RunOrder()(frames.tasks)
    if rows.empty:
        return None
    runs = [run for run in frames.labels if run in set(rows["run"])]
    entries = [(shorten(frames.labels[run], 20), frames.marks[run]) for run in runs]
    minutes = rows["elapsed_s"] / 60

    def paint(figure: Figure, theme: Theme) -> None:
        axes = figure.subplots()
        axes.axhline(1, color=theme.ink, linewidth=1.2, zorder=1.5)
        for run in runs:
            own = rows["run"] == run
            mark: RunMark = frames.marks[run]
            axes.scatter(minutes[own], rows.loc[own, "ratio"], gid=run, **mark.scatter(theme, 6))
        for row, at in zip(rows.to_dict("records"), minutes, strict=True):
            told = f"{frames.labels[row['run']]}, {shorten(row['task'], 24)}: {row['ratio']:.2f}×"
            mark_spot(axes, (at, row["ratio"]), told, row["workload"])
        axes.yaxis.set_major_locator(MaxNLocator(5))
        axes.yaxis.set_major_formatter("{x:.2f}×")
        axes.set_ylabel("over its own median")
        axes.set_xlabel("minutes since the first request")
        axes.grid(axis="y")
        axes.tick_params(length=0, labelcolor=theme.muted)
        axes.margins(x=0.02)
        key(figure, theme, entries)

    return Chart(
        name="run_order",
        title="Did the machine stay as fast as it was?",
        alt=_finding(frames, rows),
        caption=(
            "Each mark is a request: its decode rate over the median of the same task in the same "
            "configuration, by when it began. A slope or a step is drift."
        ),
        height=2.9 + key_height(entries),
        paint=paint,
        values=_values(frames, rows),
    )


def _values(frames: Frames, rows: pd.DataFrame) -> Values:
    body = [
        (
            f"{row['elapsed_s']:.0f}",
            frames.labels[row["run"]],
            shorten(row["task"], 24),
            f"{row['ratio']:.3f}×",
        )
        for row in rows.to_dict("records")
    ]
    return Values.of(("Seconds since the first", "Configuration", "Task", "Over its median"), body)


def _finding(frames: Frames, rows: pd.DataFrame) -> str:
    half = len(rows) // 2
    early, late = rows["ratio"].iloc[:half].median(), rows["ratio"].iloc[half:].median()
    high, low = extremes(rows, "ratio")
    return (
        f"Decode rate of {len(rows)} requests over the median of their task and configuration, in "
        f"the order of time: the middle of the first half is {early:.3f}×, of the second "
        f"{late:.3f}×; lowest {low['ratio']:.2f}× ({shorten(low['task'], 24)} with "
        f"{frames.labels[low['run']]}), highest {high['ratio']:.2f}×."
    )
