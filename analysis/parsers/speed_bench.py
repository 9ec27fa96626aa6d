"""llama.cpp's SPEED-Bench client: its JSON, its summary, and its comparison of two runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from analysis.errors import LogError
from analysis.parsers.text.document import Document
from analysis.parsers.text.fields import cell_figure, cell_text
from analysis.parsers.text.grammar import as_count, as_measure, decimals, scaled
from analysis.parsers.text.json_text import JsonValue, decode, items, members
from analysis.parsers.text.tables import TextTable, aligned_tables
from analysis.records import Aggregate, Finding, Run, Source, TaskResult

__all__ = ["FORMAT", "HINTS", "SHAPE", "read", "recognises"]

FORMAT = "speed-bench"
SHAPE = "llama.cpp's speed-bench (its JSON, or a table with `avg_pred_t/s`)"
HINTS = ("avg_pred_t", "category", "accept_rate", "decode_speedup", "avg_latency")

_JSON = re.compile(r'\s*\{[\s\S]*"(?:avg_pred_t_s|completed_samples)"\s*:')
_COMPARED = ("base_avg_pred_t/s", "spec_avg_pred_t/s")
_SPEED = "avg_pred_t/s"
_NAMES = re.compile(r"Comparison: baseline=(\S+) speculative=(\S+)")
_ELAPSED = re.compile(r"Summary \(elapsed=(\d{1,9}(?:\.\d{1,6})?)s\)")
_OVERALL = "overall"


def recognises(document: Document) -> bool:
    """Whether the client's JSON or one of its tables is here."""
    if "avg_pred_t" not in document.text and "completed_samples" not in document.text:
        return False
    return bool(_JSON.match(document.text)) or any(True for _ in _tables(document))


def read(document: Document) -> tuple[Run, ...]:
    """Read the samples of the JSON, or the categories of a table.

    Rates of a category are means over its samples, so a table's rows are
    pooled results; a comparison gives two runs, of which the first is the
    baseline.

    Raises
    ------
    LogError
        When the JSON is broken, or there is no result.
    """
    if _JSON.match(document.text):
        runs = [_from_json(document, top) for top in decode(document) if isinstance(top.data, dict)]
    else:
        runs = [run for table in _tables(document) for run in _from_table(document, table)]
    runs = [run for run in runs if run.tasks]
    if not runs:
        problem = "no sample or category of speed-bench is here"
        raise LogError(problem, "name the file that --output wrote", document.name)
    return tuple(runs)


def _from_json(document: Document, top: JsonValue) -> Run:
    tasks: list[TaskResult] = []
    keys: dict[str, object] = {}
    for key, value in members(document.text, top):
        if key == "results" and isinstance(value.data, list):
            for item in items(document.text, value):
                if isinstance(item.data, dict):
                    source = document.source(document.plain, item.start, item.end)
                    tasks.append(_sample(item.data, source))
        else:
            keys[key] = value.data
    config = keys.get("config")
    config = config if isinstance(config, dict) else {}
    extra = config.get("extra_inputs")
    extra = extra if isinstance(extra, dict) else {}
    source = document.source(document.plain, top.start, top.end)
    drafted = any(task.draft_tokens for task in tasks)
    summary = keys.get("summary")
    total = _overall(summary, source) if isinstance(summary, list) else None
    return Run(
        source,
        FORMAT,
        tuple(tasks),
        total,
        spec_type=None if drafted or not tasks else "none",
        target=_word(config.get("model")),
        temperature=as_measure(extra.get("temperature")),
        concurrency=as_count(config.get("concurrency")),
        prompt_set=f"SPEED-Bench {config['bench']}" if _word(config.get("bench")) else None,
    )


def _word(value: object) -> str | None:
    return value[:200] if isinstance(value, str) and value.strip() else None


