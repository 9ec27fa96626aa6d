"""Is a draft as sure as it is right?"""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from analysis.charts.chart import Chart, Frames
from analysis.charts.style import Theme
from analysis.charts.values import Values

__all__ = ["reliability"]

_PANELS = 3
"""Runs that fit side by side; a campaign with more shows its first ones."""


def reliability(frames: Frames) -> Chart | None:
    """Share accepted against the draft's confidence, all texts together, with intervals."""
    if frames.reliability.empty:
        return None
    rows = frames.reliability[frames.reliability["workload"].isna()]
    names = list(dict.fromkeys(rows["run"]))[:_PANELS]
    rows = rows[rows["run"].isin(names)]

    def paint(figure: Figure, theme: Theme) -> None:
        panels = figure.subplots(1, len(names), sharey=True, squeeze=False)[0]
        for axes, name in zip(panels, names, strict=True):
            _panel(axes, rows[rows["run"] == name], theme)
            if len(names) > 1:
                axes.set_title(frames.labels[str(name)], color=theme.ink)
        panels[0].set_ylabel("accepted")

    return Chart(
        name="reliability",
        title="Is the draft as sure as it is right?",
        alt=_finding(frames, rows, names),
        caption=(
            "Drafted tokens by the draft's own confidence, and the share of them that was "
            "accepted; tokens behind a wrong one are left out. On the line a draft is right as "
            "often as it says. Bars: 90 % intervals; larger marks stand for more tokens."
        ),
        height=4.3,
        paint=paint,
        values=_values(frames, rows),
    )


def _panel(axes: Axes, rows: pd.DataFrame, theme: Theme) -> None:
    colour = theme.palette[0]
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
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1.02)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.set_xlabel("confidence of the draft")
    axes.grid()
    axes.tick_params(length=0, labelcolor=theme.muted)


def _finding(frames: Frames, rows: pd.DataFrame, names: list[str]) -> str:
    said = []
    for name in names:
        own = rows[rows["run"] == name]
        steps = ", ".join(
            f"{accepted:.1%} at {sure:.1%}"
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
            f"{row['confidence']:.1%}",
            f"{row['accepted']:.1%}",
            f"{row['low']:.1%}–{row['high']:.1%}",
        )
        for row in rows.to_dict("records")
    ]
    headers = ("Run", "Between", "Tokens", "Mean confidence", "Accepted", "90 % interval")
    return Values.of(headers, body)
