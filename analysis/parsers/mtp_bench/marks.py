"""Where mtp-bench's lines are in a text; what they say is read elsewhere.

A mark is a recognised piece of output and keeps its figures as text. Rows are
found by their five fields in order, wherever on a line they stand, so that a
paste that lost its line ends is met by the same rules as a clean log.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from analysis.parsers.mtp_bench.totals import TOTALS, key_name
from analysis.parsers.text.grammar import NUMBER
from analysis.records import BUILT_IN_WORKLOADS

__all__ = [
    "BENCH_COMMAND",
    "Concurrency",
    "CutRow",
    "FailedRow",
    "Mark",
    "Row",
    "Totals",
    "marks",
]


@dataclass(frozen=True)
class Mark:
    """Characters `start` up to `end` of the text."""

    start: int
    end: int


@dataclass(frozen=True)
class Row(Mark):
    """One whole row; `speed` is ``None`` where the text stops inside it."""

    task: str
    pooled: int
    failed: int
    predicted: str
    drafted: str
    accepted: str
    rate: str
    speed: str | None


@dataclass(frozen=True)
class CutRow(Mark):
    """A row that stops before its last field."""

    task: str


@dataclass(frozen=True)
class FailedRow(Mark):
    """A request that failed, with what the script said about it."""

    task: str
    pooled: int
    message: str


@dataclass(frozen=True)
class Totals(Mark):
    """An aggregate: whole, or what is left of it."""

    values: dict[str, str | None]
    whole: bool


@dataclass(frozen=True)
class Concurrency(Mark):
    """The line of a script that sends several requests at once."""

    streams: str
    repeat: str | None


# Fields are apart by spaces, or by the one line end of a wrapped terminal.
_GAP = r"[ ]*+(?:\n[ ]*+)?+"


def _field(key: str, value: str) -> str:
    return rf"{key}[ ]*+={_GAP}({value})"


_FIELDS = (
    _field("pred", NUMBER),
    _field("draft", NUMBER),
    _field("acc", NUMBER),
    _field("rate", rf"{NUMBER}|[nN]/?[aA]"),
    _field("tok/s", NUMBER),
)
_ROW = re.compile(r"\b" + _GAP.join(_FIELDS) + r"(?:[ ]*+\([ ]*+(\d{1,4}) failed\))?")
_ROW_START = re.compile(r"\bpred[ ]*+=")
_ROW_REST = re.compile(
    r"[ ]*+[\d.,]*+(?:[ ]++(?:draft|acc|rate|tok/s)\b(?:[ ]*+=[ ]*+[\w./,]*+)?)*+"
)
_FAILED = re.compile(r"\bERROR:[ ]*+([^\n]*+)")
_CONCURRENCY = re.compile(
    r"\bConcurrency[ ]*+=[ ]*+(\d{1,6})(?:[ ]++repeat[ ]*+=[ ]*+(\d{1,6}))?[^\n{]*+"
)
_TOTALS = re.compile(r"\bAggregate[ ]*+:?\s*+(?:\{|\Z)|\{(?=\s*+\")")
_MEMBER = re.compile(
    rf"[\s,]*+\"([\w \\]{{1,60}})\"\s*+:\s*+(?:(null)|({NUMBER})|\"([^\"\n]{{0,200}})\")"
)
_CLOSING = re.compile(r"[\s,]*+\}")
_MEMBER_ENDS = re.compile(r"\s*+[,}]|[ ]*+\n\s*+\S")

BENCH_COMMAND = re.compile(
    r"(?:\b(?:python|py|uv|pwsh|bash|sh)[\w.]*+[ ][^\n]{0,60}?|[./\\])mtp[-_ ]bench\b",
    re.IGNORECASE,
)
"""Somebody starting the script: what follows is another run."""

_TOKEN = re.compile(r"[^\s`*|\"',;()\[\]{}<>=]++")
_BEHIND_NAME = re.compile(r"[\s`*|\"':]*+")
_WORD = re.compile(r"\S++")
_LETTER = re.compile(r"[^\W_]")
_AROUND_NAME = "`*|\"'_:"
_POOLED = re.compile(r"[x\u00d7]([1-9]\d{0,3})")
_BLANK = re.compile(r"\s*+")
_REACH = 160


@lru_cache(maxsize=1)
def marks(text: str) -> tuple[Mark, ...]:
    """Find everything of mtp-bench's in a text, in order.

    Parameters
    ----------
    text
        Cleaned of what pasting adds, see ``pasted.py``.

    Returns
    -------
    tuple of Mark
        Sorted by place, not overlapping. Look-alikes are left out: a cut or a
        failed row counts only with a task that mtp-bench knows, or right
        beside another row. Those of the last text are kept: it is asked for
        to recognise the format, to number lines and to read.
    """
    found: list[Mark] = [*_rows(text), *_totals(text)]
    found += [Concurrency(m.start(), m.end(), m[1], m[2]) for m in _CONCURRENCY.finditer(text)]
    found.sort(key=lambda mark: mark.start)
    found += list(_failed(text, found))
    return tuple(sorted(found, key=lambda mark: mark.start))


def _rows(text: str) -> Iterator[Mark]:
    floor = 0
    for start in _ROW_START.finditer(text):
        if start.start() < floor:
            continue
        name = _name_before(text, floor, start.start())
        row = _ROW.match(text, start.start())
        if row and name:
            floor = row.end()
            yield Row(
                name.start,
                row.end(),
                task=name.task,
                pooled=name.pooled,
                failed=int(row[6] or 0),
                predicted=row[1],
                drafted=row[2],
                accepted=row[3],
                rate=row[4],
                speed=None if _stops_in(text, row) else row[5],
            )
        elif name and not row:
            rest = _ROW_REST.match(text, start.end())
            beside = floor > 0 and _blank_between(text, floor, name.start)
            if rest and (
                name.task in BUILT_IN_WORKLOADS or (beside and rest[0].strip()[:1].isdigit())
            ):
                floor = rest.end()
                yield CutRow(name.start, rest.end(), name.task)


def _stops_in(text: str, row: re.Match[str]) -> bool:
    """Whether the text ends before the speed's decimals are all there."""
    if not row[5].isdigit() or len(row[5]) > 5:
        return False
    return not text[row.end() : row.end() + 40].strip(" .,\n`")


