"""Every numeral of a text, and the text with another digit in its place."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from dataclasses import dataclass

_NUMERAL = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")
_ENTITY = re.compile(r"&#?\w+;")


@dataclass(frozen=True)
class Spot:
    """A numeral where it stands."""

    text: str
    start: int
    end: int

    @property
    def numeral(self) -> str:
        return self.text[self.start : self.end]

    @property
    def line(self) -> int:
        return self.text.count("\n", 0, self.start) + 1

    def wrong(self, rng: random.Random) -> str:
        """Another numeral of the same length, its first digit changed so that it is no rounding."""
        digits = [at for at, sign in enumerate(self.numeral) if sign.isdigit()]
        at = rng.choice(digits)
        others = [digit for digit in "123456789" if digit != self.numeral[at]]
        return self.numeral[:at] + rng.choice(others) + self.numeral[at + 1 :]

    def changed(self, rng: random.Random) -> str:
        return changed(self.text, [self], rng)


def mutated(text: str) -> list[Spot]:
    """The numerals of a text; those of HTML entities are signs."""
    entities = [found.span() for found in _ENTITY.finditer(text)]
    return [
        Spot(text, *found.span())
        for found in _NUMERAL.finditer(text)
        if not any(start <= found.start() < end for start, end in entities)
    ]


def changed(text: str, spots: Iterable[Spot], rng: random.Random) -> str:
    """The text with each of some numerals wrong."""
    out, end = [], 0
    for spot in spots:
        out += [text[end : spot.start], spot.wrong(rng)]
        end = spot.end
    return "".join([*out, text[end:]])
