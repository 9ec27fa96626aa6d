"""Which figures stand in a text, how exactly are they stated, and does a value agree?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

__all__ = ["Figure", "agrees", "find_figures", "unit_at"]

_NUMERAL = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?|(?<![\d.])\.\d+")
_UNIT = re.compile(
    r"[ \u00a0]?-?(?:(?P<points>percentage[- ]points?\b|pp\b|%[- ]points?\b|points?\b)"
    r"|(?P<percent>%|per ?cent\b)"
    r"|(?P<times>×|x\b|times\b|fold\b)"
    r"|(?P<rate>tok(?:ens?)?/s(?:ec(?:ond)?)?\b|t/s\b|tokens? (?:per|a|each|every) second\b|tps\b"
    r"|tokens? per sec\b)"
    r"|(?P<ms>ms\b|milliseconds?\b)|(?P<s>s\b|secs?\b|seconds?\b))",
    re.IGNORECASE,
)
_ABOUT = re.compile(r"[~≈]\s*[+\-−]?$")
_WORD = re.compile(r"[\w.\-/#+@:]+")
_PLAIN = re.compile(
    r"[+\-−]?(?:\d[\d.,]*(?:[-–/:]\d[\d.,]*)?)(?:x|s|ms|t/s|tok/s|tokens/s|fold|pp|-fold)?",
    re.IGNORECASE,
)
# "133.9 against 113.2 tok/s", "11-14%", "from 2 to 3 s": the unit stands once, behind the last.
_SHARED = re.compile(
    r"\s*(?:[-–—/]|to|against|and|or|versus|vs\.?|,|, and|compared (?:to|with)|than)\s*[+\-−]?"
)
_AGAINST = re.compile(
    r"\s*\(?(?:against|versus|vs\.?|compared (?:to|with)|,? (?:up|down) from"
    r"|rather than|instead of|to)\s+(?:the\s+)?"
)
_RANGE = re.compile(r"\s*(?:[-–—]|to)\s*")
_ORDINAL = re.compile(r"\s*\d{1,3}[.)]\s+\S")


@dataclass(frozen=True)
class Figure:
    """One numeral of a text.

    Attributes
    ----------
    text
        As it is stated, with its sign.
    value
        Its number.
    decimals
        Digits behind the point.
    unit
        ``percent``, ``points``, ``times``, ``rate``, ``ms``, ``s`` or empty.
    start, end
        Offsets in the text; `end` is behind the numeral, `stop` behind its unit.
    about
        Whether a sign says that it is rounded freely.
    signed
        Whether a sign is part of it.
    token
        The word that it is part of, e.g. ``Q4_K_M``; empty where it stands alone.
    role
        ``low`` or ``high`` in a range, else empty.
    loose
        Whether a word states it: *a third*, *twice*.
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
    loose: bool = False

    @property
    def step(self) -> float:
        """Value of one unit in the last stated digit."""
        return float(10.0**-self.decimals)


def agrees(  # noqa: PLR0911 - one line per kind of bound
    figure: Figure, value: float, bound: str = ""
) -> bool | None:
    """Whether a value is what is stated; null where it is close and nobody can tell.

    A figure of *d* decimals holds for what rounds to it, halves either way. "About" and its kin
    allow 1.5 units of the last digit, or 5 %; a whole-number factor ("2x") a tenth. Between that
    and 15 % such words are neither true nor false.

    Parameters
    ----------
    figure
        As stated.
    value
        Recomputed, in the figure's own unit.
    bound
        The word before it: ``about``, ``nearly``, ``just_over``, ``gt``, ``lt``, ``ge``, ``le``.

    Examples
    --------
    >>> eighteen, = find_figures("18 %")
    >>> [agrees(eighteen, value) for value in (18.49, 18.51, 25.0)]
    [True, False, False]
    >>> [agrees(eighteen, value, "about") for value in (18.8, 20.0, 25.0)]
    [True, None, False]
    >>> [agrees(eighteen, value, "gt") for value in (25.0, 18.2, 17.0)]
    [True, None, False]
    """
    stated, tiny = figure.value, 1e-9 * max(abs(value), abs(figure.value), 1.0)
    half = 0.5 * figure.step
    if figure.unit == "times" and not figure.decimals:
        half = min(half, 0.1 * abs(stated))
    if figure.loose:
        half = (0.05 if figure.unit == "times" else 0.08) * abs(stated)
    off = value - stated
    wide, free = max(3 * half, 0.05 * abs(stated)), 0.15 * abs(stated)
    if bound in ("gt", "ge", "lt", "le"):
        half = 0.02 * abs(stated) if figure.loose else half
        over = off if bound in ("gt", "ge") else -off
        if over > half + tiny:
            return True
        return (True if bound in ("ge", "le") else None) if over >= -half - tiny else False
    if bound in ("nearly", "just_over"):
        over = off if bound == "just_over" else -off
        if -half - tiny <= over <= max(0.1 * abs(stated), figure.step):
            return True
        return None if abs(off) <= free else False
    if bound == "about" or figure.about:
        if abs(off) <= wide + tiny:
            return True
        return None if abs(off) <= free else False
    if abs(off) <= half + tiny:
        return True
    return None if figure.loose and abs(off) <= free else False


