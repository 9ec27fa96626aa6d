"""What does a column of a table that somebody made hold, and of which run?

Keys of programs name one figure exactly. People put a method, a device, a
statistic or a unit beside it: "DSpark tok/s", "T/s (CUDA)", "tok/s (median)".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from analysis.parsers.text.fields import Field, cell_text
from analysis.parsers.text.fields import field as field_of
from analysis.parsers.text.grammar import NUMBER, count, decimals, real
from analysis.parsers.text.spec_words import mined

__all__ = ["PLAIN", "HeadedColumn", "column", "counts_in"]


@dataclass(frozen=True)
class HeadedColumn:
    """A column's meaning.

    Attributes
    ----------
    heading
        As it is written.
    field
        The figure or word in its cells; null for anything else.
    method
        The words that name the run which the column is of; empty where it is of all.
    note
        What else stands in brackets: a device, a setting.
    derived
        Whether it is a ratio or a spread of other figures.
    pair
        For cells with two counts, whether the first is what was drafted; null for no pair.
    """

    heading: str
    field: Field | None = None
    method: str = ""
    note: str = ""
    derived: bool = False
    pair: bool | None = None


_PAIR = re.compile(
    r"(?P<first>draft\w*|accept\w*|acc|total|generated|proposed)\s*(?:/|of|out of)\s*"
    r"(?P<second>draft\w*|accept\w*|acc|total|generated|proposed)\b",
    re.IGNORECASE,
)
_BEFORE_PAIR = re.compile(r"\b(?:draft|tokens?)\s*$", re.IGNORECASE)
_BRACKETS = re.compile(r"[(\[]([^()\[\]]{0,60})[)\]]")
_DERIVED = re.compile(
    r"delta|\u0394|change|diff|speed-?up|\bratio\b|\bgain|improvement|\bvs\b|\u00b1|\bstd|\bstdev|\bsd\b"
    r"|\bcv\b|\bci\b|p\d\d\b|\u00d7|\bx$",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"\b(?:prompt|prefill|pp\d*|input|in|context|ctx|peak|max|min|best|worst|low|high|total|first|"
    r"last|ttft|draft|pos\w*|expected|predicted|estimated|theoretical)\b",
    re.IGNORECASE,
)
_UNITS = re.compile(r"(?:tok(?:en)?s?|tk|t)\s*[/\\]\s*s(?:ec)?|tps|%|s|sec|seconds|tokens?|toks?")
_MEAN = re.compile(r"mean|avg\.?|average|\u2205|\u00f8")
_STATISTIC = re.compile(r"(?:median|mean|avg\.?|average|\u2205|\u00f8|overall)\s+", re.IGNORECASE)
_STATISTICS = re.compile(r"median|mean|avg\.?|average|overall|\u2205|\u00f8")
_SPEED = re.compile(rf"[~\u2248]?\s*{NUMBER}\s*(?:tok(?:en)?s?|tk|t)\s*/\s*s(?:ec)?", re.IGNORECASE)
_NOTHING = ("", "-", "\u2013", "\u2014", "n/a", "N/A")
_OWN = ("gen", "generation", "decode", "decoding", "output", "tg", "eval", "speed", "throughput")
PLAIN = frozenset({"base", "plain", "vanilla", "target", "no spec", "ar", "off"})
"""What people call a run without speculation where the other is beside it."""

_MOST_WORDS = 5


def column(heading: str, cells: Sequence[str] = ()) -> HeadedColumn:
    """What stands under a heading.

    Parameters
    ----------
    heading
        As it is written.
    cells
        Those under it: they may have the unit that the heading leaves out.

    Examples
    --------
    >>> column("DSpark tok/s").method, column("DSpark tok/s").field.name
    ('DSpark', 'decode_tps')
    >>> column("T/s (CUDA)").field.name, column("tok/s (mean)").field.name
    ('decode_tps', 'mean_tps')
    >>> column("Prompt tok/s").field, column("MTP \u00d7").field, column("accepted/8").field
    (None, None, None)
    >>> column("Draft Accepted/Total").pair, column("Drafted / accepted").pair
    (False, True)
    """
    text = " ".join(cell_text(heading).split())
    if both := _PAIR.search(text):
        words = [both[name].lower().startswith("acc") for name in ("first", "second")]
        if words[0] != words[1]:
            return HeadedColumn(
                heading,
                Field("acceptance_rate"),
                _BEFORE_PAIR.sub("", text[: both.start()]).strip(),
                pair=words[1],
            )
    exact = _exact(text)
    if exact and (exact.name == "acceptance_rate" or not _DERIVED.search(text)):
        return HeadedColumn(heading, exact)
    if _DERIVED.search(text):
        return HeadedColumn(heading, derived=True)
    notes = [note.strip() for note in _BRACKETS.findall(text)]
    bare = " ".join(_BRACKETS.sub(" ", text).split()).strip(" ,:-")
    # A note in brackets is a unit, or a device or statistic that changes no meaning.
    if any(_OTHER.search(note) for note in notes):
        return HeadedColumn(heading)
    units = [note for note in notes if _UNITS.fullmatch(note.lower())]
    said = [cell_text(cell) for cell in cells if cell_text(cell) not in _NOTHING]
    if not units and said and all(_SPEED.fullmatch(cell) for cell in said):
        units = ["tok/s"]
    found = _with_method(bare, units[0] if units else "", heading)
    if found.field and any(_MEAN.fullmatch(note.lower()) for note in notes):
        found = replace(found, field=_mean(found.field))
    others = (
        note for note in notes if note not in units and not _STATISTICS.fullmatch(note.lower())
    )
    return replace(found, note=" ".join(others))


def _with_method(bare: str, unit: str, heading: str) -> HeadedColumn:
    """A figure's name with words before or behind it that name a method."""
    text, mean = bare, False
    if statistic := _STATISTIC.match(text):
        mean = _MEAN.fullmatch(statistic[0].strip().lower()) is not None
        text = text[statistic.end() :]
    words = text.split()
    for size in range(min(len(words), _MOST_WORDS) + 1):
        cut = len(words) - size
        for method, rest in ((words[:size], words[size:]), (words[cut:], words[:cut])):
            said = " ".join(method)
            known = _exact(" ".join(rest)) or _of_unit(rest, unit)
            if known and (not size or _is_method(said)):
                return HeadedColumn(heading, _mean(known) if mean else known, said.strip(" :-,"))
    return HeadedColumn(heading)


