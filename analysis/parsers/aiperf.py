"""NVIDIA AIPerf's exports: the summary of a run as JSON or CSV, and its requests as JSON lines."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from typing import Any

from analysis.errors import LogError
from analysis.parsers.text.document import Document
from analysis.parsers.text.grammar import as_count, as_measure
from analysis.parsers.text.json_text import JsonValue, decode, value_at
from analysis.records import Aggregate, Finding, Positions, Rounds, Run, Source, TaskResult

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
_ROW = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9 -]{2,60}?)(?: \((?P<unit>[a-z/]{1,20})\))?")
_SECONDS = {
    "s": 1.0, "sec": 1.0, "seconds": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0,
}  # fmt: skip
_LONGEST = 200
_DEEPEST = 1024

_Values = Mapping[str, Any]


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
        return (_from_records(document),)
    if _SUMMARY.match(document.text):
        runs = [
            _summary(top.data, document.source(document.plain, top.start, top.end))
            for top in decode(document)
            if isinstance(top.data, dict) and "request_count" in top.data
        ]
    else:
        runs = [_from_table(document)]
    runs = [run for run in runs if run.aggregate and run.aggregate.predicted_tokens]
    if not runs:
        _refuse(document, "no summary of AIPerf's with generated tokens is here")
    return tuple(runs)


def _refuse(document: Document, problem: str) -> None:
    remedy = "name profile_export_aiperf.json or profile_export.jsonl of a run"
    raise LogError(problem, remedy, document.name)


# ---- a summary


def _summary(data: _Values, source: Source) -> Run:
    config = _dict(data.get("input_config"))
    at_once = _at_once(config)
    positions = _by_position(data.get("pooled_spec_decode_acceptance_histogram"))
    elapsed = _seconds(data.get("benchmark_duration"))
    # With reasoning, which is generated as well.
    tokens = _total(data.get("total_osl")) or _total(data.get("total_output_tokens"))
    return Run(
        source,
        FORMAT,
        aggregate=_aggregate(
            source,
            requests=_total(data.get("request_count")),
            tokens=tokens or _total(data.get("output_sequence_length"), "sum"),
            elapsed=elapsed,
            at_once=at_once,
            positions=positions,
            quoted=_dict(data.get("output_token_throughput")).get("avg"),
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


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _total(metric: object, name: str = "avg") -> int | None:
    return as_count(_dict(metric).get(name))


def _seconds(metric: object, name: str = "avg") -> float | None:
    block = _dict(metric)
    value, unit = as_measure(block.get(name)), block.get("unit")
    scale = _SECONDS.get(unit) if isinstance(unit, str) else None
    return None if value is None or scale is None else value * scale


def _context(metric: object) -> int | None:
    """Tokens of the prompts, where all have as many."""
    block = _dict(metric)
    least, most = as_count(block.get("min")), as_count(block.get("max"))
    return least if least == most else None


def _at_once(config: _Values) -> int | None:
    """Requests at once, as the run was configured; null where it was driven by a rate."""
    phases = config.get("phases")
    measured = [
        phase
        for phase in (phases if isinstance(phases, list) else [])
        if isinstance(phase, dict) and not phase.get("exclude_from_results")
    ]
    loads = measured or [_dict(config.get("loadgen"))]
    driven = loads[0].get("type") not in (None, "concurrency") or loads[0].get("request_rate")
    if len(loads) > 1 or driven:
        return None
    return as_count(loads[0].get("concurrency")) or None


def _model(config: _Values) -> str | None:
    listed = _dict(config.get("models")).get("items")
    named = [one.get("name") for one in _dicts(listed)] or _dict(config.get("endpoint")).get(
        "model_names"
    )
    first = named[0] if isinstance(named, list) and named else None
    return first[:_LONGEST] if isinstance(first, str) and first.strip() else None


def _dicts(value: object) -> list[_Values]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _date(value: object) -> dict[str, str]:
    day = value[:10] if isinstance(value, str) else ""
    return {"date": day} if re.fullmatch(r"\d{4}-\d\d-\d\d", day) else {}


def _by_position(histogram: object) -> Positions | None:
    """Acceptance by position, of how many rounds accepted how many tokens."""
    if not isinstance(histogram, dict):
        return None
    found = {as_count(key): as_count(value) for key, value in histogram.items()}
    counts = {key: value for key, value in found.items() if key is not None and value is not None}
    rounds, deepest = sum(counts.values()), max(counts, default=0)
    if len(counts) < len(histogram) or not rounds or not 0 < deepest <= _DEEPEST:
        return None
    accepted = tuple(
        sum(count for length, count in counts.items() if length >= position)
        for position in range(1, deepest + 1)
    )
    return Positions(tuple(count / rounds for count in accepted), accepted, rounds)


# ---- its table


def _from_table(document: Document) -> Run:
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
        values = (as_measure(_dict(metrics.get(name)).get("avg")) for name in names)
        return next((count for value in values if (count := as_count(value))), None)

    return Run(
        source,
        FORMAT,
        aggregate=_aggregate(
            source,
            requests=total("Request Count"),
            tokens=total("Total Output Sequence Length", "Total Output Tokens"),
            elapsed=_seconds(metrics.get("Benchmark Duration")),
            at_once=None,
            quoted=_dict(metrics.get("Output Token Throughput")).get("avg"),
        ),
    )


def _cells(line: str) -> list[str]:
    try:
        return next(csv.reader([line]), [])
    except csv.Error:
        return []


# ---- its requests


def _from_records(document: Document) -> Run:
    tasks: list[TaskResult] = []
    depths: set[int | None] = set()
    findings: list[Finding] = []
    offset, first_ns = 0, None
    for number, line in enumerate(document.lines, start=1):
        begins, offset = offset, offset + len(line) + 1
        if not line.strip():
            continue
        value = value_at(document.text, begins + len(line) - len(line.lstrip()))
        if value is None or not isinstance(value.data, dict):
            if number < len(document.lines):
                problem = "this line is not one of AIPerf's records"
                raise LogError(problem, "save the whole file again", document.name, number)
            message = "the last record was cut off while it was written, and is left out"
            findings.append(Finding("warning", "row-cut", f"{document.name}:{number}", message))
            continue
        found = _request(value, Source(document.name, number), len(tasks) + 1, first_ns)
        if found is not None:
            task, first_ns, depth = found
            tasks.append(task)
            depths |= {depth} if task.error is None else set()
    if not any(task.error is None for task in tasks):
        _refuse(document, "no request that AIPerf measured was answered")
    return Run(
        Source(document.name, 1, len(document.lines)),
        FORMAT,
        tuple(tasks),
        n_max=depths.pop() if len(depths) == 1 else None,
        findings=tuple(findings),
    )


def _request(
    value: JsonValue, source: Source, place: int, first_ns: int | None
) -> tuple[TaskResult, int | None, int | None] | None:
    """A request, when the first one began, and its depth; null for what was not measured."""
    data = _dict(value.data)
    metadata, metrics = _dict(data.get("metadata")), _dict(data.get("metrics"))
    if not metadata or metadata.get("benchmark_phase", "profiling") != "profiling":
        return None
    begin, end = (_nanoseconds(metadata.get(f"request_{name}_ns")) for name in ("start", "end"))
    first_ns = begin if first_ns is None else first_ns
    name = f"request {place}"
    error = data.get("error")
    if error or metadata.get("was_cancelled") is True:
        said = _dict(error).get("message") or _dict(error).get("type") or "cancelled"
        return TaskResult(name, source, error=str(said)[:_LONGEST]), first_ns, None

    def figure(name: str) -> object:
        return _dict(metrics.get(name)).get("value")

    wall, first = (
        _seconds(metrics.get(name), "value") for name in ("request_latency", "time_to_first_token")
    )
    timed = wall is not None and first is not None and wall > first
    spec = _dict(data.get("spec_decode_acceptance"))
    busy = None
    if begin is not None and end is not None and first_ns is not None and begin <= end:
        # Differences of whole numbers: as floats, times since 1970 have no nanoseconds.
        busy = ((begin - first_ns) / 1e9, (end - first_ns) / 1e9)
    task = TaskResult(
        name,
        source,
        predicted_tokens=as_count(figure("output_sequence_length")),
        draft_tokens=as_count(spec.get("num_draft_tokens")),
        accepted_tokens=as_count(spec.get("num_accepted_draft_tokens")),
        prompt_tokens=as_count(figure("input_sequence_length")),
        first_token_s=first,
        decode_s=(wall or 0.0) - (first or 0.0) if timed else None,
        wall_s=wall,
        positions=_by_position(spec.get("acceptance_histogram")),
        rounds=_rounds(spec.get("per_step_drafted"), spec.get("per_step_accepted")),
        busy_s=busy,
        started_s=None if begin is None else begin / 1e9,
    )
    return task, first_ns, as_count(spec.get("num_spec_tokens"))


def _nanoseconds(value: object) -> int | None:
    return value if type(value) is int and 0 <= value < 2**63 else None


def _rounds(drafted: object, accepted: object) -> Rounds | None:
    sides = [
        [as_count(count) for count in side] if isinstance(side, list) else [None]
        for side in (drafted, accepted)
    ]
    known = [[count for count in side if count is not None] for side in sides]
    if list(map(len, known)) != list(map(len, sides)) or len(known[0]) != len(known[1]):
        return None
    if any(count > _DEEPEST for side in known for count in side):
        return None
    import numpy as np  # noqa: PLC0415 - a file without rounds must not wait for it

    return Rounds(np.array(known[0], dtype=np.int32), np.array(known[1], dtype=np.int32))
