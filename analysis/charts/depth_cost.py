"""The chart of cost over depth: what does a deeper draft cost, and what does it bring?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from matplotlib.typing import LineStyleType

from analysis.charts.axes import key, key_height
from analysis.charts.chart import Chart, Frames, positive
from analysis.charts.labels import shorten
from analysis.charts.style import Theme
from analysis.charts.values import Values

__all__ = ["depth_cost"]

_PANELS = (
    ("ms_per_forward", "cost: ms per forward", "plain step: {:.1f} ms"),
    ("mean_accepted_length", "gain: tokens per forward", "without speculation: {:.0f}"),
)
_NAMED = 2
"""Methods up to which names fit beside their lines; the key has those of more."""

_DASHES: tuple[LineStyleType, ...] = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (5, 2, 1, 2)))


def depth_cost(frames: Frames) -> Chart | None:
    """Time and mean accepted length of a forward over depth, one line per method."""
    runs = frames.runs
    usable = positive(runs["ms_per_forward"]) & positive(runs["mean_accepted_length"])
    drafts = (
        (runs["draft_tokens"].fillna(0) > 0)
        & runs["n_max"].notna()
        & (runs["id"] != frames.baseline)
    )
    shown = runs[usable & drafts].sort_values("n_max", kind="stable")
    if shown.empty:
        return None
    ordered = [run for run in frames.labels if run in set(shown["id"])]
    entries: list[tuple[str, Any]] = [(frames.labels[run], frames.marks[run]) for run in ordered]
    methods = [(name, group) for name, group in _methods(shown) if len(group) > 1]
    if len(methods) > _NAMED:
        entries += [(shorten(name, 17), _dashes(place)) for place, (name, _) in enumerate(methods)]

    def paint(figure: Figure, theme: Theme) -> None:
        panels = figure.subplots(1, 2, sharex=True)
        for axes, (column, name, plain) in zip(panels, _PANELS, strict=True):
            _fitted(axes, frames.depths, shown, column, theme)
            _lines(axes, shown, column, theme)
            for run, depth, value in zip(shown["id"], shown["n_max"], shown[column], strict=True):
                axes.scatter(
                    [int(depth)],
                    [value],
                    zorder=3,
                    gid=run,
                    clip_on=False,
                    **frames.marks[run].scatter(theme, 9),
                )
            level = None if frames.plain is None else frames.plain[column]
            if pd.notna(level):
                marked = shown.set_index("n_max")[column]
                _reference(axes, float(level), marked, plain, theme)
            axes.set_title(name, color=theme.ink)
            axes.set_xlabel("depth (n_max)")
            axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
            axes.grid(axis="y")
            axes.tick_params(length=0, labelcolor=theme.muted)
            axes.margins(x=0.1, y=0.17)
        key(figure, theme, entries)

    return Chart(
        name="depth_cost",
        title="What does depth cost, and what does it bring?",
        alt=_finding(frames, shown),
        caption=(
            "Left: milliseconds per target forward after prefill. Right: mean accepted length, "
            f"tokens per forward with the bonus token. Lines join one method; {_modelled(frames)}"
            f"{frames.requests()}. "
            f"{frames.certainty()}"
        ),
        height=3.25 + key_height(entries),
        paint=paint,
        values=_values(frames, shown),
    )


def _values(frames: Frames, shown: pd.DataFrame) -> Values:
    columns = ("id", "n_max", "ms_per_forward", "mean_accepted_length")
    rows = [
        (frames.labels[run], f"{depth:.0f}", f"{cost:.2f}", f"{gain:.2f}")
        for run, depth, cost, gain in zip(*(shown[name] for name in columns), strict=True)
    ]
    plain = frames.plain
    if plain is not None and pd.notna(plain["ms_per_forward"]):
        rows.append((frames.labels[plain["id"]], "0", f"{plain['ms_per_forward']:.2f}", "1.00"))
    return Values.of(("Configuration", "Depth", "ms per forward", "Tokens per forward"), rows)


def _modelled(frames: Frames) -> str:
    fitted = not frames.depths.empty and bool((frames.depths["source"] == "predicted").any())
    return "dotted: the fitted curve with its 90 % band; " if fitted else ""


def _fitted(
    axes: Axes, depths: pd.DataFrame, shown: pd.DataFrame, column: str, theme: Theme
) -> None:
    """The modelled curve, with the band of the cost, over all depths that the model speaks of."""
    if depths.empty:
        return
    whole = depths[depths["workload"].isna() & depths[column].notna()]
    for method, curve in whole[whole["method"].isin(shown["spec_type"])].groupby("method"):
        if len(curve) < 2:
            continue
        if column == "ms_per_forward":
            axes.fill_between(
                curve["n_max"],
                curve["ms_low"],
                curve["ms_high"],
                color=theme.neutral,
                alpha=0.2,
                linewidth=0,
                gid=f"band of {method}",
            )
        axes.plot(
            curve["n_max"],
            curve[column],
            color=theme.neutral,
            linestyle=(0, (1, 1.6)),
            linewidth=1.4,
            zorder=1.5,
            gid=f"model of {method}",
        )


def _methods(shown: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Runs of one method and truncation threshold."""
    names = [
        _method_name(spec_type, p_min)
        for spec_type, p_min in zip(shown["spec_type"], shown["p_min"], strict=True)
    ]
    by_name = pd.Series(names, index=shown.index)
    for name, group in shown.groupby(by_name, sort=False):
        yield str(name), group


