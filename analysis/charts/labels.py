"""Labels: how is a stranger's text put on a figure?

Labels and task names may hold anything: line breaks, direction overrides,
emoji, a novel. What reaches a figure is one line that the font can draw.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from matplotlib import font_manager
from matplotlib.ft2font import FT2Font, LoadFlags

__all__ = [
    "MISSING",
    "count",
    "distinct",
    "legible",
    "listed",
    "percent",
    "ratio",
    "shorten",
    "width",
    "wrap",
]

MISSING = "\N{WHITE SQUARE}"
"""Drawn for a character that the font has not."""

_ELLIPSIS = "…"


def _font() -> FT2Font:
    # Not cached here: a font is an open file, and forked processes would share its read
    # position. matplotlib empties its own cache when a process is forked.
    return font_manager.get_font(font_manager.findfont("DejaVu Sans"))


@cache
def _advance(character: str) -> float:
    """Width in ems; 0 for a character that the font has not."""
    font = _font()
    if not font.get_char_index(ord(character)):
        return 0.0
    glyph = font.load_char(ord(character), flags=LoadFlags.NO_SCALE)
    return float(glyph.horiAdvance) / font.units_per_EM


def width(text: str) -> float:
    """Width of a legible text in ems of its size, without kerning."""
    return sum(_advance(character) for character in text)


def legible(text: object) -> str:
    r"""One line of characters that the font can draw.

    White space becomes single spaces; control and formatting characters and
    piled-up combining marks go; what the font has not becomes `MISSING`.

    Examples
    --------
    >>> legible("two\nlines\tand \x1b[31m \u202eright to left")
    'two lines and [31m right to left'
    >>> legible("$x^2$ 🦙")
    '$x^2$ □'
    """
    one_line = " ".join(unicodedata.normalize("NFC", str(text)).split())
    kept = (
        character if _advance(character) else MISSING
        for character in one_line
        if unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Me", "Mn"}
    )
    return " ".join("".join(kept).split())


def shorten(text: object, ems: float) -> str:
    """A legible text of at most `ems` ems, its middle left out where it is longer.

    Names of configurations differ at their end as often as at their start.

    Examples
    --------
    >>> shorten("a very long name of a draft model, n_max 7", 12)
    'a very long… n_max 7'
    """
    clean = legible(text)
    if width(clean) <= ems:
        return clean
    room = ems - width(_ELLIPSIS)
    tail, end = 0.0, len(clean)
    while end and tail + _advance(clean[end - 1]) <= room * 0.42:
        end -= 1
        tail += _advance(clean[end])
    head, start = 0.0, 0
    while start < end and head + tail + _advance(clean[start]) <= room:
        head += _advance(clean[start])
        start += 1
    return clean[:start].rstrip() + _ELLIPSIS + clean[end:]


def distinct(texts: Sequence[object], ems: float, fallbacks: Sequence[str]) -> tuple[str, ...]:
    r"""Shortened labels, no two alike.

    Parameters
    ----------
    texts
        What to show.
    ems
        Room for each.
    fallbacks
        What to show for a text without anything legible.

    Examples
    --------
    >>> distinct(["a", "a", "\n"], 9, ["x", "y", "z"])
    ('a [1]', 'a [2]', 'z')
    """
    short = [
        shorten(text, ems) or shorten(other, ems)
        for text, other in zip(texts, fallbacks, strict=True)
    ]
    total, seen = Counter(short), Counter[str]()
    out = []
    for text in short:
        seen[text] += 1
        out.append(f"{text} [{seen[text]}]" if total[text] > 1 else text)
    return tuple(out)


def wrap(text: str, ems: float) -> list[str]:
    """A legible text in as few lines of at most `ems` ems as it takes, evenly filled.

    A longer word keeps a line of its own.

    Examples
    --------
    >>> wrap("DSpark, n_max 2", 5)
    ['DSpark,', 'n_max 2']
    """
    best = _wrap(text, ems)
    while (narrower := max(map(width, best)) - 0.01) > 0:
        lines = _wrap(text, narrower)
        if len(lines) > len(best) or max(map(width, lines)) > narrower:
            break
        best = lines
    return best


def _wrap(text: str, ems: float) -> list[str]:
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if lines[-1] and width(longer) > ems:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def count(number: float) -> str:
    """A count with its thousands set apart, e.g. ``1,201``."""
    return f"{int(number):,}"


def percent(share: float) -> str:
    """A share with one decimal, e.g. ``47.9 %``."""
    return f"{share:.1%}".replace("%", "\N{NO-BREAK SPACE}%")


def ratio(value: float) -> str:
    """A ratio with two decimals, or two digits where those would read 0.

    Examples
    --------
    >>> ratio(1.1822), ratio(0.0037)
    ('1.18', '0.0037')
    """
    return f"{value:.2f}" if value >= 0.095 else f"{value:.2g}"


def listed(words: Iterable[str]) -> str:
    """Words as a sentence lists them.

    Examples
    --------
    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last
