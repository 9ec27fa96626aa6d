"""The records of ``mtpbench run``: one JSON object a line, see ``analysis/runner``."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, NoReturn

from analysis.errors import LogError
from analysis.parsers.text.command import server_flags
from analysis.parsers.text.document import Document
from analysis.parsers.text.grammar import as_count, as_measure
from analysis.records import (
    SPEC_TYPES,
    Finding,
    Positions,
    Rounds,
    Run,
    Source,
    SteadyState,
    Surroundings,
    TaskResult,
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

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

_CONDITIONS = ("gpu", "driver", "cpu", "ram", "os")
_OTHER_SAMPLERS = ("top_k", "top_p", "min_p", "repeat_penalty")
_LONGEST_NAME = 200
_DEEPEST = 1024
"""No drafter goes deeper; a longer row is no draft."""


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
    id = _name(record, "run")
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
        changed = [text for text in _list(record.get("changes")) if isinstance(text, str)]
        _note_changes(configuration, id, changed, f"{document.name}:{number}")
        configuration.steady_states += _steady_states(record.get("steady"))
        return
    task = _name(record, "task")
    if task is None:
        _refuse(document, number, "this record has no task")
    source = Source(document.name, number)
    if kind == "request":
        result = _answered(record, task, repeat, source, configuration.started)
    else:
        known = configuration.tasks.get((repeat, task))
        if known is not None and known.error is None:
            return
        result = _failed(record, task, repeat, source)
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
        found[id] = known = _Configuration(record, number, number, _name(record, "started"))
        for path in _list(record.get("config_files")):
            message = f"{id}: llama.cpp applied the settings of {str(path)[:_LONGEST_NAME]}"
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
    known.started = _name(record, "started")
    known.starts += 1
    before, after = _identity(known.header), _identity(record)
    changed = [
        f"{key} was {before[key]} and is {after[key]}"
        for key in before
        if before[key] != after[key] and None not in (before[key], after[key])
    ]
    _note_changes(known, id, changed, f"{document.name}:{number}")


def _identity(header: Mapping[str, Any]) -> dict[str, Any]:
    """What says which server and model answer, under the names of a message."""
    said = header.get("identity")
    said = said if isinstance(said, dict) else {}
    return {
        "build": _name(header, "build"),
        "model": _name(said, "model"),
        "context": as_count(said.get("context_tokens")),
        "chat template": _name(said, "chat_template"),
    }


def _note_changes(one: _Configuration, id: str, changed: Sequence[str], where: str) -> None:
    if changed:
        message = f"{id}: the server is another one than before: {'; '.join(changed[:3])}"
        one.findings.append(Finding("error", "server-changed", where, message))


def _steady_states(value: object) -> list[SteadyState]:
    said = value if isinstance(value, dict) else {}
    tokens, seconds = as_count(said.get("tokens")), as_measure(said.get("s"))
    return [SteadyState(tokens, seconds)] if tokens and seconds else []


def _answered(
    record: Mapping[str, Any], task: str, repeat: int, source: Source, started: str | None
) -> TaskResult:
    timings = record.get("timings")
    timings = timings if isinstance(timings, dict) else {}
    return TaskResult(
        task,
        source,
        repeat=repeat,
        workload=_name(record, "workload"),
        predicted_tokens=as_count(record.get("predicted_tokens")),
        draft_tokens=as_count(record.get("draft_tokens")),
        accepted_tokens=as_count(record.get("accepted_tokens")),
        decode_tps=as_measure(timings.get("predicted_per_second")),
        decode_s=_seconds(timings.get("predicted_ms")),
        wall_s=as_measure(record.get("wall_s")),
        prompt_tokens=as_count(record.get("prompt_tokens")),
        cached_tokens=as_count(timings.get("cache_n")),
        prompt_s=_seconds(timings.get("prompt_ms")),
        first_token_s=as_measure(record.get("first_token_s")),
        draft_s=as_measure(record.get("draft_s")),
        positions=_positions(record.get("positions")),
        rounds=_rounds(record.get("rounds")),
        finish_reason=_name(record, "finish_reason"),
        output_hash=_name(record, "output_hash"),
        tokens=_counts(record.get("tokens")),
        busy_s=_busy_s(record),
        started_s=_started_s(record, started),
        surroundings=_surroundings(record.get("surroundings")),
        steady=record["steady"] if type(record.get("steady")) is bool else None,
        tokens_s=_times(record.get("tokens_s")),
    )


def _times(value: object) -> tuple[float, ...] | None:
    if not isinstance(value, list):
        return None
    found = [as_measure(item) for item in value]
    known = tuple(time for time in found if time is not None)
    return known if len(known) == len(found) else None


def _busy_s(record: Mapping[str, Any]) -> tuple[float, float] | None:
    at, wall = as_measure(record.get("at_s")), as_measure(record.get("wall_s"))
    return None if at is None or wall is None else (at, at + wall)


def _started_s(record: Mapping[str, Any], started: str | None) -> float | None:
    """When a request began; the server was ready a little after the run's record."""
    at = as_measure(record.get("at_s"))
    try:
        return datetime.fromisoformat(started or "").timestamp() + at if at is not None else None
    except (ValueError, OverflowError):
        return None


