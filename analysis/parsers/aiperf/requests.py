"""Single requests: one JSON object a line."""

from __future__ import annotations

from analysis.errors import LogError
from analysis.parsers.aiperf.figures import DEEPEST, LONGEST, block, by_position, in_seconds
from analysis.parsers.text.document import Document
from analysis.parsers.text.grammar import as_count
from analysis.parsers.text.json_text import JsonValue, value_at
from analysis.records import Finding, Rounds, Run, Source, TaskResult

__all__ = ["from_records"]


def from_records(document: Document, format: str) -> Run | None:
    """A run of the requests that were measured; null where none was answered.

    Raises
    ------
    LogError
        A line is no record.
    """
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
        return None
    return Run(
        Source(document.name, 1, len(document.lines)),
        format,
        tuple(tasks),
        n_max=depths.pop() if len(depths) == 1 else None,
        findings=tuple(findings),
    )


def _request(
    value: JsonValue, source: Source, place: int, first_ns: int | None
) -> tuple[TaskResult, int | None, int | None] | None:
    """A request, when the first one began, and its depth; null for what was not measured."""
    data = block(value.data)
    metadata, metrics = block(data.get("metadata")), block(data.get("metrics"))
    if not metadata or metadata.get("benchmark_phase", "profiling") != "profiling":
        return None
    begin, end = (_nanoseconds(metadata.get(f"request_{name}_ns")) for name in ("start", "end"))
    first_ns = begin if first_ns is None else first_ns
    name = f"request {place}"
    error = data.get("error")
    if error or metadata.get("was_cancelled") is True:
        said = block(error).get("message") or block(error).get("type") or "cancelled"
        return TaskResult(name, source, error=str(said)[:LONGEST]), first_ns, None

    def figure(name: str) -> object:
        return block(metrics.get(name)).get("value")

    wall, first = (
        in_seconds(metrics.get(name), "value")
        for name in ("request_latency", "time_to_first_token")
    )
    timed = wall is not None and first is not None and wall > first
    spec = block(data.get("spec_decode_acceptance"))
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
        positions=by_position(spec.get("acceptance_histogram")),
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
    if any(count > DEEPEST for side in known for count in side):
        return None
    import numpy as np  # noqa: PLC0415 - a file without rounds must not wait for it

    return Rounds(np.array(known[0], dtype=np.int32), np.array(known[1], dtype=np.int32))
