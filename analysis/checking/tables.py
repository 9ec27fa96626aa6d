"""Cells of a table as claims: the words of its row, its column and the titles, and its figure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from analysis.cards.facts import Facts
from analysis.checking.claim import Above, Claim
from analysis.checking.claims import claims_of
from analysis.checking.lines import Line
from analysis.checking.quantities import QUANTITIES, meant_by
from analysis.checking.tokens import Token

__all__ = ["cell_claims"]

_DEPTH = re.compile(r"n_?-?max|max|depth|k|draft length", re.IGNORECASE)
# A column that tells rows of one configuration apart: which of its runs a figure is of is not read.
_CONDITION = re.compile(
    r"(?:requests? at once|concurrency|clients|parallel|slots|context|temperature)\b", re.IGNORECASE
)
_INTERVAL = re.compile(r"[(\[][\d\s.,%×x±–-]*[)\]]")
_STRANGE = ("unknown", "hedges", "comparatives", "superlatives", "changes", "negations",
            "estimates", "references")  # fmt: skip
_NOUNS = ("quantities", "actions", "position")
_UNTOLD = "its row holds under a condition, and those are not read"
_OPEN = "whose figure it is, or of what, is not understood"
Words = Callable[[str], Sequence[Token]]


def cell_claims(line: Line, words: Words, facts: Facts) -> Iterator[tuple[str, Claim]]:
    """Cell and claim for every figure of a row; `words` reads a text, see ``kinds.tokens_of``."""
    headers, cells = [words(one) for one in line.headers], [words(one) for one in line.cells]
    if _DEPTH.fullmatch(line.headers[0].strip()) and line.cells[0].strip().isdigit():
        cells[0] = words(f"max {line.cells[0]}")
    # "Speed over no speculation" above the rows' names is what all the row's figures are.
    # "Does speculation pay?" is no name, though only one run speculates.
    titles = ([one for one in words(title) if one.word != "speculation"] for title in line.titles)
    above = [headers[0], *reversed([*titles])]
    named = [one for cell in cells[1:] if not _has(cell, "figure") for one in cell]
    under = any(_CONDITION.match(header.strip()) for header in line.headers)
    open_ = under or any(_has(header, "estimates") for header in headers)
    for index, (cell, header) in enumerate(zip(line.cells, headers, strict=False)):
        figures = tuple(one.figure for one in words(cell) if one.kind == "figure" and one.figure)
        if not figures or not (index or (_has(header, "quantities") and not _has(header, "run"))):
            continue
        said, value = [*(cells[0] if index else ()), *header], words(_INTERVAL.sub("", cell))
        if not _has(said, "run"):
            said = [*said, *(one for one in named if one.kind == "run")]
        found = None if open_ or len(value) != 1 else _claim(said, value[0], above, facts)
        yield cell, found or Claim("unread", why=_UNTOLD if under else _OPEN, figures=figures)


def _claim(
    said: list[Token], value: Token, above: Sequence[Sequence[Token]], facts: Facts
) -> Claim | None:
    """What a cell states: what its row and column leave out, the nearest title has."""
    figure = value.figure
    if figure is None or _has(said, *_STRANGE):
        return None
    for kinds in (("run",), _NOUNS, () if _has(said, "whole") else ("scope",)):
        if not _has(said, *kinds):
            title = next((title for title in above if _has(title, *kinds)), ())
            said = [*(one for one in title if one.kind in kinds), *said]
    unit = QUANTITIES[
        meant_by({str(one.value) for one in said if one.kind in _NOUNS[:2]}, figure) or "tasks"
    ].unit
    if not figure.unit and unit in ("s", "ms", "times", "rate"):
        value = replace(value, figure=replace(figure, unit=unit))
    kept = [one for one in said if one.kind in ("run", "scope", "whole", *_NOUNS)]
    found = claims_of([*kept, value], facts, Above())
    runs = {one.value for one in kept if one.kind == "run"}
    single = len(runs) == len(found) == 1 and len(*runs) == 1 and found[0].kind != "unread"
    return found[0] if single else None


def _has(tokens: Sequence[Token], *kinds: str) -> bool:
    return any(one.kind in kinds for one in tokens)
