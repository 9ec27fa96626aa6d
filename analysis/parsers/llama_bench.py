"""llama-bench's results: a target without speculation, so baselines and nothing else."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence

from analysis.errors import LogError
from analysis.parsers.text.document import Document
from analysis.parsers.text.fields import cell_figure, cell_text
from analysis.parsers.text.grammar import as_count, as_measure
from analysis.parsers.text.json_text import items, values_in
from analysis.parsers.text.tables import TextTable, pipe_tables
from analysis.records import Finding, Run, Source, TaskResult

__all__ = ["FORMAT", "HINTS", "SHAPE", "read", "recognises"]

FORMAT = "llama-bench"
SHAPE = "llama-bench's table (`| model | … | test | t/s |`), JSON or CSV"
HINTS = (
    "| model",
    "| size",
    "| params",
    "| backend",
    "| ngl",
    "| test",
    "| t/s",
    "build:",
    "avg_ts",
)

_NEEDED = frozenset({"model", "test", "t/s"})
_TEST = re.compile(r"(?:pp(?P<prompt>\d{1,7})(?:\+tg(?P<both>\d{1,7}))?|tg(?P<text>\d{1,7}))\b.*")
_BUILD = re.compile(r"^build:\s*(?P<commit>[0-9a-f]{6,40})\s*\((?P<number>\d{1,6})\)", re.MULTILINE)


def recognises(document: Document) -> bool:
    """Whether a table of its has at least one measured row, or its JSON or CSV has."""
    if any(_results(table, document.name)[0] for table in _tables(document)):
        return True
    return next(_records(document), None) is not None


def read(document: Document) -> tuple[Run, ...]:
    """Read a run per configuration of each table, or per model of JSON and CSV.

    A ``tg`` row decodes without a prompt and without sampling, so it is a
    baseline's decode throughput; a ``pp`` row has a prompt and no decoding.

    Raises
    ------
    LogError
        When there is no table with a row in it.
    """
    runs: list[Run] = []
    for table in _tables(document):
        groups, findings = _results(table, document.name)
        build = _build_below(document, table)
        for place, (key, tasks) in enumerate(groups.items()):
            first, last = tasks[0].source, tasks[-1].source
            runs.append(
                Run(
                    Source(document.name, first.first_line, last.first_line),
                    FORMAT,
                    tuple(tasks),
                    label=", ".join(key) or None,
                    spec_type="none",
                    target=key[0] if key else None,
                    build=build,
                    findings=tuple(findings) if place == 0 else (),
                )
            )
    runs += _from_records(document)
    if not runs:
        problem = "no table of llama-bench's with a result is here"
        raise LogError(problem, "paste the whole table", document.name)
    return tuple(runs)


def _tables(document: Document) -> Iterator[TextTable]:
    if "t/s" not in document.text or "|" not in document.text:
        return
    for table in pipe_tables(document.cleaned.pairs()):
        if {cell_text(heading).lower() for heading in table.headings} >= _NEEDED:
            yield table


def _results(
    table: TextTable, name: str
) -> tuple[dict[tuple[str, ...], list[TaskResult]], list[Finding]]:
    headings = [cell_text(heading).lower() for heading in table.headings]
    test_at, speed_at = headings.index("test"), headings.index("t/s")
    groups: dict[tuple[str, ...], list[TaskResult]] = {}
    findings: list[Finding] = []
    varying = _varying(table, test_at, speed_at)
    for source, cells in table.whole_rows(name, findings):
        test = _TEST.fullmatch(cell_text(cells[test_at]))
        speed = cell_figure(cells[speed_at], "decode_tps").value
        if not test or not speed:
            continue
        key = (cell_text(cells[headings.index("model")]), *_settings(table, cells, varying))
        groups.setdefault(key, []).append(_task(cell_text(cells[test_at]), test, speed, source))
    return groups, findings


def _varying(table: TextTable, test_at: int, speed_at: int) -> list[int]:
    rows = [cells for _, cells in table.rows if not table.cut(cells)]
    return [
        place
        for place, heading in enumerate(table.headings)
        if place not in (test_at, speed_at)
        and cell_text(heading).lower() not in {"model", "size", "params"}
        and len({cells[place] for cells in rows}) > 1
    ]


def _settings(table: TextTable, cells: Sequence[str], places: Sequence[int]) -> list[str]:
    return [f"{cell_text(table.headings[place])} {cell_text(cells[place])}" for place in places]


def _task(name: str, test: re.Match[str], speed: float, source: Source) -> TaskResult:
    if test["text"]:
        tokens = as_count(test["text"])
        return TaskResult(
            name,
            source,
            predicted_tokens=tokens,
            draft_tokens=0,
            accepted_tokens=0,
            decode_tps=speed,
        )
    tokens = as_count(test["prompt"])
    if test["both"] or not tokens:
        return TaskResult(name, source, prompt_tokens=tokens)
    return TaskResult(name, source, prompt_tokens=tokens, prompt_s=tokens / speed)


def _build_below(document: Document, table: TextTable) -> str | None:
    last = table.rows[-1][0] if table.rows else table.line
    below = "\n".join(document.lines[last : last + 6])
    found = _BUILD.search(below)
    return f"b{found['number']} ({found['commit']})" if found else None


def _records(document: Document) -> Iterator[tuple[Mapping[str, object], Source]]:
    """Rows of the JSON, JSON lines and CSV that the tool writes, all with the same keys."""
    if "avg_ts" not in document.text or "n_gen" not in document.text:
        return
    header: tuple[str, ...] = ()
    for number, line in enumerate(document.lines, start=1):
        if header:
            cells = _csv(line)
            if len(cells) == len(header):
                yield dict(zip(header, cells, strict=True)), Source(document.name, number)
        elif "avg_ts" in line and "n_gen" in line and "{" not in line:
            header = _csv(line)
    if header:
        return
    for top in values_in(document.text):
        tops = items(document.text, top) if isinstance(top.data, list) else [top]
        for value in tops:
            if isinstance(value.data, dict) and {"avg_ts", "n_gen"} <= value.data.keys():
                yield value.data, document.source(document.plain, value.start, value.end)


def _csv(line: str) -> tuple[str, ...]:
    try:
        return tuple(next(csv.reader([line]), ()))
    except csv.Error:
        return ()


def _from_records(document: Document) -> Iterator[Run]:
    groups: dict[tuple[str, str | None], list[TaskResult]] = {}
    for row, source in _records(document):
        task = _recorded(row, source)
        if task is None:
            continue
        number, commit = as_count(row.get("build_number")), row.get("build_commit")
        build = f"b{number} ({commit})" if number and isinstance(commit, str) else None
        groups.setdefault((str(row.get("model_type", "")).strip()[:200], build), []).append(task)
    for (model, build), tasks in groups.items():
        first, last = tasks[0].source, tasks[-1].source
        yield Run(
            Source(document.name, first.first_line, last.last_line or last.first_line),
            FORMAT,
            tuple(tasks),
            label=model or None,
            spec_type="none",
            target=model or None,
            build=build,
        )


def _recorded(row: Mapping[str, object], source: Source) -> TaskResult | None:
    speed = as_measure(row.get("avg_ts"))
    prompt, text, depth = (as_count(row.get(key, 0)) for key in ("n_prompt", "n_gen", "n_depth"))
    if not speed or prompt is None or text is None:
        return None
    name = "+".join([f"pp{prompt}"] * bool(prompt) + [f"tg{text}"] * bool(text))
    test = _TEST.fullmatch(name)
    behind = f" @ d{depth}" if depth else ""
    return _task(name + behind, test, speed, source) if test else None
