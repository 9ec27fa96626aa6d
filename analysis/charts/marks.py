"""Marks of configurations: which colour and shape stands for which?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis.charts.style import Theme

__all__ = ["HATCH", "RunMark", "run_marks"]

_SHAPES = ("o", "s", "D", "^", "v", "P", "X", "<", ">", "p", "h", "*")
"""Twelve shapes and five colours have no common divisor: sixty pairs before one comes again."""

_SIZES = {"s": 0.85, "D": 0.75, "*": 1.7, "d": 1.1, "^": 1.1, "v": 1.1, "<": 1.1, ">": 1.1}
"""What makes the shapes look equally large."""

HATCH = "//////"
"""Fills what is synthetic."""


@dataclass(frozen=True)
class RunMark:
    """How one configuration is drawn.

    Attributes
    ----------
    index
        Place among the configurations in campaign order; null for the run
        without speculation.
    hollow
        Only one sample stands behind it.
    synthetic
        Its drafts were accepted by coin: nothing that it shows is a result.
    """

    index: int | None
    hollow: bool = False
    synthetic: bool = False

    @property
    def shape(self) -> str:
        """Marker in matplotlib's notation; the run without speculation has its own."""
        return "d" if self.index is None else _SHAPES[self.index % len(_SHAPES)]

    def colour(self, theme: Theme) -> str:
        """Colour in a theme."""
        if self.index is None:
            return theme.neutral
        return theme.palette[self.index % len(theme.palette)]

    def scatter(self, theme: Theme, size: float = 8.0) -> Mapping[str, Any]:
        """Keywords for ``Axes.scatter``; `size` in points."""
        colour = self.colour(theme)
        empty = self.hollow or self.synthetic
        return {
            "marker": self.shape,
            "s": size**2 * _SIZES.get(self.shape, 1.0),
            "facecolors": theme.ground if empty else colour,
            "edgecolors": colour,
            "linewidths": size / 4,
            "hatch": HATCH if self.synthetic else None,
        }


def run_marks(runs: pd.DataFrame, baseline: str | None) -> dict[str, RunMark]:
    """Assign a mark to every run by its place in the campaign.

    Parameters
    ----------
    runs
        Frame with `id`, `repeats`, `synthetic`, in campaign order.
    baseline
        Id that takes the neutral mark and no place.
    """
    out: dict[str, RunMark] = {}
    place = 0
    for run, repeats, synthetic in zip(runs["id"], runs["repeats"], runs["synthetic"], strict=True):
        own = None if run == baseline else place
        out[str(run)] = RunMark(own, hollow=int(repeats) <= 1, synthetic=bool(synthetic))
        place += own is not None
    return out
