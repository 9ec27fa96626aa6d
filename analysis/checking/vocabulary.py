"""Which words are known, and which pieces does a text have? See ``vocabulary.toml``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["LINKS", "NUMBERS", "Piece", "forms", "pieces", "spelled", "vocabulary"]

_PIECE = re.compile(r"[^\W\d_]+|\d+(?:[.,]\d+)*|[^\s\w]|_")
_DASHES = "-‐‑"
VERBS = ("beats", "changes", "pays", "actions", "states")
PATTERNS = ("conditions", "not", "rules", "position")


@dataclass(frozen=True)
class Piece:
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
    return [
        Piece(found[0].lower().replace("’", "'"), *found.span())
        for found in _PIECE.finditer(text)
        if found[0] not in _DASHES and found[0] != "_"
    ]


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
    made = [first, first + plural, stem + "ed", stem + "ing"]
    made += [first + first[-1] + "ed", first + first[-1] + "ing"]
    if first.endswith("y"):
        made += [first[:-1] + "ies", first[:-1] + "ied"]
    return tuple(f"{one}{space}{rest}" for one in made)


def spelled(phrase: str) -> tuple[str, ...]:
    """A phrase with each of the words that braces give a choice of.

    Examples
    --------
    >>> spelled("turn {it ,}off")
    ('turn it off', 'turn off')
    """
    head, brace, rest = phrase.partition("{")
    if not brace:
        return (phrase,)
    options, _, tail = rest.partition("}")
    return tuple(f"{head}{one}{end}" for end in spelled(tail) for one in options.split(","))


@cache
def vocabulary() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """The words of ``vocabulary.toml``: kind, meaning, phrases in all their forms."""
    data = tomllib.loads(Path(__file__).with_name("vocabulary.toml").read_text(encoding="utf-8"))
    return {
        kind: {
            meaning: tuple(
                form
                for choice in " ".join(words.split()).split(" | ")
                for phrase in ((choice,) if kind in PATTERNS else spelled(choice))
                for form in (forms(phrase) if kind in VERBS else (phrase,))
            )
            for meaning, words in meanings.items()
        }
        for kind, meanings in data.items()
    }


LINKS = {name: frozenset(words) for name, words in vocabulary()["links"].items()}
"""Words that single rules look for, by what they are to them."""
NUMBERS = {words[0]: int(number) for number, words in vocabulary()["numbers"].items()}
"""Whole numbers in words."""
