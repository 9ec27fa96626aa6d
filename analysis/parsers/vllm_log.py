"""vLLM's log lines: ``SpecDecoding metrics`` per interval, ``Speculative metrics`` since start."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from analysis.errors import LogError
from analysis.parsers.text.document import Document
from analysis.parsers.text.grammar import NUMBER, as_count, as_measure, decimals, real, scaled
from analysis.records import Finding, Positions, Run, Source, TaskResult

__all__ = ["FORMAT", "HINTS", "SHAPE", "read", "recognises"]

FORMAT = "vllm-log"
SHAPE = "vLLM's log (`SpecDecoding metrics:`, `Speculative metrics:`)"
HINTS = (
    "specdecoding metrics",
    "speculative metrics",
    "accepted throughput",
    "draft acceptance rate",
    "mean acceptance length",
)

_NEW = re.compile(r"\bSpecDecoding metrics:[ ]*(?P<said>[^\n]*)")
_OLD = re.compile(r"\bSpeculative metrics:[ ]*(?P<said>[^\n]*)")
_PART = re.compile(rf"(?P<key>[A-Z][A-Za-z -]{{2,40}}):[ ]*(?P<value>{NUMBER})[ ]*(?P<unit>%?)")
_PER_POSITION = re.compile(
    rf"Per-position acceptance rate:[ ]*(?P<rates>{NUMBER}(?:,[ ]+{NUMBER})*+)"
)
_CLOCK = re.compile(r"\b\d{2}-\d{2} \d{2}:\d{2}:\d{2}\b")
_ENGINE = re.compile(r"\bEngine (\d{3})\b")
_LONGEST_LINE = 4000


def recognises(document: Document) -> bool:
    """Whether one of the two lines is there with its counts."""
    return next(_lines(document), None) is not None


def read(document: Document) -> tuple[Run, ...]:
    """Read a run whose results are the intervals of the log.

    The present engine counts each interval anew. The first one counted since
    its start, so what is taken is the difference to the line before, and it
    counted every token that matched, also behind a rejected one: an acceptance
    of another definition, never pooled with others.

    Raises
    ------
    LogError
        When there is neither line.
    """
    new: list[TaskResult] = []
    old: list[list[TaskResult]] = []
    findings: dict[str, list[Finding]] = {"new": [], "old": []}
    named: dict[str, int] = {}
    depth: int | None = None
    before: tuple[int, int, int] | None = None
    for number, kind, said, line in _lines(document):
        source = Source(document.name, number)
        parts = {match["key"]: match for match in _PART.finditer(said)}
        name = _name(line, len(new) + sum(map(len, old)) + 1)
        named[name] = named.get(name, 0) + 1
        name = name if named[name] == 1 else f"{name} ({named[name]})"
        if kind == "new":
            made = _interval(name, source, parts, said)
        else:
            counts, depth = _counters(parts)
            if before is None or any(now < then for now, then in zip(counts, before, strict=True)):
                before = (0, 0, 0)
                old.append([])
            predicted, drafted, accepted = (
                now - then for now, then in zip(counts, before, strict=True)
            )
            made = TaskResult(
                name,
                source,
                predicted_tokens=predicted,
                draft_tokens=drafted,
                accepted_tokens=accepted,
            )
            before = counts
        if made is None:
            message = "the line stops before its counts and is left out"
            findings[kind].append(Finding("warning", "row-cut", str(source), message))
        elif kind == "new":
            new.append(made)
        else:
            old[-1].append(made)
    runs = [_run(tasks, "accepted-anywhere/drafted", depth) for tasks in old if tasks]
    if new:
        runs.insert(0, _run(new, "accepted/drafted", _depth(new)))
    if not runs:
        problem = "no whole line of vLLM's speculative metrics is here"
        raise LogError(problem, "paste the log line as it was printed", document.name)
    said_of = findings["new"] + findings["old"]
    runs[0] = replace(runs[0], findings=tuple(said_of))
    return tuple(runs)


def _lines(document: Document) -> Iterator[tuple[int, str, str, str]]:
    for number, line in document.cleaned.pairs():
        if "metrics:" not in line or len(line) > _LONGEST_LINE:
            continue
        for kind, shape in (("new", _NEW), ("old", _OLD)):
            found = shape.search(line)
            # Behind a quotation mark it is a prompt or an answer that quotes a log.
            if found and "cceptance" in found["said"] and '"' not in line[: found.start()]:
                yield number, kind, found["said"], line


def _name(line: str, place: int) -> str:
    clock, engine = _CLOCK.search(line), _ENGINE.search(line)
    parts = [clock[0] if clock else str(place), f"engine {engine[1]}" if engine else ""]
    return " ".join(["interval", *filter(None, parts)])


def _interval(
    name: str, source: Source, parts: dict[str, re.Match[str]], said: str
) -> TaskResult | None:
    accepted = as_count(parts["Accepted"]["value"]) if "Accepted" in parts else None
    drafted = as_count(parts["Drafted"]["value"]) if "Drafted" in parts else None
    if accepted is None or drafted is None:
        return None
    stated = parts.get("Avg Draft acceptance rate")
    rate = as_measure(real(stated["value"])) if stated else None
    rates = _PER_POSITION.search(said)
    shares = [as_measure(text) for text in re.split(r",[ ]+", rates["rates"])] if rates else []
    whole = shares and None not in shares
    return TaskResult(
        name,
        source,
        draft_tokens=drafted,
        accepted_tokens=accepted,
        reported_rate=scaled(rate, -2) if rate is not None else None,
        rate_decimals=decimals(stated["value"]) + 2 if stated else None,
        positions=Positions(tuple(share or 0.0 for share in shares)) if whole else None,
    )


def _counters(parts: dict[str, re.Match[str]]) -> tuple[tuple[int, int, int], int | None]:
    names = ("Number of emitted tokens", "Number of draft tokens", "Number of accepted tokens")
    counts = [as_count(parts[name]["value"]) if name in parts else None for name in names]
    depth = parts.get("Number of speculative tokens")
    emitted, drafted, accepted = (count or 0 for count in counts)
    return (emitted, drafted, accepted), as_count(depth["value"]) if depth else None


def _depth(tasks: list[TaskResult]) -> int | None:
    depths = {len(task.positions.rate) for task in tasks if task.positions}
    return depths.pop() if len(depths) == 1 else None


def _run(tasks: list[TaskResult], definition: str, depth: int | None) -> Run:
    first, last = tasks[0].source, tasks[-1].source
    return Run(
        Source(first.file, first.first_line, last.first_line),
        FORMAT,
        tuple(tasks),
        label="vLLM",
        n_max=depth,
        acceptance_definition=definition,
    )
