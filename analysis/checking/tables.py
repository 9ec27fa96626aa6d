"""Figures in table cells: their quantity, run and task by headers, row labels and titles."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from analysis.checking.book import Scope, Value
from analysis.checking.context import Context
from analysis.checking.figures import Figure, find_figures
from analysis.checking.lines import Line
from analysis.checking.modelled import is_modelled, read_modelled
from analysis.checking.quantities import Quantity, quantities_of

__all__ = ["depth_of_row", "names_its_run", "read_cell"]

_DEPTH_HEADER = re.compile(r"n_?-?max|max|depth|k|draft length", re.IGNORECASE)
_WHOLE = re.compile(r"everything|overall|total|all\b", re.IGNORECASE)
_PAIRED = re.compile(r"ratio|difference|change|Δ", re.IGNORECASE)
SCOPED = {"decode_speedup": "speedup", "geomean_task_speedup": "speedup"}
"""Columns that are called otherwise for a task or a workload."""


def read_cell(context: Context, line: Line, index: int, figure: Figure) -> tuple[Value, ...]:
    """Values that a figure of a cell may state, in the figure's own unit.

    Parameters
    ----------
    context
        Names and quantities of the campaign.
    line
        A row.
    index
        Which of its cells.
    figure
        One of the figures in the cell.

    Returns
    -------
    tuple of Value
        Empty where headers and labels do not say what it is.
    """
    if line.table is None or index >= len(line.table.headers):
        return ()
    cell, header = line.table.cells[index], line.table.headers[index]
    if figure.start < 0 or index == 0:
        return ()
    end = _interval_end(cell, line, index, figure)
    if end and not figure.unit:
        # "62.4 % (59.5-65.2)": the unit stands at the value.
        figure = replace(figure, unit=find_figures(cell)[0].unit)
    if is_modelled(line):
        return read_modelled(context, line, index, figure, end)
    scopes = _scopes(context, line, header)
    run = _run(context, line, index, cell, header)
    paired = _pair_column(context, line, header, run, scopes)
    if paired is not None:
        return tuple(_in_unit(value, figure, share=False) for value in paired)
    found: list[Value] = []
    for quantity in _quantities(context, line, header, figure):
        for scope in scopes:
            if run is not None:
                found += _values(context, quantity, replace(scope, run=run), figure, end)
    return tuple(dict.fromkeys(found))


def names_its_run(context: Context, line: Line, index: int) -> bool:
    """Whether a cell's row or column names one run itself, so that nothing is inferred."""
    if line.table is None or index >= len(line.table.headers) or is_modelled(line):
        return False
    for text in (line.table.cells[0], line.table.headers[index]):
        named = context.runs(text)
        if named:
            return len(named) == 1 and len(named[0].ids) == 1
    return False


def depth_of_row(context: Context, line: Line, index: int) -> str | None:
    """The run whose depth a row's label is, in a table by depth; null in any other."""
    if line.table is None or index != 0 or not line.table.headers:
        return None
    if not _DEPTH_HEADER.fullmatch(line.table.headers[0].strip()):
        return None
    return _run(context, line, 0, "", "")


def _values(
    context: Context, quantity: Quantity, scope: Scope, figure: Figure, end: str
) -> Iterator[Value]:
    column = quantity.column
    if scope.task is not None or scope.workload is not None:
        column = SCOPED.get(column, column)
        if column in ("effective_tps", "wall_s"):
            return
    value = context.book.value(column + end, scope)
    if value is not None:
        yield _in_unit(value, figure, share=quantity.share)


def _interval_end(cell: str, line: Line, index: int, figure: Figure) -> str:
    """Which end of the interval in brackets a figure is: ``_low``, ``_high`` or none."""
    assert line.table is not None  # noqa: S101 - narrowed by the caller
    before = sum(len(other) + len(" | ") for other in line.table.cells[:index])
    # What stands between the last opening bracket and the figure.
    inside = re.split(r"[\[(]", cell[: figure.start - before])
    if len(inside) < 2 or re.search(r"[\])]", inside[-1]):
        return ""
    return "_high" if re.search(r"\d", inside[-1]) else "_low"


