"""The style: what does every figure look like, light and dark?

Figures are built directly, without pyplot, inside a context that starts from
matplotlib's own defaults: neither a reader's matplotlibrc nor an earlier
figure changes a byte, and nothing is left behind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

import matplotlib as mpl
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.typing import ColorType

__all__ = [
    "DARK",
    "DPI",
    "LIGHT",
    "MAX_HEIGHT",
    "SMALLEST",
    "THEMES",
    "TITLE",
    "WIDTH",
    "Theme",
    "applied",
    "new_figure",
    "readable_on",
]

WIDTH = 5.4
"""Width of every figure in inches: its smallest letters have 10 pixels on a telephone."""

MAX_HEIGHT = 60.0
"""Height in inches that no figure exceeds, however much there is to show."""

TITLE = 0.44
"""Inches that the title takes at the top."""

DPI = 200

SMALLEST = 10.5
"""Size in points below which no text is set."""


_LUMINANCE = (0.2126, 0.7152, 0.0722)
_MIDDLE = 0.179
"""Luminance with equal contrast to black and to white."""


@dataclass(frozen=True)
class Theme:
    """Colours of one appearance.

    Attributes
    ----------
    ground, ink, muted, line
        Background, text, secondary text, and grid lines and frames.
    palette
        Colours of configurations: petroff6 without its grey, adjusted where a
        colour had less than 3 : 1 contrast to the ground.
    neutral
        Colour of the run without speculation.
    slower, faster
        Hues (0 to 359) of the two ends of a diverging scale.
    """

    name: str
    ground: str
    ink: str
    muted: str
    line: str
    palette: tuple[str, ...]
    neutral: str
    slower: int = 40
    faster: int = 255

    @property
    def is_dark(self) -> bool:
        """Whether text is lighter than the ground."""
        return self.name == "dark"

    @property
    def settings(self) -> Mapping[str, Any]:
        """The matplotlib settings that differ from the defaults."""
        return {
            "font.family": "DejaVu Sans",
            "font.size": 11,
            "axes.titlesize": 11,
            "axes.labelsize": SMALLEST,
            "xtick.labelsize": SMALLEST,
            "ytick.labelsize": 11,
            "legend.fontsize": SMALLEST,
            "figure.titlesize": 14,
            "figure.titleweight": "bold",
            "text.parse_math": False,
            "axes.unicode_minus": True,
            "figure.facecolor": self.ground,
            "savefig.facecolor": self.ground,
            "axes.facecolor": self.ground,
            "text.color": self.ink,
            "axes.labelcolor": self.muted,
            "axes.titlecolor": self.muted,
            "axes.edgecolor": self.line,
            "xtick.color": self.line,
            "ytick.color": self.line,
            "xtick.labelcolor": self.muted,
            "ytick.labelcolor": self.ink,
            "grid.color": self.line,
            "grid.linewidth": 0.8,
            "hatch.color": self.ink,
            "hatch.linewidth": 0.8,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.axisbelow": True,
            "axes.titlelocation": "left",
            "legend.frameon": False,
            "legend.labelcolor": self.ink,
            "figure.constrained_layout.h_pad": 0.08,
            "figure.constrained_layout.w_pad": 0.08,
        }


LIGHT = Theme(
    name="light",
    ground="#ffffff",
    ink="#1f2328",
    muted="#57606a",
    line="#d0d7de",
    palette=("#4a86f7", "#d97f06", "#e42536", "#964a8b", "#7a21dd"),
    neutral="#7d7d83",
)
DARK = Theme(
    name="dark",
    ground="#0d1117",
    ink="#e6edf3",
    muted="#9ea7b3",
    line="#30363d",
    palette=("#5790fc", "#f89c20", "#e42536", "#b163a6", "#8d3df0"),
    neutral="#a3a3a8",
)
THEMES = (LIGHT, DARK)


def readable_on(ground: ColorType) -> str:
    """Black or white text, whichever has more contrast to a ground.

    Relative luminance as in WCAG 2.2.
    """
    channels = (
        channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
        for channel in to_rgb(ground)
    )
    luminance = sum(part * share for part, share in zip(channels, _LUMINANCE, strict=True))
    return "#000000" if luminance > _MIDDLE else "#ffffff"


@contextmanager
def applied(theme: Theme) -> Iterator[None]:
    """Settings of a theme over matplotlib's defaults, taken back on leaving."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(cast("Any", theme.settings))
        yield


def new_figure(title: str, height: float) -> Figure:
    """An empty figure with its title; to be called and filled inside `applied`.

    Parameters
    ----------
    title
        The question that the figure answers.
    height
        In inches.
    """
    figure = Figure(figsize=(WIDTH, min(height, MAX_HEIGHT)), dpi=DPI)
    top = 1 - TITLE / figure.get_figheight()
    # The layout knows nothing of what is above: it gets the room below the title, see axes.key.
    figure.set_layout_engine("constrained", rect=(0, 0, 1, top))
    heading = figure.suptitle(
        title, x=0.012, y=top + 0.09 / figure.get_figheight(), ha="left", va="bottom"
    )
    heading.set_in_layout(False)
    return figure
