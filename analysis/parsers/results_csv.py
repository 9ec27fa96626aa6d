"""CSV of results: a row per request, or per arm and repeat."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, replace

from analysis.errors import LogError
from analysis.parsers.text.document import Document
from analysis.parsers.text.fields import field as field_of
from analysis.parsers.text.grammar import as_count, as_measure
from analysis.parsers.text.tabular import read_row, runs_of
from analysis.records import Finding, Run, Source

__all__ = ["FORMAT", "HINTS", "SHAPE", "read", "recognises"]

FORMAT = "results-csv"
SHAPE = "CSV with a header that names drafted or accepted tokens"
HINTS = ("draft", "accept", "tps", "predicted", ",")

_SEPARATORS = (",", ";", "\t")
_DRAFTS = frozenset({"draft_tokens", "accepted_tokens", "acceptance_rate"})
_TIMED = frozenset({"decode_tps", "mean_tps", "wall_s", "decode_s", "predicted_tokens"})
_FEWEST = 3
_LONGEST_LINE = 2000
_MOST_COLUMNS = 200


@dataclass(frozen=True)
class _Sheet:
    """Rows with the same number of cells as the header; the header may be inferred."""

    header: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]
    cut: tuple[int, ...] = ()
    inferred: bool = False


def recognises(document: Document) -> bool:
    """Whether a header with drafts and times has rows below it, or rows speak for themselves."""
    return _sheet(document) is not None


def read(document: Document) -> tuple[Run, ...]:
    """Read a run per arm.

    Columns are told by their names and never by their order, except in rows
    without any header: of two columns of tokens, the one that is never the
    larger holds what was accepted. That is inferred, and a ``columns-inferred``
    finding says so.

    Raises
    ------
    LogError
        When there is neither.
    """
    sheet = _sheet(document)
    if sheet is None:
        problem = "no row here has a header that names drafted or accepted tokens"
        raise LogError(problem, "keep the CSV's first line", document.name)
    rows = [
        read_row(zip(sheet.header, cells, strict=True), Source(document.name, number))
        for number, cells in sheet.rows
    ]
    runs = runs_of([row for row in rows if row.figures], FORMAT)
    found = [
        Finding(
            "warning",
            "row-cut",
            f"{document.name}:{number}",
            "the row has fewer cells than the header and is left out",
        )
        for number in sheet.cut
    ]
    if sheet.inferred:
        where = f"{document.name}:{sheet.rows[0][0]}"
        message = "there is no header: the columns are taken as " + ", ".join(sheet.header)
        found.append(Finding("warning", "columns-inferred", where, message))
    if runs:
        runs[0] = replace(runs[0], findings=(*found, *runs[0].findings))
    return tuple(runs)


def _sheet(document: Document) -> _Sheet | None:
    for separator in _SEPARATORS:
        if document.text.count(separator) < _FEWEST:
            continue
        lines = [
            (number, _cells(line, separator))
            for number, line in enumerate(document.lines, start=1)
            if separator in line and len(line) <= _LONGEST_LINE
        ]
        for place, (_, cells) in enumerate(lines):
            if _is_header(cells):
                return _below(cells, lines[place + 1 :])
        found = _headless([line for line in lines if 4 <= len(line[1]) <= 6])
        if found:
            return found
    return None


def _cells(line: str, separator: str) -> tuple[str, ...]:
    try:
        return tuple(cell.strip() for cell in next(csv.reader([line], delimiter=separator)))
    except (csv.Error, StopIteration):
        return ()


def _is_header(cells: Sequence[str]) -> bool:
    if not 3 <= len(cells) <= _MOST_COLUMNS or any(as_measure(cell) is not None for cell in cells):
        return False
    known = {known.name for cell in cells if (known := field_of(cell))}
    return bool(known & _DRAFTS and known & _TIMED)


def _below(header: tuple[str, ...], lines: Sequence[tuple[int, tuple[str, ...]]]) -> _Sheet | None:
    rows, cut = [], []
    for number, cells in lines:
        if len(cells) == len(header) and any(as_measure(cell) is not None for cell in cells):
            rows.append((number, cells))
        elif 1 < len(cells) < len(header):
            cut.append(number)
    return _Sheet(header, tuple(rows), tuple(cut)) if rows else None


def _headless(lines: Sequence[tuple[int, tuple[str, ...]]]) -> _Sheet | None:
    """Rows of arm, repeat, tok/s, tokens, tokens: only where nothing else can be meant."""
    if len(lines) < _FEWEST or len({len(cells) for _, cells in lines}) != 1:
        return None
    columns = list(zip(*(cells for _, cells in lines), strict=True))
    if len(columns) != 5 or not _counts_repeats(columns[0], columns[1]):
        return None
    speeds = [as_measure(cell) if "." in cell else None for cell in columns[2]]
    pairs = [(as_count(a), as_count(b)) for a, b in zip(columns[3], columns[4], strict=True)]
    if None in speeds or any(a is None or b is None for a, b in pairs):
        return None
    last = ("accepted", "draft_n")
    if all((a or 0) > (b or 0) for a, b in pairs):
        last = ("draft_n", "accepted")
    elif not all((a or 0) < (b or 0) for a, b in pairs):
        return None
    return _Sheet(("arm", "repeat", "tok/s", *last), tuple(lines), inferred=True)


def _counts_repeats(arms: Sequence[str], repeats: Sequence[str]) -> bool:
    """Whether the second column counts from 1 for each name in the first."""
    seen: dict[str, int] = {}
    for arm, repeat in zip(arms, repeats, strict=True):
        seen[arm] = seen.get(arm, 0) + 1
        if as_measure(arm) is not None or as_count(repeat) != seen[arm]:
            return False
    return len(seen) > 1 or len(arms) >= 2 * _FEWEST
