"""llama-sweep-bench's results (ik_llama.cpp): time of a step over the context before it."""

from __future__ import annotations

from analysis.errors import LogError
from analysis.parsers.text.document import Document
from analysis.parsers.text.step_times import StepRow, run_of, step_rows
from analysis.records import Finding, Run

__all__ = ["FORMAT", "HINTS", "SHAPE", "read", "recognises"]

FORMAT = "llama-sweep-bench"
SHAPE = "llama-sweep-bench's table (`| PP | TG | N_KV | …`) or JSON lines"
HINTS = ("n_kv", "t_pp s", "t_tg s", "s_tg t/s", '"speed_tg"')


def recognises(document: Document) -> bool:
    """Whether a row is of one sequence, whose number the program does not print."""
    return any(row.batch is None for row in step_rows(document, []))


def read(document: Document) -> tuple[Run, ...]:
    """Read a run for each context: the cells that stood before a row's prompt.

    Raises
    ------
    LogError
        There is no such row.
    """
    findings: list[Finding] = []
    by_context: dict[int, list[StepRow]] = {}
    for row in step_rows(document, findings):
        if row.batch is None:
            by_context.setdefault(row.cells, []).append(row)
    if not by_context:
        problem = "no row of llama-sweep-bench's is here"
        raise LogError(problem, "paste the whole table", document.name)
    return tuple(
        run_of(FORMAT, rows, 1, context, () if place else tuple(findings))
        for place, (context, rows) in enumerate(by_context.items())
    )
