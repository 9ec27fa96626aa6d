"""Slices: which points differ in one axis alone, so that a curve may go through them?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from analysis.statistics.points import AXES, Points

__all__ = ["Slice", "slices"]

_DECODE_FIRST = {"concurrency": False, "context_tokens": True, "temperature": True}
"""Whether a speedup over an axis is that of the tokens after the prompt.

A long context takes as long to read with speculation as without, once; several
requests at once are what a machine delivers altogether.
"""


@dataclass(frozen=True, eq=False)
class Slice:
    """One configuration over one axis.

    Attributes
    ----------
    axis
        Which.
    series
        The configuration.
    others
        The other axes' values, by name; null is not recorded.
    home
        Whether those are the campaign's baseline's.
    figure
        ``speedup`` (effective) or ``decode_speedup``.
    rows
        Rows of ``operating.OperatingPoints`` with that figure, by rising value.
    plain
        Rows of the runs without speculation at the same values.
    """

    axis: str
    series: str
    others: dict[str, float | None]
    home: bool
    figure: str
    rows: pd.DataFrame
    plain: pd.DataFrame

    @property
    def keys(self) -> dict[str, Any]:
        """What names the slice in a frame."""
        return {"axis": self.axis, "series": self.series, "home": self.home, **self.others}

    @property
    def at(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Values of the axis, rising."""
        return self.rows[self.axis].to_numpy("float64")


def slices(frame: pd.DataFrame, points: Points) -> Iterator[Slice]:
    """Every slice with two or more values, axis by axis, home first.

    Parameters
    ----------
    frame
        Of ``operating.OperatingPoints``.
    points
        Of the same campaign.
    """
    drafting = frame[frame["run"] != frame["baseline"]]
    for axis in points.axes:
        rest = [name for name in AXES if name != axis]
        known = drafting[drafting[axis].notna()]
        found = []
        for _, own in known.groupby(["series", *rest], sort=False, dropna=False):
            first = own.iloc[0]
            others = {name: None if pd.isna(first[name]) else float(first[name]) for name in rest}
            home = points.home is not None and all(
                value == dict(zip(AXES, points.home.at, strict=True))[name]
                for name, value in others.items()
            )
            figure = _figure(own, axis)
            rows = own[own[figure].notna()].sort_values(axis, kind="stable")
            if rows[axis].nunique() == len(rows) > 1:
                plain = frame.set_index("run").loc[list(rows["baseline"])].reset_index()
                found.append(Slice(axis, str(first["series"]), others, home, figure, rows, plain))
        yield from sorted(found, key=lambda one: not one.home)


def _figure(rows: pd.DataFrame, axis: str) -> str:
    """The figure of an axis, or the other one where that has more values."""
    order = ("decode_speedup", "speedup") if _DECODE_FIRST[axis] else ("speedup", "decode_speedup")
    return max(order, key=lambda name: rows[name].count())
