"""Figures in tables of the depth model: survival by position, cost and speed by depth.

Such a table says so itself: its columns are positions (P1, P2, …), or one of
them says from where each row is known. Its figures are the model's, and a run
of the same depth has others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from analysis.cards.sections.policy import NAMES as POLICIES
from analysis.cards.wording import method_name
from analysis.checking.book import Scope, Value
from analysis.checking.context import Context
from analysis.checking.figures import Figure
from analysis.checking.lines import Line
from analysis.checking.quantities import quantities_of

__all__ = ["is_modelled", "read_modelled"]

_KNOWN_FROM = re.compile(r"known from|source", re.IGNORECASE)
_POSITION = re.compile(r"(?:P|position )(\d+)", re.IGNORECASE)
_ENDS = {"": "", "_low": "low", "_high": "high"}


@dataclass(frozen=True)
class _Rows:
    """Rows of a model's frame that a table's row is about."""

    rows: pd.DataFrame
    says: str
    source: str


def is_modelled(line: Line) -> bool:
    """Whether a row belongs to a table of the model's."""
    if line.table is None:
        return False
    headers = [header.strip() for header in line.table.headers]
    return any(_KNOWN_FROM.fullmatch(header) or _POSITION.fullmatch(header) for header in headers)


def read_modelled(
    context: Context, line: Line, index: int, figure: Figure, end: str
) -> tuple[Value, ...]:
    """Values that a figure of such a table may state, in the figure's own unit.

    Parameters
    ----------
    context, line, index, figure
        See ``tables.read_cell``.
    end
        ``_low`` or ``_high`` for an end of the interval in the cell.

    Returns
    -------
    tuple of Value
        Empty where no title names the method, or the model has no such row.
    """
    assert line.table is not None  # noqa: S101 - narrowed by is_modelled
    method = _method(context, line)
    if method is None:
        return ()
    header = line.table.headers[index].strip()
    position = _POSITION.fullmatch(header)
    summary = context.book.facts.summary
    if position:
        found = _where(context, line, summary.positions, method, position=int(position[1]))
        columns = ["survival"] if not end else [_ENDS[end]]
    elif re.fullmatch(r"depth", line.table.headers[0].strip(), re.IGNORECASE):
        depth = line.table.cells[0].strip()
        if not depth.isdigit():
            return ()
        found = _where(context, line, summary.depths, method, n_max=int(depth))
        columns = list(_columns(header, figure, end))
    elif "policy" in (headers := [name.strip().lower() for name in line.table.headers]):
        steps = {words: step for step, words in POLICIES.items()}
        step = steps.get(line.table.cells[headers.index("policy")].strip())
        found = _where(context, line, summary.ladder, method, step=step)
        columns = list(_columns(header, figure, end))
    elif "best depth" in headers:
        found = _where(context, line, summary.best_depths, method)
        columns = list(_columns(header, figure, end))
    else:
        return ()
    if found is None:
        return ()
    return tuple(_values(found, columns, figure))


def _columns(header: str, figure: Figure, end: str) -> Iterator[str]:
    if re.fullmatch(r"best depth", header, re.IGNORECASE):
        yield "n_max"
    elif re.fullmatch(r"fastest in", header, re.IGNORECASE):
        yield "probability"
    else:
        for quantity in quantities_of(header, figure.unit):
            if quantity.column == "decode_tps" and end:
                yield _ENDS[end]
            elif quantity.column in ("decode_tps", "speedup"):
                yield quantity.column + end
            elif not end:
                yield quantity.column


def _method(context: Context, line: Line) -> str | None:
    """llama-server's name of the method that the nearest title names."""
    by_id = context.book.facts.by_id
    for title in reversed(line.titles):
        kinds = {by_id[run].spec_type for one in context.runs(title) for run in one.ids}
        if len(kinds) == 1:
            return kinds.pop()
    return None


def _where(
    context: Context, line: Line, frame: pd.DataFrame, method: str, **wanted: int | str | None
) -> _Rows | None:
    assert line.table is not None  # noqa: S101 - narrowed by is_modelled
    rows = frame[frame["method"] == method]
    says = [f"model of {method_name(method)}"]
    for column, value in wanted.items():
        rows = rows[rows[column] == value]
        says.append(f"{column.replace('n_max', 'depth')} {value}")
    names = [one for one in context.mentions(line.table.cells[0]) if one.kind != "run"]
    workload = next((one.ids[0] for one in names if one.kind == "workload"), None)
    task = next((one.ids[0] for one in names if one.kind == "task"), None)
    for column, name in (("workload", workload), ("task", task)):
        if column not in rows.columns:
            continue
        if column == "workload" and task is not None:
            continue
        rows = rows[rows[column].isna()] if name is None else rows[rows[column] == name]
        if name is not None:
            says.append(name)
    if rows.empty:
        return None
    runs = [run for run in context.book.facts.real if run.spec_type in (method, "none")]
    return _Rows(rows, ", ".join(says), context.book.source(*[Scope(run.id) for run in runs]))


def _values(found: _Rows, columns: list[str], figure: Figure) -> Iterator[Value]:
    scale = 100.0 if figure.unit == "percent" else 1.0
    for column in columns:
        if column not in found.rows.columns:
            continue
        for value in found.rows[column].dropna():
            yield Value(scale * float(value), f"{column} of the {found.says}", found.source)
