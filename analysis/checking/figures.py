"""Which figures stand in a line of text, and how exactly are they stated?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

__all__ = ["ABOUT", "Figure", "agrees", "find_figures"]

_NUMERAL = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?")
_UNIT = re.compile(
    r"[ \u00a0]?(?:(?P<percent>%|per ?cent\b|percent\b)|(?P<times>×|x\b|times\b)"
    r"|(?P<rate>tok/s|t/s\b|tokens?/s(?:ec)?\b|tokens per second)"
    r"|(?P<ms>ms\b|milliseconds\b)|(?P<s>s\b|sec\b|seconds?\b))"
)
ABOUT = re.compile(r"(?:\b(?:about|approximately|approx\.?|around|roughly|nearly|circa)|[~≈])\s*$")
_WORD_SIGN = r"[\w.\-/#+@:]"
# "133.9 against 113.2 tok/s", "11-14%", "from 2 to 3 s": the unit stands once, behind the last.
_SHARED = re.compile(
    r"\s*(?:[-–—]|to|against|and|or|versus|vs\.?|,)\s*[+\-−]?(?:\d[\d.,]*\d|\d)(?P<rest>)"
)
_RANGE = re.compile(r"\s*(?:[-–—]|\bto\b)\s*(?=\d)")
_ORDINAL = re.compile(r"\s*\d{1,3}[.)]\s+\S")


@dataclass(frozen=True)
class Figure:
    """One numeral of a line.

    Attributes
    ----------
    text
        As it is stated, with its sign.
    value
        Its number.
    decimals
        Digits behind the point.
    unit
        ``percent``, ``times``, ``rate``, ``ms``, ``s`` or empty.
    start, end
        Offsets in the line; `end` is behind the numeral, `stop` behind its unit.
    about
        Whether the text says that it is rounded freely.
    signed
        Whether a sign is part of it.
    token
        The word that it is part of, e.g. ``Q4_K_M``; empty where it stands alone.
    role
        ``low`` or ``high`` in a range, else empty.
    """

    text: str
    value: float
    decimals: int
    unit: str
    start: int
    end: int
    stop: int
    about: bool = False
    signed: bool = False
    token: str = ""
    role: str = ""

    @cached_property
    def step(self) -> float:
        """Value of one unit in the last stated digit."""
        return float(10.0**-self.decimals)


def agrees(figure: Figure, value: float) -> bool:
    """Whether a value rounds to what is stated, by either convention for halves.

    "About" and its kin allow one unit of the last digit more. A ratio in whole
    numbers ("2x as fast") must be within a tenth: half of its last digit would
    be a quarter of what is claimed.

    Examples
    --------
    >>> stated = find_figures("about 18 % faster, 0.6 s")
    >>> agrees(stated[0], 19.4), agrees(stated[0], 19.6), agrees(stated[1], 0.65)
    (True, False, True)
    >>> agrees(find_figures("It is 2x as fast")[0], 1.6)
    False
    """
    margin = (1.5 if figure.about else 0.5) * figure.step
    if figure.unit == "times" and figure.decimals == 0:
        margin = min(margin, 0.1 * abs(figure.value))
    return abs(value - figure.value) <= margin * (1 + 1e-9) + 1e-9 * abs(value)


def find_figures(text: str) -> tuple[Figure, ...]:
    """Every numeral of a line except the number of a list item.

    Examples
    --------
    >>> [(f.text, f.unit, f.token) for f in find_figures("Q4_K at 18% and -1,024.5 ms")]
    [('4', '', 'Q4_K'), ('18', 'percent', ''), ('-1,024.5', 'ms', '')]
    """
    return tuple(_ranges(text, _shared_units(text, list(_numerals(text)))))


def _numerals(text: str) -> Iterator[Figure]:
    skip = re.match(r"\s*\d+", text) if _ORDINAL.match(text) else None
    for found in _NUMERAL.finditer(text):
        if skip and found.end() <= skip.end():
            continue
        start, end = found.span()
        unit = _UNIT.match(text, end)
        kind = str(unit.lastgroup) if unit else ""
        token = _token(text, start, end)
        if token and unit and not unit[0].startswith((" ", "\u00a0")):
            # "5ms" is a figure with its unit and no name.
            bare = token.removesuffix(unit[0])
            token = "" if bare == found[0] else token
        sign = _sign(text, start)
        digits = found[0].replace(",", "")
        yield Figure(
            text=sign + found[0],
            value=float(digits) * (-1.0 if sign in ("-", "−") else 1.0),
            decimals=len(digits.partition(".")[2]),
            unit=kind,
            start=start - len(sign),
            end=end,
            stop=unit.end() if unit else end,
            about=ABOUT.search(text[max(0, start - 20) : start]) is not None,
            signed=bool(sign),
            token=token,
        )


def _token(text: str, start: int, end: int) -> str:
    """The word around a numeral, empty where the numeral is a word of its own."""
    left, right = start, end
    while left and re.match(_WORD_SIGN, text[left - 1]):
        left -= 1
    while right < len(text) and re.match(_WORD_SIGN, text[right]):
        right += 1
    word = text[left:right].strip(".:-/#+@")
    if re.fullmatch(r"[\d.,]+(?:[-–/][\d.,]+)?", word) and word.count(".") < 3:
        return ""
    return word


def _sign(text: str, start: int) -> str:
    if start and text[start - 1] in "+-−":
        before = text[: start - 1]
        if not before or before[-1] in " \t(|[,;:":
            return text[start - 1]
    return ""


def _shared_units(text: str, figures: list[Figure]) -> list[Figure]:
    """Give a figure the unit that stands behind the next one only."""
    for index in range(len(figures) - 2, -1, -1):
        one, after = figures[index], figures[index + 1]
        joined = _SHARED.match(text, one.end)
        if one.unit or one.token or not joined or not after.unit:
            continue
        if joined.start("rest") == after.end:
            figures[index] = replace(one, unit=after.unit)
    return figures


def _ranges(text: str, figures: list[Figure]) -> Iterator[Figure]:
    for index, one in enumerate(figures):
        after = figures[index + 1] if index + 1 < len(figures) else None
        if after and not one.token and not after.token and _is_range(text, one, after):
            figures[index] = replace(one, role="low")
            figures[index + 1] = replace(after, role="high", about=after.about or one.about)
    yield from figures


def _is_range(text: str, low: Figure, high: Figure) -> bool:
    between = text[low.stop if low.stop <= high.start else low.end : high.start]
    return _RANGE.fullmatch(between + " ") is not None or between in ("-", "–", " to ")
