"""The totals of a run: AIPerf's JSON, and the same as a table."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from typing import Any

from analysis.parsers.aiperf.figures import LONGEST, Values, block, by_position, in_seconds
from analysis.parsers.text.document import Document
from analysis.parsers.text.grammar import as_count, as_measure
from analysis.records import Aggregate, Positions, Run, Source

__all__ = ["from_table", "summary"]

_ROW = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9 -]{2,60}?)(?: \((?P<unit>[a-z/]{1,20})\))?")


def summary(data: Values, source: Source, format: str) -> Run:
    """A run of the totals in an object."""
    config = block(data.get("input_config"))
    at_once = _at_once(config)
    positions = by_position(data.get("pooled_spec_decode_acceptance_histogram"))
    elapsed = in_seconds(data.get("benchmark_duration"))
    # With reasoning, which is generated as well.
    tokens = _total(data.get("total_osl")) or _total(data.get("total_output_tokens"))
    return Run(
        source,
        format,
        aggregate=_aggregate(
            source,
            requests=_total(data.get("request_count")),
            tokens=tokens or _total(data.get("output_sequence_length"), "sum"),
            elapsed=elapsed,
            at_once=at_once,
            positions=positions,
            quoted=block(data.get("output_token_throughput")).get("avg"),
        ),
        target=_model(config),
        concurrency=at_once,
        context_tokens=_context(data.get("input_sequence_length")),
        conditions=_date(data.get("start_time")),
    )


def _aggregate(
    source: Source,
    *,
    requests: int | None,
    tokens: int | None,
    elapsed: float | None,
    at_once: int | None,
    positions: Positions | None = None,
    quoted: object = None,
) -> Aggregate:
    return Aggregate(
        source,
        n_requests=requests,
        predicted_tokens=tokens,
        accepted_tokens=sum(positions.accepted or ()) if positions else None,
        elapsed_s=elapsed,
        # One after the other take as long as the client did.
        wall_s=elapsed if at_once == 1 else None,
        positions=positions,
        quoted_tps=as_measure(quoted) if elapsed is None else None,
    )


def _total(metric: object, name: str = "avg") -> int | None:
    return as_count(block(metric).get(name))


def _context(metric: object) -> int | None:
    """Tokens of the prompts, where all have as many."""
    found = block(metric)
    least, most = as_count(found.get("min")), as_count(found.get("max"))
    return least if least == most else None


def _at_once(config: Values) -> int | None:
    """Requests at once, as the run was configured; null where it was driven by a rate."""
    phases = config.get("phases")
    measured = [
        phase
        for phase in (phases if isinstance(phases, list) else [])
        if isinstance(phase, dict) and not phase.get("exclude_from_results")
    ]
    loads = measured or [block(config.get("loadgen"))]
    driven = loads[0].get("type") not in (None, "concurrency") or loads[0].get("request_rate")
    if len(loads) > 1 or driven:
        return None
    return as_count(loads[0].get("concurrency")) or None


def _model(config: Values) -> str | None:
    listed = block(config.get("models")).get("items")
    named = [one.get("name") for one in _dicts(listed)] or block(config.get("endpoint")).get(
        "model_names"
    )
    first = named[0] if isinstance(named, list) and named else None
    return first[:LONGEST] if isinstance(first, str) and first.strip() else None


def _dicts(value: object) -> list[Values]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _date(value: object) -> dict[str, str]:
    day = value[:10] if isinstance(value, str) else ""
    return {"date": day} if re.fullmatch(r"\d{4}-\d\d-\d\d", day) else {}


def from_table(document: Document, format: str) -> Run:
    """The same totals; how many requests ran at once is not among them."""
    metrics: dict[str, dict[str, Any]] = {}
    heads: Sequence[str] = ()
    last = 1
    for number, line in enumerate(document.lines, start=1):
        cells = _cells(line)
        if cells[:1] == ["Metric"]:
            heads = ["avg" if cell == "Value" else cell for cell in cells]
        elif found := _ROW.fullmatch(cells[0]) if cells else None:
            row = dict(zip(heads[1:], cells[1:], strict=False))
            metrics.setdefault(found["name"], {**row, "unit": found["unit"]})
            last = number
    source = Source(document.name, 1, last)

    def total(*names: str) -> int | None:
        values = (as_measure(block(metrics.get(name)).get("avg")) for name in names)
        return next((count for value in values if (count := as_count(value))), None)

    return Run(
        source,
        format,
        aggregate=_aggregate(
            source,
            requests=total("Request Count"),
            tokens=total("Total Output Sequence Length", "Total Output Tokens"),
            elapsed=in_seconds(metrics.get("Benchmark Duration")),
            at_once=None,
            quoted=block(metrics.get("Output Token Throughput")).get("avg"),
        ),
    )


def _cells(line: str) -> list[str]:
    try:
        return next(csv.reader([line]), [])
    except csv.Error:
        return []
