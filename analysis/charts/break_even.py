"""The break-even chart: which tasks accept enough of their drafts?"""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from analysis.charts.axes import key, key_height
from analysis.charts.chart import Chart, Frames, positive
from analysis.charts.labels import shorten
from analysis.charts.style import Theme
from analysis.charts.values import Values

__all__ = ["break_even"]

_SPREAD = 0.36
"""Width, in depths, over which a run's tasks are spread so that none covers another."""


def break_even(frames: Frames) -> Chart | None:
    """Acceptance of every task over depth, and the acceptance at which a depth pays."""
    runs = frames.runs
    shown = runs[runs["break_even_acceptance"].notna() & runs["n_max"].notna() & ~runs["synthetic"]]
    shown = shown[shown["id"] != frames.baseline].sort_values("n_max", kind="stable")
    points = _points(frames, shown)
    if points.empty:
        return None
    entries = [
        (frames.labels[run], frames.marks[run])
        for run in frames.labels
        if run in set(points["run"])
    ]

    def paint(figure: Figure, theme: Theme) -> None:
        axes = figure.subplots()
        _lines(axes, frames, shown, theme)
        for run, own in points.groupby("run", sort=False):
            axes.scatter(
                own["x"],
                own["acceptance_rate"],
                zorder=3,
                gid=str(run),
                **frames.marks[str(run)].scatter(theme, 6),
            )
        for row in shown.to_dict("records"):
            half = _SPREAD / 2 + 0.09
            axes.plot(
                [row["n_max"] - half, row["n_max"] + half],
                [row["break_even_acceptance"]] * 2,
                color=theme.ink,
                linewidth=2.2,
                zorder=2.5,
                gid=f"break-even of {row['id']}",
            )
        _out_of_sight(axes, shown, theme)
        axes.set_ylim(0, 1.03)
        axes.set_xlim(float(shown["n_max"].min()) - 0.8, float(shown["n_max"].max()) + 0.8)
        axes.set_xlabel("depth (n_max)")
        axes.set_ylabel("acceptance rate")
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))
        axes.grid(axis="y")
        axes.tick_params(length=0, labelcolor=theme.muted)
        key(figure, theme, entries)

    return Chart(
        name="break_even",
        title="Which tasks accept enough to break even?",
        alt=_finding(frames, shown, points),
        caption=(
            "Each mark is a task; the short line is the acceptance rate at which that "
            "configuration is as fast as no speculation, (R - 1) / drafted per forward; dotted: "
            "break-even at depths between. "
            f"{frames.certainty()}"
        ),
        height=4.0 + key_height(entries),
        paint=paint,
        values=_values(frames, shown, points),
    )


def _out_of_sight(axes: Axes, shown: pd.DataFrame, theme: Theme) -> None:
    """Name the levels that no acceptance reaches, or none misses: their lines are off the axis."""
    for above in (True, False):
        level = shown["break_even_acceptance"]
        beyond = shown[level > 1] if above else shown[level < 0]
        for depth, own in beyond.groupby("n_max", sort=False):
            number = "" if len(own) == 1 else f"{len(own)} runs: "
            axes.annotate(
                f"{'↑' if above else '↓'} {number}{'no' if above else 'any'} rate\nis enough",
                (float(str(depth)), 1.0 if above else 0.0),
                xytext=(0, -2 if above else 4),
                textcoords="offset points",
                ha="center",
                va="top" if above else "bottom",
                color=theme.ink,
                fontsize=9.5,
            )


def _values(frames: Frames, shown: pd.DataFrame, points: pd.DataFrame) -> Values:
    levels = shown.set_index("id")["break_even_acceptance"]
    columns = ("run", "task", "acceptance_rate")
    body = [
        (frames.labels[run], shorten(task, 24), f"{rate:.1%}", _level(levels[run]))
        for run, task, rate in zip(*(points[name] for name in columns), strict=True)
    ]
    return Values.of(("Configuration", "Task", "Acceptance", "Break-even"), body)


def _points(frames: Frames, shown: pd.DataFrame) -> pd.DataFrame:
    """One point per run and task, spread around its depth in the order of tasks."""
    tasks = frames.tasks[frames.tasks["error"].isna() & frames.tasks["run"].isin(shown["id"])]
    sums = tasks.groupby(["run", "task"], sort=False)[["draft_tokens", "accepted_tokens"]].sum(
        min_count=1
    )
    sums = sums[positive(sums["draft_tokens"])].dropna().reset_index()
    sums["acceptance_rate"] = sums["accepted_tokens"].astype("float64") / sums[
        "draft_tokens"
    ].astype("float64")
    places = {task: place for place, task in enumerate(dict.fromkeys(sums["task"]))}
    share = np.array([places[task] for task in sums["task"]]) / max(len(places) - 1, 1) - 0.5
    depth = sums["run"].map(shown.set_index("id")["n_max"]).astype("float64")
    sums["x"] = depth + _SPREAD * share
    return sums


def _lines(axes: Axes, frames: Frames, shown: pd.DataFrame, theme: Theme) -> None:
    """Break-even of each method along the depths between its runs."""
    if frames.depths.empty:
        return
    whole = frames.depths[
        frames.depths["workload"].isna() & frames.depths["break_even_acceptance"].notna()
    ]
    for method, runs in shown.groupby("spec_type", sort=False):
        own = whole[
            (whole["method"] == method)
            & whole["n_max"].between(runs["n_max"].min(), runs["n_max"].max())
        ]
        axes.plot(
            own["n_max"],
            own["break_even_acceptance"],
            color=theme.muted,
            linestyle=(0, (1, 1.6)),
            linewidth=1.4,
            gid=str(method),
        )


def _finding(frames: Frames, shown: pd.DataFrame, points: pd.DataFrame) -> str:
    said = []
    for row in shown.to_dict("records"):
        own = points[points["run"] == row["id"]]
        above = int((own["acceptance_rate"] > row["break_even_acceptance"]).sum())
        said.append(
            f"{frames.labels[row['id']]}: {_said(row['break_even_acceptance'])}, "
            f"{above} of {len(own)} tasks above"
        )
    return f"Acceptance against break-even. {'; '.join(said)}."


def _said(level: float) -> str:
    return f"break-even {level:.1%}" if 0 <= level <= 1 else _level(level)


def _level(level: float) -> str:
    """An acceptance rate, or that none or any is enough."""
    if 0 <= level <= 1:
        return f"{level:.1%}"
    return f"{'no' if level > 1 else 'any'} acceptance rate is enough"
