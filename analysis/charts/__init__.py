"""Frames in, figures out.

A chart is one file with one function, from :class:`Frames` to a
:class:`Chart`, or to null when there is nothing to show. Charts compute no
statistics and read no logs.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from analysis.charts.chart import Chart, ChartMaker, Frames
from analysis.charts.depth_cost import depth_cost
from analysis.charts.drafted import drafted
from analysis.charts.files import DrawnChart, draw
from analysis.charts.heatmap import heatmap
from analysis.charts.style import DARK, LIGHT, THEMES, Theme
from analysis.charts.task_speedup import task_speedup
from analysis.charts.throughput import throughput

__all__ = [
    "CHARTS",
    "DARK",
    "LIGHT",
    "THEMES",
    "Chart",
    "DrawnChart",
    "Frames",
    "Theme",
    "draw_all",
    "make_all",
]

CHARTS: tuple[ChartMaker, ...] = (
    throughput,
    task_speedup,
    heatmap,
    drafted,
    depth_cost,
)
"""Every chart of a report, in its order."""


def make_all(frames: Frames) -> tuple[Chart, ...]:
    """Every chart that the frames have data for."""
    made = (make(frames) for make in CHARTS)
    return tuple(chart for chart in made if chart is not None)


def draw_all(
    runs: pd.DataFrame,
    tasks: pd.DataFrame,
    workloads: pd.DataFrame,
    folder: Path,
    baseline: str | None = None,
) -> tuple[DrawnChart, ...]:
    """Draw every chart that there is data for, light and dark.

    Parameters
    ----------
    runs, tasks, workloads
        Frames of a ``summary.Summary``.
    folder
        Where ``NAME.png`` and ``NAME-dark.png`` go.
    baseline
        Id of the run without speculation.

    Returns
    -------
    tuple of DrawnChart
        In the order of `CHARTS`; those without data are absent.

    Raises
    ------
    ReportError
        The folder can't be written.
    """
    return draw(make_all(Frames(runs, tasks, workloads, baseline)), folder)