def _method_name(spec_type: object, p_min: float) -> str:
    name = spec_type if isinstance(spec_type, str) else "method not stated"
    return name if math.isnan(p_min) else f"{name}, p_min {p_min:g}"


def _lines(axes: Axes, shown: pd.DataFrame, column: str, theme: Theme) -> None:
    methods = list(_methods(shown))
    # Several runs at one depth differ in something else: no line goes through them.
    lines = [(name, group) for name, group in methods if len(group) > 1]
    for place, (name, group) in enumerate(lines):
        if group["n_max"].is_unique:
            axes.plot(
                group["n_max"].astype("float64"),
                group[column],
                color=theme.muted,
                linestyle=_dashes(place),
                linewidth=1.6,
                zorder=2,
                gid=name,
            )
    if len(methods) <= _NAMED:
        _names(axes, methods, column, theme)


def _dashes(place: int) -> LineStyleType:
    return _DASHES[place % len(_DASHES)]


def _names(
    axes: Axes, methods: Sequence[tuple[str, pd.DataFrame]], column: str, theme: Theme
) -> None:
    """Name each method where its line ends, above it or, in the way of another, below."""
    ends = [(float(group["n_max"].iloc[-1]), float(group[column].iloc[-1])) for _, group in methods]
    near = 0.15 * max(float(np.ptp([end for _, end in ends])), 0.5 * max(end for _, end in ends))
    for (name, _), (depth, end) in zip(methods, ends, strict=True):
        below = any(end < other < end + near and abs(depth - at) < 1.5 for at, other in ends)
        axes.annotate(
            shorten(name, 14),
            (depth, end),
            xytext=(5, -10) if below else (5, 9),
            textcoords="offset points",
            color=theme.muted,
            ha="right",
            va="top" if below else "bottom",
            fontsize=9.5,
        )


def _reference(axes: Axes, level: float, shown: pd.Series, form: str, theme: Theme) -> None:
    """The plain step, named at the right or, where a mark stands in the way, at the left.

    `shown` has the values that are marked, by depth.
    """
    values = shown.astype("float64")
    reach = 0.12 * (max(values.max(), level) - min(values.min(), level))
    depths = values.index.to_numpy("float64")
    right = depths > np.median(depths)
    in_the_way = bool((right & ((values - level).abs() < reach)).any())
    axes.axhline(level, color=theme.neutral, linestyle=(0, (4, 3)), linewidth=1.4)
    axes.annotate(
        form.format(level),
        (0 if in_the_way else 1, level),
        xycoords=axes.get_yaxis_transform(),
        xytext=(3 if in_the_way else 0, 4),
        textcoords="offset points",
        color=theme.muted,
        ha="left" if in_the_way else "right",
        fontsize=9.5,
    )


def _finding(frames: Frames, shown: pd.DataFrame) -> str:
    said = []
    for name, group in _methods(shown):
        steps = ", ".join(
            f"{cost:.1f} ms for {gain:.2f} tokens at depth {depth}"
            for cost, gain, depth in zip(
                group["ms_per_forward"], group["mean_accepted_length"], group["n_max"], strict=True
            )
        )
        said.append(f"{shorten(name, 17)}: {steps}")
    plain = frames.plain
    if plain is not None and pd.notna(plain["ms_per_forward"]):
        said.append(f"plain step: {plain['ms_per_forward']:.1f} ms for 1 token")
    return f"Cost and gain of one forward. {'; '.join(said)}."
