"""Step times: rows of programs that time a target's forwards alone, with no draft and no server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from analysis.parsers.text.document import Document
from analysis.parsers.text.fields import cell_text
from analysis.parsers.text.grammar import as_count, as_measure
from analysis.parsers.text.json_text import items, values_in
from analysis.parsers.text.tables import pipe_tables
from analysis.records import Aggregate, Finding, Run, Source, TaskResult

__all__ = ["StepRow", "run_of", "step_rows"]

_HEADINGS = {"pp": "pp", "tg": "tg", "b": "pl", "n_kv": "n_kv", "t_pp s": "t_pp", "t_tg s": "t_tg"}
_NEEDED = ("pp", "tg", "n_kv", "t_pp", "t_tg")


@dataclass(frozen=True)
class StepRow:
    """One measured row: `tokens` steps of `batch` sequences took `seconds`.

    `prompt` tokens of each sequence took `prompt_s` before; `cells` is the number of the
    cache's cells as printed. A `batch` that is null was not printed.
    """

    prompt: int
    tokens: int
    batch: int | None
    cells: int
    prompt_s: float
    seconds: float
    source: Source


def step_rows(document: Document, findings: list[Finding]) -> Iterator[StepRow]:
    """Rows of Markdown tables and of JSON objects, one a line or in a list."""
    if "N_KV" in document.text:
        for table in pipe_tables(document.cleaned.pairs()):
            names = [_HEADINGS.get(cell_text(cell).lower(), "") for cell in table.headings]
            if not set(_NEEDED) <= set(names):
                continue
            for source, cells in table.whole_rows(document.name, findings):
                found = _row(dict(zip(names, map(cell_text, cells), strict=False)), source)
                if found:
                    yield found
    elif '"n_kv"' in document.text and '"t_tg"' in document.text:
        for top in values_in(document.text):
            tops = items(document.text, top) if isinstance(top.data, list) else [top]
            for value in tops:
                if isinstance(value.data, dict):
                    source = document.source(document.plain, value.start, value.end)
                    found = _row(value.data, source)
                    if found:
                        yield found


def _row(values: Mapping[str, Any], source: Source) -> StepRow | None:
    prompt, tokens, cells = (as_count(values.get(name)) for name in ("pp", "tg", "n_kv"))
    prompt_s, seconds = (as_measure(values.get(name)) for name in ("t_pp", "t_tg"))
    batch = as_count(values["pl"]) if "pl" in values else None
    if None in (prompt, tokens, cells, prompt_s, seconds) or not tokens or not seconds:
        return None
    if "pl" in values and not batch:
        return None
    return StepRow(prompt or 0, tokens, batch, cells or 0, prompt_s or 0.0, seconds, source)


def run_of(
    format: str,
    rows: list[StepRow],
    batch: int,
    context: int | None,
    findings: tuple[Finding, ...] = (),
) -> Run:
    """A run of rows with the same number of sequences and the same context before them."""
    tasks = tuple(
        TaskResult(
            f"pp{row.prompt}+tg{row.tokens}",
            row.source,
            predicted_tokens=row.tokens * batch,
            draft_tokens=0,
            accepted_tokens=0,
            decode_tps=row.tokens * batch / row.seconds,
            prompt_tokens=row.prompt * batch,
            prompt_s=row.prompt_s,
            wall_s=row.prompt_s + row.seconds if batch == 1 else None,
            pooled=batch,
        )
        for row in rows
    )
    first, last = rows[0].source, rows[-1].source
    source = Source(first.file, first.first_line, last.last_line or last.first_line)
    elapsed = sum(row.prompt_s + row.seconds for row in rows)
    return Run(
        source,
        format,
        tasks,
        aggregate=Aggregate(source, elapsed_s=elapsed) if batch > 1 else None,
        spec_type="none",
        concurrency=batch,
        context_tokens=context,
        bare=True,
        findings=findings,
    )