def _of_unit(words: list[str], unit: str) -> Field | None:
    """A figure whose unit stands in brackets."""
    name = " ".join(words).lower()
    if not unit or (name and name not in _OWN):
        return None
    return _exact(unit)


def _exact(text: str) -> Field | None:
    found = field_of(text)
    # "Acc %" and "Accepted %" are no counts.
    if found and found.name == "accepted_tokens" and "%" in text:
        return Field("acceptance_rate")
    if found is None and text.lower().split(" ")[0] in _OWN:
        rest = field_of(text.partition(" ")[2])
        return rest if rest and rest.name == "decode_tps" else None
    return found


def _is_method(text: str) -> bool:
    lowered = re.sub(r"^(?:with|w/)\s+", "", text.lower().strip(" :-,"))
    if _OTHER.search(lowered):
        return False
    return lowered in PLAIN or lowered in {"spec", "on"} or mined(text) != (None, None)


def _mean(known: Field) -> Field:
    return Field("mean_tps", known.power) if known.name == "decode_tps" else known


_COUNT = r"\d{1,3}(?:[,.]\d{3})+|\d{1,9}"
_COUNTS = re.compile(
    rf"(?<![\d.,/])({_COUNT})\s*(?:/|\bof\b|\bout of\b)\s*({_COUNT})(?![\d.,]*\d|\s*/)"
)
_PERCENT = re.compile(rf"(?<![\d.,])({NUMBER})\s*+%")
_LONGEST_CELL = 80
_ROUNDED = 1.0
"""People cut the decimals off a rate as often as they round it."""


def counts_in(cell: str, *, drafted_first: bool | None) -> Iterator[tuple[str, str]]:
    """The counts, and the rate if one is beside them, in a cell like ``62% (273/436)``.

    Parameters
    ----------
    cell
        A cell's text.
    drafted_first
        As the heading says it; null where it does not, and then the larger count is what was
        drafted.

    Yields
    ------
    tuple of str
        ``drafted``, ``accepted`` and ``acceptance %`` with their figures as printed; nothing where
        the cell has no counts, more was accepted than drafted, or the rate beside them is another.

    Examples
    --------
    >>> list(counts_in("62% (273/436)", drafted_first=None))
    [('accepted', '273'), ('drafted', '436')]
    >>> list(counts_in("62.6% (273/436)", drafted_first=None))[2]
    ('acceptance %', '62.6')
    >>> list(counts_in("50% (273/436)", drafted_first=None))
    []
    """
    text = cell_text(cell)
    found = _COUNTS.search(text) if len(text) <= _LONGEST_CELL else None
    if found is None:
        return
    pair = found.groups()
    values = [count(part) or 0 for part in pair]
    order = values[0] > values[1] if drafted_first is None else drafted_first
    accepted, drafted = (pair[1], pair[0]) if order else pair
    n_accepted, n_drafted = (values[1], values[0]) if order else values
    rate = _PERCENT.search(text.replace(found[0], " "))
    share = real(rate[1]) if rate else None
    if n_accepted > n_drafted:
        return
    if share is not None and (
        not n_drafted or abs(100 * n_accepted / n_drafted - share) >= _ROUNDED
    ):
        return
    yield "accepted", accepted
    yield "drafted", drafted
    # A rate whose decimals were cut off says no more than the counts.
    if rate and share is not None and _rounds_to(100 * n_accepted / n_drafted, rate[1], share):
        yield "acceptance %", rate[1]


def _rounds_to(value: float, printed: str, read: float) -> bool:
    return abs(value - read) <= 0.5001 * 10.0 ** -decimals(printed)
