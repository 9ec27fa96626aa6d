"""What a section gives back and what it is handed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from analysis.cards.facts import Facts
from analysis.cards.markdown import Markdown, escape, paragraphs, picture, say

__all__ = ["Figures", "Picture", "Section", "Write", "chart"]


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


@dataclass(frozen=True)
class Section:
    """One part of a card. A section without a heading opens the card."""

    heading: str | None
    body: Markdown

    def __str__(self) -> str:
        heading = None if self.heading is None else say("## {text}", text=self.heading)
        return str(paragraphs(heading, self.body))


Write = Callable[[Facts, Figures], Section | None]
"""A section's function: null where the data has nothing to say on its question."""


def chart(figures: Figures, name: str) -> Markdown | None:
    """A chart with its caption; null where it was not drawn."""
    drawn = figures.get(name)
    if drawn is None:
        return None
    image = picture(drawn.alt, str(drawn.light), str(drawn.dark))
    caption = escape(drawn.caption, limit=LONGEST_CAPTION)
    return paragraphs(image, say("*{caption}*", caption=caption) if drawn.caption else None)
