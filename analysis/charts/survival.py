"""The survival chart: how far do drafts survive?"""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from analysis.charts.chart import Chart, Frames
from analysis.charts.labels import shorten
from analysis.charts.style import Theme
from analysis.charts.values import MISSING, Values
from analysis.charts.workload_marks import WorkloadMark, workload_marks

__all__ = ["survival"]

_PANELS = 3
"""Methods that fit side by side; a campaign with more shows its first ones."""

_APART = 0.055
"""Share of the axis that two names beside the ends of lines must be apart."""

_FLOOR = 0.03
"""Lowest place of a name, so that the axis does not strike it through."""


def survival(frames: Frames) -> Chart | None:
    """Share of drafts accepted up to each position, per workload, with intervals."""
    curves = _curves(frames.positions)
    rows = curves[curves["workload"].notna()] if len(curves) else curves
    if rows.empty:
        return None
    methods = list(dict.fromkeys(rows["method"]))[:_PANELS]
    rows, curves = (part[part["method"].isin(methods)] for part in (rows, curves))
    names = [
        name
        for name in dict.fromkeys(frames.workloads["workload"])
        if name in set(rows["workload"])
    ]
    looks = workload_marks(names)

    def paint(figure: Figure, theme: Theme) -> None:
        panels = figure.subplots(1, len(methods), sharey=True, squeeze=False)[0]
        for axes, method in zip(panels, methods, strict=True):
            own = rows[rows["method"] == method]
            _method(axes, own, looks, theme)
            axes.set_title(shorten(method, 24), color=theme.ink)
            axes.set_xlabel("draft position")
        panels[0].set_ylabel("drafts accepted up to here")

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
        height=4.1,
        paint=paint,
        values=_values(curves),
    )


def _values(rows: pd.DataFrame) -> Values:
    columns = ("method", "workload", "position", "survival", "low", "high")
    body = []
    for method, workload, position, value, low, high in zip(
        *(rows[name] for name in columns), strict=True
    ):
        ends = MISSING if pd.isna(low) else f"{low:.1%}–{high:.1%}"
        scope = "all tasks" if pd.isna(workload) else str(workload)
        body.append((shorten(method, 24), scope, str(position), f"{value:.1%}", ends))
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


def _method(axes: Axes, rows: pd.DataFrame, looks: dict[str, WorkloadMark], theme: Theme) -> None:
    ends = []
    for name, look in looks.items():
        curve = rows[rows["workload"] == name].sort_values("position")
        if curve.empty:
            continue
        is_measured = curve["source"].iloc[0] == "measured"
        value = curve["survival"].to_numpy("float64")
        spread = [
            value - curve["low"].fillna(curve["survival"]).to_numpy("float64"),
            curve["high"].fillna(curve["survival"]).to_numpy("float64") - value,
        ]
        colour = look.colour(theme)
        axes.errorbar(
            curve["position"],
            value,
            yerr=[part.clip(min=0) for part in spread],
            color=colour,
            linestyle="-" if is_measured else (0, (4, 2)),
            linewidth=1.6,
            elinewidth=1.4,
            capsize=3,
            marker=look.shape,
            markersize=6.5,
            markerfacecolor=colour if is_measured else theme.ground,
            markeredgecolor=colour,
            gid=name,
        )
        ends.append((float(value[-1]), int(curve["position"].iloc[-1]), name, colour))
    _names(axes, ends)
    axes.set_ylim(0, 1.02)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    deepest = int(rows["position"].max())
    axes.set_xlim(0.7, deepest + 0.35 + 0.32 * deepest)
    axes.grid(axis="y")
    axes.tick_params(length=0, labelcolor=theme.muted)


def _names(axes: Axes, ends: list[tuple[float, int, str, str]]) -> None:
    """Name each line behind the longest one, moved up where the one below is too close."""
    height = _FLOOR - _APART
    deepest = max((position for _, position, _, _ in ends), default=0)
    for value, _, name, colour in sorted(ends):
        height = max(value, height + _APART)
        axes.annotate(
            shorten(name, 12),
            (deepest, height),
            xytext=(9, 0),
            textcoords="offset points",
            va="center",
            color=colour,
            fontsize=9.5,
        )


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
            f"{value:.1%} at {position}"
            for position, value in zip(own["position"], own["survival"], strict=True)
        )
        said.append(f"{shorten(method, 24)}: {steps}")
    return f"Drafts accepted up to each position, all tasks. {'; '.join(said)}."
