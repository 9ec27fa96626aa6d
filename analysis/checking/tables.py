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
    headers, cells = line.headers, line.cells
    if not cells:
        return
    first = cells[0]
    if _DEPTH.fullmatch(headers[0].strip()) and first.strip().isdigit():
        first = f"max {first}"
    # "Speed over no speculation" above the rows' names is what all the row's figures are.
    # "Does speculation pay?" is no name, though only one run speculates.
    titles = ([one for one in words(title) if one.word != "speculation"] for title in line.titles)
    named = [[*words(headers[0])], *reversed([*titles])]
    under = any(_CONDITION.match(header.strip()) for header in headers)
    estimated = any(one.kind == "estimates" for header in headers for one in words(header))
    for index, cell in enumerate(cells):
        stated = [one for one in words(cell) if one.kind == "figure"]
        quantity = any(one.kind == "quantities" for one in words(headers[0]))
        if not stated or (index == 0 and (not quantity or _has(words(headers[0]), "run"))):
            continue
        only = words(_INTERVAL.sub("", cell))
        header = words(headers[index]) if index < len(headers) else None
        label = [*words(first)] if index else []
        for at, other in enumerate(cells):
            if at not in (0, index) and not _has([*label, *(header or ())], "run"):
                label += [
                    one
                    for one in words(other)
                    if one.kind == "run" and not _has(words(other), "figure")
                ]
        found = None
        if header is not None and not (estimated or under) and len(only) == 1:
            found = _claim([*label, *header], only[0], named, facts)
        yield (
            cell,
            found
            or Claim(
                "unread",
                why=_UNTOLD if under else _OPEN,
                figures=tuple(one.figure for one in stated if one.figure),
            ),
        )


def _claim(
    said: list[Token], value: Token, titles: Sequence[list[Token]], facts: Facts
) -> Claim | None:
    """What a cell states: what its row and column leave out, the nearest title has."""
    figure = value.figure
    if figure is None or _has(said, *_STRANGE):
        return None
    wanted = [("run",), _NOUNS, () if _has(said, "whole") else ("scope",)]
    for kinds in wanted:
        if not _has(said, *kinds):
            there = ([one for one in title if one.kind in kinds] for title in titles)
            said = [*next((found for found in there if found), []), *said]
    names = {str(one.value) for one in said if one.kind in _NOUNS[:2]}
    unit = QUANTITIES[meant_by(names, figure) or "tasks"].unit
    if not figure.unit and unit in ("s", "ms", "times", "rate"):
        value = replace(value, figure=replace(figure, unit=unit))
    runs = {one.value for one in said if one.kind == "run"}
    if len(runs) != 1 or len(runs.pop()) != 1:
        return None
    kept = [one for one in said if one.kind in ("run", "scope", "whole", *_NOUNS)]
    found = claims_of([*kept, value], facts, Above())
    return found[0] if len(found) == 1 and found[0].kind != "unread" else None


def _has(tokens: Sequence[Token], *kinds: str) -> bool:
    return any(one.kind in kinds for one in tokens)
