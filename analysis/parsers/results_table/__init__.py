"""Markdown tables of results: one row per run or per task, or one column per run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from analysis.errors import LogError
from analysis.parsers.results_table.by_column import (
    METRIC_HEADINGS,
    by_column,
    metric,
    run_columns,
)
from analysis.parsers.text.columns import PLAIN, HeadedColumn, column, counts_in
from analysis.parsers.text.document import Document
from analysis.parsers.text.fields import COUNTS, MEASURES, cell_figure, cell_text
from analysis.parsers.text.fields import field as field_of
from analysis.parsers.text.spec_words import mined
from analysis.parsers.text.tables import TextTable, pipe_tables
from analysis.parsers.text.tabular import TableRow, read_row, runs_of
from analysis.records import BUILT_IN_WORKLOADS, Finding, Run, Source

__all__ = ["FORMAT", "HINTS", "SHAPE", "read", "recognises"]

FORMAT = "results-table"
SHAPE = "a Markdown table of results (acceptance beside tok/s, or mtp-bench's tasks)"
HINTS = ("accept", "tok/s", "t/s", "wall", "draft", "speedup")


_TIMED = frozenset({"decode_tps", "mean_tps", "wall_s", "decode_s"})
_DRAFTS = frozenset({"acceptance_rate", "draft_tokens", "accepted_tokens"})
_FIGURES = COUNTS | MEASURES
_FIGURES_ONLY = re.compile(r"\s*\d[\d.]*(?:\s*[x\u00d7]|(?:\s*[,;/]\s*\d[\d.]*)+)\s*")
_LONGEST_LABEL = 80
_BAR = re.compile("[|│┃║]")
_TOTAL_ROWS = frozenset({"aggregate", "total", "totals", "overall", "all", "sum"})
_MEAN_ROWS = frozenset({"average", "avg", "mean", "geomean", "median"})


def recognises(document: Document) -> bool:
    """Whether a table here has figures of speculative decoding."""
    return any(_kind(table) for table in _tables(document))


def read(document: Document) -> tuple[Run, ...]:
    """Read every table of results.

    Returns
    -------
    tuple of Run
        Tables of runs give one run per row, with totals and no tasks; tables
        of tasks give a run per configuration. Beside tables with counts, those
        with rates alone are left out, which a finding says.

    Raises
    ------
    LogError
        When there is none.
    """
    found = [(table, kind) for table in _tables(document) if (kind := _kind(table))]
    counted = {place for place, (table, _) in enumerate(found) if _has(table, "draft_tokens")}
    runs: list[Run] = []
    columns: list[TextTable] = []
    left: list[Finding] = []
    for place, (table, kind) in enumerate(found):
        if counted and place not in counted and _has(table, "acceptance_rate"):
            message = (
                f"a table of {len(table.rows)} rows has rates and no counts, beside one with "
                "counts: it is left out"
            )
            where = str(Source(document.name, table.line, table.rows[-1][0]))
            left.append(Finding("note", "table-left-out", where, message))
        elif kind == "rows":
            runs += _by_row(table, document.name)
        else:
            columns.append(table)
    runs += by_column(columns, document.name, FORMAT)
    if not runs:
        problem = "no table here has results of speculative decoding"
        remedy = "paste a table with acceptance and tok/s, or name the file's format"
        raise LogError(problem, remedy, document.name)
    runs[0] = replace(runs[0], findings=(*left, *runs[0].findings))
    return tuple(runs)


def _tables(document: Document) -> Iterator[TextTable]:
    return pipe_tables(document.cleaned.pairs()) if _BAR.search(document.text) else iter(())


def _columns(table: TextTable) -> list[HeadedColumn]:
    """What each column holds; two that hold the same are told apart by their notes."""
    found = [
        column(heading, [cells[place] for _, cells in table.rows if place < len(cells)])
        for place, heading in enumerate(table.headings)
    ]
    seen = Counter((one.field.name, one.method) for one in found if one.field)
    return [
        replace(one, method=f"{one.method} {one.note}".strip())
        if one.field and seen[one.field.name, one.method] > 1
        else one
        for one in found
    ]


def _has(table: TextTable, name: str) -> bool:
    """Whether a table has a figure in some row, be it one of two in a cell."""
    for place, one in enumerate(_columns(table)):
        cells = [cells[place] for _, cells in table.rows if place < len(cells)]
        if one.field and one.field.name == name and any(_figures(one, cell) for cell in cells):
            return True
        if name == "draft_tokens" and any(dict(_pair(one, cell)) for cell in cells):
            return True
    return False


def _figures(one: HeadedColumn, cell: str) -> bool:
    return one.field is not None and cell_figure(cell, one.field.name).value is not None


def _pair(one: HeadedColumn, cell: str) -> Iterator[tuple[str, str]]:
    if one.pair is None and (one.field is None or one.field.name not in _DRAFTS):
        return iter(())
    return counts_in(cell, drafted_first=one.pair)


def _kind(table: TextTable) -> str:
    """``rows`` for a figure per column, ``columns`` for a run per column, or nothing."""
    if not table.rows:
        return ""
    columns = _columns(table)
    known = {one.field.name for one in columns if one.field}
    timed = known & _TIMED
    drafts = known & {"acceptance_rate", "draft_tokens"} or any(
        mined(one.method)[0] not in {None, "none"} for one in columns if one.field
    )
    drafts = drafts or _has(table, "draft_tokens")
    methods = {mined(cell_text(cells[0]))[0] for _, cells in table.rows}
    drafts = drafts or ("none" in methods and bool(methods - {None, "none"}))
    tasks = {cell_text(cells[0]).replace(" ", "_") for _, cells in table.rows}
    built_in = len(tasks & BUILT_IN_WORKLOADS.keys()) > 1
    if timed and (drafts or (built_in and "task" in known and len(known) > 2)):
        return "rows"
    if _counts(known):
        return "rows"
    first = cell_text(table.headings[0]).lower()
    if first not in METRIC_HEADINGS or len(run_columns(table)) == 0:
        return ""
    metrics = {name for name in map(metric, tasks) if name}
    return "columns" if built_in or len(metrics) > 1 else ""


def _counts(known: set[str]) -> bool:
    return {"draft_tokens", "accepted_tokens"} <= known


def _by_row(table: TextTable, name: str) -> list[Run]:
    columns = _columns(table)
    parts = _methods(columns)
    cut: list[Finding] = []
    whole: list[tuple[Source, Sequence[str]]] = []
    for number, cells in table.rows:
        source = Source(name, number)
        if table.cut(cells):
            message = f"the row of {cell_text(cells[0])[:40]} stops in the middle and is left out"
            cut.append(Finding("warning", "row-cut", str(source), message))
        else:
            whole.append((source, cells))
    runs: list[Run] = []
    for method, own in parts.items():
        rows = [
            row
            for source, cells in whole
            for row in (_row(own, cells, source, method),)
            if row.words.get("task", "").lower() not in _TOTAL_ROWS | _MEAN_ROWS
            and row.figures.keys() & _FIGURES
        ]
        made = runs_of(rows, FORMAT, names=_settings(columns, len(parts) > 1))
        runs += _told_apart(made, table)
    if runs and cut:
        runs[-1] = replace(runs[-1], findings=(*runs[-1].findings, *cut))
    return runs


def _told_apart(runs: Sequence[Run], table: TextTable) -> list[Run]:
    """Runs of totals with their first cell in the label, where that is needed to know them."""
    seen = Counter(run.label for run in runs)
    cells = dict(table.rows)
    return [
        replace(run, label=", ".join(filter(None, (run.label, first))))
        if run.aggregate and seen[run.label] > 1 and (first := _first(run, table, cells))
        else run
        for run in runs
    ]


def _first(run: Run, table: TextTable, cells: Mapping[int, Sequence[str]]) -> str:
    row = cells.get(run.source.first_line or 0, ("",))
    return f"{cell_text(table.headings[0])} {cell_text(row[0])}".strip()[:_LONGEST_LABEL]


def _settings(columns: Sequence[HeadedColumn], several: bool) -> list[str]:
    """Headings whose cells name a row's configuration."""
    named = {"n_max", "prompt_tokens", "concurrency", "temperature"} if several else {"n_max"}
    return [one.heading for one in columns if one.field and one.field.name in named]


