"""NVIDIA AIPerf's exports: the summary of a run as JSON or CSV, and its requests as JSON lines."""

from __future__ import annotations

import re

from analysis.errors import LogError
from analysis.parsers.aiperf.requests import from_records
from analysis.parsers.aiperf.summary import from_table, summary
from analysis.parsers.text.document import Document
from analysis.parsers.text.json_text import decode
from analysis.records import Run

__all__ = ["FORMAT", "HINTS", "SHAPE", "read", "recognises"]

FORMAT = "aiperf"
SHAPE = "exports of NVIDIA's AIPerf (`profile_export_aiperf.json`, its CSV, `profile_export.jsonl`)"
HINTS = (
    "output_token_throughput",
    "output token throughput",
    "output_sequence_length",
    "request_start_ns",
    "benchmark duration",
)

_SUMMARY = re.compile(r"\s*\{")
_RECORD = re.compile(r'\s*\{\s*"metadata"\s*:\s*\{')
_TABLE = re.compile(r"Metric,avg,min,max\b")


def recognises(document: Document) -> bool:
    """Whether one of the three is here."""
    text = document.text
    if "request_start_ns" in text and _RECORD.match(text):
        return '"metrics"' in text
    if "output_token_throughput" in text and _SUMMARY.match(text):
        return '"input_config"' in text and '"request_count"' in text
    return bool(_TABLE.match(text)) and "Output Token Throughput (" in text


def read(document: Document) -> tuple[Run, ...]:
    """Read the totals of a run, or its requests.

    A summary has means and percentiles of its requests and says nothing of single
    ones. What a unit says counts, whatever the metric. Requests of a warm-up do not.

    Raises
    ------
    LogError
        When a file is broken, or has no request that was answered.
    """
    if _RECORD.match(document.text):
        run = from_records(document, FORMAT)
        if run is None:
            raise _refusal(document, "no request that AIPerf measured was answered")
        return (run,)
    if _SUMMARY.match(document.text):
        runs = [
            summary(top.data, document.source(document.plain, top.start, top.end), FORMAT)
            for top in decode(document)
            if isinstance(top.data, dict) and "request_count" in top.data
        ]
    else:
        runs = [from_table(document, FORMAT)]
    runs = [run for run in runs if run.aggregate and run.aggregate.predicted_tokens]
    if not runs:
        raise _refusal(document, "no summary of AIPerf's with generated tokens is here")
    return tuple(runs)


def _refusal(document: Document, problem: str) -> LogError:
    remedy = "name profile_export_aiperf.json or profile_export.jsonl of a run"
    return LogError(problem, remedy, document.name)
