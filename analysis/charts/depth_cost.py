"""The chart of cost over depth: what does a deeper draft cost, and what does it bring?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.charts.axes import depth_axis, key, key_height
from analysis.charts.chart import Chart, Frames, positive
from analysis.charts.ends import End, name_ends
from analysis.charts.labels import shorten
from analysis.charts.spots import mark_spot
from analysis.charts.style import Theme
from analysis.charts.values import Values
from analysis.depths.methods import method_names
from analysis.names import method_title

__all__ = ["depth_cost"]

_PANELS = (
    ("ms_per_forward", "cost: ms per forward", "ms"),
    ("mean_accepted_length", "gain: tokens per forward", "tokens"),
)
_HEIGHT = 2.0
"""Inches of a panel."""

_OFF = "no speculation"


def depth_cost(frames: Frames) -> Chart | None:
    """Time and mean accepted length of a forward over depth, one line per method.

    The line is the model's, with the band of the cost, where there is one;
    else it joins the runs.
    """
    methods_of = pd.Series(method_names(frames.runs), frames.runs.index, dtype="object")
    runs = frames.runs.assign(method=methods_of)
    usable = positive(runs["ms_per_forward"]) & positive(runs["mean_accepted_length"])
    drafts = (
        (runs["draft_tokens"].fillna(0) > 0)
        & runs["n_max"].notna()
        & (runs["id"] != frames.baseline)
    )
    shown = runs[usable & drafts].sort_values("n_max", kind="stable")
    if len(shown) < 2:
        # A single run says so in a table; there is nothing to see in a picture of it.
        return None
    methods = list(_methods(shown))
    # A name stands at the right, and says nothing of a line that ended long before.
    apart = len({group["n_max"].max() for _, group in methods}) > 1
    entries = [
        (_title(method), replace(frames.marks[str(group["id"].iloc[0])], shade=0.0))
        for method, group in methods
    ]

    def paint(figure: Figure, theme: Theme) -> None:
        column = figure.subplots(2, 1, sharex=True)
        for axes, (name, title, unit) in zip(column, _PANELS, strict=True):
            ends = []
            for method, group in methods:
                hue = frames.marks[str(group["id"].iloc[0])].hue(theme)
                _line(axes, _curve(frames.depths, group, method), group, name, hue)
                if not apart:
                    shape = frames.marks[str(group["id"].iloc[0])].shape
                    last = float(group[name].iloc[-1])
                    ends.append(End(last, _title(method), shape, hue, hue))
            for row in shown.to_dict("records"):
                mark = frames.marks[row["id"]].scatter(theme, 9)
                at = int(row["n_max"])
                axes.scatter([at], [row[name]], zorder=3, gid=row["id"], clip_on=False, **mark)
                told = f"{frames.labels[row['id']]}: {row[name]:.2f} {unit} per forward"
                mark_spot(axes, (at, row[name]), told)
            level = None if frames.plain is None else frames.plain[name]
            if pd.notna(level):
                axes.axhline(level, color=theme.neutral, linestyle=(0, (4, 3)), linewidth=1.4)
                ends.append(End(float(level), _OFF))
            axes.set_title(title, color=theme.ink)
            axes.margins(y=0.12)
            depth_axis(axes, shown["n_max"], theme)
            name_ends(axes, ends, _HEIGHT - 0.3, theme)
        axes.set_xlabel("depth (n_max)")
        if apart:
            key(figure, theme, entries)

    return Chart(
        name="depth_cost",
        title="What does depth cost, and what does it bring?",
        alt=_finding(frames, shown),
        caption=(
            "Above: milliseconds per target forward after prefill. Below: mean accepted length, "
            f"tokens per forward with the bonus token. {_lines(frames, shown)}"
            f"{frames.requests()[:1].upper()}{frames.requests()[1:]}. "
            f"{frames.certainty()}"
        ).rstrip(),
        height=0.9 + 2 * _HEIGHT + apart * key_height(entries),
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


def _lines(frames: Frames, shown: pd.DataFrame) -> str:
    if any(len(_curve(frames.depths, group, method)) > 1 for method, group in _methods(shown)):
        return "Lines: the model of each method between its runs, with the cost's 90 % band. "
    return ""


def _methods(shown: pd.DataFrame) -> Iterator[tuple[str | None, pd.DataFrame]]:
    """Runs of one method; those that cut drafts by their confidence are another one's."""
    for (method, p_min), group in shown.groupby(
        [shown["method"].fillna(""), shown["p_min"].fillna(0.0)], sort=False
    ):
        name = str(method) or None
        cut = float(str(p_min))
        yield (name if cut == 0 else f"{name}, p_min {cut:g}"), group


def _title(method: str | None) -> str:
    name, cut, p_min = (method or "").partition(", p_min")
    return method_title(name or None) + cut + p_min


def _curve(depths: pd.DataFrame, group: pd.DataFrame, method: str | None) -> pd.DataFrame:
    """The model's rows between the shallowest and the deepest run; none for one depth."""
    if depths.empty or group["n_max"].nunique() < 2:
        return depths.iloc[:0]
    between = depths["n_max"].between(group["n_max"].min(), group["n_max"].max())
    return depths[depths["workload"].isna() & (depths["method"] == method) & between]


def _line(axes: Axes, curve: pd.DataFrame, group: pd.DataFrame, column: str, hue: str) -> None:
    """Draw the line of a method: the model's, or from run to run."""
    if len(curve) > 1 and curve[column].notna().all():
        if column == "ms_per_forward":
            axes.fill_between(
                curve["n_max"],
                curve["ms_low"],
                curve["ms_high"],
                color=hue,
                alpha=0.16,
                linewidth=0,
                gid="band",
            )
        axes.plot(curve["n_max"], curve[column], color=hue, linewidth=1.6, gid="model")
    elif len(group) > 1 and group["n_max"].is_unique:
        # Several runs at one depth differ in something else: no line goes through them.
        x = group["n_max"].astype("float64")
        axes.plot(x, group[column], color=hue, linewidth=1.6, gid="runs")


def _finding(frames: Frames, shown: pd.DataFrame) -> str:
    said = []
    for name, group in _methods(shown):
        steps = ", ".join(
            f"{cost:.1f} ms for {gain:.2f} tokens at depth {depth}"
            for cost, gain, depth in zip(
                group["ms_per_forward"], group["mean_accepted_length"], group["n_max"], strict=True
            )
        )
        said.append(f"{shorten(_title(name), 30)}: {steps}")
    plain = frames.plain
    if plain is not None and pd.notna(plain["ms_per_forward"]):
        said.append(f"{_OFF}: {plain['ms_per_forward']:.1f} ms for 1 token")
    return f"Cost and gain of one forward. {'; '.join(said)}."
