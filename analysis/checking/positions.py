"""Which words name a position of a draft: *the third drafted token*, *position 3*, *P3*?"""

from __future__ import annotations

import re
from collections.abc import Sequence

from analysis.checking.tokens import Token, replaced
from analysis.checking.vocabulary import vocabulary

__all__ = ["MOST", "survival", "with_positions"]

MOST = 16
"""The deepest position that is read."""
_ORDINALS = {word: int(at) for at, words in vocabulary()["ordinals"].items() for word in words}
_NUMBERS = {words[0]: int(number) for number, words in vocabulary()["numbers"].items()}
_NOUN = (r"(?:(?:draft(?:ed)?|proposed|speculated|predicted|extra|self-draft|dspark|dflash) ){0,2}"
         r"(?:tokens?|positions?|proposals?|slots?)")  # fmt: skip
_PATTERNS = (
    re.compile(rf"\b(?P<word>[a-z]+|\d+(?=st|nd|rd|th))(?:st|nd|rd|th)? {_NOUN}\b", re.IGNORECASE),
    re.compile(r"\b(?:draft )?position (?P<number>\w+)\b|\bP(?P<short>\d{1,2})\b", re.IGNORECASE),
    re.compile(
        rf"\b(?:all|the) (?:of )?(?:the )?(?:its )?(?:first )?(?P<every>[a-z]+|\d+) {_NOUN}\b",
        re.IGNORECASE,
    ),
    # Once a position was named: "the second in 63 %, all five in a third".
    re.compile(r"\bthe (?P<word>[a-z]+|\d+(?=st|nd|rd|th))(?:st|nd|rd|th)?\b", re.IGNORECASE),
    re.compile(r"\ball (?:of )?(?:the )?(?:first )?(?P<every>[a-z]+|\d+)(?: of them)?\b"
               r"(?! (?:runs|tasks|prompts|configurations|depths|settings))", re.IGNORECASE),
)  # fmt: skip
STRICT = 3
"""So many of the patterns name a position by themselves."""


def survival(position: int) -> str:
    """The quantity that is the share of forwards whose draft is accepted up to a position."""
    return f"survival {position}"


def _within(match: re.Match[str], tokens: Sequence[Token]) -> list[Token]:
    return [one for one in tokens if match.start() <= one.start < match.end()]


def with_positions(text: str, tokens: Sequence[Token]) -> list[Token]:
    """The tokens of a text, those of a position as one."""
    found = list(tokens)
    for at, pattern in enumerate(_PATTERNS):
        if at >= STRICT and not any(one.kind == "position" for one in found):
            break
        for match in pattern.finditer(text):
            said = next(one for one in match.groups() if one).lower()
            words = _ORDINALS if at in (0, STRICT) else _NUMBERS
            position = int(said) if said.isdigit() else words.get(said, 0)
            if position and position <= MOST:
                names = [one for one in found if one.kind == "run" and one in _within(match, found)]
                one = Token("position", position, match[0], *match.span())
                found = replaced(found, one)
                if names and one in found:  # "the fourth DSpark position"
                    found[found.index(one) : found.index(one)] = names
    return found
