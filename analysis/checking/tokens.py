"""What is a phrase of a sentence, and what stands beside it?"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from analysis.checking.figures import Figure
from analysis.checking.vocabulary import LINKS, vocabulary

__all__ = ["Token", "stands"]

NEAR = 12
"""So many tokens before it and behind it decide what one is."""


@dataclass(frozen=True)
class Token:
    """A phrase of a sentence.

    `kind` is one of the vocabulary's, or ``run``, ``scope``, ``figure``, ``unknown``; `value` is
    its meaning there: of a run its ids, of a scope what it may be. `group` says that a run's name
    is that of a method or a kind, `depth` that it is a depth alone, `bound` is the word before a
    figure: ``about``, ``gt``, …
    """

    kind: str
    value: Any
    text: str
    start: int
    end: int
    group: bool = False
    figure: Figure | None = None
    bound: str = ""
    depth: int | None = None

    @property
    def word(self) -> str:
        """In lower case."""
        return self.text.lower()

    @property
    def kinds(self) -> Collection[str]:
        """What it may be."""
        return self.value if self.kind == "open" else (self.kind,)

    @cached_property
    def mark(self) -> str:
        """What rules see of it: its word, what it may be, and what it means then."""
        kinds = self.value if self.kind == "open" else {self.kind: self.value}
        if self.kind == "figure" and self.figure is not None:
            unit = self.figure.unit or ("" if self.whole is None else "whole")
            kinds = {"figure": "fraction" if self.figure.loose and unit == "percent" else unit}
        if self.kind == "run":
            kinds = {"run": f"{'named' if self.depth is None else 'depth'}{len(self.value)}"}
        said = "".join(f"{kind}:{value}/" for kind, value in kinds.items())
        return "_".join(f"={self.word}/{said}".split()) + " "

    @property
    def whole(self) -> int | None:
        """The number of a figure without decimals and a unit of its own."""
        figure = self.figure if self.kind == "figure" else None
        if figure is None or figure.stop > figure.end or figure.loose:
            return None
        return None if figure.decimals or figure.signed else int(figure.value)


def _token(found: re.Match[str]) -> str:
    """A pattern for one token that may be of some kinds, or is one of some words."""
    either = [
        f"{re.escape(one)}/" if one.startswith("=") else rf"=\S*/{one}{'/' if ':' in one else ':'}"
        for one in found[1].split("|")
    ]
    return rf"(?:(?={'|'.join(either)})\S+ )" if found[1] else r"(?:=\S+ )"


@cache
def _rule(name: str) -> re.Pattern[str]:
    def words(found: re.Match[str]) -> str:
        return "|".join(f"={one.replace(' ', '_')}" for one in LINKS[found[1]])

    patterns = {**vocabulary()["not"], **vocabulary()["rules"]}[name]
    rule = re.sub(r"@(\w+)", words, "|".join(patterns).replace("#", "\n"))
    return re.compile(re.sub("<([^<> ]*)>", _token, rule))


def stands(rule: str, before: Sequence[Token], rest: Sequence[Token]) -> re.Match[str] | None:
    """Whether the first of the rest stands as a rule says; the match is over the tokens' marks."""
    sides = ("".join(one.mark for one in some) for some in (before[-NEAR:], rest[: NEAR + 1]))
    return _rule(rule).search("\n".join(sides))
