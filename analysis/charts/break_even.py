"""The break-even chart: how many tasks accept enough of their drafts, and of which kind?"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from analysis.charts.axes import key, key_height, rows_axis, rows_height
from analysis.charts.chart import Chart, Frames, positive
from analysis.charts.labels import percent, shorten
from analysis.charts.spots import mark_spot
from analysis.charts.style import SMALLEST, Theme
from analysis.charts.values import Values
from analysis.charts.workload_marks import WorkloadMark, workload_marks
from analysis.names import workload_title

__all__ = ["break_even"]

_SPREAD = 0.4
"""Share of a row over which the classes are spread, so that none covers another."""


def break_even(frames: Frames) -> Chart | None:
    """Acceptance of every task in each configuration, and the acceptance at which it pays."""
    runs = frames.runs
    shown = runs[runs["break_even_acceptance"].notna() & ~runs["synthetic"]]
    shown = shown[shown["id"] != frames.baseline]
    points = frames.by_task[frames.by_task["run"].isin(shown["id"])]
    points = points[positive(points["draft_tokens"]) & points["acceptance_rate"].notna()]
    if points.empty:
        return None
    shown = shown[shown["id"].isin(points["run"])]
    names = [frames.labels[run] for run in shown["id"]]
    kinds = [
        name for name in frames.workloads["workload"].unique() if name in set(points["workload"])
    ]
    looks = workload_marks(kinds)
    entries = [(workload_title(name), looks[name]) for name in kinds]

    def paint(figure: Figure, theme: Theme) -> None:
        axes = figure.subplots()
        rows_axis(axes, names, theme)
        levels = shown["break_even_acceptance"]
        for row, (run, level) in enumerate(zip(shown["id"], levels, strict=True)):
            own = points[points["run"] == run]
            _tasks(axes, row, own, looks, theme)
            _level_of(axes, row, level, f"{_above(own, level)} of {len(own)}", theme)
        axes.set_xlim(-0.015, 1.015)
        barred = "; the bar is break-even" if levels.between(0, 1).any() else ""
        axes.set_xlabel(f"acceptance rate of a task{barred}")
        axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        axes.tick_params(axis="x", length=0)
        key(figure, theme, entries)

    return Chart(
        name="break_even",
        title="How many tasks accept enough to break even?",
        alt=_finding(frames, shown, points),
        caption=(
            "Each mark is a task. Bar: the acceptance rate at which that configuration is as fast "
            "as no speculation, (R - 1) / drafted per forward. At the right: how many tasks are "
            f"above it. {_beyond(shown)}".rstrip()
        ),
        height=1.15 + key_height(entries) + rows_height(names),
        paint=paint,
        values=_values(frames, shown, points),
    )


def _tasks(
    axes: Axes, row: int, points: pd.DataFrame, looks: Mapping[str, WorkloadMark], theme: Theme
) -> None:
    """Marks of one configuration's tasks."""
    for place, (name, look) in enumerate(looks.items()):
        own = points[points["workload"] == name]
        middle = row + _SPREAD * (place / max(len(looks) - 1, 1) - 0.5)
        axes.scatter(
            own["acceptance_rate"],
            [middle] * len(own),
            marker=look.shape,
            s=34,
            facecolors=look.colour(theme),
            linewidths=0,
            zorder=3,
            gid=f"{points['run'].iloc[0]}:{name}",
        )
        for task, rate in zip(own["task"], own["acceptance_rate"], strict=True):
            mark_spot(axes, (rate, middle), f"{task}: {percent(rate)} accepted", name)


def _level_of(axes: Axes, row: int, level: float, above: str, theme: Theme) -> None:
    """The break-even of one configuration, and how many of its tasks are above it."""
    if 0 <= level <= 1:
        axes.plot(
            [level, level],
            [row - 0.36, row + 0.36],
            color=theme.ink,
            linewidth=2.4,
            zorder=2.5,
            gid="break-even",
        )
    axes.annotate(
        above,
        (1, row),
        xycoords=axes.get_yaxis_transform(),
        xytext=(48, 0),
        textcoords="offset points",
        ha="right",
        va="center_baseline",
        fontsize=SMALLEST,
    )


def _beyond(shown: pd.DataFrame) -> str:
    """Why a row has no bar, where one has none."""
    level = shown["break_even_acceptance"]
    above, below = bool((level > 1).any()), bool((level < 0).any())
    said = [word for word, there in (("no rate", above), ("any rate", below)) if there]
    return f"No bar: {' or '.join(said)} is enough. " if said else ""


def _above(points: pd.DataFrame, level: float) -> int:
    return int((points["acceptance_rate"] > level).sum())


def _values(frames: Frames, shown: pd.DataFrame, points: pd.DataFrame) -> Values:
    levels = shown.set_index("id")["break_even_acceptance"]
    columns = ("run", "task", "acceptance_rate")
    body = [
        (frames.labels[run], shorten(task, 24), percent(rate), _level(levels[run]))
        for run, task, rate in zip(*(points[name] for name in columns), strict=True)
    ]
    return Values.of(("Configuration", "Task", "Acceptance", "Break-even"), body)


def _finding(frames: Frames, shown: pd.DataFrame, points: pd.DataFrame) -> str:
    said = []
    for row in shown.to_dict("records"):
        own = points[points["run"] == row["id"]]
        level = row["break_even_acceptance"]
        said.append(
            f"{frames.labels[row['id']]}: {_said(level)}, "
            f"{_above(own, level)} of {len(own)} tasks above"
        )
    return f"Acceptance against break-even. {'; '.join(said)}."


def _said(level: float) -> str:
    return f"break-even {percent(level)}" if 0 <= level <= 1 else _level(level)


def _level(level: float) -> str:
    """An acceptance rate, or that none or any is enough."""
    if 0 <= level <= 1:
        return percent(level)
    return f"{'no' if level > 1 else 'any'} acceptance rate is enough"
