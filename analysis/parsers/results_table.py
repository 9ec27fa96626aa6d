"""Markdown tables of results: one row per run or per task, or one column per run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from analysis.errors import LogError
from analysis.parsers.text.document import Document
from analysis.parsers.text.fields import cell_text
from analysis.parsers.text.fields import field as field_of
from analysis.parsers.text.spec_words import mined
from analysis.parsers.text.tables import TextTable, pipe_tables
from analysis.parsers.text.tabular import TableRow, read_row, runs_of, total_of
from analysis.records import BUILT_IN_WORKLOADS, Finding, Run, Source, TaskResult

__all__ = ["FORMAT", "HINTS", "SHAPE", "read", "recognises"]

FORMAT = "results-table"
SHAPE = "a Markdown table of results (acceptance beside tok/s, or mtp-bench's tasks)"
HINTS = ("accept", "tok/s", "t/s", "wall", "draft", "speedup")

_PAIR = re.compile(r"(draft\w*|accept\w*)\s*/\s*(draft\w*|accept\w*)", re.IGNORECASE)
_METRIC = frozenset({"metric", "prompt", "task", "test", "measure", ""})
_DERIVED = re.compile(
    r"delta|\u0394|change|diff|speed-?up|ratio|gain|improvement|vs\b|\u00b1", re.IGNORECASE
)
_TOTAL_ROWS = frozenset({"aggregate", "total", "totals", "overall", "all", "sum"})
_MEAN_ROWS = frozenset({"average", "avg", "mean", "geomean", "median"})
_METRICS = (
    (re.compile(r"total\s+(?:predicted|generated|output)\s+tokens|predicted tokens"), "predicted"),
    (re.compile(r"total\s+wall(?:\s+time)?|wall(?:[ _]time|_s|_s_total)"), "wall_s"),
    (re.compile(r"(?:aggregate|effective|overall)\s+throughput"), "aggregate_throughput"),
    (re.compile(r"(?:mean|average|avg)\s+(?:tok|t)\w*/s\w*"), "mean_tps"),
    (re.compile(r"(?:total\s+)?draft(?:ed)?\s+tokens|total draft\b"), "drafted"),
    (re.compile(r"(?:total\s+)?accepted(?:\s+(?:draft\s+)?tokens)?"), "accepted"),
    (re.compile(r"(?:aggregate\s+|draft\s+)?accept(?:ance)?(?:\s+rate)?"), "acceptance_rate"),
)


def recognises(document: Document) -> bool:
    """Whether a table here has figures of speculative decoding."""
    return any(_kind(table) for table in _tables(document))


def read(document: Document) -> tuple[Run, ...]:
    """Read every table of results.

    Returns
    -------
    tuple of Run
        Tables of runs give one run per row, with totals and no tasks; tables
        of tasks give a run per configuration.

    Raises
    ------
    LogError
        When there is none.
    """
    runs: list[Run] = []
    columns: list[TextTable] = []
    for table in _tables(document):
        kind = _kind(table)
        if kind == "rows":
            runs += _by_row(table, document.name)
        elif kind == "columns":
            columns.append(table)
    runs += _by_column(columns, document.name)
    if not runs:
        problem = "no table here has results of speculative decoding"
        remedy = "paste a table with acceptance and tok/s, or name the file's format"
        raise LogError(problem, remedy, document.name)
    return tuple(runs)


def _tables(document: Document) -> Iterator[TextTable]:
    return pipe_tables(document.cleaned.pairs()) if "|" in document.text else iter(())


def _kind(table: TextTable) -> str:
    """``rows`` for a figure per column, ``columns`` for a run per column, or nothing."""
    if not table.rows:
        return ""
    known = {known.name for heading in table.headings if (known := field_of(heading))}
    pair = any(_PAIR.search(heading) for heading in table.headings)
    timed = known & {"decode_tps", "mean_tps", "wall_s", "decode_s"}
    drafts = known & {"acceptance_rate", "draft_tokens"} or pair
    tasks = {cell_text(cells[0]).replace(" ", "_") for _, cells in table.rows}
    built_in = len(tasks & BUILT_IN_WORKLOADS.keys()) > 1
    if timed and (drafts or (built_in and "task" in known and len(known) > 2)):
        return "rows"
    first = cell_text(table.headings[0]).lower()
    if first not in _METRIC or len(_run_columns(table)) == 0:
        return ""
    metrics = {name for name in map(_metric, tasks) if name}
    return "columns" if built_in or len(metrics) > 1 else ""


def _by_row(table: TextTable, name: str) -> list[Run]:
    rows: list[TableRow] = []
    cut: list[Finding] = []
    for number, cells in table.rows:
        source = Source(name, number)
        if table.cut(cells):
            message = f"the row of {cell_text(cells[0])[:40]} stops in the middle and is left out"
            cut.append(Finding("warning", "row-cut", str(source), message))
            continue
        row = read_row(_named(table.headings, cells), source)
        task = row.words.get("task", "").lower()
        if task not in _TOTAL_ROWS | _MEAN_ROWS and row.figures:
            rows.append(row)
    names = [
        heading for heading in table.headings if (f := field_of(heading)) and f.name == "n_max"
    ]
    runs = runs_of(rows, FORMAT, names=names)
    if runs and cut:
        runs[-1] = replace(runs[-1], findings=(*runs[-1].findings, *cut))
    return runs


def _named(headings: Sequence[str], cells: Sequence[str]) -> Iterator[tuple[str, object]]:
    for heading, cell in zip(headings, cells, strict=False):
        both = _PAIR.search(heading)
        parts = cell_text(cell).split("/")
        if both and len(parts) == 2:
            for word, part in zip(both.groups(), parts, strict=True):
                yield ("accepted" if word.lower().startswith("acc") else "drafted", part)
        elif not _DERIVED.search(heading):
            yield heading, cell


def _run_columns(table: TextTable) -> dict[int, str]:
    """Columns that hold a run each, with its name: the unit in the heading is not part of it."""
    found = {}
    for place, heading in enumerate(table.headings[1:], start=1):
        text = cell_text(heading)
        if not text or _DERIVED.search(text):
            continue
        label = re.sub(r"[\s(\[]*(?:tok(?:ens)?|tk|t)\s*/\s*s(?:ec)?[)\]]?$", "", text).strip()
        if label and (field_of(text) is None or label != text):
            found[place] = label
    return found


def _metric(text: str) -> str | None:
    lowered = re.sub(r"\s*\(.*\)$", "", text.lower().replace("_", " ")).strip()
    for shape, name in _METRICS:
        if shape.fullmatch(lowered):
            return name
    return None


def _by_column(tables: Sequence[TextTable], name: str) -> Iterator[Run]:
    """One run per column: the tables of one report name their columns alike."""
    tasks: dict[str, list[TaskResult]] = {}
    totals: dict[str, list[tuple[str, object]]] = {}
    lines: dict[str, list[int]] = {}
    for table in tables:
        for place, label in _run_columns(table).items():
            for number, cells in table.rows:
                if place >= len(cells):
                    continue
                source = Source(name, number)
                what = cell_text(cells[0])
                task = what.replace(" ", "_")
                metric = _metric(what)
                if metric:
                    totals.setdefault(label, []).append((metric, cells[place]))
                elif task in BUILT_IN_WORKLOADS:
                    speed = read_row([("tok/s", cells[place])], source).figures.get("decode_tps")
                    tasks.setdefault(label, []).append(TaskResult(task, source, decode_tps=speed))
                else:
                    continue
                lines.setdefault(label, []).append(number)
    for label, numbers in lines.items():
        source = Source(name, min(numbers), max(numbers))
        stated = totals.get(label)
        spec_type, n_max = mined(label)
        yield Run(
            source,
            FORMAT,
            tuple(tasks.get(label, ())),
            total_of(read_row(stated, source)) if stated else None,
            label=label,
            spec_type=spec_type,
            n_max=n_max,
        )