def _surroundings(value: object) -> Surroundings | None:
    if not isinstance(value, dict):
        return None
    gpus = [gpu for gpu in _list(value.get("gpus")) if isinstance(gpu, dict)]
    clocks = [clock for gpu in gpus if (clock := as_measure(gpu.get("mhz"))) is not None]
    reasons = [gpu["throttled"] for gpu in gpus if isinstance(gpu.get("throttled"), list)]
    heat = as_measure(value.get("cpu_throttles"))
    said = [as_measure(value.get("cpu_w")), *(as_measure(gpu.get("w")) for gpu in gpus)]
    watts = [power for power in said if power is not None]
    return Surroundings(
        as_measure(value.get("other_load")),
        as_measure(value.get("cpu_mhz")),
        sum(clocks) / len(clocks) if clocks else None,
        bool(heat) or any(reasons) if reasons or heat is not None else None,
        sum(watts) if watts else None,
    )


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _failed(record: Mapping[str, Any], task: str, repeat: int, source: Source) -> TaskResult:
    said = [part for part in (_name(record, "kind"), _name(record, "message")) if part]
    return TaskResult(
        task,
        source,
        repeat=repeat,
        workload=_name(record, "workload"),
        error=": ".join(said) or "failed",
    )


def _seconds(milliseconds: object) -> float | None:
    value = as_measure(milliseconds)
    return None if value is None else value / 1000


def _positions(value: object) -> Positions | None:
    if not isinstance(value, dict):
        return None
    accepted = _counts(value.get("accepted"))
    rounds = as_count(value.get("rounds"))
    # Where nothing was drafted there is no rate to speak of.
    if accepted is None or not rounds or any(count > rounds for count in accepted):
        return None
    return Positions(tuple(count / rounds for count in accepted), accepted, rounds)


def _rounds(value: object) -> Rounds | None:
    if not isinstance(value, dict):
        return None
    drafted, accepted = _counts(value.get("drafted")), _counts(value.get("accepted"))
    if drafted is None or accepted is None or len(drafted) != len(accepted):
        return None
    import numpy as np  # noqa: PLC0415 - a file without rounds must not wait for it

    at = value.get("at_s")
    times = [as_measure(time) for time in at] if isinstance(at, list) else [None]
    known = [time for time in times if time is not None]
    return Rounds(
        np.array(drafted, dtype=np.int32),
        np.array(accepted, dtype=np.int32),
        np.array(known, dtype=np.float64) if len(known) == len(drafted) else None,
        _confidence(value.get("confidence"), len(drafted)),
    )


def _confidence(rows: object, rounds: int) -> npt.NDArray[np.float32] | None:
    """Probabilities of each round's tokens as an array; null where they are not probabilities."""
    if not isinstance(rows, list) or len(rows) != rounds:
        return None
    import numpy as np  # noqa: PLC0415 - a file without rounds must not wait for it

    width = max((len(row) for row in rows if isinstance(row, list)), default=0)
    if not 0 < width <= _DEEPEST:
        return None
    out = np.full((rounds, width), np.nan, np.float32)
    for at, row in enumerate(rows):
        found = [as_measure(value) for value in row] if isinstance(row, list) else [None]
        if any(value is None or value > 1 for value in found):
            return None
        out[at, : len(found)] = found
    return out


def _counts(value: object) -> tuple[int, ...] | None:
    if not isinstance(value, list):
        return None
    found = [as_count(item) for item in value]
    known = tuple(count for count in found if count is not None)
    return known if len(known) == len(found) else None


