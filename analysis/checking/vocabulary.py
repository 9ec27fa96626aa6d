"""Which words are known, and which pieces does a text have? See ``vocabulary.toml``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from pathlib import Path

__all__ = ["LINKS", "NUMBERS", "pieces", "vocabulary"]

_PIECE = re.compile(r"[^\W\d_]+|\d+(?:[.,]\d+)*|[^\s\w\-‐‑\"'“”’‘*`.!\[\]<>…]")
VERBS = ("beats", "changes", "pays", "actions", "states")
PATTERNS = ("conditions", "not", "rules")


def pieces(text: str) -> list[re.Match[str]]:
    """A text's words, numbers and signs; hyphens, underscores and quotes only part words.

    Examples
    --------
    >>> [piece[0] for piece in pieces("No-speculation, n_max=2: 1.5x")]
    ['No', 'speculation', ',', 'n', 'max', '=', '2', ':', '1.5', 'x']
    """
    return [*_PIECE.finditer(text)]


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
        for phrase in (choice,) if kind in PATTERNS else _spelled(choice):
            yield from _forms(phrase) if kind in VERBS else (phrase,)


def _spelled(phrase: str) -> Iterator[str]:
    """``turn {it ,}off`` with each of the words that braces give a choice of."""
    parts = re.split("[{}]", phrase)
    choices = [one.split(",") if at % 2 else [one] for at, one in enumerate(parts)]
    return map("".join, product(*choices))


def _forms(phrase: str) -> list[str]:
    """A verb's forms by rule, of a phrase its first word's; those that nobody uses do no harm."""
    first, space, rest = phrase.partition(" ")
    stem = first.removesuffix("e")
    made = [first, first + ("es" if first.endswith(("s", "sh", "ch", "x", "o")) else "s")]
    made += [one + end for one in (stem, first + first[-1]) for end in ("ed", "ing")]
    made += [first[:-1] + end for end in ("ies", "ied") if first.endswith("y")]
    return [f"{one}{space}{rest}" for one in made] if first.isalpha() else [phrase]


LINKS = {name: frozenset(words) for name, words in vocabulary()["links"].items()}
"""Words that single rules look for, by what they are to them."""
NUMBERS = {words[0]: int(number) for number, words in vocabulary()["numbers"].items()}
"""Whole numbers in words."""
