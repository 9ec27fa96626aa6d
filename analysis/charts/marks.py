"""Marks of configurations: which colour and shape stands for which?

A method has a hue and a shape, a depth its lightness: the deeper, the more it
stands out from the ground. A method keeps its hue from campaign to campaign
unless another one has it there already.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.colors import to_hex, to_rgb

from analysis.charts.style import Theme
from analysis.depths.methods import method_names

__all__ = ["HATCH", "RunMark", "method_places", "run_marks"]

_SHAPES = ("o", "s", "D", "^", "v", "P", "X", "<", ">", "p", "h", "*")
"""Twelve shapes and five hues have no common divisor: sixty pairs before one comes again."""

_SIZES = {"s": 0.85, "D": 0.75, "*": 1.7, "d": 1.1, "^": 1.1, "v": 1.1, "<": 1.1, ">": 1.1}
"""What makes the shapes look equally large."""

_USUAL = ("draft-dspark", "draft-dflash", "draft-mtp", "draft-eagle3", "draft-simple")
"""Methods whose place is the same in every campaign."""

_DEEPEST = 0.42
"""Share of the ink in the colour of the deepest draft."""

HATCH = "//////"
"""Fills what is synthetic."""


@dataclass(frozen=True)
class RunMark:
    """How one configuration is drawn.

    Attributes
    ----------
    method
        Place of its method, see :func:`method_places`; null for the run without
        speculation.
    shade
        Place of its depth among the campaign's, from 0 (shallowest) to 1 (deepest).
    hollow
        Only one sample stands behind it.
    synthetic
        Its drafts were accepted by coin: nothing that it shows is a result.
    """

    method: int | None
    shade: float = 0.0
    hollow: bool = False
    synthetic: bool = False

    @property
    def shape(self) -> str:
        """Marker in matplotlib's notation; the run without speculation has its own."""
        return "d" if self.method is None else _SHAPES[self.method % len(_SHAPES)]

    def hue(self, theme: Theme) -> str:
        """Colour of its method in a theme: of lines and bands through all depths."""
        if self.method is None:
            return theme.neutral
        return theme.palette[self.method % len(theme.palette)]

    def colour(self, theme: Theme) -> str:
        """Colour in a theme: the hue of its method, with more ink the deeper it drafts."""
        share = 0.0 if self.method is None else _DEEPEST * self.shade
        own, ink = (np.array(to_rgb(colour)) for colour in (self.hue(theme), theme.ink))
        red, green, blue = (own + share * (ink - own)).tolist()
        return to_hex((red, green, blue))

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


def method_places(methods: Sequence[str | None]) -> dict[str | None, int]:
    """A number for each method, from 0: the usual ones have theirs, others what is free.

    Examples
    --------
    >>> method_places(["ngram-mod", "draft-dflash", "draft-dspark"])
    {'draft-dflash': 1, 'draft-dspark': 0, 'ngram-mod': 2}
    """
    distinct = dict.fromkeys(methods)
    out: dict[str | None, int] = {}
    for name in distinct:
        usual = name.partition(" (")[0] if name is not None else None
        if usual in _USUAL and _USUAL.index(usual) not in out.values():
            out[name] = _USUAL.index(usual)
    for name in distinct:
        if name not in out:
            out[name] = next(n for n in range(len(distinct) + 1) if n not in out.values())
    return out


def run_marks(runs: pd.DataFrame, baseline: str | None) -> dict[str, RunMark]:
    """Assign a mark to every run by its method and depth.

    Parameters
    ----------
    runs
        Frame with `id`, `spec_type`, `draft`, `n_max`, `repeats`, `synthetic`.
    baseline
        Id that takes the neutral mark.
    """
    drafting = (runs["id"] != baseline).tolist()
    methods = method_names(runs)
    places = method_places([name for name, drafts in zip(methods, drafting, strict=True) if drafts])
    depths = sorted({int(depth) for depth in runs.loc[drafting, "n_max"].dropna()})
    shades = {depth: rank / max(len(depths) - 1, 1) for rank, depth in enumerate(depths)}
    return {
        str(row["id"]): RunMark(
            places[method] if drafts else None,
            shade=0.0 if pd.isna(row["n_max"]) else shades.get(int(row["n_max"]), 0.0),
            hollow=int(row["repeats"]) <= 1,
            synthetic=bool(row["synthetic"]),
        )
        for row, method, drafts in zip(runs.to_dict("records"), methods, drafting, strict=True)
    }
