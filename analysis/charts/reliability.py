"""Is a draft as sure as it is right?"""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from analysis.charts.chart import Chart, Frames
from analysis.charts.labels import percent
from analysis.charts.panels import few, panels, panels_height
from analysis.charts.spots import mark_spot
from analysis.charts.style import Theme
from analysis.charts.values import Values

__all__ = ["reliability"]

_HEIGHT = 2.9
"""Inches of a panel."""


def reliability(frames: Frames) -> Chart | None:
    """Share accepted against the draft's confidence, all texts together, with intervals."""
    if frames.reliability.empty:
        return None
    rows = frames.reliability[frames.reliability["workload"].isna()]
    names = few(rows["run"])
    rows = rows[rows["run"].isin(names)]

    def paint(figure: Figure, theme: Theme) -> None:
        titles = [frames.labels[name] for name in names]
        for axes, name in zip(panels(figure, titles, theme), names, strict=True):
            _panel(axes, rows[rows["run"] == name], frames.marks[name].hue(theme), theme)
            axes.set_ylabel("accepted")
        axes.set_xlabel("confidence of the draft")

    return Chart(
        name="reliability",
        title="Is the draft as sure as it is right?",
        alt=_finding(frames, rows, names),
        caption=(
            "Drafted tokens by the draft's own confidence, and the share of them that was "
            "accepted; tokens behind a wrong one are left out. On the line a draft is right as "
            "often as it says. Bars: 90 % intervals; larger marks stand for more tokens."
        ),
        height=panels_height(len(names), _HEIGHT),
        paint=paint,
        values=_values(frames, rows),
    )


def _panel(axes: Axes, rows: pd.DataFrame, colour: str, theme: Theme) -> None:
    axes.plot([0, 1], [0, 1], color=theme.muted, linewidth=1, linestyle=(0, (4, 2)), gid="as sure")
    x, y = (rows[name].to_numpy("float64") for name in ("confidence", "accepted"))
    spread = [y - rows["low"].to_numpy("float64"), rows["high"].to_numpy("float64") - y]
    axes.errorbar(
        x,
        y,
        yerr=[part.clip(min=0) for part in spread],
        color=colour,
        linewidth=1.6,
        elinewidth=1.4,
        capsize=3,
        gid="reliability",
    )
    share = rows["guesses"].to_numpy("float64") / max(float(rows["guesses"].max()), 1.0)
    axes.scatter(x, y, s=18 + 90 * share, color=colour, zorder=3)
    for sure, right, tokens in zip(x, y, rows["guesses"], strict=True):
        mark_spot(
            axes, (sure, right), f"{percent(right)} accepted at {percent(sure)} ({tokens} tokens)"
        )
    axes.set_xlim(0, 1.02)
    axes.set_ylim(0, 1.03)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.grid()
    axes.tick_params(length=0, labelcolor=theme.muted)


def _finding(frames: Frames, rows: pd.DataFrame, names: list[str]) -> str:
    said = []
    for name in names:
        own = rows[rows["run"] == name]
        steps = ", ".join(
            f"{percent(accepted)} at {percent(sure)}"
            for sure, accepted in zip(own["confidence"], own["accepted"], strict=True)
        )
        said.append(f"{frames.labels[str(name)]}: {steps}")
    return f"Share accepted at each confidence. {'; '.join(said)}."


def _values(frames: Frames, rows: pd.DataFrame) -> Values:
    body = [
        (
            frames.labels[str(row["run"])],
            f"{row['from']:.1f}–{row['to']:.1f}",
            str(row["guesses"]),
            percent(row["confidence"]),
            percent(row["accepted"]),
            f"{percent(row['low'])}–{percent(row['high'])}",
        )
        for row in rows.to_dict("records")
    ]
    headers = ("Run", "Between", "Tokens", "Mean confidence", "Accepted", "90 % interval")
    return Values.of(headers, body)