def _methods(columns: Sequence[HeadedColumn]) -> dict[str, list[HeadedColumn | None]]:
    """The columns of each run that the headings name; null in the place of another's.

    Where several are named, drafts that no heading gives to one are those of
    the only one that drafts, or of none.
    """
    timed = dict.fromkeys(one.method for one in columns if one.field and one.field.name in _TIMED)
    if len(timed) < 2:
        return {next(iter(timed), ""): list(columns)}
    drafting = [
        method
        for method in timed
        if method and method.lower() not in PLAIN and mined(method)[0] != "none"
    ]
    parts: dict[str, list[HeadedColumn | None]] = {}
    for method in timed:
        own: list[HeadedColumn | None] = []
        for one in columns:
            shared = one.method not in timed or not one.method
            drafts = one.field is not None and one.field.name in _DRAFTS
            belongs = one.method == method or (
                shared
                and (not drafts or drafting == [method])
                and not (one.field and one.field.name in _TIMED)
            )
            own.append(one if belongs else None)
        parts[method] = own
    return parts


def _row(
    columns: Sequence[HeadedColumn | None], cells: Sequence[str], source: Source, method: str
) -> TableRow:
    meant = {one.heading: one.field for one in columns if one}
    meant |= {
        name: field_of(name)
        for name in ("accepted", "drafted", "acceptance %", "label", "spec_type")
    }

    def named() -> Iterator[tuple[str, object]]:
        if method:
            yield "label", method
        if method.lower() in PLAIN:
            yield "spec_type", "none"
        for one, cell in zip(columns, cells, strict=False):
            if one is None or one.derived or (one.field is None and _FIGURES_ONLY.fullmatch(cell)):
                continue
            pair = dict(_pair(one, cell))
            if one.field and one.field.name == "n_max" and mined(cell_text(cell))[0] == "none":
                yield "spec_type", "none"
            elif pair:
                yield from pair.items()
            elif one.pair is None:
                yield one.heading, cell

    return read_row(named(), source, meant.get)
