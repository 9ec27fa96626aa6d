"""Numbers as people and programs write them.

Every parser reads its figures through here, so that what counts as a number of
tokens, and which comma is a decimal one, is decided once.
"""

from __future__ import annotations

import math
import re

__all__ = [
    "LARGEST_COUNT",
    "NUMBER",
    "as_count",
    "as_measure",
    "count",
    "decimals",
    "real",
    "scaled",
]

NUMBER = r"(?:[-+]?(?:\d++(?:[.,]\d++)*+(?:[eE][-+]?\d{1,4}+)?|(?i:nan|inf(?:inity)?)\b))"
"""Source of a regular expression for anything that looks like a number.

It takes more than :func:`count` and :func:`real` accept: a row with an
impossible figure should be met and reported, not overlooked.
"""

LARGEST_COUNT = 10**9
"""No request predicts or drafts more tokens than this."""

_LONGEST = 40
_GROUPED = re.compile(r"\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*")


def count(text: str) -> int | None:
    """Read a number of tokens or requests.

    Returns
    -------
    int or None
        ``None`` when the text is not a whole number from 0 to
        :data:`LARGEST_COUNT`.

    Examples
    --------
    >>> count("192"), count("1,419"), count("1.419.000")
    (192, 1419, 1419000)
    >>> count("-1"), count("192.5"), count("nan"), count("9" * 5000)
    (None, None, None, None)
    """
    text = text.strip().removeprefix("+")
    if not text.isascii() or len(text) > _LONGEST:
        return None
    if _GROUPED.fullmatch(text):
        text = text.replace(",", "").replace(".", "")
    if not text.isdigit():
        return None
    value = int(text)
    return value if value <= LARGEST_COUNT else None


def real(text: str, decimal_comma: bool = False) -> float | None:
    """Read a finite number that may have decimals.

    Parameters
    ----------
    text
        One number, with or without thousands separators.
    decimal_comma
        Whether the text around it is known to write decimals with a comma;
        that settles ``1,234``.

    Returns
    -------
    float or None
        ``None`` when the text is not a finite number.

    Examples
    --------
    >>> real("161.0"), real("161,0"), real("1,234.5"), real("1.234,5")
    (161.0, 161.0, 1234.5, 1234.5)
    >>> real("1,234"), real("1,234", decimal_comma=True), real("0,911")
    (1234.0, 1.234, 0.911)
    >>> real("inf"), real("nan"), real("1,2,3")
    (None, None, None)
    """
    text = text.strip()
    if not text.isascii() or len(text) > _LONGEST or "_" in text:
        return None
    mark = _decimal_mark(text, decimal_comma)
    for separator in ",.":
        if separator != mark and separator in text:
            whole = text.lstrip("+-").partition(mark)[0] if mark else text.lstrip("+-")
            if not _GROUPED.fullmatch(whole):
                return None
            text = text.replace(separator, "")
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def decimals(text: str) -> int:
    """Count the digits behind the decimal mark of a number as printed.

    Examples
    --------
    >>> decimals("0.911"), decimals("0,9"), decimals("1")
    (3, 1, 0)
    """
    return len(re.split(r"[.,]", text)[-1]) if re.search(r"[.,]", text) else 0


def scaled(value: float, power: int) -> float:
    """Move a number's decimal mark, without the rounding that a division adds.

    Examples
    --------
    >>> scaled(70.9, -2), 70.9 / 100
    (0.709, 0.7090000000000001)
    """
    digits, _, exponent = repr(value).partition("e")
    return float(f"{digits}e{int(exponent or 0) + power}")


def _decimal_mark(text: str, decimal_comma: bool) -> str:
    """Which character of `text` splits whole from decimals; empty for none."""
    last = max(text.rfind(","), text.rfind("."))
    if last < 0:
        return ""
    mark = text[last]
    if text.count(mark) > 1:
        return ""
    other = "." if mark == "," else ","
    if mark == "." or other in text or decimal_comma:
        return mark
    digits = text.lstrip("+-")
    # A lone comma is a thousands separator only in the shape that one leaves.
    return "" if _GROUPED.fullmatch(digits) and not digits.startswith("0") else mark


def as_count(value: object) -> int | None:
    """Read a number of tokens from a value of JSON, or from text.

    Examples
    --------
    >>> as_count(192), as_count(192.0), as_count("192"), as_count(True), as_count(-1)
    (192, 192, 192, None, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int):
        return value if 0 <= value <= LARGEST_COUNT else None
    return count(value) if isinstance(value, str) else None


def as_measure(value: object) -> float | None:
    """Read a time, a rate or a share, none of which is negative.

    Examples
    --------
    >>> as_measure(17.43), as_measure("17,43"), as_measure(float("nan")), as_measure(-1.0)
    (17.43, 17.43, None, None)
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        value = real(value)
    if isinstance(value, int):
        value = float(value) if abs(value) <= LARGEST_COUNT else None
    if not isinstance(value, float) or not math.isfinite(value):
        return None
    return value if 0 <= value <= LARGEST_COUNT else None
