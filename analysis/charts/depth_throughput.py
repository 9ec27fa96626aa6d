"""The chart of throughput over depth: which depth to use, on which text?"""

from __future__ import annotations

import math

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from analysis.charts.axes import depth_axis
from analysis.charts.chart import Chart, Frames
from analysis.charts.labels import shorten, width, wrap
from analysis.charts.spots import mark_spot
from analysis.charts.style import SMALLEST, Theme
from analysis.charts.values import Values
from analysis.depths.depth import known_from
from analysis.depths.methods import method_names
from analysis.names import method_name, method_title, workload_title

__all__ = ["depth_throughput"]

_COLUMNS = 2
_NAME_EMS = 14
_EVERYTHING = "all prompts"


def depth_throughput(frames: Frames) -> Chart | None:
    """Modelled decode throughput over depth with its band, and the measured runs on it.

    One panel for all tasks and one per workload class, for the method with
    the most measured depths.
    """
    method = _method(frames.depths)
    if method is None:
        return None
    rows = frames.depths[(frames.depths["method"] == method) & frames.depths["decode_tps"].notna()]
    best = frames.best_depths[frames.best_depths["method"] == method]
    scopes = list(
        dict.fromkeys(_EVERYTHING if pd.isna(name) else str(name) for name in rows["workload"])
    )
    order = [_EVERYTHING, *dict.fromkeys(frames.workloads["workload"])]
    scopes = [name for name in order if name in scopes]
    runs = frames.runs[
        pd.Series(method_names(frames.runs), frames.runs.index).eq(method)
        & frames.runs["n_max"].notna()
        & ~frames.runs["synthetic"]
    ]
    lines = math.ceil(len(scopes) / _COLUMNS)

    def paint(figure: Figure, theme: Theme) -> None:
        grid = figure.subplots(lines, min(len(scopes), _COLUMNS), sharex=True, squeeze=False)
        drawn = [axes for line in grid for axes in line]
        for axes, scope in zip(drawn, scopes, strict=False):
            at = rows["workload"].isna() if scope == _EVERYTHING else rows["workload"] == scope
            choice = best["workload"].isna() if scope == _EVERYTHING else best["workload"] == scope
            _panel(axes, rows[at], (frames.hue(method, theme), theme))
            _measured(axes, frames, runs, scope, theme)
            _choice(axes, best[choice], scope, theme)
        for axes in drawn[len(scopes) :]:
            axes.set_visible(False)
        for line in grid:
            line[0].set_ylabel("decode tok/s")
        for axes in drawn[max(len(scopes) - grid.shape[1], 0) : len(scopes)]:
            axes.set_xlabel("depth (n_max)")
            axes.tick_params(labelbottom=True)

    return Chart(
        name="depth_throughput",
        title=_question(method),
        alt=_finding(best, rows, method),
        caption=(
            f"Decode throughput over depth with {shorten(method_name(method), 30)}: line and band "
            "from the model with 90 % intervals, dotted where no run was made; marks are the "
            "measured runs. Above each: the depth to use, at the vertical line; off: no "
            "speculation, the dashed line. "
            f"{frames.certainty()}"
        ).rstrip(),
        height=0.6 + 2.15 * lines,
        paint=paint,
        values=_values(rows),
    )


def _values(rows: pd.DataFrame) -> Values:
    columns = ("workload", "n_max", "source", "decode_tps", "low", "high")
    body = [
        (
            _scope(workload),
            str(depth),
            known_from(source),
            f"{value:.1f}",
            f"{low:.1f}–{high:.1f}",
        )
        for workload, depth, source, value, low, high in zip(
            *(rows[name] for name in columns), strict=True
        )
    ]
    return Values.of(("Tasks", "Depth", "Known from", "Decode tok/s", "90 % interval"), body)


def _method(depths: pd.DataFrame) -> str | None:
    """The method with the most measured depths that has a curve; the first of equal ones."""
    if depths.empty:
        return None
    whole = depths[depths["workload"].isna() & depths["decode_tps"].notna()]
    curves = whole.groupby("method", sort=False).size()
    measured = whole[whole["source"] == "measured"].groupby("method", sort=False).size()
    usable = measured[measured.index.isin(curves[curves > 1].index)]
    return None if usable.empty else str(usable.idxmax())


