"""The records of ``mtpbench run``: one JSON object a line, see ``analysis/runner``."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from analysis.errors import LogError
from analysis.parsers.live_jsonl.fields import LONGEST_NAME, listed, name_in, text_in
from analysis.parsers.live_jsonl.header import conditions, file_name, identity, request_fields
from analysis.parsers.live_jsonl.request import answered, failed
from analysis.parsers.text.document import Document
from analysis.parsers.text.grammar import as_count, as_measure
from analysis.records import (
    SPEC_TYPES,
    Finding,
    Run,
    Source,
    SteadyState,
    TaskResult,
)

__all__ = ["FORMAT", "HINTS", "SHAPE", "read", "recognises"]

FORMAT = "mtpbench-live"
SHAPE = 'the records of `mtpbench run` (`{"record": "run", …}`)'
HINTS = ('{"record":', '"spec_type":', '"prompt_set":', '"output_hash":')

_BEGINS = re.compile(r'\s*\{\s*"record"\s*:\s*"(?:run|request|error|end)"\s*,')
_SCHEMA = 1
_SAME = (
    "spec_type",
    "n_max",
    "p_min",
    "synthetic",
    "prompt_set",
    "max_tokens",
    "sampler",
    "parallel",
    "context",
    "request",
)
"""What all server starts of one configuration have in common, or they are not one."""


def recognises(document: Document) -> bool:
    """Whether the text begins with one of our records."""
    return bool(_BEGINS.match(document.text))


@dataclass
class _Configuration:
    """What has been read of one run id so far."""

    header: Mapping[str, Any]
    first_line: int
    last_line: int
    started: str | None = None
    starts: int = 1
    findings: list[Finding] = field(default_factory=list)
    tasks: dict[tuple[int, str], TaskResult] = field(default_factory=dict)
    steady_states: list[SteadyState] = field(default_factory=list)


def read(document: Document) -> tuple[Run, ...]:
    """Read every configuration, all its repeats in one run.

    A request that failed and was answered later counts as answered. A last
    line without its end was cut off while it was written and does not count.

    Raises
    ------
    LogError
        A line is no record, comes before the run it belongs to, or
        contradicts it.
    """
    found: dict[str, _Configuration] = {}
    *lines, rest = document.lines
    for number, line in enumerate(lines, start=1):
        if line.strip():
            _take(_record(document, number, line), number, document, found)
    if not found:
        _refuse(document, 1, "there is no whole run record in this file")
    cut = () if not rest.strip() else (_cut(document, len(lines) + 1),)
    return tuple(_run(document, id, one, cut) for id, one in found.items())


def _record(document: Document, number: int, line: str) -> Mapping[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        _refuse(document, number, "this line is not JSON")
    if not isinstance(record, dict) or not isinstance(record.get("record"), str):
        _refuse(document, number, "this line is not a record")
    return record


def _take(
    record: Mapping[str, Any], number: int, document: Document, found: dict[str, _Configuration]
) -> None:
    id = name_in(record, "run")
    repeat = as_count(record.get("repeat"))
    if id is None or not repeat:
        _refuse(document, number, "this record does not say which run and repeat it belongs to")
    kind = record["record"]
    if kind == "run":
        _take_header(record, id, number, document, found)
        return
    if id not in found:
        _refuse(document, number, f"there is no run record for {id!r} before this one")
    configuration = found[id]
    configuration.last_line = number
    if kind not in ("request", "error"):
        # Ends, and what a later version may add.
        changed = [text for text in listed(record.get("changes")) if isinstance(text, str)]
        _note_changes(configuration, id, changed, f"{document.name}:{number}")
        configuration.steady_states += _steady_states(record.get("steady"))
        return
    task = name_in(record, "task")
    if task is None:
        _refuse(document, number, "this record has no task")
    source = Source(document.name, number)
    if kind == "request":
        result = answered(record, task, repeat, source, configuration.started)
    else:
        known = configuration.tasks.get((repeat, task))
        if known is not None and known.error is None:
            return
        result = failed(record, task, repeat, source)
    configuration.tasks[repeat, task] = result


def _take_header(
    record: Mapping[str, Any],
    id: str,
    number: int,
    document: Document,
    found: dict[str, _Configuration],
) -> None:
    if record.get("schema") != _SCHEMA:
        _refuse(
            document,
            number,
            f"this record has the schema {record.get('schema')!r}, not {_SCHEMA}",
            "read it with the version of mtpbench that wrote it, or a newer one",
        )
    known = found.get(id)
    if known is None:
        found[id] = known = _Configuration(record, number, number, name_in(record, "started"))
        for path in listed(record.get("config_files")):
            message = f"{id}: llama.cpp applied the settings of {str(path)[:LONGEST_NAME]}"
            known.findings.append(
                Finding("warning", "config-file", f"{document.name}:{number}", message)
            )
        return
    for key in _SAME:
        if record.get(key) != known.header.get(key):
            _refuse(
                document,
                number,
                f"{id} has another {key} here than in line {known.first_line}",
                "keep each configuration in a run of its own",
            )
    known.last_line = number
    known.started = name_in(record, "started")
    known.starts += 1
    before, after = identity(known.header), identity(record)
    changed = [
        f"{key} was {before[key]} and is {after[key]}"
        for key in before
        if before[key] != after[key] and None not in (before[key], after[key])
    ]
    _note_changes(known, id, changed, f"{document.name}:{number}")


def _note_changes(one: _Configuration, id: str, changed: Sequence[str], where: str) -> None:
    if changed:
        message = f"{id}: the server is another one than before: {'; '.join(changed[:3])}"
        one.findings.append(Finding("error", "server-changed", where, message))


def _steady_states(value: object) -> list[SteadyState]:
    said = value if isinstance(value, dict) else {}
    tokens, seconds = as_count(said.get("tokens")), as_measure(said.get("s"))
    return [SteadyState(tokens, seconds)] if tokens and seconds else []


def _run(document: Document, id: str, one: _Configuration, cut: Sequence[Finding]) -> Run:
    header = one.header
    sampler = header.get("sampler")
    sampler = sampler if isinstance(sampler, dict) else {}
    source = Source(document.name, one.first_line, one.last_line)
    spec_type = header.get("spec_type")
    words = spec_type.split(",") if isinstance(spec_type, str) else []
    p_min = as_measure(header.get("p_min"))
    clamp = name_in(header, "clamp")
    clamped = Finding("note", "depth-clamped", str(source), f"{id}: {clamp}") if clamp else None
    return Run(
        source,
        FORMAT,
        tuple(one.tasks[key] for key in sorted(one.tasks, key=lambda key: key[0])),
        id=id,
        label=name_in(header, "label"),
        command=text_in(header, "command"),
        spec_type=spec_type if words and all(word in SPEC_TYPES for word in words) else None,
        n_max=as_count(header.get("n_max")),
        p_min=p_min if p_min is not None and p_min <= 1 else None,
        draft=file_name(header.get("draft")),
        target=file_name(header.get("target")) or identity(header)["model"],
        build=name_in(header, "build"),
        temperature=as_measure(sampler.get("temperature")),
        concurrency=as_count(header.get("parallel")),
        max_tokens=as_count(header.get("max_tokens")),
        context_tokens=as_count(header.get("context")),
        prompt_set=name_in(header, "prompt_set"),
        request=request_fields(header.get("request"), ("temperature",)) or "none",
        # Whatever is not plainly a real run must not pass for one.
        synthetic=header.get("synthetic") is not False,
        # The runner starts one for each repeat, unless the server is somebody else's.
        fresh_servers=header.get("server") in ("embedded", "executable"),
        steady_states=tuple(one.steady_states),
        conditions=conditions(header, sampler),
        findings=(*cut, *([clamped] if clamped else []), *one.findings),
    )


def _cut(document: Document, line: int) -> Finding:
    where = f"{document.name}:{line}"
    message = "the last record was cut off while it was written, and is left out"
    return Finding("warning", "row-cut", where, message)


def _refuse(
    document: Document, line: int, problem: str, remedy: str = "restore the file from a copy"
) -> NoReturn:
    raise LogError(problem, remedy, document.name, line)
