"""The chart of speedups by task: how much faster is each than without speculation?"""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis.charts.axes import key, key_height, ratio_axis, rows_axis, runs_in_order
from analysis.charts.chart import Chart, Frames, extremes, positive
from analysis.charts.labels import distinct, ratio
from analysis.charts.style import Theme
from analysis.charts.values import Values, values_grid

__all__ = ["task_speedup"]


def task_speedup(frames: Frames) -> Chart | None:
    """Speedup of every task in every configuration; the task that gains most on top."""
    if frames.plain is None:
        return None
    tasks = frames.per_task
    tasks = tasks[(tasks["run"] != frames.baseline) & positive(tasks["speedup"])]
    if tasks.empty:
        return None
    # Ordered by the middle of the dots: no configuration decides alone.
    order = tasks.groupby("task", sort=False)["speedup"].median()
    names = list(order.sort_values(ascending=False, kind="stable").index)
    runs = runs_in_order(frames, tasks["run"])
    entries = [(frames.labels[run], frames.marks[run]) for run in runs]
    place = {task: row for row, task in enumerate(names)}
    spread = np.linspace(-0.24, 0.24, len(runs)) if len(runs) > 1 else np.zeros(1)

    def paint(figure: Figure, theme: Theme) -> None:
        axes = figure.subplots()
        rows_axis(axes, distinct(names, 15, names), theme, banded=True)
        ratio_axis(axes, tasks["speedup"], theme)
        for run, shift in zip(runs, spread, strict=True):
            own = tasks[tasks["run"] == run]
            axes.scatter(
                own["speedup"],
                own["task"].map(place) + shift,
                zorder=3,
                gid=run,
                **frames.marks[run].scatter(theme, 7),
            )
        axes.set_xlabel("decode speedup to no speculation; right of 1× is faster")
        key(figure, theme, entries)

    shown = dict(zip(names, distinct(names, 15, names), strict=True))
    highest, lowest = (
        f"{ratio(row['speedup'])}× ({shown[row['task']]} with {frames.labels[row['run']]})"
        for row in extremes(tasks, "speedup")
    )
    ahead = int((tasks["speedup"] > 1).sum())
    row_height = min(0.3 + 0.022 * len(runs), 0.7)
    return Chart(
        name="task_speedup",
        title="Which tasks gain from speculation?",
        alt=(
            f"Decode speedup per task: {ahead} of {len(tasks)} pairs of task and configuration are "
            f"faster than without speculation. Highest {highest}, lowest {lowest}."
        ),
        caption=(
            f"Decode throughput of {len(names)} task{'s' * (len(names) != 1)} over the same task's "
            f"without speculation, logarithmic axis. {frames.certainty()}"
        ),
        height=1.15 + key_height(entries) + row_height * len(names),
        paint=paint,
        values=_values(frames, tasks, names, runs),
    )


def _values(frames: Frames, tasks: pd.DataFrame, names: list[str], runs: list[str]) -> Values:
    grid = tasks.pivot_table(index="task", columns="run", values="speedup", aggfunc="first")
    grid = grid.reindex(index=names, columns=runs)
    texts = grid.map(lambda value: f"{ratio(value)}×", na_action="ignore")
    return values_grid("Task", distinct(names, 40, names), texts.rename(columns=frames.labels))
