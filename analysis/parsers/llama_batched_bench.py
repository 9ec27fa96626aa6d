"""llama-batched-bench's results: time of a forward over the sequences in its batch."""

from __future__ import annotations

from analysis.errors import LogError
from analysis.parsers.text.document import Document
from analysis.parsers.text.step_times import StepRow, run_of, step_rows
from analysis.records import Finding, Run

__all__ = ["FORMAT", "HINTS", "SHAPE", "read", "recognises"]

FORMAT = "llama-batched-bench"
SHAPE = "llama-batched-bench's table (`| PP | TG | B | N_KV | …`) or JSON lines"
HINTS = ("n_kv", "t_pp s", "t_tg s", "s_tg t/s", '"speed_tg"', '"pl"')


def recognises(document: Document) -> bool:
    """Whether a row says how many sequences there were."""
    return any(row.batch is not None for row in step_rows(document, []))


def read(document: Document) -> tuple[Run, ...]:
    """Read a run for each number of sequences; none of them has a draft.

    Raises
    ------
    LogError
        There is no such row.
    """
    findings: list[Finding] = []
    by_batch: dict[int, list[StepRow]] = {}
    for row in step_rows(document, findings):
        if row.batch is not None:
            by_batch.setdefault(row.batch, []).append(row)
    if not by_batch:
        problem = "no row of llama-batched-bench's is here"
        raise LogError(problem, "paste the whole table", document.name)
    return tuple(
        run_of(FORMAT, rows, batch, None, () if place else tuple(findings))
        for place, (batch, rows) in enumerate(by_batch.items())
    )
