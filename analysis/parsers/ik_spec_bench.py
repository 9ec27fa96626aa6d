"""ik_llama.cpp's llama-spec-bench: its table, and its JSON lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from analysis.errors import LogError
from analysis.parsers.text.command import settings, spec_type_name
from analysis.parsers.text.document import Document
from analysis.parsers.text.fields import cell_figure, cell_text
from analysis.parsers.text.grammar import as_count, as_measure, decimals, real, scaled
from analysis.parsers.text.headings import heading
from analysis.parsers.text.tables import TextTable, pipe_tables
from analysis.records import Finding, Positions, Run, Source, TaskResult

__all__ = ["FORMAT", "HINTS", "SHAPE", "read", "recognises"]

FORMAT = "ik-spec-bench"
SHAPE = "ik_llama.cpp's llama-spec-bench (table with `pos accept`, or its JSON lines)"
HINTS = ("| task", "| stage", "| rounds", "pos accept", "a.len", '"row_type"', '"stages"')

_NEEDED = frozenset({"task", "stage", "tokens", "accepted", "rounds"})
_PAIR = re.compile(r"(\d{1,12})\s*/\s*(\d{1,12})")
_ERROR = re.compile(
    r"^- (?P<task>.{1,80}?) run (?P<run>\d{1,4}): (?P<message>.{1,200})$", re.MULTILINE
)
_NO_STAGE = frozenset({"base", "error", "none", ""})
_LONGEST_LINE = 2_000_000


@dataclass(frozen=True)
class _Stage:
    """One row: a stage of one task, and what the task did as a whole."""

    task: str
    repeat: int
    stage: str
    result: TaskResult


def recognises(document: Document) -> bool:
    """Whether its table has a row, or a line is an attempt of its JSON."""
    if any(_stages(table, document.name)[0] for table in _tables(document)):
        return True
    return '"row_type"' in document.text and next(_attempts(document), None) is not None


def read(document: Document) -> tuple[Run, ...]:
    """Read a run per table, or per summary of the JSON lines.

    A task that several stages drafted for is one result: tokens and time are
    the task's, drafted and accepted tokens are summed over stages.

    Raises
    ------
    LogError
        When there is neither.
    """
    runs: list[Run] = []
    text = document.cleaned.text
    errors = {(m["task"], int(m["run"])): m["message"].strip() for m in _ERROR.finditer(text)}
    above = 0
    offsets = _offsets(document)
    for table in _tables(document):
        stages, findings = _stages(table, document.name)
        start = offsets[table.line]
        if stages:
            command = heading(text[above:start]).command
            runs.append(_run(stages, findings, errors, command))
        above = start
    lines: list[_Stage] = []
    for stage in _attempts(document):
        if isinstance(stage, _Stage):
            lines.append(stage)
        elif lines:
            runs.append(_run(lines, [], {}, None))
            lines = []
    if lines:
        runs.append(_run(lines, [], {}, None))
    if not runs:
        problem = "no result of llama-spec-bench is here"
        raise LogError(problem, "paste the whole table, or its JSON lines", document.name)
    return tuple(runs)


def _offsets(document: Document) -> dict[int, int]:
    """Where each line begins in the cleaned text."""
    offsets: dict[int, int] = {}
    offset = 0
    for number, text in document.cleaned.pairs():
        offsets.setdefault(number, offset)
        offset += len(text) + 1
    return offsets


def _tables(document: Document) -> Iterator[TextTable]:
    if "stage" not in document.text or "|" not in document.text:
        return
    for table in pipe_tables(document.cleaned.pairs()):
        if {cell_text(heading).lower() for heading in table.headings} >= _NEEDED:
            yield table


def _stages(table: TextTable, name: str) -> tuple[list[_Stage], list[Finding]]:
    headings = [cell_text(heading).lower() for heading in table.headings]
    found: list[_Stage] = []
    findings: list[Finding] = []
    for number, cells in table.rows:
        source = Source(name, number)
        row = dict(zip(headings, map(cell_text, cells), strict=False))
        if "accepted" not in row or ("rate" in headings and "rate" not in row):
            message = "the row stops in the middle and is left out"
            findings.append(Finding("warning", "row-cut", str(source), message))
            continue
        found.append(_table_stage(row, source))
    return found, findings


def _table_stage(row: Mapping[str, str], source: Source) -> _Stage:
    pair = _PAIR.fullmatch(row["accepted"])
    rate = real(row["rate"].rstrip("% ")) if row.get("rate", "").endswith("%") else None
    speed = cell_figure(row.get("tok/s"), "decode_tps").value
    result = TaskResult(
        row["task"],
        source,
        predicted_tokens=as_count(row["tokens"]),
        draft_tokens=as_count(pair[2]) if pair else 0,
        accepted_tokens=as_count(pair[1]) if pair else 0,
        reported_rate=scaled(rate, -2) if rate is not None else None,
        rate_decimals=decimals(row["rate"].rstrip("% ")) + 2 if rate is not None else None,
        decode_tps=speed,
        decode_s=cell_figure(row.get("time(s)"), "decode_s").value or None,
        positions=_printed(row.get("pos accept", "")),
        finish_reason={"eog": "stop", "limit": "length"}.get(row.get("stop", "")),
        error="failed" if row.get("stop") == "fail" else None,
    )
    return _Stage(row["task"], as_count(row.get("run", "")) or 1, row["stage"].lower(), result)


def _printed(text: str) -> Positions | None:
    """Shares by position, over the rounds that drafted the position."""
    parts = text.split()
    shares = [real(part[:-1]) if part.endswith("%") else None for part in parts]
    if not parts or any(share is None or not 0 <= share <= 100 for share in shares):
        return None
    return Positions(
        tuple(scaled(share or 0.0, -2) for share in shares), definition="drafted-rounds"
    )


def _run(
    stages: Sequence[_Stage],
    findings: Sequence[Finding],
    errors: Mapping[tuple[str, int], str],
    command: str | None,
) -> Run:
    merged: dict[tuple[str, int], list[_Stage]] = {}
    for stage in stages:
        merged.setdefault((stage.task, stage.repeat), []).append(stage)
    names = dict.fromkeys(stage.stage for stage in stages if stage.stage not in _NO_STAGE)
    # Its plain draft model has the name that llama-server calls draft-simple.
    types = [spec_type_name("draft-simple" if name == "draft" else name) for name in names]
    known = ",".join(name for name in types if name) if None not in types else None
    first, last = stages[0].result.source, stages[-1].result.source
    flags = settings(command or "")
    tasks = [_merged(key, parts, errors.get(key)) for key, parts in merged.items()]
    depths = {len(task.positions.rate) for task in tasks if task.positions}
    return Run(
        Source(first.file, first.first_line, last.last_line or last.first_line),
        FORMAT,
        tuple(tasks),
        label=", ".join(names) or "base",
        command=command,
        spec_type=(known or None) if names else "none",
        n_max=flags.n_max if flags.n_max is not None else max(depths, default=None),
        p_min=flags.p_min,
        target=flags.target,
        draft=flags.draft,
        temperature=flags.temperature,
        conditions=flags.conditions,
        findings=tuple(findings),
    )


def _merged(key: tuple[str, int], parts: Sequence[_Stage], message: str | None) -> TaskResult:
    first = replace(parts[0].result, repeat=key[1])
    if first.error is not None:
        return TaskResult(first.task, first.source, repeat=key[1], error=message or first.error)
    if len(parts) == 1:
        return first
    drafted = [part.result.draft_tokens for part in parts]
    accepted = [part.result.accepted_tokens for part in parts]
    whole = None not in drafted and None not in accepted
    return replace(
        first,
        draft_tokens=sum(count or 0 for count in drafted) if whole else None,
        accepted_tokens=sum(count or 0 for count in accepted) if whole else None,
        reported_rate=None,
        rate_decimals=None,
        positions=None,
    )


def _attempts(document: Document) -> Iterator[_Stage | None]:
    """Stages of each attempt in the JSON lines; ``None`` for a summary, which ends a run."""
    for number, line in document.plain.pairs():
        start = line.find('{"row_type"')
        if start < 0 or len(line) > _LONGEST_LINE:
            continue
        try:
            data = json.loads(line[start:])
        except (ValueError, RecursionError):
            continue
        if data.get("row_type") == "summary":
            yield None
        elif data.get("row_type") == "attempt":
            yield from _attempt(data, Source(document.name, number))


def _attempt(data: Mapping[str, object], source: Source) -> Iterator[_Stage]:
    tokens, timing, quality, spec = (
        _object(data.get(key)) for key in ("tokens", "timing", "quality", "speculative")
    )
    name = str(data.get("task") or data.get("task_name") or "task")[:200]
    repeat = as_count(data.get("run"))
    if repeat is None:
        repeat = (as_count(data.get("repeat_index")) or 0) + 1
    ok = data.get("ok", quality.get("ok", True)) is not False
    generated = data.get("generated", tokens.get("generated"))
    decode_s = as_measure(data.get("decode_s", timing.get("decode_s")))
    made = TaskResult(
        name,
        source,
        predicted_tokens=as_count(generated),
        draft_tokens=0,
        accepted_tokens=0,
        decode_s=decode_s or None,
        decode_tps=as_measure(data.get("decode_tps", timing.get("decode_tps"))) or None,
        prompt_tokens=as_count(tokens.get("prompt")),
        prompt_s=as_measure(timing.get("prompt_s")),
        error=None if ok else str(data.get("error") or quality.get("error") or "failed")[:200],
    )
    stages = data.get("stages", spec.get("stages"))
    listed = (
        [stage for stage in stages if isinstance(stage, dict)] if isinstance(stages, list) else []
    )
    if not listed:
        yield _Stage(name, repeat, "base", made)
    for stage in listed:
        rounds = as_count(stage.get("drafts", stage.get("num_drafts")))
        yield _Stage(
            name,
            repeat,
            str(stage.get("type", ""))[:60].lower(),
            replace(
                made,
                draft_tokens=as_count(stage.get("draft_tokens")),
                accepted_tokens=as_count(stage.get("accepted", stage.get("accepted_tokens"))),
                positions=_counted(stage, rounds),
            ),
        )


def _object(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _counted(stage: Mapping[str, object], rounds: int | None) -> Positions | None:
    """Counts by position: with the rounds beside them the share is one of all rounds."""
    listed = stage.get("accepted_by_position")
    if not isinstance(listed, list) or not listed or not rounds:
        return None
    counts = [as_count(value) for value in listed]
    whole = [count for count in counts if count is not None]
    if len(whole) < len(counts):
        return None
    return Positions(tuple(count / rounds for count in whole), tuple(whole), rounds)
