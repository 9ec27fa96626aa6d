"""Tables as programs print them and people paste them: pipes, or columns of equal width."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from analysis.records import Finding, Source

__all__ = ["TextTable", "aligned_tables", "cells_of", "pipe_tables"]

_RULE_CELL = re.compile(r"\s*+:?-{1,200}+:?\s*+")
_LONGEST_LINE = 4000
_PLAIN_RULE = frozenset("|-: \t")
_BARS = str.maketrans("│┃║", "|||")
_FRAME = re.compile(r"\s*+[-|+├┝┠┣╞╟╠╭┌┏╔╰└┗╚][-─━═=+|┼┿╂╋╪╫╬┬┯┰┳╤╥╦┴┷┸┻╧╨╩┤┥┨┫╡╢╣┐┓╗╮┘┛╝╯]++\s*+")
_MOST_CELLS = 60
_DASHES = re.compile(r"[ ]{0,8}-{3,}(?:[ ]{1,4}-{3,})+[ ]*")


@dataclass(frozen=True)
class TextTable:
    """A table with the numbers of its lines.

    Attributes
    ----------
    line
        Of the headings.
    headings
        Texts of the first row.
    rows
        Pairs of line number and cells; a row may have fewer cells than there
        are headings, where the text was cut.
    """

    line: int
    headings: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]

    def cut(self, cells: tuple[str, ...]) -> bool:
        """Whether a row stops before its last cell."""
        return len(cells) < len(self.headings)

    def whole_rows(
        self, name: str, findings: list[Finding]
    ) -> Iterator[tuple[Source, tuple[str, ...]]]:
        """Rows by where they stand in a file; of one that is cut there is only a finding."""
        for number, cells in self.rows:
            source = Source(name, number)
            if self.cut(cells):
                message = "the row stops in the middle and is left out"
                findings.append(Finding("warning", "row-cut", str(source), message))
            else:
                yield source, cells


def cells_of(line: str) -> tuple[str, ...] | None:
    r"""Split a line of a pipe table; null when it is none.

    Examples
    --------
    >>> cells_of("| a | b\\|c |"), cells_of("a | b"), cells_of("words")
    (('a', 'b|c'), ('a', 'b'), None)
    """
    if len(line) > _LONGEST_LINE:
        return None
    line = line.translate(_BARS)
    if "|" not in line:
        return None
    text = line.strip().replace("\\|", "\0")
    opened = text.startswith("|")
    text = text.removeprefix("|")
    closed = text.endswith("|")
    text = text.removesuffix("|")
    cells = tuple(cell.strip().replace("\0", "|") for cell in text.split("|"))
    if len(cells) > _MOST_CELLS or (len(cells) < 2 and not (opened and closed)):
        return None
    return cells


def pipe_tables(lines: Iterable[tuple[int, str]]) -> Iterator[TextTable]:
    """Find the tables that have a line of dashes under their headings."""
    heading: tuple[int, tuple[str, ...]] | None = None
    rows: list[tuple[int, tuple[str, ...]]] | None = None
    for number, line in lines:
        if not set(line) <= _PLAIN_RULE and _FRAME.fullmatch(line[:_LONGEST_LINE]):
            # Rules of org mode, of ASCII and of box drawing, also between rows.
            rows = [] if heading and rows is None else rows
            continue
        cells = cells_of(line)
        if cells is not None and rows is not None:
            rows.append((number, cells))
            continue
        if heading and rows is not None:
            yield TextTable(*heading, tuple(rows))
            heading = rows = None
        if heading and cells and _is_rule(cells) and len(cells) == len(heading[1]):
            rows = []
        else:
            heading = None if cells is None else (number, cells)
    if heading and rows is not None:
        yield TextTable(*heading, tuple(rows))


def aligned_tables(lines: Iterable[tuple[int, str]]) -> Iterator[TextTable]:
    """Find the tables whose columns are as wide as the dashes under their headings.

    A cell begins where its dashes begin, give or take what a terminal did to
    the spaces: cells are split at two spaces or more.
    """
    before: tuple[int, str] | None = None
    heading: tuple[int, tuple[str, ...]] | None = None
    rows: list[tuple[int, tuple[str, ...]]] = []
    for number, line in lines:
        if heading is not None:
            cells = _columns(line)
            if 1 < len(cells) <= len(heading[1]):
                rows.append((number, cells))
                continue
            yield TextTable(*heading, tuple(rows))
            heading, rows = None, []
        if before and _DASHES.fullmatch(line):
            headings = _columns(before[1])
            if len(headings) == len(line.split()):
                heading = (before[0], headings)
        before = (number, line) if len(line) <= _LONGEST_LINE else None
    if heading is not None:
        yield TextTable(*heading, tuple(rows))


def _columns(line: str) -> tuple[str, ...]:
    if len(line) > _LONGEST_LINE:
        return ()
    return tuple(re.split(r"[ ]{2,}", line.strip())) if line.strip() else ()


def _is_rule(cells: tuple[str, ...]) -> bool:
    return all(_RULE_CELL.fullmatch(cell) for cell in cells)
