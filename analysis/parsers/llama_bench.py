"""llama-bench's tables: a target without speculation, so baselines and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from analysis.errors import LogError
from analysis.parsers.document import Document
from analysis.parsers.fields import cell_text, quantity
from analysis.parsers.grammar import as_count
from analysis.parsers.tables import Table, pipe_tables
from analysis.records import Finding, Run, Source, TaskResult

__all__ = ["FORMAT", "HINTS", "SHAPE", "read", "recognises"]

FORMAT = "llama-bench"
SHAPE = "llama-bench's table (`| model | … | test | t/s |`)"
HINTS = ("| model", "| size", "| params", "| backend", "| ngl", "| test", "| t/s", "build:")

_NEEDED = frozenset({"model", "test", "t/s"})
_TEST = re.compile(r"(?:pp(?P<prompt>\d{1,7})(?:\+tg(?P<both>\d{1,7}))?|tg(?P<text>\d{1,7}))\b.*")
_BUILD = re.compile(r"^build:\s*(?P<commit>[0-9a-f]{6,40})\s*\((?P<number>\d{1,6})\)", re.MULTILINE)


def recognises(document: Document) -> bool:
    """Whether a table of its has at least one measured row."""
    return any(_results(table, document.name)[0] for table in _tables(document))


def read(document: Document) -> tuple[Run, ...]:
    """Read a run per configuration of each table.

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
    if not runs:
        problem = "no table of llama-bench's with a result is here"
        raise LogError(problem, "paste the whole table", document.name)
    return tuple(runs)


def _tables(document: Document) -> Iterator[Table]:
    if "t/s" not in document.text or "|" not in document.text:
        return
    for table in pipe_tables(document.cleaned.pairs()):
        if {cell_text(heading).lower() for heading in table.headings} >= _NEEDED:
            yield table


def _results(
    table: Table, name: str
) -> tuple[dict[tuple[str, ...], list[TaskResult]], list[Finding]]:
    headings = [cell_text(heading).lower() for heading in table.headings]
    test_at, speed_at = headings.index("test"), headings.index("t/s")
    groups: dict[tuple[str, ...], list[TaskResult]] = {}
    findings: list[Finding] = []
    varying = _varying(table, test_at, speed_at)
    for number, cells in table.rows:
        source = Source(name, number)
        if table.cut(cells):
            message = "the row stops in the middle and is left out"
            findings.append(Finding("warning", "row-cut", str(source), message))
            continue
        test = _TEST.fullmatch(cell_text(cells[test_at]))
        speed = quantity(cells[speed_at], "decode_tps").value
        if not test or not speed:
            continue
        key = (cell_text(cells[headings.index("model")]), *_settings(table, cells, varying))
        groups.setdefault(key, []).append(_task(cell_text(cells[test_at]), test, speed, source))
    return groups, findings


def _varying(table: Table, test_at: int, speed_at: int) -> list[int]:
    rows = [cells for _, cells in table.rows if not table.cut(cells)]
    return [
        place
        for place, heading in enumerate(table.headings)
        if place not in (test_at, speed_at)
        and cell_text(heading).lower() not in {"model", "size", "params"}
        and len({cells[place] for cells in rows}) > 1
    ]


def _settings(table: Table, cells: Sequence[str], places: Sequence[int]) -> list[str]:
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


def _build_below(document: Document, table: Table) -> str | None:
    last = table.rows[-1][0] if table.rows else table.line
    below = "\n".join(document.lines[last : last + 6])
    found = _BUILD.search(below)
    return f"b{found['number']} ({found['commit']})" if found else None
