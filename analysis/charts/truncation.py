"""What would cutting drafts short by their confidence bring?"""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.charts.chart import Chart, Frames
from analysis.charts.panels import few, panels, panels_height
from analysis.charts.spots import mark_spot
from analysis.charts.style import SMALLEST, Theme
from analysis.charts.values import Values

__all__ = ["truncation"]

_HEIGHT = 2.9
"""Inches of a panel."""

_NAMED = (0.2, 0.4, 0.6, 0.8)
"""Thresholds whose places on the curve are named."""


def truncation(frames: Frames) -> Chart | None:
    """Tokens per forward against tokens drafted, for thresholds and for fixed depths."""
    if frames.replay.empty:
        return None
    rows = frames.replay[frames.replay["workload"].isna() & (frames.replay["n_min"] == 0)]
    rows = rows.assign(
        spent=rows["draft_tokens"] / (rows["forwards"] * rows["mean_accepted_length"])
    )
    names = few(rows["run"])
    rows = rows[rows["run"].isin(names)]

    def paint(figure: Figure, theme: Theme) -> None:
        titles = [frames.labels[name] for name in names]
        for axes, name in zip(panels(figure, titles, theme), names, strict=True):
            _panel(axes, rows[rows["run"] == name], frames.marks[name].hue(theme), theme)
            axes.set_ylabel("tokens per forward")
        axes.set_xlabel("drafted tokens per generated token")

    return Chart(
        name="truncation",
        title="What would a confidence threshold bring?",
        alt=_finding(frames, rows, names),
        caption=(
            "Replayed on the logged drafts: each point is a setting, by how much it drafts and by "
            "how long its forwards are. Up and to the left is better. Line: a threshold on each "
            "token's confidence at the deepest depth; squares: fixed depths. Bars: 90 % intervals."
        ),
        height=panels_height(len(names), _HEIGHT),
        paint=paint,
        values=_values(frames, rows),
    )


def _curves(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    deepest = rows["n_max"].max()
    thresholds = rows[(rows["policy"] == "threshold") & (rows["n_max"] == deepest)]
    return thresholds.sort_values("p_min"), rows[rows["policy"] == "fixed"].sort_values("n_max")


def _panel(axes: Axes, rows: pd.DataFrame, first: str, theme: Theme) -> None:
    thresholds, fixed = _curves(rows)
    axes.plot(
        thresholds["spent"], thresholds["mean_accepted_length"], color=first, linewidth=1.8,
        gid="threshold",
    )  # fmt: skip
    for part, colour, shape in ((thresholds, first, "o"), (fixed, theme.muted, "s")):
        named = part[part["p_min"].isin(_NAMED)] if shape == "o" else part
        y = named["mean_accepted_length"].to_numpy("float64")
        spread = [y - named["low"].to_numpy("float64"), named["high"].to_numpy("float64") - y]
        axes.errorbar(
            named["spent"], y, yerr=spread, color=colour, linestyle="none", marker=shape,
            markersize=6, elinewidth=1.2, capsize=2.5,
        )  # fmt: skip
        for x, height, row in zip(named["spent"], y, named.to_dict("records"), strict=True):
            above = shape == "o"
            name = f"p_min {row['p_min']:g}" if above else f"n_max {row['n_max']}"
            mark_spot(
                axes, (x, height), f"{name}: {height:.2f} tokens per forward, {x:.2f} drafted"
            )
            axes.annotate(
                name,
                (x, height),
                xytext=(-6 if above else 6, 7 if above else -13),
                textcoords="offset points",
                ha="right" if above else "left",
                color=theme.ink if above else theme.muted,
                fontsize=SMALLEST,
            )
    axes.margins(x=0.16, y=0.1)
    axes.grid()
    axes.tick_params(length=0, labelcolor=theme.muted)


def _finding(frames: Frames, rows: pd.DataFrame, names: list[str]) -> str:
    said = []
    for name in names:
        thresholds, fixed = _curves(rows[rows["run"] == name])
        chosen = [*fixed.tail(1).to_dict("records"),
                  *thresholds[thresholds["p_min"].isin(_NAMED)].to_dict("records")]  # fmt: skip
        steps = "; ".join(
            f"{row['mean_accepted_length']:.2f} tokens per forward for {row['spent']:.2f} drafted "
            f"at {'p_min ' + format(row['p_min'], 'g') if row['p_min'] else 'no threshold'}"
            for row in chosen
        )
        label, depth = frames.labels[str(name)], f"n_max {fixed['n_max'].max()}"
        said.append(f"{label if depth in label else f'{label}, {depth}'}: {steps}")
    return f"{'. '.join(said)}."


def _values(frames: Frames, rows: pd.DataFrame) -> Values:
    body = [
        (
            frames.labels[str(row["run"])],
            str(row["policy"]),
            str(row["n_max"]),
            f"{row['p_min']:g}",
            f"{row['spent']:.2f}",
            f"{row['mean_accepted_length']:.2f}",
            f"{row['low']:.2f}–{row['high']:.2f}",
        )
        for name in dict.fromkeys(rows["run"])
        for part in _curves(rows[rows["run"] == name])
        for row in part.to_dict("records")
    ]
    headers = ("Run", "Policy", "n_max", "p_min", "Drafted per token", "Tokens per forward",
               "90 % interval")  # fmt: skip
    return Values.of(headers, body)
