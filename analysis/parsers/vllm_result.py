"""The files of ``vllm bench serve --save-result`` and of ``vllm bench sweep``."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from analysis.errors import LogError
from analysis.parsers.text.document import Document
from analysis.parsers.text.grammar import as_count, as_measure, scaled
from analysis.parsers.text.json_text import decode, items
from analysis.parsers.text.spec_words import drafted_depth, mined
from analysis.records import Aggregate, Positions, Run, Source, TaskResult

__all__ = ["FORMAT", "HINTS", "SHAPE", "read", "recognises"]

FORMAT = "vllm-result"
SHAPE = "what `vllm bench serve --save-result` or `vllm bench sweep` writes (JSON, CSV)"
HINTS = ("spec_decode_", "output_throughput", "total_output_tokens", "max_concurrency")

_NEEDED = ("model_id", "completed", "duration", "total_output_tokens")
_JSON = re.compile(r"\s*[\[{]")
_DATE = re.compile(r"(\d{4})(\d\d)(\d\d)-\d{6}")
_RATE_DECIMALS = 6
"""Rates are written with all digits that a float has."""

_LONGEST = 200

_Values = Mapping[str, Any]


def recognises(document: Document) -> bool:
    """Whether it begins as such a file and has the keys that all of them have."""
    text = document.text
    if not all(key in text for key in _NEEDED):
        return False
    if _JSON.match(text):
        return all(f'"{key}"' in text for key in _NEEDED)
    return set(_NEEDED) <= set(document.lines[0].split(","))


def read(document: Document) -> tuple[Run, ...]:
    """Read a run for each result, with its requests where ``--save-detailed`` kept them.

    Rates of acceptance are per cent there, those by position shares.

    Raises
    ------
    LogError
        When the file is broken, or no result has a completed request.
    """
    runs = [
        _run(record, source)
        for record, source in _records(document)
        if all(key in record for key in _NEEDED) and _count(record["completed"])
    ]
    if not runs:
        problem = "no result of vllm bench with a completed request is here"
        raise LogError(problem, "name a file that --save-result wrote", document.name)
    return tuple(runs)


def _records(document: Document) -> Iterator[tuple[_Values, Source]]:
    if not _JSON.match(document.text):
        yield from _rows(document)
        return
    for top in decode(document):
        for value in items(document.text, top) if isinstance(top.data, list) else [top]:
            if isinstance(value.data, dict):
                yield value.data, document.source(document.plain, value.start, value.end)


def _rows(document: Document) -> Iterator[tuple[_Values, Source]]:
    rows = csv.reader(document.lines)
    try:
        header = next(rows, [])
        for cells in rows:
            if len(cells) == len(header):
                yield (
                    dict(zip(header, cells, strict=True)),
                    Source(document.name, rows.line_num),
                )
    except csv.Error as error:
        problem = f"this is not CSV ({error})"
        raise LogError(problem, "save it again", document.name, rows.line_num) from None


def _run(record: _Values, source: Source) -> Run:
    drafted, accepted, rounds = (
        _count(record.get(f"spec_decode_{name}"))
        for name in ("draft_tokens", "accepted_tokens", "num_drafts")
    )
    rate = as_measure(record.get("spec_decode_acceptance_rate"))
    shares = _shares(record.get("spec_decode_per_position_acceptance_rates"))
    label = _word(record.get("label"))
    spec_type, depth = mined(label or "")
    speculative = drafted is not None or rate is not None
    duration = as_measure(record["duration"])
    at_once = _at_once(record)
    date = _DATE.fullmatch(_word(record.get("date")) or "")
    return Run(
        source,
        FORMAT,
        tuple(_tasks(record, source)),
        Aggregate(
            source,
            n_requests=_count(record["completed"]),
            predicted_tokens=_count(record["total_output_tokens"]),
            draft_tokens=drafted,
            accepted_tokens=accepted,
            acceptance_rate=None if rate is None else scaled(rate, -2),
            rate_decimals=_RATE_DECIMALS,
            elapsed_s=duration,
            # One after the other take as long as the client did.
            wall_s=duration if at_once == 1 else None,
            positions=Positions(shares, rounds=rounds) if shares else None,
        ),
        label=label,
        spec_type=spec_type if speculative or spec_type == "none" else None,
        n_max=drafted_depth(rounds, drafted) or len(shares) or depth if speculative else None,
        target=_word(record.get("model_id")),
        concurrency=at_once,
        conditions={"date": "-".join(date.groups())} if date else {},
    )


def _at_once(record: _Values) -> int | None:
    """Requests at once; below an endless rate of requests the limit may never be reached."""
    endless = _word(record.get("request_rate")) == "inf"
    return _count(record.get("max_concurrency")) or None if endless else None


def _tasks(record: _Values, source: Source) -> Iterator[TaskResult]:
    names = ("output_lens", "ttfts", "itls")
    lists = [record.get(name) for name in names]
    if not all(isinstance(one, list) and len(one) == len(lists[0] or ()) for one in lists):
        return
    walls, begins, prompts, errors = (
        _listed(record.get(name), len(lists[0] or ()))
        for name in ("latencies", "start_times", "input_lens", "errors")
    )
    starts = [as_measure(begin) for begin in begins]
    first = min((start for start in starts if start is not None), default=0.0)
    for place, (tokens, ttft, gaps) in enumerate(zip(*lists, strict=True)):
        name = f"request {place + 1}"
        if isinstance(errors[place], str) and errors[place].strip():
            said = errors[place].strip().split("\n")[-1]
            yield TaskResult(name, source, error=said[:_LONGEST])
            continue
        first_s, wall = as_measure(ttft), as_measure(walls[place])
        if wall is None and first_s is not None and isinstance(gaps, list):
            known = [as_measure(gap) for gap in gaps]
            wall = None if None in known else first_s + sum(gap or 0.0 for gap in known)
        timed = wall is not None and first_s is not None and wall > first_s
        at = starts[place]
        yield TaskResult(
            name,
            source,
            predicted_tokens=as_count(tokens),
            prompt_tokens=as_count(prompts[place]),
            first_token_s=first_s,
            decode_s=(wall or 0.0) - (first_s or 0.0) if timed else None,
            wall_s=wall,
            busy_s=None if at is None or wall is None else (at - first, at - first + wall),
        )


def _listed(value: object, length: int) -> list[Any]:
    return value if isinstance(value, list) and len(value) == length else [None] * length


def _shares(value: object) -> tuple[float, ...]:
    """Shares by position; of a CSV's cell, where a list is text."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return ()
    found = [as_measure(share) for share in value] if isinstance(value, list) else []
    known = tuple(share for share in found if share is not None and share <= 1)
    return known if len(known) == len(found) else ()


def _count(value: object) -> int | None:
    """A count; a table in which some lack it writes it with decimals."""
    return as_count(as_measure(value))


def _word(value: object) -> str | None:
    return value[:_LONGEST] if isinstance(value, str) and value.strip() else None
