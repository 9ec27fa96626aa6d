"""What is a phrase of a sentence, and what stands beside it?"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from analysis.checking.figures import Figure
from analysis.checking.vocabulary import LINKS, vocabulary

NEAR = 8
"""So many tokens before it and behind it decide what one is."""
__all__ = ["Token", "ahead", "replaced", "stands"]

NEAR = 8
"""So many tokens before it and behind it decide what one is."""
__all__ = ["Token", "ahead", "replaced", "stands"]

_NUMBERS = {words[0]: float(number) for number, words in vocabulary()["numbers"].items()}
_TENS, _ONES = (
    "|".join(word for word, number in _NUMBERS.items() if number in among)
    for among in (range(20, 100, 10), range(1, 10))
)
_COMPOUND = re.compile(rf"\b({_TENS})-({_ONES})\b", re.IGNORECASE)
_AMOUNTS = {*_NUMBERS, *(word for kind in ("factors", "fractions")
                         for words in vocabulary()[kind].values()
                         for phrase in words for word in phrase.split())} - {"a", "of"}  # fmt: skip
_DEPTHS = re.compile(r"\b\d(?:/\d){2,}\b")
_SILENT = set("\"'“”‘*`.!+[]<>…→") | {"->"}


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
        kinds = dict(self.value) if self.kind == "open" else {self.kind: self.value}
        if self.kind == "figure" and self.figure is not None:
            kinds = {"figure": self.figure.unit} | ({} if self.whole is None else {"whole": ""})
            kinds |= {"unit": ""} if self.figure.unit else {}
        if self.kind == "run":
            kinds = {"run": "named" if self.depth is None and self.value else "depth"}
            kinds |= {"single": ""} if len(self.value) == 1 else {}
        said = "".join(f"{kind}:{value}/" for kind, value in kinds.items())
        return "_".join(f"={self.word}/{said}".split()) + " "

    @property
    def whole(self) -> int | None:
        """The number of a figure without decimals and a unit of its own."""
        figure = self.figure if self.kind == "figure" else None
        if figure is None or figure.stop > figure.end or figure.decimals or figure.signed:
            return None
        return int(figure.value)


def _either(words: str) -> str:
    """A pattern for one token that is of one of some kinds, or one of some words."""
    either = []
    for word in words.split("|"):
        if word[:1] == "@":
            either += [f"={re.escape(one.replace(' ', '_'))}/" for one in LINKS[word[1:]]]
        elif word[:1] == "=":
            either.append(f"{re.escape(word)}/")
        else:
            either.append(rf"\S*/{word}{'/' if ':' in word else ':'}" if word else r"\S")
    return f"(?={'|'.join(either)})"


def _rule(pattern: str) -> re.Pattern[str]:
    def token(found: re.Match[str]) -> str:
        return rf"(?:{''.join(map(_either, found[1].split('&')))}\S+ )"

    return re.compile(re.sub("<([^<> ]*)>", token, pattern.replace("#", "\n")))


_RULES = {
    name: [_rule(pattern) for pattern in patterns]
    for kind in ("not", "rules")
    for name, patterns in vocabulary()[kind].items()
}


def stands(
    rule: str, before: Sequence[Token], token: Token, after: Sequence[Token]
) -> re.Match[str] | None:
    """Whether a token stands as a rule of the vocabulary says."""
    sides = (before[-NEAR:], [token, *after[:NEAR]])
    marks = "\n".join("".join(one.mark for one in some) for some in sides)
    return next(filter(None, (pattern.search(marks) for pattern in _RULES[rule])), None)


def ahead(
    tokens: Sequence[Token], wanted: Collection[str], free: Collection[str], reach: int = 5
) -> Token | None:
    """The first token of a wanted kind, where only free kinds and words stand before it."""
    for token in tokens[:reach]:
        if any(kind in wanted for kind in token.kinds):
            return token
        if token.word not in free and not any(kind in free for kind in token.kinds):
            return None
    return None


def replaced(tokens: Sequence[Token], one: Token) -> list[Token]:
    """Tokens with one in the place of those that it goes over, if it goes over any."""
    inside = [other for other in tokens if one.start <= other.start < one.end]
    at = tokens.index(inside[0]) if inside else 0
    return [*tokens[:at], one, *tokens[at + len(inside) :]] if inside else [*tokens]
