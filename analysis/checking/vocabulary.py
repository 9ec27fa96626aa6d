"""Which words are known, and which pieces does a text have? See ``vocabulary.toml``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

__all__ = ["LINKS", "NUMBERS", "Piece", "forms", "pieces", "spelled", "vocabulary"]

_PIECE = re.compile(r"[^\W\d_]+|\d+(?:[.,]\d+)*|[^\s\w\-‐‑\"'“”’‘*`.!\[\]<>…]")
VERBS = ("beats", "changes", "pays", "actions", "states")
PATTERNS = ("conditions", "not", "rules")


class Piece(NamedTuple):
    """A word, a number or a sign; hyphens and underscores only part words."""

    text: str
    start: int
    end: int


def pieces(text: str) -> list[Piece]:
    """A text's words, in lower case, its numbers and its signs.

    Examples
    --------
    >>> [piece.text for piece in pieces("No-speculation, n_max=2: 1.5x")]
    ['no', 'speculation', ',', 'n', 'max', '=', '2', ':', '1.5', 'x']
    """
    found = _PIECE.finditer(text)
    return [Piece(one[0].lower(), *one.span()) for one in found]


def forms(word: str) -> tuple[str, ...]:
    """A verb's forms by rule, of a phrase its first word's; those that nobody uses do no harm.

    Examples
    --------
    >>> forms("drop to")[:3]
    ('drop to', 'drops to', 'droped to')
    """
    first, space, rest = word.partition(" ")
    if not first.isalpha():
        return (word,)
    stem = first.removesuffix("e")
    plural = "es" if first.endswith(("s", "sh", "ch", "x", "o")) else "s"
    made = [first, first + plural]
    made += [one + end for one in (stem, first + first[-1]) for end in ("ed", "ing")]
    made += [first[:-1] + end for end in ("ies", "ied") if first.endswith("y")]
    return tuple(f"{one}{space}{rest}" for one in made)


def spelled(phrase: str) -> tuple[str, ...]:
    """A phrase with each of the words that braces give a choice of.

    Examples
    --------
    >>> spelled("turn {it ,}off")
    ('turn it off', 'turn off')
    """
    parts = re.split("[{}]", phrase)
    choices = [one.split(",") if at % 2 else [one] for at, one in enumerate(parts)]
    return tuple(map("".join, product(*choices)))


@cache
def vocabulary() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """The words of ``vocabulary.toml``: kind, meaning, phrases in all their forms."""
    data = tomllib.loads(Path(__file__).with_name("vocabulary.toml").read_text(encoding="utf-8"))
    return {
        kind: {meaning: tuple(_phrases(kind, words)) for meaning, words in meanings.items()}
        for kind, meanings in data.items()
    }


def _phrases(kind: str, words: str) -> Iterator[str]:
    for choice in " ".join(words.split()).split(" | "):
        for phrase in (choice,) if kind in PATTERNS else spelled(choice):
            yield from forms(phrase) if kind in VERBS else (phrase,)


LINKS = {name: frozenset(words) for name, words in vocabulary()["links"].items()}
"""Words that single rules look for, by what they are to them."""
NUMBERS = {words[0]: int(number) for number, words in vocabulary()["numbers"].items()}
NUMBERS |= {
    f"{tens} {one}": tens_ + one_
    for tens, tens_ in NUMBERS.items() for one, one_ in NUMBERS.items()
    if 20 <= tens_ < 100 and 0 < one_ < 10
}  # fmt: skip
"""Whole numbers in words."""
