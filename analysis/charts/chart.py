"""What is a chart, and what is it made from?"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from typing import TypeAlias

import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox
from PIL import Image

from analysis.charts.labels import distinct
from analysis.charts.marks import RunMark, run_marks
from analysis.charts.spots import Spot, spots_of
from analysis.charts.style import DPI, LIGHT, WIDTH, Theme, applied, new_figure
from analysis.charts.values import Values
from analysis.conditions.axes import Axes
from analysis.depths.methods import method_names

__all__ = ["Chart", "ChartMaker", "Frames", "encoded", "extremes", "positive"]

_LABEL_EMS = 20.0


ONE_RUN = "Hollow marks: one run each."


@dataclass(frozen=True, eq=False)
class Frames:
    """What charts are drawn from.

    Attributes
    ----------
    runs, tasks, by_task, workloads
        Frames of a ``summary.Summary``. Columns ``NAME_low`` and ``NAME_high``
        beside a figure of `runs` are drawn as its interval.
    baseline
        Id of the run without speculation, or null.
    positions, depths, best_depths, ladder
        Frames of a ``summary.Summary`` on draft positions, depths and policies; empty
        where nothing was worked out.
    replay, reliability
        Of ``replaying``, with a column `run`; empty where no log has confidences.
    axes
        What requests at once, context and temperature change.
    """

    runs: pd.DataFrame
    tasks: pd.DataFrame
    by_task: pd.DataFrame
    workloads: pd.DataFrame
    baseline: str | None = None
    positions: pd.DataFrame = field(default_factory=pd.DataFrame)
    depths: pd.DataFrame = field(default_factory=pd.DataFrame)
    best_depths: pd.DataFrame = field(default_factory=pd.DataFrame)
    ladder: pd.DataFrame = field(default_factory=pd.DataFrame)
    replay: pd.DataFrame = field(default_factory=pd.DataFrame)
    reliability: pd.DataFrame = field(default_factory=pd.DataFrame)
    axes: Axes = field(default_factory=Axes)

    @cached_property
    def marks(self) -> dict[str, RunMark]:
        """How each run is drawn, by id, the same on every chart."""
        return run_marks(self.runs, self.baseline)

    @cached_property
    def labels(self) -> dict[str, str]:
        """What each run is called on every chart, by id."""
        ids = [str(run) for run in self.runs["id"]]
        shown = distinct(list(self.runs["label"]), _LABEL_EMS, ids)
        labels = {
            run: f"{label} (synthetic)" if synthetic else label
            for run, label, synthetic in zip(ids, shown, self.runs["synthetic"], strict=True)
        }
        for row in self.runs[self.runs["id"].isin(self.partial)].to_dict("records"):
            if isinstance(row.get("unlike"), str):
                labels[str(row["id"])] += f" (other {row['unlike']})"
                continue
            done = row["ranked_tasks"] - row["missing_tasks"]
            plural = "" if row["ranked_tasks"] == 1 else "s"
            labels[str(row["id"])] += f" ({done} of {row['ranked_tasks']} task{plural})"
        return labels

    @cached_property
    def partial(self) -> frozenset[str]:
        """Runs that lack tasks of the others, or had other conditions: they can't be ranked."""
        found: set[str] = set()
        if "missing_tasks" in self.runs:
            found |= set(self.runs.loc[self.runs["missing_tasks"].fillna(0) > 0, "id"])
        if "unlike" in self.runs:
            found |= set(self.runs.loc[self.runs["unlike"].notna(), "id"])
        return frozenset(found)

    @cached_property
    def plain(self) -> pd.Series | None:
        """Row of the run without speculation in `runs`; null without one."""
        rows = self.runs[self.runs["id"] == self.baseline]
        return None if rows.empty else rows.iloc[0]

    def hue(self, method: str, theme: Theme) -> str:
        """Colour of what goes through all depths of a method."""
        names = method_names(self.runs)
        ids = [run for run, name in zip(self.runs["id"], names, strict=True) if name == method]
        return self.marks[ids[0]].hue(theme) if ids else theme.muted

    @cached_property
    def single_runs(self) -> bool:
        """Whether no run was repeated."""
        return bool((self.runs["repeats"] <= 1).all())

    def requests(self) -> str:
        """How many requests stand behind a configuration, in words."""
        numbers = sorted({int(number) for number in self.runs["n_requests"].dropna()})
        if not numbers:
            return "number of requests not recorded"
        few = f"{numbers[0]}" if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
        return f"{few} request{'' if few == '1' else 's'} per configuration"

    def certainty(self, *, intervals: bool = False, of: str = "") -> str:
        """What the caption says of intervals, of what they are, and of marks of single runs."""
        if self.single_runs:
            return (
                f"Bars: 90 % intervals{of}, by assumption for one run each." * intervals or ONE_RUN
            )
        once = bool((self.runs["repeats"] <= 1).any())
        if intervals:
            return f"Bars: 90 % intervals{of}{'; hollow marks: one run' * once}."
        return "Hollow marks: one run." * once