def find_figures(text: str) -> tuple[Figure, ...]:
    """Every numeral of a text except the number of a list item.

    Examples
    --------
    >>> [(f.text, f.unit, f.token) for f in find_figures("Q4_K at 18% and -1,024.5 ms")]
    [('4', '', 'Q4_K'), ('18', 'percent', ''), ('-1,024.5', 'ms', '')]
    """
    return tuple(_ranges(text, _shared_units(text, list(_numerals(text)))))


def unit_at(text: str, end: int) -> tuple[str, int]:
    """The unit that stands behind a number, and where it ends."""
    unit = _UNIT.match(text, end)
    return ("", end) if unit is None else (str(unit.lastgroup), unit.end())


def _numerals(text: str) -> Iterator[Figure]:
    skip = re.match(r"\s*\d+", text) if _ORDINAL.match(text) else None
    words = _WORD.finditer(text)
    word = next(words, None)
    for found in _NUMERAL.finditer(text):
        if skip and found.end() <= skip.end():
            continue
        start, end = found.span()
        while word is not None and word.end() <= start:
            word = next(words, None)
        unit, stop = unit_at(text, end)
        sign = _sign(text, start)
        digits = found[0].replace(",", "")
        yield Figure(
            text=sign + found[0],
            value=float(digits) * (-1.0 if sign in ("-", "−") else 1.0),
            decimals=len(digits.partition(".")[2]),
            unit=unit,
            start=start - len(sign),
            end=end,
            stop=stop,
            about=_ABOUT.search(text, max(0, start - 4), start) is not None,
            signed=bool(sign),
            token="" if word is None else _token(text, word, start, end),
        )


def _token(text: str, word: re.Match[str], start: int, end: int) -> str:
    """The word around a numeral, empty where the numeral is a word of its own."""
    if word.end() - word.start() > 200:
        return text[max(word.start(), start - 20) : min(word.end(), end + 20)]
    whole = word[0].strip(".:-/#+@")
    if not whole or (_PLAIN.fullmatch(whole) and whole.count(".") < 3):
        return ""
    # "n_max=3" and "tok/s:133.9" end in a number of their own.
    before = text[word.start() : start]
    if before.endswith((":", "/")) and not re.search(r"\d", before) and end == word.end():
        return ""
    return whole


def _sign(text: str, start: int) -> str:
    if start and text[start - 1] in "+-−" and (start == 1 or text[start - 2] in " \t(|[,;:~≈"):
        return text[start - 1]
    return ""


def _shared_units(text: str, figures: list[Figure]) -> list[Figure]:
    """Give a figure the unit that stands behind the next one only."""
    for index in range(len(figures) - 2, -1, -1):
        one, after = figures[index], figures[index + 1]
        if one.unit or one.token or not after.unit or after.start - one.end > 20:
            continue
        if _SHARED.fullmatch(
            text, one.end, after.start + len(after.text) - len(after.text.lstrip("+-−"))
        ):
            figures[index] = replace(one, unit=after.unit)
    for index, (one, after) in enumerate(list(pairwise(figures))):
        # "275.9 tok/s against 125.3": the unit may also stand behind the first only.
        alike = one.decimals == after.decimals > 0 and not after.unit and not after.token
        if alike and one.unit and _AGAINST.fullmatch(text, one.stop, after.start):
            figures[index + 1] = replace(after, unit=one.unit)
    return figures


def _ranges(text: str, figures: list[Figure]) -> list[Figure]:
    for index, (one, after) in enumerate(list(pairwise(figures))):
        if one.token or after.token or after.start - one.stop > 8:
            continue
        start = one.stop if one.stop <= after.start else one.end
        if one.unit == after.unit and _RANGE.fullmatch(text, start, after.start):
            figures[index] = replace(figures[index], role="low")
            figures[index + 1] = replace(after, role="high", about=after.about or one.about)
    return figures
