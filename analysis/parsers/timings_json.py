"""JSON results: ``timings`` of llama-server, run summaries, and one result per line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from analysis.errors import LogError
from analysis.parsers.mtp_bench.totals import TOTALS
from analysis.parsers.text.document import Document
from analysis.parsers.text.fields import field as field_of
from analysis.parsers.text.headings import Heading, heading
from analysis.parsers.text.json_text import JsonValue, decode, items, members, value_at, values_in
from analysis.parsers.text.spec_words import mined
from analysis.parsers.text.tabular import TableRow, read_row, runs_of, total_of
from analysis.records import Finding, Run

__all__ = ["FORMAT", "HINTS", "SHAPE", "read", "recognises"]

FORMAT = "timings-json"
SHAPE = "JSON results (llama-server `timings`, run summaries, one result per line)"
HINTS = ('"draft_n', '"predicted_', '"accept_rate"', '"timings"', '"wall_s')

_BEGINS = re.compile(r'^[ \t]*+[\[{]|"timings"[ ]*+:', re.MULTILINE)
_EVIDENCE = re.compile(
    r'"(?:draft_n|draft_n_accepted|predicted_n|predicted_per_second|accept_rate|acceptance_rate'
    r"|aggregate_accept_rate|total_draft|draft_acceptance_rate|accept(?:ance)?_pct|n_drafted"
    r'|acceptedDraftTokensCount|(?:spec_decode_)?num_draft_tokens)"\s*:'
)
# Objects inside a result that say more about the same request.
_INSIDE = frozenset(
    {
        "timings",
        "server_timings",
        "performance",
        "mtp",
        "usage",
        "sampler",
        "metrics",
        "spec",
        "spec_decode",
    }
    | {"speculative", "params", "timing", "tokens", "result"}
)
_TIMED = frozenset({"decode_tps", "mean_tps", "wall_s", "decode_s", "predicted_tokens"})
_DRAFTS = frozenset({"draft_tokens", "accepted_tokens", "acceptance_rate"})
_SERVER_KEYS = frozenset({"predicted_ms", "predicted_per_second", "predicted_n"})
_DEEPEST = 10


def recognises(document: Document) -> bool:
    """Whether a line begins like JSON and the keys of results are there."""
    text = document.text
    if not (_BEGINS.search(text) and _EVIDENCE.search(text)):
        return False
    # Broken JSON with the right keys is a broken log, and `read` says where.
    if _rows(document):
        return True
    return text.lstrip()[:1] in {"[", "{"} and "tok/s" not in text and not _is_json(document)


def read(document: Document) -> tuple[Run, ...]:
    """Read every object with figures of a request or a run.

    llama-server's ``timings`` name drafts only where something was drafted:
    without them nothing was. A lone object without a task gives a run of
    totals; several give a run of requests for each heading between them that
    names a setting.

    Raises
    ------
    LogError
        When the JSON is broken, or no object has such figures.
    """
    rows = list(_under_headings(document, _rows(document)))
    if not rows:
        decode(document)
        problem = "no object here has tokens, times or acceptance of a benchmark"
        raise LogError(problem, "name the file that the benchmark wrote", document.name, 1)
    cut = _cut(document)
    named = any("task" in row.words or "repeat" in row.figures for row, _ in rows)
    from_server = all(served for _, served in rows)
    if len(rows) == 1 and not named:
        if not any(rows[0][0].figures.values()):
            problem = "the only result here has no tokens and no time"
            raise LogError(problem, "save that of a request that was answered", document.name, 1)
        runs = [_lone(rows[0][0], served=from_server)]
    else:
        runs = runs_of([row for row, _ in rows], FORMAT, requests=from_server)
    runs[-1] = replace(runs[-1], findings=(*runs[-1].findings, *cut))
    return tuple(runs)


def _under_headings(
    document: Document, rows: Sequence[tuple[TableRow, bool]]
) -> Iterator[tuple[TableRow, bool]]:
    """The rows, each with the heading above it where that names a setting: `=== n_max=3 ===`."""
    read_to, said = 0, Heading()
    for row, served in rows:
        first = row.source.first_line or 1
        found = heading("\n".join(document.lines[read_to : first - 1]))
        if found.command or mined(found.label or "") != (None, None):
            said = found
        read_to = row.source.last_line or first
        words = {"label": said.label or said.command, "command": said.command}
        above = {name: text for name, text in words.items() if text}
        yield replace(row, words=above | dict(row.words)), served


def _cut(document: Document) -> list[Finding]:
    """The last line, where it is a result that stops in the middle."""
    lines = document.text.rstrip().split("\n")
    if not lines[-1].startswith("{") or _is_json(Document(document.name, lines[-1])):
        return []
    message = "the result stops in the middle and is left out"
    return [Finding("warning", "row-cut", f"{document.name}:{len(lines)}", message)]


def _is_json(document: Document) -> bool:
    try:
        decode(document)
    except LogError:
        return False
    return True


def _lone(row: TableRow, *, served: bool) -> Run:
    run = runs_of([row], FORMAT)[0]
    total = total_of(row)
    return replace(run, aggregate=replace(total, n_requests=1) if served else total)


def _rows(document: Document) -> list[tuple[TableRow, bool]]:
    """Rows, and whether each is a llama-server request; of a JSON text or of JSON in another."""
    try:
        tops = decode(document)
    except LogError:
        tops = list(_inside(document))
    return [found for top in tops for found in _results(document, top, 0)]


def _inside(document: Document) -> Iterator[JsonValue]:
    """The objects and lists that stand in other text: JSON lines, or what somebody pasted."""
    text = document.text
    # A paste with rows of mtp-bench is those rows.
    first = len(text) - len(text.lstrip())
    # JSON from the first sign on that does not end is a broken file, not a paste.
    broken = text[first : first + 1] in {"[", "{"} and value_at(text, first) is None
    if "pred=" in text or broken:
        return
    for value in values_in(text):
        # mtp-bench's aggregate belongs to the rows above it.
        if not (isinstance(value.data, dict) and len(TOTALS & value.data.keys()) > 1):
            yield value


def _results(document: Document, value: JsonValue, depth: int) -> Iterator[tuple[TableRow, bool]]:
    if isinstance(value.data, dict):
        found = _result(document, value)
        if found:
            yield found
            return
        inner: Iterator[JsonValue] = (member for _, member in members(document.text, value))
    elif isinstance(value.data, list):
        inner = items(document.text, value)
    else:
        return
    if depth < _DEEPEST:
        for one in inner:
            if isinstance(one.data, dict | list):
                yield from _results(document, one, depth + 1)


def _result(document: Document, value: JsonValue) -> tuple[TableRow, bool] | None:
    data = value.data
    if not isinstance(data, dict):
        return None
    cells = list(_cells(data))
    keys = {key for key, _ in cells}
    known = {known.name for key in keys if (known := field_of(key))}
    served = bool(keys & _SERVER_KEYS)
    if not (known & _TIMED and (known & _DRAFTS or served)):
        return None
    row = read_row(cells, document.source(document.plain, value.start, value.end))
    if not row.figures.keys() & (_TIMED | _DRAFTS):
        return None
    if served and "decode_s" in row.figures and not keys & {"draft_n", "draft_n_accepted"}:
        row = replace(row, figures={**row.figures, "draft_tokens": 0.0, "accepted_tokens": 0.0})
    return row, served


def _cells(data: Mapping[str, object], depth: int = 0) -> Iterator[tuple[str, object]]:
    """Keys and values of an object, its own first, then those of objects that belong to it."""
    for key, value in data.items():
        if isinstance(value, str | int | float | bool) or value is None:
            yield str(key), value
    for key, value in data.items():
        if key in _INSIDE and isinstance(value, dict) and depth < 2:
            yield from _cells(value, depth + 1)
