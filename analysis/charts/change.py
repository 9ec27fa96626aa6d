"""The chart of change: what became faster or slower from one campaign to the next?"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from analysis.charts.axes import rows_axis, rows_height
from analysis.charts.chart import Chart
from analysis.charts.labels import distinct, ratio
from analysis.charts.spots import mark_spot
from analysis.charts.style import SMALLEST, Theme
from analysis.charts.values import Values

__all__ = ["change"]

_NAME_EMS = 22.0


def change(matches: pd.DataFrame) -> Chart | None:
    """Ratio of decode throughputs, second over first, with its interval, a row for each match.

    Parameters
    ----------
    matches
        Of ``compare.Comparison``; those without a ratio are left out.
    """
    rows = matches[matches["ratio"].notna()].sort_values("ratio", ascending=False, kind="stable")
    if rows.empty:
        return None
    ids = [f"{row['second_campaign']}: {row['second_run']}" for row in rows.to_dict("records")]
    names = distinct(ids, _NAME_EMS, ids)

    def paint(figure: Figure, theme: Theme) -> None:
        axes = figure.subplots()
        rows_axis(axes, names, theme)
        axes.axvline(1, color=theme.ink, linewidth=1.4, zorder=1.5)
        for place, row in enumerate(rows.to_dict("records")):
            value = float(row["ratio"])
            colour = theme.neutral if row["low"] <= 1 <= row["high"] else theme.palette[0]
            ends = [[value - row["low"]], [row["high"] - value]]
            axes.errorbar(value, place, xerr=ends, color=colour, linewidth=2, zorder=2)
            axes.scatter([value], [place], s=70, color=colour, zorder=3, gid=names[place])
            axes.annotate(
                f"{ratio(value)}×",
                (1, place),
                xycoords=axes.get_yaxis_transform(),
                xytext=(42, 0),
                textcoords="offset points",
                ha="right",
                va="center_baseline",
                fontsize=SMALLEST,
            )
            mark_spot(axes, (value, place), f"{ids[place]}: {_between(row)}")
        axes.xaxis.set_major_locator(MaxNLocator(4))
        axes.xaxis.set_major_formatter("{x:g}×")
        axes.tick_params(axis="x", length=0)
        axes.margins(x=0.1)
        axes.set_xlabel("decode throughput, second over first")

    clear = rows[(rows["low"] > 1) | (rows["high"] < 1)]
    first, last = rows.iloc[0], rows.iloc[-1]
    return Chart(
        name="change",
        title="What became faster or slower?",
        alt=(
            f"Decode throughput of {len(rows)} configurations over the campaign before: from "
            f"{_between(last)} to {_between(first)}; {len(clear)} can be told from no change."
        ),
        caption=(
            "Geometric mean over the tasks that both have. Bars: 90 % intervals, which carry the "
            "noise of requests, runs and campaigns; grey: can't be told from no change."
        ),
        height=1.3 + rows_height(names),
        paint=paint,
        values=Values.of(
            ("Second", "First", "Ratio", "90 % interval", "Tasks"),
            (
                (
                    name,
                    f"{row['first_campaign']}: {row['first_run']}",
                    f"{ratio(row['ratio'])}×",
                    f"{row['low']:.2f}–{row['high']:.2f}",
                    str(row["n_tasks"]),
                )
                for name, row in zip(ids, rows.to_dict("records"), strict=True)
            ),
        ),
    )


def _between(row: Mapping[Hashable, Any] | pd.Series) -> str:
    return f"{row['ratio']:.2f}× ({row['low']:.2f} to {row['high']:.2f})"