def _sample(data: Mapping[str, object], source: Source) -> TaskResult:
    category = _word(data.get("category")) or "sample"
    name = f"{category}/{_word(data.get('id')) or '?'}"
    if data.get("ok") is False:
        error = str(data.get("error") or "failed")[:200]
        return TaskResult(name, source, workload=category, error=error)
    decode_ms, prompt_ms = as_measure(data.get("predicted_ms")), as_measure(data.get("prompt_ms"))
    return TaskResult(
        name,
        source,
        workload=category,
        predicted_tokens=as_count(data.get("completion_tokens")),
        draft_tokens=as_count(data.get("draft_n")),
        accepted_tokens=as_count(data.get("draft_n_accepted")),
        decode_tps=as_measure(data.get("predicted_per_second")) or None,
        decode_s=scaled(decode_ms, -3) if decode_ms else None,
        wall_s=as_measure(data.get("latency_s")),
        prompt_tokens=as_count(data.get("prompt_tokens")),
        prompt_s=scaled(prompt_ms, -3) if prompt_ms else None,
        # The turns of a conversation are requests of their own, summed here.
        pooled=max(as_count(data.get("turns")) or 1, 1),
        finish_reason=_word(data.get("finish_reason")),
    )


def _overall(summary: list[object], source: Source) -> Aggregate | None:
    rows = [row for row in summary if isinstance(row, dict) and row.get("category") == _OVERALL]
    if not rows:
        return None
    row = rows[0]
    return Aggregate(
        source,
        draft_tokens=as_count(row.get("draft_n")),
        accepted_tokens=as_count(row.get("accepted")),
        acceptance_rate=as_measure(row.get("accept_rate")),
        quoted_tps=as_measure(row.get("avg_pred_t_s")),
        quoted_is_mean=True,
    )


def _tables(document: Document) -> Iterator[TextTable]:
    if "avg_pred_t/s" not in document.text:
        return
    for table in aligned_tables(document.cleaned.pairs()):
        names = {cell_text(heading) for heading in table.headings}
        if "category" in names and (_SPEED in names or names >= set(_COMPARED)) and table.rows:
            yield table


def _from_table(document: Document, table: TextTable) -> Iterator[Run]:
    headings = [cell_text(heading) for heading in table.headings]
    sides = [("", "")]
    if _COMPARED[0] in headings:
        named = _NAMES.search(document.text)
        labels = named.groups() if named else ("baseline", "speculative")
        sides = [("base_", labels[0]), ("spec_", labels[1])]
    elapsed = _ELAPSED.search(document.text)
    for side, label in sides:
        tasks: list[TaskResult] = []
        findings: list[Finding] = []
        total: Aggregate | None = None
        for number, cells in table.rows:
            source = Source(document.name, number)
            # The last cell of a row that was cut may be cut as well.
            whole = cells[:-1] if table.cut(cells) else cells
            row = dict(zip(headings, whole, strict=False))
            if table.cut(cells) and f"{side}{_SPEED}" not in row:
                message = "the row stops before its speed and is left out"
                findings.append(Finding("warning", "row-cut", str(source), message))
                continue
            made = _category(row, side, source)
            if made.task == _OVERALL:
                total = Aggregate(
                    source,
                    n_requests=made.pooled if "samples" in row else None,
                    acceptance_rate=made.reported_rate,
                    elapsed_s=as_measure(elapsed[1]) if elapsed and not side else None,
                    quoted_tps=made.decode_tps,
                    quoted_is_mean=True,
                )
            else:
                tasks.append(made)
        lines = [number for number, _ in table.rows]
        baseline = side == "base_"
        yield Run(
            Source(document.name, table.line, lines[-1]),
            FORMAT,
            tuple(tasks),
            total,
            label=label or None,
            spec_type="none" if baseline else None,
            findings=tuple(findings),
        )


def _category(row: Mapping[str, str], side: str, source: Source) -> TaskResult:
    name = cell_text(row["category"])
    speed = cell_figure(row.get(f"{side}{_SPEED}"), "decode_tps").value
    made = TaskResult(
        name,
        source,
        workload=name,
        decode_tps=speed or None,
        pooled=as_count(row.get("samples")) or 1,
    )
    if side == "base_":
        return replace(made, draft_tokens=0, accepted_tokens=0)
    text = row.get("accept_rate", "")
    rate = cell_figure(text, "acceptance_rate").value
    return replace(
        made, reported_rate=rate, rate_decimals=decimals(text) if rate is not None else None
    )