def _run(document: Document, id: str, one: _Configuration, cut: Sequence[Finding]) -> Run:
    header = one.header
    sampler = header.get("sampler")
    sampler = sampler if isinstance(sampler, dict) else {}
    source = Source(document.name, one.first_line, one.last_line)
    spec_type = header.get("spec_type")
    words = spec_type.split(",") if isinstance(spec_type, str) else []
    p_min = as_measure(header.get("p_min"))
    clamp = _name(header, "clamp")
    clamped = Finding("note", "depth-clamped", str(source), f"{id}: {clamp}") if clamp else None
    return Run(
        source,
        FORMAT,
        tuple(one.tasks[key] for key in sorted(one.tasks, key=lambda key: key[0])),
        id=id,
        label=_name(header, "label"),
        command=_text(header, "command"),
        spec_type=spec_type if words and all(word in SPEC_TYPES for word in words) else None,
        n_max=as_count(header.get("n_max")),
        p_min=p_min if p_min is not None and p_min <= 1 else None,
        draft=_file(header.get("draft")),
        target=_file(header.get("target")) or _identity(header)["model"],
        build=_name(header, "build"),
        temperature=as_measure(sampler.get("temperature")),
        concurrency=as_count(header.get("parallel")),
        max_tokens=as_count(header.get("max_tokens")),
        context_tokens=as_count(header.get("context")),
        prompt_set=_name(header, "prompt_set"),
        request=_request(header.get("request"), ("temperature",)) or "none",
        # Whatever is not plainly a real run must not pass for one.
        synthetic=header.get("synthetic") is not False,
        # The runner starts one for each repeat, unless the server is somebody else's.
        fresh_servers=header.get("server") in ("embedded", "executable"),
        steady_states=tuple(one.steady_states),
        conditions=_conditions(header, sampler),
        findings=(*cut, *([clamped] if clamped else []), *one.findings),
    )


def _conditions(header: Mapping[str, Any], sampler: Mapping[str, Any]) -> dict[str, str]:
    """What the header says of the machine and of the sampler, under a campaign's names."""
    machine = header.get("machine")
    machine = machine if isinstance(machine, dict) else {}
    found = {key: _name(machine, key) for key in _CONDITIONS}
    started = _name(header, "started")
    found["date"] = started[:10] if started else None
    said = header.get("identity")
    given = said.get("samplers") if isinstance(said, dict) else None
    defaults = given if isinstance(given, dict) else {}
    # The greedy choice is the same whatever the others are.
    others = _OTHER_SAMPLERS if sampler.get("temperature") else ()
    sampler = {**{key: defaults[key] for key in others if key in defaults}, **sampler}
    own = [key for key in sampler if key not in ("temperature", "seed")]
    named = dict.fromkeys(("temperature", "seed", *others, *own))
    known = [f"{key} {sampler[key]}" for key in named if key in sampler]
    found["sampler"] = ", ".join(known)[:_LONGEST_NAME] or None
    found["request"] = _request(header.get("request"), sampler)
    found["flags"] = server_flags(_text(header, "command") or "")
    return {key: value for key, value in found.items() if value}


def _request(fields: object, told_elsewhere: Container[str]) -> str | None:
    """Fields of the requests beside those that are told elsewhere; null where there are none."""
    if not isinstance(fields, dict):
        return None
    told = {name: value for name, value in sorted(fields.items()) if name not in told_elsewhere}
    said = [f"{name} {json.dumps(value, ensure_ascii=False)}" for name, value in told.items()]
    return ", ".join(said)[:_LONGEST_NAME] or None


def _file(model: object) -> str | None:
    """The name of a model's file, the first of several."""
    parts = model.get("parts") if isinstance(model, dict) else None
    first = parts[0] if isinstance(parts, list) and parts else None
    return _name(first, "name") if isinstance(first, dict) else None


def _name(record: Mapping[str, Any], key: str) -> str | None:
    value = _text(record, key)
    return value[:_LONGEST_NAME] if value else None


def _text(record: Mapping[str, Any], key: str) -> str | None:
    value = record.get(key)
    return value or None if isinstance(value, str) else None


def _cut(document: Document, line: int) -> Finding:
    where = f"{document.name}:{line}"
    message = "the last record was cut off while it was written, and is left out"
    return Finding("warning", "row-cut", where, message)


def _refuse(
    document: Document, line: int, problem: str, remedy: str = "restore the file from a copy"
) -> NoReturn:
    raise LogError(problem, remedy, document.name, line)
