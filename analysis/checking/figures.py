"""How exactly does a numeral of a text state a figure, in which unit, and does a value agree?"""

from __future__ import annotations

import re
from dataclasses import dataclass

from analysis.checking.vocabulary import vocabulary

__all__ = ["Figure", "agrees", "figure_at", "unit_at", "word_around"]

_UNITS = "|".join(
    f"(?P<{unit}>{'|'.join(map(re.escape, phrases))})"
    for unit, phrases in vocabulary()["units"].items()
).replace(r"\ ", "[- ]")
_UNIT = re.compile(rf"[ \u00a0]?-?(?:{_UNITS})(?:(?<!\w)|(?!\w))", re.IGNORECASE)
_PLAIN = re.compile(rf"[+\-−]?\d?[\d.,]*(?:[-–/:]\d[\d.,]*)?(?:-?(?:{_UNITS}))?", re.IGNORECASE)
_OUTSIDE, JOINTS, LONGEST = re.compile(r"[^\w.\-/#+@:]"), ".:-/#+@", 200
FREE = 0.15
"""How far from what "about" or *a third* states a value is neither true nor false."""


@dataclass(frozen=True)
class Figure:
    """One numeral of a text.

    `unit` is ``percent``, ``points``, ``times``, ``rate``, ``ms``, ``s`` or empty; `end` is behind
    the numeral, `stop` behind its unit; `loose` says that a word states it: *a third*, *twice*.
    """

    text: str
    value: float
    decimals: int
    unit: str
    start: int
    end: int
    stop: int
    signed: bool = False
    loose: bool = False

    @property
    def step(self) -> float:
        """Value of one unit in the last stated digit."""
        return float(10.0**-self.decimals)

    @property
    def half(self) -> float:
        """Half of that, of a whole factor ("2x") a tenth at most."""
        whole = self.unit == "times" and not self.decimals
        return min(0.5 * self.step, 0.1 * abs(self.value)) if whole else 0.5 * self.step


def agrees(figure: Figure, value: float, bound: str = "") -> bool | None:
    """Whether a value is what is stated; null where it is close and nobody can tell.

    A figure of *d* decimals holds for what rounds to it, halves either way. "About" and its kin
    (`bound`) allow 1.5 units of the last digit up to a tenth, or 5 %; a whole-number factor ("2x")
    a tenth. Between that and 15 % such words are neither true nor false.

    Examples
    --------
    >>> eighteen = Figure("18", 18.0, 0, "percent", 0, 2, 4)
    >>> [agrees(eighteen, value) for value in (18.49, 18.51, 25.0)]
    [True, False, False]
    >>> [agrees(eighteen, value, "about") for value in (18.8, 20.0, 25.0)]
    [True, None, False]
    >>> [agrees(eighteen, value, "gt") for value in (25.0, 18.2, 17.0)]
    [True, None, False]
    """
    size, off = abs(figure.value), value - figure.value
    half = figure.half
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
    elif bound == "about":
        most = max(exact, min(3 * half, 0.1 * size), 0.05 * size)
        least = -most
    if least <= off <= most:
        return True
    free = close or bound == "about" or figure.loose
    return None if free and abs(off) <= max(FREE * size, 1.5 * half) else False


def figure_at(numeral: re.Match[str]) -> Figure:
    """The figure that a numeral of :func:`~analysis.checking.vocabulary.pieces` states.

    Examples
    --------
    >>> from analysis.checking.vocabulary import pieces
    >>> one = figure_at(pieces("-1,024.5 ms")[0])
    >>> one.value, one.decimals, one.unit
    (-1024.5, 1, 'ms')
    """
    unit, stop = unit_at(numeral.string, numeral.end())
    number = numeral[0].replace(",", "").replace("−", "-")
    decimals, signed = len(number.partition(".")[2]), numeral["sign"] is not None
    span = numeral.span()
    return Figure(numeral[0], float(number), decimals, unit, *span, stop, signed=signed)


def unit_at(text: str, end: int) -> tuple[str, int]:
    """The unit that stands behind a number, and where it ends."""
    unit = _UNIT.match(text, end)
    return ("", end) if unit is None else (str(unit.lastgroup), unit.end())


def word_around(figure: Figure, text: str) -> tuple[str, str]:
    """What the word that a figure is part of has before it and behind it: ``Q`` and ``_K_M``.

    Both are empty where the numeral is a word of its own.
    """
    before = _OUTSIDE.split(text[: figure.start][-LONGEST:])[-1].lstrip(JOINTS)
    behind = _OUTSIDE.split(text[figure.end :][:LONGEST], maxsplit=1)[0].rstrip(JOINTS)
    plain = _PLAIN.fullmatch(before + figure.text + behind)
    if plain and plain[0].count(".") < 3:
        return "", ""
    # "n_max=3" and "tok/s:133.9" end in a number of their own.
    own = before.endswith((":", "/")) and not re.search(r"\d", before) and not behind
    return ("", "") if own else (before, behind)
