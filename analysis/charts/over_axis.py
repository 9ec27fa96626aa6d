"""The charts over an axis: up to how many requests at once, how much context, does it pay?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import (
    FixedLocator,
    FuncFormatter,
    MaxNLocator,
    NullLocator,
    PercentFormatter,
)

from analysis.charts.chart import Chart, Frames
from analysis.charts.labels import count, percent, ratio, shorten, wrap
from analysis.charts.style import SMALLEST, Theme
from analysis.charts.values import MISSING, Values
from analysis.statistics.conditions import CONDITIONS

__all__ = ["context_length", "over_temperature", "requests_at_once"]

_PANELS = 2
"""Configurations that fit side by side; a campaign with more shows its first ones."""
_TITLE_EMS = 14.0
_LONGEST_EMS = 2 * _TITLE_EMS
"""A name of two lines, above a panel of two side by side."""
_MOST_TICKS = 6
_TITLES = {
    "concurrency": "Up to how many requests at once does it pay?",
    "context_tokens": "Up to which context length does it pay?",
    "temperature": "Up to which temperature does it pay?",
}
_FIGURES = {
    "speedup": ("effective_tps", "tok/s together"),
    "decode_speedup": ("decode_tps", "decode tok/s"),
}
_HEADERS = (
    "Configuration",
    "Value",
    "Tok/s",
    "Tok/s without",
    "Speedup",
    "90 % interval",
    "Accepted",
    "Known from",
)


def requests_at_once(frames: Frames) -> Chart | None:
    """Speedup, throughput and acceptance over requests at once."""
    return _chart(frames, "requests_at_once", "concurrency")


def context_length(frames: Frames) -> Chart | None:
    """The same over tokens of context before the task."""
    return _chart(frames, "context_length", "context_tokens")


def over_temperature(frames: Frames) -> Chart | None:
    """The same over the sampling temperature."""
    return _chart(frames, "over_temperature", "temperature")


def _chart(frames: Frames, name: str, axis: str) -> Chart | None:
    shown = [one for one in frames.axes.slices if one.axis == axis]
    if not shown:
        return None
    # Other contexts, or other numbers of requests, are in the card's table.
    shown = [one for one in shown if one.others == shown[0].others][:_PANELS]
    called = [shorten(frames.labels.get(one.series, one.series), _LONGEST_EMS) for one in shown]

    def paint(figure: Figure, theme: Theme) -> None:
        grid = figure.subplots(3, len(shown), sharex=True, sharey="row", squeeze=False)
        for column, one in zip(grid.T, shown, strict=True):
            colour = frames.marks[one.series].colour(theme) if one.series in frames.marks else None
            colour = colour or theme.palette[0]
            _speedup(column[0], frames.axes.curve(one), one, colour, theme)
            _rates(column[1], frames.axes.ahead(one), one, colour, theme)
            _acceptance(column[2], one, colour)
            column[2].set_xlabel(CONDITIONS[axis])
            _value_axis(column[2], axis, one.at)
        for axes, text in zip(grid[0], called, strict=True):
            axes.set_title(
                "\n".join(wrap(text, _TITLE_EMS * _PANELS / len(shown))), color=theme.ink
            )
        names = ("speedup", _FIGURES[shown[0].figure][1], "accepted")
        for axes, text in zip(grid[:, 0], names, strict=True):
            axes.set_ylabel(text)
        for axes in grid.flat:
            axes.tick_params(length=0, labelcolor=theme.muted)
            axes.grid(axis="y")

    return Chart(
        name=name,
        title=_TITLES[axis],
        alt=_finding(shown, called),
        caption=_caption(frames, axis, len(shown)),
        height=5.6,
        paint=paint,
        values=_values(frames, shown, called),
    )


def _speedup(axes: Axes, curve: pd.DataFrame, one: Any, colour: str, theme: Theme) -> None:
    axes.axhline(1.0, color=theme.ink, linewidth=1.2, zorder=1.5, gid="as fast")
    axes.fill_between(
        curve["value"],
        curve["low"],
        curve["high"],
        color=colour,
        alpha=0.2,
        linewidth=0,
        gid="band",
    )
    axes.plot(curve["value"], curve["speedup"], color=colour, linewidth=1.4, gid="curve")
    value, low, high = (
        one.rows[f"{one.figure}{end}"].to_numpy("float64") for end in ("", "_low", "_high")
    )
    axes.errorbar(
        one.at,
        value,
        yerr=[value - low, high - value],
        color=colour,
        linestyle="none",
        marker="o",
        markersize=5,
        elinewidth=1.3,
        capsize=2.5,
        gid="measured",
    )
    axes.yaxis.set_major_locator(MaxNLocator(4))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}×"))


def _rates(axes: Axes, ahead: pd.Series | None, one: Any, colour: str, theme: Theme) -> None:
    name = _FIGURES[one.figure][0]
    sides = (
        (one.rows[name], colour, "o", "with", ("effective_tps", "low", "high")),
        (one.plain[name], theme.neutral, "d", "without", ("plain_tps", "plain_low", "plain_high")),
    )
    for rates, shade, mark, word, keys in sides:
        y = rates.to_numpy("float64")
        axes.plot(one.at, y, color=shade, marker=mark, markersize=5, linewidth=1.4, gid=word)
        where, last = one.at[-1], y[-1]
        if ahead is not None:
            value, low, high = (float(ahead[key]) for key in keys)
            next_ = float(ahead["concurrency"])
            axes.plot([where, next_], [last, value], color=shade, linewidth=1.1,
                      linestyle=(0, (1, 1.6)), gid=f"{word} to predicted")  # fmt: skip
            axes.errorbar([next_], [value], yerr=[[value - low], [high - value]], color=shade,
                          marker=mark, markersize=5, markerfacecolor=theme.ground, elinewidth=1.1,
                          capsize=2.5, gid=f"{word} predicted")  # fmt: skip
            where, last = next_, value
        if np.isfinite(last):
            axes.annotate(
                word,
                (where, last),
                xytext=(7, 0),
                textcoords="offset points",
                va="center",
                color=theme.ink,
                fontsize=SMALLEST,
                annotation_clip=False,
            )
    axes.margins(y=0.1)
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_locator(MaxNLocator(4))


def _acceptance(axes: Axes, one: Any, colour: str) -> None:
    y = one.rows["acceptance_rate"].to_numpy("float64")
    axes.plot(one.at, y, color=colour, marker="o", markersize=5, linewidth=1.4, gid="accepted")
    axes.set_ylim(0, 1.04)
    axes.yaxis.set_major_locator(MaxNLocator(3))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))


def _value_axis(axes: Axes, axis: str, values: Any) -> None:
    """Ticks at what was measured; requests at once by octaves."""
    if axis == "concurrency":
        axes.set_xscale("log", base=2)
    step = -(-len(values) // _MOST_TICKS)
    axes.xaxis.set_major_locator(FixedLocator(list(values[::-1][::step])))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.margins(x=0.12)


def _caption(frames: Frames, axis: str, panels: int) -> str:
    shown = [one for one in frames.axes.slices if one.axis == axis]
    more = len({one.series for one in shown}) - panels
    parts = [
        "Marks: measured, against no speculation at the same value, bars 90 % intervals; line and "
        "band: what lies between by a smooth curve.",
        "Dotted, hollow: predicted from the cost of a forward over the tokens in its batch."
        if axis == "concurrency" and len(frames.axes.predicted)
        else "",
        f"{more} more {'configuration is' if more == 1 else 'configurations are'} in the table."
        if more > 0
        else "",
        "One run each: intervals by assumption." if _once(shown) else "",
    ]
    return " ".join(part for part in parts if part)


def _once(shown: list[Any]) -> bool:
    return all((one.rows["repeats"] <= 1).all() for one in shown)


def _number(value: float) -> str:
    return count(value) if value >= 1000 else f"{value:g}"


def _finding(shown: list[Any], called: list[str]) -> str:
    said = []
    for one, name in zip(shown, called, strict=True):
        steps = ", ".join(
            f"{ratio(gain)} at {_number(value)}"
            for value, gain in zip(one.at, one.rows[one.figure], strict=True)
        )
        said.append(f"{name}: speedup {steps}")
    return f"Over {CONDITIONS[shown[0].axis]}. {'; '.join(said)}."


def _values(frames: Frames, shown: list[Any], called: list[str]) -> Values:
    body = []
    for one, name in zip(shown, called, strict=True):
        rate = _FIGURES[one.figure][0]
        both = zip(one.at, one.rows.to_dict("records"), one.plain[rate], strict=True)
        for value, row, plain in both:
            body.append(
                (
                    name,
                    _number(value),
                    _told(row[rate], "{:.1f}".format),
                    _told(plain, "{:.1f}".format),
                    ratio(row[one.figure]),
                    f"{row[f'{one.figure}_low']:.2f}–{row[f'{one.figure}_high']:.2f}",
                    _told(row["acceptance_rate"], percent),
                    "measured",
                )
            )
        ahead = frames.axes.ahead(one)
        if ahead is not None:
            body.append(
                (
                    name,
                    _number(ahead["concurrency"]),
                    f"{ahead['effective_tps']:.1f}",
                    f"{ahead['plain_tps']:.1f}",
                    ratio(ahead["speedup"]),
                    f"{ahead['speedup_low']:.2f}–{ahead['speedup_high']:.2f}",
                    MISSING,
                    "predicted",
                )
            )
    return Values.of(_HEADERS, body)


def _told(value: float, shown: Callable[[float], str]) -> str:
    return shown(value) if np.isfinite(value) else MISSING
