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
_NOUN = r"(?:(?:draft(?:ed)?|proposed|speculated|predicted) )?(?:tokens?|positions?|proposals?)"
_PATTERNS = (
    re.compile(rf"\b(?P<word>[a-z]+|\d+(?=st|nd|rd|th))(?:st|nd|rd|th)? {_NOUN}\b", re.IGNORECASE),
    re.compile(r"\b(?:draft )?position (?P<number>\w+)\b|\bP(?P<short>\d{1,2})\b", re.IGNORECASE),
    re.compile(
        rf"\b(?:all|the) (?:of )?(?:the )?(?:its )?(?:first )?(?P<every>[a-z]+|\d+) {_NOUN}\b",
        re.IGNORECASE,
    ),
)


def survival(position: int) -> str:
    """The quantity that is the share of forwards whose draft is accepted up to a position."""
    return f"survival {position}"


def with_positions(text: str, tokens: Sequence[Token]) -> list[Token]:
    """The tokens of a text, those of a position as one."""
    found = list(tokens)
    for at, pattern in enumerate(_PATTERNS):
        for match in pattern.finditer(text):
            said = next(one for one in match.groups() if one).lower()
            number = (
                _ORDINALS.get(said, 0) if at == 0 and not said.isdigit() else _NUMBERS.get(said)
            )
            position = int(said) if said.isdigit() else number
            if position and position <= MOST:
                found = replaced(found, Token("position", position, match[0], *match.span()))
    return found