@dataclass(frozen=True, eq=False)
class Chart:
    """A figure that can be drawn in any theme, and its words.

    Attributes
    ----------
    name
        Stem of the file name.
    title
        The question that it answers.
    alt
        The finding with its numbers.
    caption
        What is shown, how many, and which intervals.
    height
        In inches.
    paint
        Draws on an empty figure in a theme.
    values
        What is drawn, as a table.
    """

    name: str
    title: str
    alt: str
    caption: str
    height: float = field(repr=False)
    paint: Callable[[Figure, Theme], None] = field(repr=False)
    values: Values | None = field(default=None, repr=False)

    def figure(self, theme: Theme = LIGHT) -> Figure:
        """The finished figure in a theme."""
        with applied(theme):
            figure = new_figure(self.title, self.height)
            self.paint(figure, theme)
        return figure

    def png(self, theme: Theme = LIGHT) -> bytes:
        """The figure as PNG, the same bytes whenever it is drawn."""
        return encoded(self.drawn([theme])[0][0])

    def drawn(self, themes: Sequence[Theme]) -> tuple[list[Image.Image], tuple[Spot, ...]]:
        """The figure in several themes, laid out once (colours move nothing), and its spots."""
        pictures: list[Image.Image] = []
        places: list[Bbox] = []
        spots: tuple[Spot, ...] = ()
        for theme in themes:
            with applied(theme):
                figure = new_figure(self.title, self.height)
                self.paint(figure, theme)
                engine = figure.get_layout_engine()
                if engine is not None and not places:
                    engine.execute(figure)
                    places = [axes.get_position(original=True) for axes in figure.axes]
                # Else drawing would do it once more.
                figure.set_layout_engine("none")
                for axes, place in zip(figure.axes, places, strict=True):
                    axes.set_position(place)
                canvas = FigureCanvasAgg(figure)
                canvas.draw()  # type: ignore[no-untyped-call]
                pixels = canvas.buffer_rgba()  # type: ignore[no-untyped-call]
                spots = spots or tuple(spots_of(figure))
            pictures.append(Image.frombuffer("RGBA", canvas.get_width_height(), pixels))
        return pictures, spots

    def _repr_png_(self) -> tuple[bytes, dict[str, object]]:
        """What a notebook shows for a chart."""
        return self.png(), {"alt": self.alt, "width": round(WIDTH * 100)}


def encoded(picture: Image.Image) -> bytes:
    """PNG, the same bytes for the same picture; other threads run meanwhile."""
    out = BytesIO()
    picture.save(out, "png", dpi=(DPI, DPI))
    return out.getvalue()


ChartMaker: TypeAlias = Callable[[Frames], Chart | None]
"""Makes a chart, or null when the frames have nothing for it to show."""


def positive(values: pd.Series) -> pd.Series:
    """Which values can stand on a logarithmic axis."""
    numbers = values.astype("float64")
    return (numbers > 0) & (numbers < math.inf)


def extremes(frame: pd.DataFrame, column: str) -> tuple[pd.Series, pd.Series]:
    """Rows with the highest and with the lowest value; the first of equal ones."""
    ordered = frame.sort_values(column, ascending=False, kind="stable")
    return ordered.iloc[0], ordered.iloc[-1]
