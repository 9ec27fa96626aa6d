"""Frames in, figures out.

A chart is one file with one function, from :class:`Frames` to a
:class:`Chart`, or to null when there is nothing to show. Charts compute no
statistics and read no logs.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from analysis.charts.break_even import break_even
from analysis.charts.chart import Chart, ChartMaker, Frames
from analysis.charts.depth_cost import depth_cost
from analysis.charts.depth_throughput import depth_throughput
from analysis.charts.drafted import drafted
from analysis.charts.files import DrawnChart, draw, write
from analysis.charts.heatmap import heatmap
from analysis.charts.ladder import ladder
from analysis.charts.over_axis import context_length, over_temperature, requests_at_once
from analysis.charts.reliability import reliability
from analysis.charts.requests import requests
from analysis.charts.run_order import run_order
from analysis.charts.style import DARK, LIGHT, THEMES, Theme
from analysis.charts.survival import survival
from analysis.charts.throughput import throughput
from analysis.charts.truncation import truncation

if TYPE_CHECKING:
    from analysis.summary import Summary

__all__ = [
    "CHARTS",
    "DARK",
    "LIGHT",
    "THEMES",
    "Chart",
    "DrawnChart",
    "Frames",
    "Theme",
    "draw",
    "draw_all",
    "frames_of",
    "make_all",
    "write",
]

CHARTS: tuple[ChartMaker, ...] = (
    throughput,
    heatmap,
    drafted,
    depth_cost,
    survival,
    depth_throughput,
    break_even,
    ladder,
    truncation,
    reliability,
    requests_at_once,
    context_length,
    over_temperature,
    requests,
    run_order,
)
"""Every chart of a report, in its order."""


def make_all(frames: Frames) -> tuple[Chart, ...]:
    """Every chart that the frames have data for."""
    made = (make(frames) for make in CHARTS)
    return tuple(chart for chart in made if chart is not None)


def frames_of(summary: Summary) -> Frames:
    """What charts look at of a summary."""
    return Frames(
        summary.runs,
        summary.tasks,
        summary.by_task,
        summary.workloads,
        summary.campaign.baseline,
        positions=summary.positions,
        depths=summary.depths,
        best_depths=summary.best_depths,
        ladder=summary.ladder,
        replay=summary.replays.table,
        reliability=summary.replays.reliability,
        axes=summary.axes,
    )


def draw_all(summary: Summary, folder: Path) -> dict[str, DrawnChart]:
    """Draw every chart that there is data for, light and dark, into ``folder/figures``.

    Parameters
    ----------
    summary
        Its frames and the id of its baseline are all that is looked at.
    folder
        The report folder.

    Returns
    -------
    dict of str to DrawnChart
        By name, in the order of `CHARTS`; those without data are absent.

    Raises
    ------
    ReportError
        The folder can't be written.
    """
    return draw(make_all(frames_of(summary)), folder)
