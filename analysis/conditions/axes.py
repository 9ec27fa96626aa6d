"""Axes: what do requests at once, context and temperature change of what speculation brings?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.conditions.batch_cost import BatchCost
from analysis.conditions.crossing import crossings
from analysis.conditions.curve import AxisCurve, grid, scaled, unscaled
from analysis.conditions.operating import OperatingPoints
from analysis.conditions.predicted import bare_forwards, predicted
from analysis.conditions.slices import Slice, slices
from analysis.depths.measured import MeasuredRuns
from analysis.statistics.points import AXES, Points
from analysis.statistics.uncertainty import LEVEL, half_width

__all__ = ["CURVE_COLUMNS", "TURN_COLUMNS", "Axes", "curve_draws"]

Floats = npt.NDArray[np.floating[Any]]

_KEYS = ("axis", "series", "home", *AXES)
CURVE_COLUMNS = (*_KEYS, "figure", "value", "speedup", "low", "high")
TURN_COLUMNS = (
    *_KEYS,
    "figure",
    "turn",
    "value",
    "low",
    "high",
    "least",
    "most",
)
_TAIL = (1 - LEVEL) / 2


@dataclass(frozen=True, eq=False)
class Axes:
    """What a campaign shows over its axes; all frames are empty where it has none.

    Attributes
    ----------
    where
        The points, see ``points.points``.
    points
        Frame of ``operating.OperatingPoints``.
    runs, tasks
        Run and task frames of the points that are not home, each run with the
        speedup against its own point's baseline.
    curves
        Columns `CURVE_COLUMNS`: speedup and 90 % band at a grid of values of each slice;
        the axis's own column is null.
    turns
        Columns `TURN_COLUMNS`: see ``crossing.Crossing``; `least` and `most` are the
        ends of what was measured.
    predicted
        Frame of ``predicted.predicted``: twice as many requests at once as were measured.
    slices
        The configurations over each axis, see ``slices.Slice``; those with the baseline's
        other values first.
    """

    where: Points = field(default_factory=Points)
    points: pd.DataFrame = field(default_factory=pd.DataFrame)
    runs: pd.DataFrame = field(default_factory=pd.DataFrame)
    tasks: pd.DataFrame = field(default_factory=pd.DataFrame)
    curves: pd.DataFrame = field(default_factory=pd.DataFrame)
    turns: pd.DataFrame = field(default_factory=pd.DataFrame)
    predicted: pd.DataFrame = field(default_factory=pd.DataFrame)
    slices: tuple[Slice, ...] = ()

    def __bool__(self) -> bool:
        """Whether anything varies."""
        return bool(self.where.points)

    @classmethod
    def of(cls, measured: MeasuredRuns) -> Self:
        """Work everything out for all runs of a campaign."""
        where = measured.points
        if not where.points:
            return cls()
        points, elsewhere = OperatingPoints()(measured)
        found = list(slices(points, where))
        away = measured.tasks["run"].isin(where.elsewhere)
        cost = BatchCost.of(measured.noise)
        return cls(
            where,
            points,
            elsewhere,
            measured.tasks[away].reset_index(drop=True),
            _frame((row for one in found for row in _curve(one)), CURVE_COLUMNS),
            _frame((row for one in found for row in _turns(one)), TURN_COLUMNS),
            predicted(found, cost, bare_forwards(measured.runs)),
            tuple(found),
        )

    def curve(self, one: Slice) -> pd.DataFrame:
        """Rows of `curves` of a slice."""
        return _among(self.curves[self.curves["axis"] == one.axis], one)

    def turn(self, one: Slice) -> pd.DataFrame:
        """Rows of `turns` of a slice."""
        return _among(self.turns[self.turns["axis"] == one.axis], one)

    def ahead(self, one: Slice) -> pd.Series | None:
        """Row of `predicted` of a slice; null where it is not over requests at once."""
        if one.axis != "concurrency" or self.predicted.empty:
            return None
        rows = _among(self.predicted, one)
        return None if rows.empty else rows.iloc[0]


def _among(frame: pd.DataFrame, one: Slice) -> pd.DataFrame:
    same = frame["series"] == one.series
    for name, value in one.others.items():
        same &= frame[name].isna() if value is None else frame[name] == value
    return frame[same]


def curve_draws(one: Slice, at: Floats) -> Floats:
    """Draws of the log of a slice's speedup at values of its axis, shape (n_draws, n_at)."""
    ratio, low, high = (
        one.rows[f"{one.figure}{end}"].to_numpy("float64") for end in ("", "_low", "_high")
    )
    sd = np.log(high / low) / 2 / half_width(1.0, 1e6)
    # Intervals of few repeats are narrow by chance now and then: honest as intervals, but
    # no value may pull the curve as if it were surer than all of them are together.
    sd = np.maximum(sd, np.sqrt(np.mean(sd**2)))
    x = scaled(one.axis, one.at)
    return AxisCurve()(x, np.log(ratio), sd, scaled(one.axis, at))


def _curve(one: Slice) -> Iterator[dict[str, Any]]:
    at = grid(one.axis, one.at)
    low, middle, high = np.exp(np.quantile(curve_draws(one, at), [_TAIL, 0.5, 1 - _TAIL], axis=0))
    for place, value in enumerate(at):
        ends = {"speedup": middle[place], "low": low[place], "high": high[place]}
        yield {**one.keys, "figure": one.figure, "value": value, **ends}


def _turns(one: Slice) -> Iterator[dict[str, Any]]:
    at = grid(one.axis, one.at)
    found = crossings(curve_draws(one, at), scaled(one.axis, at))

    def value(place: float | None) -> float | None:
        return None if place is None else float(unscaled(one.axis, np.array(place)))

    for crossing in found:
        yield {
            **one.keys,
            "figure": one.figure,
            "turn": crossing.turn,
            "value": value(crossing.value),
            "low": value(crossing.low),
            "high": value(crossing.high),
            "least": one.at[0],
            "most": one.at[-1],
        }


def _frame(rows: Iterator[dict[str, Any]], columns: tuple[str, ...]) -> pd.DataFrame:
    text = ("axis", "series", "home", "figure", "turn")
    kinds = {name: "float64" for name in columns if name not in text}
    return pd.DataFrame(rows, columns=list(columns)).astype(kinds)
