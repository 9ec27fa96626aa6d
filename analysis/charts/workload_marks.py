"""Marks of workload classes: which shade and shape stands for which?

Configurations own the palette's colours, so workloads take shades of one ramp,
ordered like the classes: from the most to the least predictable text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import matplotlib as mpl
from matplotlib.colors import to_hex

from analysis.charts.style import Theme

__all__ = ["WorkloadMark", "workload_marks"]

_SHAPES = ("o", "s", "^", "D", "v", "P", "X", "p")
_RAMP = {"light": (0.1, 0.66), "dark": (0.42, 0.98)}
"""Part of the colour map with at least 3 : 1 contrast to the ground, by theme."""


@dataclass(frozen=True)
class WorkloadMark:
    """How one workload class is drawn: `place` among `number` classes."""

    place: int
    number: int

    @property
    def shape(self) -> str:
        """Marker in matplotlib's notation."""
        return _SHAPES[self.place % len(_SHAPES)]

    def colour(self, theme: Theme) -> str:
        """Shade in a theme."""
        first, last = _RAMP[theme.name]
        share = self.place / max(self.number - 1, 1)
        return to_hex(mpl.colormaps["viridis"](first + share * (last - first)))


def workload_marks(names: Sequence[str]) -> dict[str, WorkloadMark]:
    """A mark for each class, in the order given."""
    return {name: WorkloadMark(place, len(names)) for place, name in enumerate(names)}
