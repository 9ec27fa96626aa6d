"""The ladder of policies: what would a better one than a fixed depth gain?"""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.charts.axes import rows_axis, rows_height
from analysis.charts.chart import Chart, Frames
from analysis.charts.labels import percent, shorten
from analysis.charts.panels import few, panels, panels_height
from analysis.charts.spots import mark_spot
from analysis.charts.style import SMALLEST, Theme
from analysis.charts.values import MISSING, Values
from analysis.names import method_title

__all__ = ["STEPS", "ladder"]

STEPS = {
    "off": "no speculation",
    "fixed": "best fixed depth",
    "routed": "best per workload",
    "p_min": "measured with p_min",
    "threshold": "confidence threshold",
    "ceiling": "perfect truncation",
}
_SHAPES = {"measured": "o", "replayed": "s", "assumed": "D", "predicted": "^"}
_MEANINGS = {
    "measured": "Circles: measured. ",
    "replayed": "Square: a confidence threshold, replayed from a log with confidences. ",
    "assumed": "Diamond: a confidence threshold under stated assumptions. ",
    "predicted": "Triangle: the ceiling, drafts cut right after their last accepted token, which "
    "no policy can know. ",
}


def ladder(frames: Frames) -> Chart | None:
    """Decode throughput of each policy over all tasks, one panel per method."""
    steps = frames.ladder
    if steps.empty:
        return None
    whole = steps[steps["workload"].isna() & steps["decode_tps"].notna()]
    sizes = whole[whole["step"] != "off"].groupby("method", sort=False).size()
    methods = few(sizes[sizes > 1].index)
    if not methods:
        return None
    shown = whole[whole["method"].isin(methods)]
    names = {
        method: [step for step in STEPS if step in set(own["step"])]
        for method, own in shown.groupby("method", sort=False)
    }
    rows = [len(names[method]) for method in methods]
    known = set(shown["source"])

    def paint(figure: Figure, theme: Theme) -> None:
        titles = [_title(method) for method in methods]
        for axes, method in zip(panels(figure, titles, theme, rows), methods, strict=True):
            rows_axis(axes, [STEPS[step] for step in names[method]], theme)
            own = shown[shown["method"] == method]
            _steps(
                axes,
                own,
                names[method],
                (frames.hue(method, theme), theme),
                hollow=frames.single_runs,
            )
            axes.tick_params(axis="x", length=0)
            axes.margins(x=0.12)
        axes.set_xlabel("decode tok/s")

    return Chart(
        name="ladder",
        title="What would a better policy gain?",
        alt=_finding(shown, methods),
        caption=(
            "Decode throughput over all prompts. "
            + "".join(said for source, said in _MEANINGS.items() if source in known)
            + ("Bars: 90 % intervals of the model. " if shown["low"].notna().any() else "")
            + frames.certainty()
        ).rstrip(),
        height=panels_height(len(methods), 0.25) + sum(map(rows_height, names.values())),
        paint=paint,
        values=_values(shown),
    )


def _title(method: str) -> str:
    return shorten(method_title(method), 30)


def _steps(
    axes: Axes, rows: pd.DataFrame, names: list[str], look: tuple[str, Theme], *, hollow: bool
) -> None:
    hue, theme = look
    plain = rows.loc[rows["step"] == "off", "decode_tps"]
    if len(plain):
        axes.axvline(
            float(plain.iloc[0]),
            color=theme.neutral,
            linestyle=(0, (4, 3)),
            linewidth=1.3,
            zorder=1.5,
        )
    for row in rows.to_dict("records"):
        place, value = names.index(row["step"]), float(row["decode_tps"])
        colour = theme.neutral if row["step"] == "off" else hue
        if pd.notna(row["low"]) and pd.notna(row["high"]):
            ends = [[max(value - row["low"], 0)], [max(row["high"] - value, 0)]]
            axes.errorbar(value, place, xerr=ends, color=colour, linewidth=2, zorder=2)
        solid = row["source"] == "measured" and not hollow
        axes.scatter(
            [value],
            [place],
            marker=_SHAPES.get(row["source"], "o"),
            s=80,
            facecolors=colour if solid else theme.ground,
            edgecolors=colour,
            linewidths=2,
            zorder=3,
            gid=row["step"],
        )
        axes.annotate(
            f"{value:.1f}",
            (1, place),
            xycoords=axes.get_yaxis_transform(),
            xytext=(38, 0),
            textcoords="offset points",
            ha="right",
            va="center_baseline",
            fontsize=SMALLEST,
        )
        mark_spot(
            axes, (value, place), f"{STEPS[row['step']]}: {value:.1f} tok/s ({row['source']})"
        )


def _values(shown: pd.DataFrame) -> Values:
    body = []
    for row in shown.to_dict("records"):
        known = pd.notna(row["low"]) and pd.notna(row["high"])
        closed = MISSING if pd.isna(row["gap_closed"]) else percent(row["gap_closed"])
        body.append(
            (
                _title(str(row["method"])),
                STEPS[row["step"]],
                str(row["source"]),
                f"{row['decode_tps']:.1f}",
                f"{row['low']:.1f}–{row['high']:.1f}" if known else MISSING,
                closed,
            )
        )
    headers = ("Method", "Policy", "Known from", "Decode tok/s", "90 % interval", "Gap closed")
    return Values.of(headers, body)


def _finding(shown: pd.DataFrame, methods: list[str]) -> str:
    said = []
    for method in methods:
        own = shown[shown["method"] == method]
        steps = ", ".join(
            f"{STEPS[step]} {value:.1f} tok/s ({source})"
            for step, value, source in zip(
                own["step"], own["decode_tps"], own["source"], strict=True
            )
        )
        said.append(f"{_title(method)}: {steps}")
    return f"Decode throughput by policy. {'; '.join(said)}."
