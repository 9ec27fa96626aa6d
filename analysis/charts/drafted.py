"""The chart of drafted tokens: how much of what is drafted is wasted?"""

from __future__ import annotations

from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from analysis.charts.axes import rows_axis, rows_height
from analysis.charts.chart import Chart, Frames
from analysis.charts.labels import count, percent, width
from analysis.charts.marks import HATCH
from analysis.charts.spots import mark_spot
from analysis.charts.style import Theme, readable_on
from analysis.charts.values import Values

__all__ = ["drafted"]

_BAR_EMS = 15.0
"""Length of the longest bar in ems of its text, about."""


def drafted(frames: Frames) -> Chart | None:
    """Drafted tokens of every configuration, accepted from zero and wasted after it."""
    runs = frames.runs[["id", "draft_tokens", "accepted_tokens", "synthetic"]].dropna()
    runs = runs[(runs["draft_tokens"] > 0) & (runs["accepted_tokens"] >= 0)]
    runs = runs[runs["accepted_tokens"] <= runs["draft_tokens"]]
    if runs.empty:
        return None
    longest = float(runs["draft_tokens"].max())
    names = [frames.labels[run] for run in runs["id"]]

    def paint(figure: Figure, theme: Theme) -> None:
        axes = figure.subplots()
        rows_axis(axes, names, theme)
        axes.grid(visible=False, axis="y")
        for row, (run, total, kept) in enumerate(
            zip(runs["id"], runs["draft_tokens"], runs["accepted_tokens"], strict=True)
        ):
            colour = frames.marks[run].colour(theme)
            hatch = HATCH if frames.marks[run].synthetic else None
            for part, left, size in (
                ("accepted", 0, int(kept)),
                ("wasted", int(kept), int(total - kept)),
            ):
                solid = part == "accepted"
                axes.barh(
                    row,
                    size,
                    left=left,
                    height=0.62,
                    facecolor=to_rgba(colour, 1.0 if solid else 0.22),
                    edgecolor=colour,
                    linewidth=1.0,
                    hatch=hatch,
                    gid=f"{run}:{part}",
                )
                told = f"{names[row]}: {count(size)} {part} ({percent(size / total)})"
                mark_spot(axes, (left + size / 2, row), told, size=(size, 0.62))
                if not hatch and size / longest * _BAR_EMS > width(count(size)) + 0.8:
                    axes.text(
                        left + size / 2,
                        row,
                        count(size),
                        color=readable_on(colour) if solid else theme.ink,
                        ha="center",
                        va="center_baseline",
                    )
            axes.text(
                total + longest * 0.03,
                row,
                f"{percent(kept / total)} of {count(total)}",
                va="center_baseline",
            )
        axes.set_xlim(0, longest * 1.01)
        axes.xaxis.set_major_locator(MaxNLocator(3, integer=True))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: count(value)))
        axes.set_xlabel("drafted tokens")
        axes.set_title("solid and %: accepted, pale: wasted")

    return Chart(
        name="drafted",
        title="How much of what is drafted is wasted?",
        alt="Drafts and waste. "
        + "; ".join(
            f"{frames.labels[run]}: {count(total)} drafted, {count(kept)} accepted "
            f"({percent(kept / total)})"
            for run, total, kept in zip(
                runs["id"], runs["draft_tokens"], runs["accepted_tokens"], strict=True
            )
        )
        + ".",
        caption=(
            f"Drafted tokens split into accepted and wasted; {frames.requests()}. The rate falls "
            f"with depth by itself and does not rank depths."
        ),
        height=1.45 + rows_height(names),
        paint=paint,
        values=Values.of(
            ("Configuration", "Drafted", "Accepted", "Wasted", "Accepted share"),
            (
                (
                    frames.labels[run],
                    count(total),
                    count(kept),
                    count(total - kept),
                    percent(kept / total),
                )
                for run, total, kept in zip(
                    runs["id"], runs["draft_tokens"], runs["accepted_tokens"], strict=True
                )
            ),
        ),
    )
