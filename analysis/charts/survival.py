"""The survival chart: how far do drafts survive?"""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from analysis.charts.axes import depth_axis
from analysis.charts.chart import Chart, Frames
from analysis.charts.ends import End, name_ends
from analysis.charts.labels import percent, shorten
from analysis.charts.panels import few, panels, panels_height
from analysis.charts.spots import mark_spot
from analysis.charts.style import Theme
from analysis.charts.values import MISSING, Values
from analysis.charts.workload_marks import WorkloadMark, workload_marks
from analysis.names import method_title, workload_title

__all__ = ["survival"]

_HEIGHT = 2.5
"""Inches of a panel."""

_SIDESTEP = 0.045
"""Positions by which the lines stand beside each other, so that no bar covers another."""


def survival(frames: Frames) -> Chart | None:
    """Share of drafts accepted up to each position, per workload, with intervals."""
    curves = _curves(frames.positions)
    rows = curves[curves["workload"].notna()] if len(curves) else curves
    if rows.empty:
        return None
    methods = few(rows["method"])
    rows, curves = (part[part["method"].isin(methods)] for part in (rows, curves))
    names = [
        name
        for name in dict.fromkeys(frames.workloads["workload"])
        if name in set(rows["workload"])
    ]
    looks = workload_marks(names)

    def paint(figure: Figure, theme: Theme) -> None:
        titles = [_title(method) for method in methods]
        for axes, method in zip(panels(figure, titles, theme), methods, strict=True):
            _method(axes, rows[rows["method"] == method], looks, theme)
            depth_axis(axes, rows["position"], theme)
            axes.set_ylabel("accepted up to here")
        axes.set_xlabel("draft position")

    measured = bool((rows["source"] == "measured").any())
    inferred = bool((rows["source"] == "inferred").any())
    return Chart(
        name="survival",
        title="How far do drafts survive?",
        alt=_finding(curves, methods),
        caption=(
            f"Share of {'rounds' if measured else 'forwards'} whose draft is accepted at least "
            f"up to a position, per workload. Bars: 90 % intervals. "
            f"{_sources(measured=measured, inferred=inferred)}"
        ),
        height=panels_height(len(methods), _HEIGHT),
        paint=paint,
        values=_values(curves),
    )


def _values(rows: pd.DataFrame) -> Values:
    columns = ("method", "workload", "position", "survival", "low", "high")
    body = []
    for method, workload, position, value, low, high in zip(
        *(rows[name] for name in columns), strict=True
    ):
        ends = MISSING if pd.isna(low) else f"{percent(low)}–{percent(high)}"
        scope = "All prompts" if pd.isna(workload) else workload_title(str(workload))
        body.append((_title(method), scope, str(position), percent(value), ends))
    headers = ("Method", "Workload", "Position", "Accepted up to here", "90 % interval")
    return Values.of(headers, body)


def _curves(positions: pd.DataFrame) -> pd.DataFrame:
    """One curve per method and workload (null = all), the measured one where there are both."""
    if positions.empty:
        return positions
    rows = positions[positions["task"].isna() & positions["survival"].notna()]
    measured = set(rows.loc[rows["source"] == "measured", "method"])
    keep = (rows["source"] == "measured") | ~rows["method"].isin(measured)
    return rows[keep].drop_duplicates(["method", "workload", "position"])


def _title(method: str) -> str:
    return shorten(method_title(method), 30)


def _method(axes: Axes, rows: pd.DataFrame, looks: dict[str, WorkloadMark], theme: Theme) -> None:
    ends = []
    drawn = [name for name in looks if name in set(rows["workload"])]
    for place, name in enumerate(drawn):
        look = looks[name]
        curve = rows[rows["workload"] == name].sort_values("position")
        is_measured = curve["source"].iloc[0] == "measured"
        at = curve["position"].to_numpy("float64") + _SIDESTEP * (place - (len(drawn) - 1) / 2)
        value = curve["survival"].to_numpy("float64")
        spread = [
            value - curve["low"].fillna(curve["survival"]).to_numpy("float64"),
            curve["high"].fillna(curve["survival"]).to_numpy("float64") - value,
        ]
        colour = look.colour(theme)
        face = colour if is_measured else theme.ground
        axes.errorbar(
            at,
            value,
            yerr=[part.clip(min=0) for part in spread],
            color=colour,
            linestyle="-" if is_measured else (0, (4, 2)),
            linewidth=1.6,
            elinewidth=1.4,
            capsize=2.5,
            marker=look.shape,
            markersize=6.5,
            markerfacecolor=face,
            markeredgecolor=colour,
            gid=name,
        )
        for x, y, position in zip(at, value, curve["position"], strict=True):
            told = f"{workload_title(name)}: {percent(y)} accepted up to position {position}"
            mark_spot(axes, (x, y), told, name)
        ends.append(End(float(value[-1]), workload_title(name), look.shape, colour, face))
    axes.set_ylim(-0.03, 1.03)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    name_ends(axes, ends, _HEIGHT - 0.25, theme)


def _sources(*, measured: bool, inferred: bool) -> str:
    if measured and inferred:
        return "Filled: measured round by round; hollow: inferred from totals at several depths."
    if measured:
        return "Measured round by round."
    return "Inferred from the totals of runs at several depths."


def _finding(curves: pd.DataFrame, methods: list[str]) -> str:
    said = []
    for method in methods:
        own = curves[(curves["method"] == method) & curves["workload"].isna()]
        steps = ", ".join(
            f"{percent(value)} at {position}"
            for position, value in zip(own["position"], own["survival"], strict=True)
        )
        said.append(f"{_title(method)}: {steps}")
    return f"Drafts accepted up to each position, all prompts. {'; '.join(said)}."