def _question(method: str) -> str:
    """The title, with the method's name where there is room for it."""
    name = method_title(method)
    return f"Which depth to use{f' with {name}' if width(name) < 5 else ''}?"


def _scope(workload: object) -> str:
    """What a class is called, null for all: as in the tables of a card."""
    return workload_title(workload if isinstance(workload, str) else _EVERYTHING)


def _panel(axes: Axes, rows: pd.DataFrame, look: tuple[str, Theme]) -> None:
    hue, theme = look
    rows = rows.sort_values("n_max")
    axes.fill_between(
        rows["n_max"], rows["low"], rows["high"], color=hue, alpha=0.16, linewidth=0, gid="band"
    )
    axes.plot(
        rows["n_max"],
        rows["decode_tps"],
        color=hue,
        linewidth=1.4,
        linestyle=(0, (1, 1.6)),
        gid="model",
    )
    inside = rows[rows["source"] == "measured"]["n_max"]
    shown = (
        rows[rows["n_max"].between(inside.min(), inside.max())] if len(inside) else rows.iloc[:0]
    )
    axes.plot(shown["n_max"], shown["decode_tps"], color=hue, linewidth=1.6, gid="measured range")
    axes.yaxis.set_major_locator(MaxNLocator(4))
    depth_axis(axes, rows["n_max"], theme)
    axes.margins(y=0.12)


def _measured(axes: Axes, frames: Frames, runs: pd.DataFrame, scope: str, theme: Theme) -> None:
    if scope == _EVERYTHING:
        rates = frames.runs.set_index("id")["decode_tps"]
    else:
        rates = frames.workloads[frames.workloads["workload"] == scope].set_index("run")[
            "decode_tps"
        ]
    for run, depth in zip(runs["id"], runs["n_max"], strict=True):
        rate = rates.get(run)
        if rate is not None and pd.notna(rate):
            axes.scatter(
                [int(depth)], [rate], zorder=3, gid=run, **frames.marks[run].scatter(theme, 7)
            )
            told = f"{_scope(scope)}, {frames.labels[run]}: {rate:.1f} tok/s"
            mark_spot(axes, (int(depth), rate), told, None if scope == _EVERYTHING else scope)
    plain = rates.get(frames.baseline) if frames.baseline is not None else None
    if plain is not None and pd.notna(plain):
        axes.axhline(
            plain, color=theme.neutral, linestyle=(0, (4, 3)), linewidth=1.3, gid="no speculation"
        )


def _choice(axes: Axes, best: pd.DataFrame, scope: str, theme: Theme) -> None:
    """Name the panel by its answer, and mark the depth."""
    name = "\n".join(wrap(shorten(_scope(scope), 28), _NAME_EMS))
    if best.empty:
        axes.set_title(name, color=theme.ink, fontsize=SMALLEST)
        return
    depth = int(best["n_max"].iloc[0])
    answer = f"use: depth {depth}" if depth else "use: off"
    axes.set_title(f"{name}\n{answer}", color=theme.ink, fontsize=SMALLEST, linespacing=1.25)
    if depth:
        axes.axvline(depth, color=theme.ink, linewidth=1.1, gid="chosen", zorder=1.5)


def _finding(best: pd.DataFrame, rows: pd.DataFrame, method: str) -> str:
    told = rows.assign(workload=rows["workload"].fillna("")).set_index(["workload", "n_max"])
    said = []
    for row in best.to_dict("records"):
        scope = shorten(_scope(row["workload"]), 20)
        if row["n_max"]:
            said.append(f"{scope}: depth {row['n_max']} ({row['decode_tps']:.1f} tok/s)")
        else:
            own = "" if pd.isna(row["workload"]) else row["workload"]
            most = float(told["decode_tps"].loc[own].max())
            said.append(f"{scope}: no speculation (with it at most {most:.1f} tok/s)")
        if not pd.isna(row["untried"]):
            scope = "" if pd.isna(row["workload"]) else row["workload"]
            faster = float(told["decode_tps"].loc[(scope, row["untried"])])
            said[-1] += f", {faster:.1f} tok/s predicted at depth {row['untried']}"
    return f"Depth to use with {shorten(method_title(method), 30)}. {'; '.join(said)}."
