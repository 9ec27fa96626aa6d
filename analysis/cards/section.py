"""What a section gives back, what it is handed, and where it stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, Protocol

from analysis.cards.escaping import Markdown, escape, say
from analysis.cards.facts import Facts
from analysis.cards.markdown import details, paragraphs, picture

__all__ = ["Entry", "Figures", "Picture", "Place", "Section", "Write", "chart"]


class Picture(Protocol):
    """A drawn chart; paths are relative to the card."""

    @property
    def light(self) -> object:
        """Path of the picture for light themes, as something that ``str`` makes a path of."""

    @property
    def dark(self) -> object:
        """Path of the picture for dark themes."""

    @property
    def alt(self) -> str:
        """What the chart shows, with its numbers."""

    @property
    def caption(self) -> str:
        """One sentence below the chart."""


Figures = Mapping[str, Picture]

LONGEST_CAPTION = 800
"""In characters: a caption says what is shown, how many, and which intervals, all of it."""


class Place(Enum):
    """Where a section stands, and whether a reader sees it without a click."""

    OPEN = "in the card, open"
    FOLDED = "in the card, folded under its heading"
    RESULTS = "in the second file"


@dataclass(frozen=True)
class Section:
    """One part of a card. A section without a heading opens its file.

    Attributes
    ----------
    heading
        Plain text.
    body
        Below it.
    first
        One sentence on it for the first screen, where it has something that a
        reader must know before starting anything; most have not.
    """

    heading: str | None
    body: Markdown
    first: Markdown | None = None

    def at(self, place: Place) -> Markdown:
        """The section as it is written there."""
        if self.heading is None:
            return self.body
        if place is Place.FOLDED:
            return details(self.heading, self.body)
        return paragraphs(say("## {text}", text=self.heading), self.body)

    def __str__(self) -> str:
        return str(self.at(Place.OPEN))


Write = Callable[[Facts, Figures], Section | None]
"""A section's function: null where the data has nothing to say on its question."""


class Entry(NamedTuple):
    """A section's line in the registry."""

    name: str
    write: Write
    place: Place


def chart(figures: Figures, name: str) -> Markdown | None:
    """A chart with its caption; null where it was not drawn."""
    drawn = figures.get(name)
    if drawn is None:
        return None
    image = picture(drawn.alt, str(drawn.light), str(drawn.dark))
    caption = escape(drawn.caption, limit=LONGEST_CAPTION)
    return paragraphs(image, say("*{caption}*", caption=caption) if drawn.caption else None)