@dataclass(frozen=True)
class _Name:
    start: int
    task: str
    pooled: int = 1


def _name_before(text: str, floor: int, at: int) -> _Name | None:
    """The task named right before `at`, on the same line and behind `floor`."""
    floor = max(floor, at - _REACH, 0)
    floor = max(floor, text.rfind("\n", floor, at) + 1)
    tokens = list(_TOKEN.finditer(text, floor, at))[-5:]
    if not tokens or not _BEHIND_NAME.fullmatch(text, tokens[-1].end(), at):
        return None
    pooled = 1
    if len(tokens) > 1 and (suffix := _POOLED.fullmatch(tokens[-1][0])):
        pooled = int(suffix[1])
        tokens.pop()
    # Markdown eats underscores: "long code review" is one task, not "review".
    for n in (4, 3, 2):
        joined = "_".join(token[0].rstrip(":") for token in tokens[-n:])
        if len(tokens) >= n and joined in BUILT_IN_WORKLOADS:
            return _Name(tokens[-n].start(), joined, pooled)
    task = tokens[-1][0].rstrip(":")
    if task[:1].isalnum():
        return _Name(tokens[-1].start(), task, pooled)
    # "😀emoji", "**bold**_": whatever stands there is better than a row that is lost.
    word = _WORD.search(text, max(text.rfind(" ", floor, tokens[-1].start()) + 1, floor), at)
    name = word[0].strip(_AROUND_NAME) if word else ""
    return _Name(word.start(), name, pooled) if word and _LETTER.search(name) else None


def _totals(text: str) -> Iterator[Totals]:
    floor = 0
    for opening in _TOTALS.finditer(text):
        if opening.start() < floor:
            continue
        values: dict[str, str | None] = {}
        at = opening.end()
        cut = False
        while member := _MEMBER.match(text, at):
            if not _MEMBER_ENDS.match(text, member.end()):
                cut = True
                break
            values[key_name(member[1])] = member[3] or member[4]
            at = member.end()
        closing = None if cut else _CLOSING.match(text, at)
        titled = text.startswith("Aggregate", opening.start())
        if titled or len(TOTALS & values.keys()) > 1:
            floor = closing.end() if closing else at
            yield Totals(opening.start(), floor, values, closing is not None)


def _failed(text: str, found: list[Mark]) -> Iterator[FailedRow]:
    """Failed rows, which need their neighbours to be told from other errors."""
    starts = [mark.start for mark in found]
    latest: Mark | None = None
    for error in _FAILED.finditer(text):
        place = bisect_right(starts, error.start())
        before = found[place - 1] if place else None
        if latest and (before is None or before.start < latest.start):
            before = latest
        if before and before.end > error.start():
            continue
        name = _name_before(text, before.end if before else 0, error.start())
        if name is None:
            continue
        after = found[place] if place < len(found) else None
        end = max(min(error.end(), after.start), error.start(1)) if after else error.end()
        alone = _blank_between(text, text.rfind("\n", 0, name.start) + 1, name.start)
        beside = alone and (
            (before and _blank_between(text, before.end, name.start))
            or (isinstance(after, Row) and _blank_between(text, end, after.start))
        )
        if name.task in BUILT_IN_WORKLOADS or beside:
            message = text[error.start(1) : end].strip()
            latest = FailedRow(name.start, end, name.task, name.pooled, message)
            yield latest


def _blank_between(text: str, start: int, end: int) -> bool:
    blank = _BLANK.match(text, start)
    return blank is not None and blank.end() >= end