def _in_unit(value: Value, figure: Figure, *, share: bool) -> Value:
    if share and figure.unit == "percent":
        return replace(value, value=100 * value.value)
    return value


def _run(context: Context, line: Line, index: int, cell: str, header: str) -> str | None:
    """The run of a cell: named in it, its header, its row, or the nearest title."""
    assert line.table is not None  # noqa: S101 - narrowed by the caller
    cells, headers = line.table.cells, line.table.headers
    others = [other for at, other in enumerate(cells) if at not in (0, index)]
    for text in (cell, header, cells[0]):
        named = context.runs(text)
        if named:
            return named[0].ids[0] if len(named) == 1 and len(named[0].ids) == 1 else None
    if _DEPTH_HEADER.fullmatch(headers[0].strip()) and cells[0].strip().isdigit():
        titles = " ".join(line.titles)
        of_depth = [run for run in context.book.facts.runs if run.n_max == int(cells[0])]
        methods = {run for one in context.runs(titles) for run in one.ids}
        kept = [run.id for run in of_depth if run.id in methods] or [run.id for run in of_depth]
        return kept[0] if len(kept) == 1 else None
    for text in (*others, *reversed(line.titles)):
        named = context.runs(text)
        if named:
            # One that could be several stands in the way of those farther off.
            return named[0].ids[0] if len(named) == 1 and len(named[0].ids) == 1 else None
    return None


def _scopes(context: Context, line: Line, header: str) -> list[Scope]:
    """Task or workload of a cell, its run left open."""
    assert line.table is not None  # noqa: S101 - narrowed by the caller
    classes = {name.lower(): name for name in context.book.facts.workloads}
    for text in (line.table.cells[0], header, *reversed(line.titles)):
        # A class's bare name is a common word, so it counts only where it is all that is said.
        if (bare := classes.get(text.strip(" *_`").lower())) is not None:
            return [Scope("", workload=bare)]
        for one in context.mentions(text):
            if one.kind == "task":
                return [Scope("", task=one.ids[0])]
            if one.kind == "workload":
                return [Scope("", workload=one.ids[0])]
        if text in (line.table.cells[0], header) and _WHOLE.match(text):
            break
    return [Scope("")]


def _quantities(context: Context, line: Line, header: str, figure: Figure) -> Iterable[Quantity]:
    assert line.table is not None  # noqa: S101 - narrowed by the caller
    for text in (header, line.table.cells[0], *reversed(line.titles), line.lead, *line.before[-1:]):
        found = quantities_of(_without_names(context, text), figure.unit)
        if found:
            return found
    by_unit = {"times": "speedup", "rate": "tok/s"}.get(figure.unit)
    return quantities_of(by_unit, figure.unit) if by_unit else ()


def _without_names(context: Context, text: str) -> str:
    for one in reversed(context.mentions(text)):
        text = f"{text[: one.start]} {text[one.end :]}"
    return text.strip(" ,:()")


def _pair_column(
    context: Context, line: Line, header: str, run: str | None, scopes: list[Scope]
) -> list[Value] | None:
    """Columns that set the two runs of the title side by side; null for any other."""
    pair = context.pair(replace(line, passed=()))
    if pair is None or run is not None or context.runs(header):
        return None
    before, after = pair
    words = _without_names(context, header)
    for scope in scopes:
        first, second = replace(scope, run=before), replace(scope, run=after)
        if _PAIRED.fullmatch(words):
            return [value] if (value := context.book.ratio("decode_tps", second, first)) else []
        for quantity in quantities_of(words):
            if quantity.column.endswith("_tokens"):
                value = context.book.change(quantity.column, second, first)
                return [value] if value else []
    return None
