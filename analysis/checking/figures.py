"""Which figures stand in a text, how exactly are they stated, and does a value agree?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from analysis.checking.vocabulary import vocabulary

__all__ = ["Figure", "agrees", "find_figures", "unit_at"]

_NUMERAL = re.compile(
    r"(?P<about>[~≈]\s*)?(?P<text>(?P<sign>(?<![^\s(|\[,;:~≈])[+\-−])?"
    r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?|(?<![\d.])\.\d+))"
)
_UNITS = "|".join(
    f"(?P<{unit}>{'|'.join(map(re.escape, phrases))})"
    for unit, phrases in vocabulary()["units"].items()
).replace(r"\ ", "[- ]")
_UNIT = re.compile(rf"[ \u00a0]?-?(?:{_UNITS})(?:(?<!\w)|(?!\w))", re.IGNORECASE)
_WORD = re.compile(r"[\w.\-/#+@:]{1,200}")  # bounded, for the sake of time
_PLAIN = re.compile(rf"[+\-−]?\d[\d.,]*(?:[-–/:]\d[\d.,]*)?(?:-?(?:{_UNITS}))?", re.IGNORECASE)
_SHARED, _AGAINST = (
    re.compile(rf"\s*(?:{'|'.join(vocabulary()['sharing'][unit])})")
    for unit in ("behind the last", "behind the first")
)
_ORDINAL = re.compile(r"\s*\d{1,3}[.)](?=\s+\S)")
FREE = 0.15
"""How far from what "about" or *a third* states a value is neither true nor false."""


@dataclass(frozen=True)
class Figure:
    """One numeral of a text.

    `unit` is ``percent``, ``points``, ``times``, ``rate``, ``ms``, ``s`` or empty; `end` is behind
    the numeral, `stop` behind its unit. `token` is the word that it is part of, e.g. ``Q4_K_M``;
    `about` says that a sign rounds it freely, `loose` that a word states it: *a third*, *twice*.
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
    loose: bool = False

    @property
    def step(self) -> float:
        """Value of one unit in the last stated digit."""
        return float(10.0**-self.decimals)


def agrees(figure: Figure, value: float, bound: str = "") -> bool | None:
    """Whether a value is what is stated; null where it is close and nobody can tell.

    A figure of *d* decimals holds for what rounds to it, halves either way. "About" and its kin
    (`bound`) allow 1.5 units of the last digit up to a tenth, or 5 %; a whole-number factor ("2x")
    a tenth. Between that and 15 % such words are neither true nor false.

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
    size, off = abs(figure.value), value - figure.value
    half = 0.5 * figure.step
    if figure.unit == "times" and not figure.decimals:
        half = min(half, 0.1 * size)
    if figure.loose:
        half = (0.05 if figure.unit == "times" else 0.08) * size
    exact = half + 1e-9 * max(abs(value), size, 1.0)
    if bound in ("lt", "le", "nearly"):
        off = -off
    if bound in ("gt", "ge", "lt", "le"):
        edge = min(exact, 0.02 * size) if figure.loose else exact
        return off > 0 if abs(off) > edge else True if bound in ("ge", "le") else None
    least, most, close = -exact, exact, bound in ("nearly", "just_over")
    if close:
        most = max(exact, 0.1 * size)
    elif bound == "about" or figure.about:
        most = max(exact, min(3 * half, 0.1 * size), 0.05 * size)
        least = -most
    if least <= off <= most:
        return True
    free = close or bound == "about" or figure.about or figure.loose
    return None if free and abs(off) <= max(FREE * size, 1.5 * half) else False


def find_figures(text: str) -> tuple[Figure, ...]:
    """Every numeral of a text except the number of a list item.

    Examples
    --------
    >>> [(f.text, f.unit, f.token) for f in find_figures("Q4_K at 18% and -1,024.5 ms")]
    [('4', '', 'Q4_K'), ('18', 'percent', ''), ('-1,024.5', 'ms', '')]
    """
    found = list(_numerals(text))
    for at in range(len(found) - 2, -1, -1):
        one, after = found[at : at + 2]
        bare = not one.unit and not one.token and after.start - one.end <= 20
        if bare and after.unit and _SHARED.fullmatch(text, one.end, after.start + after.signed):
            found[at] = replace(one, unit=after.unit)
    for at, one in enumerate(found[:-1]):
        after = found[at + 1]
        alike = one.decimals == after.decimals > 0 and not after.unit and not after.token
        if alike and one.unit and _AGAINST.fullmatch(text, one.stop, after.start):
            found[at + 1] = replace(after, unit=one.unit)
    return tuple(found)


def unit_at(text: str, end: int) -> tuple[str, int]:
    """The unit that stands behind a number, and where it ends."""
    unit = _UNIT.match(text, end)
    return ("", end) if unit is None else (str(unit.lastgroup), unit.end())


def _numerals(text: str) -> Iterator[Figure]:
    item = _ORDINAL.match(text)
    words = _WORD.finditer(text)
    word = next(words, None)
    for found in _NUMERAL.finditer(text, item.end() if item else 0):
        start, end = found.span("text")
        digits = start + len(found["sign"] or "")
        while word is not None and word.end() <= digits:
            word = next(words, None)
        unit, stop = unit_at(text, end)
        number = found["text"].replace(",", "").replace("−", "-")
        yield Figure(
            text=found["text"],
            value=float(number),
            decimals=len(number.partition(".")[2]),
            unit=unit,
            start=start,
            end=end,
            stop=stop,
            about=found["about"] is not None,
            signed=found["sign"] is not None,
            token="" if word is None else _token(word, digits, end),
        )


def _token(word: re.Match[str], start: int, end: int) -> str:
    """The word around a numeral, empty where the numeral is a word of its own."""
    whole = word[0].strip(".:-/#+@")
    if not whole or (_PLAIN.fullmatch(whole) and whole.count(".") < 3):
        return ""
    # "n_max=3" and "tok/s:133.9" end in a number of their own.
    before = word[0][: start - word.start()]
    own = before.endswith((":", "/")) and not re.search(r"\d", before) and end == word.end()
    return "" if own else whole
