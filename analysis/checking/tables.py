# ruff: noqa: E501
"""Cells of a table as claims: quantity, run and task by headers, row labels and titles."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from analysis.cards.facts import Facts
from analysis.checking.claims import Claim
from analysis.checking.figures import Figure, find_figures
from analysis.checking.lines import Line
from analysis.checking.roles import EVERYTHING, Group, Places
from analysis.checking.tokens import Token

__all__ = ["cell_claims"]

_DEPTH = re.compile(r"n_?-?max|max|depth|k|draft length", re.IGNORECASE)
Tokens = Callable[[str], Sequence[Token]]


@dataclass(frozen=True)
class _Words:
    """What a header, label or title says."""

    runs: tuple[tuple[str, ...], ...]
    places: tuple[tuple[tuple[str | None, str | None], ...], ...]
    quantities: tuple[str, ...]
    whole: bool
    strange: bool

    @classmethod
    def of(cls, tokens: Sequence[Token]) -> _Words:
        return cls(
            runs=tuple(one.value for one in tokens if one.kind == "run"),
            places=tuple(one.value for one in tokens if one.kind == "scope"),
            quantities=tuple(dict.fromkeys(str(one.value) for one in tokens if one.kind in ("quantities", "actions"))),
            whole=any(one.kind == "whole" for one in tokens),
            strange=any(one.kind in ("unknown", "hedges", "comparatives", "superlatives", "changes", "negations", "estimates", "references") for one in tokens),
        )  # fmt: skip


def cell_claims(line: Line, tokens: Tokens, facts: Facts) -> Iterator[tuple[str, Claim]]:
    """Cell and claim for every figure of a row that headers, labels and titles explain or not.

    Parameters
    ----------
    line
        A row.
    tokens
        Reads a text, see ``tokens.Reader``.
    facts
        Of the campaign.
    """
    table = line.table
    if table is None:
        return
    headers = [_Words.of(tokens(header)) for header in table.headers]
    titles = [_Words.of(tokens(title)) for title in reversed(line.titles)]
    label = _Words.of(tokens(table.cells[0])) if table.cells else _Words.of(())
    estimated = any(one.kind == "estimates" for header in table.headers for one in tokens(header))
    for index, cell in enumerate(table.cells):
        figures = [one for one in find_figures(cell) if not one.token]
        if not figures or (index == 0 and not _stands_for_a_quantity(headers)):
            continue
        if not any(one.kind == "figure" for one in tokens(cell)):
            continue  # all are part of names
        if estimated or index >= len(headers) or not _only_figures(cell, figures):
            yield (
                cell,
                Claim(
                    "unread",
                    0,
                    0,
                    figures=tuple(figures),
                    why="what the column states is not understood",
                ),
            )
            continue
        header = headers[index]
        others = [one for at, other in enumerate(table.cells) if at not in (0, index)
                  for one in tokens(other) if one.kind == "run" and not any(o.kind == "figure" for o in tokens(other))]  # fmt: skip
        run = _run(
            facts, table.headers[0], table.cells[0], [header, label, _Words.of(others)], titles
        )
        quantity = _quantity(header, label, titles, figures[0])
        strange = header.strange or label.strange
        if run is None or not quantity or strange:
            yield (
                cell,
                Claim(
                    "unread",
                    0,
                    0,
                    figures=tuple(figures),
                    why="whose figure it is, or of what, is not understood",
                ),
            )
            continue
        places = next((one.places for one in (label, header) if one.places), None)
        if places is None and not (label.whole or header.whole):
            places = next((one.places for one in titles if one.places), None)
        options = tuple(places) if places else ((EVERYTHING,),)
        yield cell, Claim("value", 0, 0, quantity, Group(run), places=Places(options[:1], "all", stated=bool(places)),
                          figures=(figures[0],), bound="about" if figures[0].about else "")  # fmt: skip


def _stands_for_a_quantity(headers: Sequence[_Words]) -> bool:
    return bool(headers) and bool(headers[0].quantities) and not headers[0].runs


def _only_figures(cell: str, figures: Sequence[Figure]) -> bool:
    """Whether a cell states one figure, with the ends of its interval perhaps."""
    rest = re.sub(r"[(\[][\d\s.,%×x±–-]*[)\]]", "", cell)
    kept = [one for one in find_figures(rest) if not one.token]
    first = figures[0]
    words = re.sub(r"[\W\d_]|tok/s|t/s|ms|s\b|x\b", "", rest)
    return len(kept) == 1 and kept[0].text == first.text and not words


def _run(
    facts: Facts, heading: str, first: str, own: Sequence[_Words], titles: Sequence[_Words]
) -> tuple[str, ...] | None:
    """The run of a cell: named in its column or row, by its depth, or by the nearest title."""
    for words in own:
        if words.runs:
            return words.runs[0] if len(set(words.runs)) == 1 and len(words.runs[0]) == 1 else None
    titled = next((words.runs for words in titles if words.runs), ())
    if _DEPTH.fullmatch(heading.strip()) and first.strip().isdigit():
        among = {run for ids in titled for run in ids}
        found = [run.id for run in facts.runs if run.n_max == int(first)]
        kept = [run for run in found if run in among] or found
        return (kept[0],) if len(kept) == 1 else None
    return titled[0] if len(titled) == 1 and len(titled[0]) == 1 else None


def _quantity(header: _Words, label: _Words, titles: Sequence[_Words], figure: Figure) -> str:
    for words in (header, label, *titles):
        said = set(words.quantities)
        if not said:
            continue
        if said in ({"accepted", "drafted"}, {"acceptance", "drafted"}):
            said = (
                {"acceptance"} if figure.unit == "percent" or "acceptance" in said else {"accepted"}
            )
        if len(said) > 1 and said & {"decode", "effective"}:
            said = (
                {"decode_speedup"}
                if said & {"speedup"} and "decode" in said
                else said - {"throughput"}
            )
        if len(said) != 1:
            return ""
        return _fitting(next(iter(said)), figure)
    return {"rate": "throughput", "times": "speedup"}.get(figure.unit, "")


def _fitting(quantity: str, figure: Figure) -> str:
    if quantity == "accepted" and (figure.unit == "percent" or figure.decimals):
        return "acceptance"
    if quantity in ("acceptance", "break_even", "time_saved"):
        return (
            quantity
            if figure.unit == "percent" or (figure.decimals and abs(figure.value) <= 1)
            else ""
        )
    if figure.unit == "percent":
        return quantity if quantity in ("speedup", "decode_speedup") and figure.signed else ""
    fits = {"rate": ("throughput", "decode", "effective"), "s": ("time",), "ms": ("forward_ms",),
            "times": ("speedup", "decode_speedup", "geomean", "cost")}  # fmt: skip
    return quantity if not figure.unit or quantity in fits.get(figure.unit, ()) else ""
