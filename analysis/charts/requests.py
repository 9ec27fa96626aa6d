"""The chart of requests: how much do single requests differ?"""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from analysis.charts.axes import key, key_height, rows_axis, rows_height
from analysis.charts.chart import Chart, Frames, positive
from analysis.charts.labels import distinct
from analysis.charts.spots import mark_spot
from analysis.charts.style import Theme
from analysis.charts.values import Values
from analysis.charts.workload_marks import workload_marks
from analysis.names import workload_title

__all__ = ["requests"]

_LEAST = 4
"""Requests of a configuration from which on their spread says something."""

_SPREAD = 0.5
"""Share of a row over which the classes are spread, so that none covers another."""


def requests(frames: Frames) -> Chart | None:
    """Decode rate of every request, a row for each configuration; a line at each one's median.

    Null where nothing was repeated: requests are tasks then, and other charts have those.
    """
    if frames.single_runs:
        return None
    done = frames.tasks[frames.tasks["error"].isna() & positive(frames.tasks["decode_tps"])]
    done = done[done.groupby("run")["run"].transform("size") >= _LEAST]
    if done.empty:
        return None
    runs = [run for run in frames.labels if run in set(done["run"])]
    names = [frames.labels[run] for run in runs]
    present = set(done["workload"])
    kinds = [name for name in frames.workloads["workload"].unique() if name in present]
    looks = workload_marks(kinds)
    entries = [(workload_title(name), looks[name]) for name in kinds]
    middles = done.groupby("run")["decode_tps"].median()
    tasks = dict(
        zip(done["task"], distinct(list(done["task"]), 24, list(done["task"])), strict=True)
    )

    def paint(figure: Figure, theme: Theme) -> None:
        axes = figure.subplots()
        rows_axis(axes, names, theme)
        for row, run in enumerate(runs):
            for place, (name, look) in enumerate(looks.items()):
                own = done[(done["run"] == run) & (done["workload"] == name)]
                height = row + _SPREAD * (place / max(len(looks) - 1, 1) - 0.5)
                axes.scatter(
                    own["decode_tps"],
                    [height] * len(own),
                    marker=look.shape,
                    s=30,
                    facecolors=look.colour(theme),
                    linewidths=0,
                    alpha=0.85,
                    zorder=3,
                    gid=f"{run}:{name}",
                )
                for task, rate in zip(own["task"], own["decode_tps"], strict=True):
                    mark_spot(axes, (rate, height), f"{tasks[task]}: {rate:.1f} tok/s", name)
            axes.plot(
                [middles[run]] * 2,
                [row - 0.36, row + 0.36],
                color=theme.ink,
                linewidth=2.2,
                zorder=2.5,
                gid=f"median of {run}",
            )
        axes.xaxis.set_major_locator(MaxNLocator(5))
        axes.tick_params(axis="x", length=0)
        axes.set_xlabel("decode tok/s of a request; bar: median")
        key(figure, theme, entries)

    return Chart(
        name="requests",
        title="How much do single requests differ?",
        alt=_finding(frames, done, runs),
        caption=(
            "Each mark is a request, repeats included; bar: the median of its configuration; "
            f"{frames.requests()}."
        ),
        height=1.15 + key_height(entries) + rows_height(names),
        paint=paint,
        values=_values(frames, done, runs),
    )


def _spread(done: pd.DataFrame, run: str) -> tuple[float, float, float]:
    rates = done.loc[done["run"] == run, "decode_tps"]
    return float(rates.min()), float(rates.median()), float(rates.max())


def _values(frames: Frames, done: pd.DataFrame, runs: list[str]) -> Values:
    rows = []
    for run in runs:
        number = int((done["run"] == run).sum())
        rows.append(
            (frames.labels[run], str(number), *(f"{rate:.1f}" for rate in _spread(done, run)))
        )
    headers = ("Configuration", "Requests", "Slowest tok/s", "Median tok/s", "Fastest tok/s")
    return Values.of(headers, rows)


def _finding(frames: Frames, done: pd.DataFrame, runs: list[str]) -> str:
    said = []
    for run in runs:
        low, middle, high = _spread(done, run)
        said.append(f"{frames.labels[run]}: {low:.1f} to {high:.1f} tok/s, median {middle:.1f}")
    return f"Decode rate of single requests. {'; '.join(said)}."
