"""The throughput chart: how fast is each configuration?"""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from analysis.charts.axes import rows_axis, rows_height
from analysis.charts.chart import Chart, Frames, positive
from analysis.charts.labels import listed, ratio
from analysis.charts.spots import mark_spot
from analysis.charts.style import Theme
from analysis.charts.values import MISSING, Values

__all__ = ["throughput"]

_SYNTHETIC = "Marked synthetic: drafts were accepted at random, to show what drafting costs."
_WORDS = {
    "effective_tps": (
        "effective throughput, tok/s",
        "Effective throughput: predicted tokens over the wall time of whole requests",
    ),
    "decode_tps": (
        "decode throughput, tok/s",
        "Decode throughput: predicted tokens over decode time",
    ),
}


def throughput(frames: Frames) -> Chart | None:
    """Throughput of every configuration, the fastest on top.

    Effective throughput where wall times are known, else decode throughput;
    a chart never mixes the two.
    """
    runs = frames.runs
    known = {name: positive(runs[name]) for name in _WORDS}
    whole = ~runs["id"].isin(frames.partial)
    metric = max(_WORDS, key=lambda name: int((known[name] & whole).sum()))
    shown = runs[known[metric]].sort_values(metric, ascending=False, kind="stable")
    if shown.empty:
        return None
    missing = [frames.labels[run] for run in runs.loc[~known[metric], "id"]]
    plain = shown.loc[shown["id"] == frames.baseline, metric]
    base = float(plain.iloc[0]) if len(plain) else None
    own = f"{metric}_low" in shown
    shown = _with_interval(shown, metric)
    intervals = f"{metric}_low" in shown and bool(shown[f"{metric}_low"].notna().any())
    axis, what = _WORDS[metric]
    names = [frames.labels[run] for run in shown["id"]]
    if metric == "decode_tps":
        untimed = [frames.labels[run] for run in runs.loc[~known["effective_tps"], "id"]]
        whose = "" if len(untimed) == len(runs) else f" of {listed(untimed)}"
        what += f" (no wall time is recorded{whose})" if untimed else ""

    def paint(figure: Figure, theme: Theme) -> None:
        axes = figure.subplots()
        rows_axis(axes, names, theme)
        if base is not None:
            axes.axvline(
                base, color=theme.neutral, linestyle=(0, (4, 3)), linewidth=1.4, zorder=1.5
            )
        for row, (run, value) in enumerate(zip(shown["id"], shown[metric], strict=True)):
            mark = frames.marks[run]
            if intervals:
                low, high = shown[f"{metric}_low"].iloc[row], shown[f"{metric}_high"].iloc[row]
                if pd.notna(low) and pd.notna(high):
                    axes.errorbar(
                        value,
                        row,
                        xerr=[[value - low], [high - value]],
                        color=mark.colour(theme),
                        linewidth=2,
                        zorder=2,
                    )
            axes.scatter([value], [row], zorder=3, gid=run, **mark.scatter(theme, 11))
            rate, times = _rate(float(value)), _times(frames, shown.iloc[row], metric, base)
            _beside(axes, row, rate, times)
            told = f"{names[row]}: {rate} tok/s" + (f", {times}" if times else "")
            mark_spot(axes, (value, row), told)
        _beside(axes, -0.95, "tok/s", None if base is None else "speedup", color=theme.muted)
        axes.margins(x=0.08)
        axes.xaxis.set_major_locator(MaxNLocator(4))
        axes.set_xlabel(axis)
        if base is not None:
            axes.set_title("dashed: no speculation")

    return Chart(
        name="throughput",
        title="How fast is each configuration?",
        alt=_finding(frames, shown, metric, base),
        caption=" ".join(
            [
                f"{what}; {frames.requests()}.",
                *filter(
                    None,
                    [frames.certainty(intervals=intervals, of="" if own else " of the speedup")],
                ),
                *([_SYNTHETIC] if shown["synthetic"].any() else []),
                *([f"Not drawn, no time recorded: {listed(missing)}."] if missing else []),
            ]
        ),
        height=1.4 + rows_height(names),
        paint=paint,
        values=_values(frames, shown, metric, base),
    )


def _values(frames: Frames, shown: pd.DataFrame, metric: str, base: float | None) -> Values:
    bounds = [name for name in (f"{metric}_low", f"{metric}_high") if name in shown]
    headers = ["Configuration", "tok/s", *(["low", "high"] if len(bounds) == 2 else [])]
    rows = []
    for _, run in shown.iterrows():
        row = [frames.labels[run["id"]], _rate(float(run[metric]))]
        if len(bounds) == 2:
            row += [MISSING if pd.isna(run[name]) else _rate(float(run[name])) for name in bounds]
        times = _times(frames, run, metric, base)
        rows.append(row if times is None else [*row, times])
    return Values.of(headers if base is None else [*headers, "Speedup"], rows)


def _times(frames: Frames, run: pd.Series, metric: str, base: float | None) -> str | None:
    """A run's speedup: null without a baseline, a dash where it is synthetic or lacks tasks."""
    if base is None:
        return None
    return (
        MISSING
        if run["synthetic"] or run["id"] in frames.partial
        else f"{ratio(run[metric] / base)}×"
    )


def _with_interval(shown: pd.DataFrame, metric: str) -> pd.DataFrame:
    """With an interval of the metric: the frame's own, or as far off as the speedup may be."""
    speedup = "speedup" if metric == "effective_tps" else "decode_speedup"
    # With one run each an interval is assumed, and in the tables; a bar would look measured.
    repeated = bool((shown["repeats"] > 1).any())
    known = f"{speedup}_low" in shown and bool(shown[f"{speedup}_low"].notna().any()) and repeated
    if f"{metric}_low" in shown or not known:
        return shown
    ends = {
        f"{metric}_{end}": shown[metric] * shown[f"{speedup}_{end}"] / shown[speedup]
        for end in ("low", "high")
    }
    return shown.assign(**ends)


def _rate(value: float) -> str:
    return f"{value:.1f}" if value < 1000 else f"{value:,.0f}"


def _beside(axes: Axes, row: float, first: str, second: str | None, **style: Any) -> None:
    """Write the figures of a row in columns at the right."""
    for text, points in ((first, 46), (second, 102)):
        if text is not None:
            axes.annotate(
                text,
                (1, row),
                xycoords=axes.get_yaxis_transform(),
                xytext=(points, 0),
                textcoords="offset points",
                ha="right",
                va="center_baseline",
                **style,
            )


def _finding(frames: Frames, shown: pd.DataFrame, metric: str, base: float | None) -> str:
    kind = metric.removesuffix("_tps").capitalize()
    # A synthetic run is drawn for its cost and never named as fastest or slowest, and neither is
    # one that did only some of the tasks.
    ranked = shown[~shown["synthetic"] & ~shown["id"].isin(frames.partial)]
    shown = shown if ranked.empty else ranked
    first, last = shown.iloc[0], shown.iloc[-1]
    said = (
        f"{kind} throughput: {frames.labels[first['id']]} is fastest at {first[metric]:.1f} tok/s"
    )
    if len(shown) == 1:
        return f"{kind} throughput of {frames.labels[first['id']]}: {first[metric]:.1f} tok/s."
    if base is not None and first["id"] == frames.baseline:
        said += ", and no configuration that speculates is faster over all prompts"
    elif base is not None:
        said += f", {ratio(first[metric] / base)} times the {base:.1f} tok/s without speculation"
    if last[metric] == first[metric]:
        return f"{said}; all are equally fast."
    return f"{said}; {frames.labels[last['id']]} is slowest at {last[metric]:.1f} tok/s."
