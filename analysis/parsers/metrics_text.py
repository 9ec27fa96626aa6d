"""``/metrics`` of llama-server and vLLM: counters since the engine started."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

from analysis.errors import LogError
from analysis.parsers.text.document import Document
from analysis.parsers.text.grammar import as_count, as_measure
from analysis.parsers.text.tables import cells_of
from analysis.records import Aggregate, Finding, Positions, Run, Source, TaskResult

__all__ = ["FORMAT", "HINTS", "SHAPE", "read", "recognises"]

FORMAT = "metrics"
SHAPE = "/metrics text (`llamacpp:spec_decode_…`, `vllm:spec_decode_…`)"
HINTS = ("spec_decode_num_", "llamacpp:", "vllm:", "_total")

_SAMPLE = re.compile(r"(?:llamacpp|vllm):[a-z_]+(?:\{|[ ]|$)")
_ENGINES = ("llamacpp", "vllm")
_NAMES = {
    "spec_decode_num_drafts": "rounds",
    "spec_decode_num_draft_tokens": "draft_tokens",
    "spec_decode_num_accepted_tokens": "accepted_tokens",
    "spec_decode_num_accepted_tokens_per_pos": "position",
    "tokens_predicted": "predicted_tokens",
    "generation_tokens": "predicted_tokens",
    "tokens_predicted_seconds": "decode_s",
}
_SPECULATIVE = "spec_decode_num_"
_LONGEST_LINE = 2000
_DEEPEST = 256


@dataclass
class _Scrape:
    """The counters of one engine at one moment."""

    first: int
    last: int
    values: dict[str, float] = field(default_factory=dict)
    positions: dict[int, float] = field(default_factory=dict)


@dataclass(frozen=True)
class _Counter:
    line: int
    engine: tuple[tuple[str, str], ...]
    name: str
    position: int | None
    value: float


def recognises(document: Document) -> bool:
    """Whether a counter of speculative decoding has a value."""
    if _SPECULATIVE not in document.text:
        return False
    return any(counter.name != "predicted_tokens" for counter in _counters(document, []))


def read(document: Document) -> tuple[Run, ...]:
    """Read a run per engine.

    One scrape is everything since the engine started, so it is a run of totals
    and marked cumulative. Where a file holds several scrapes, the differences
    between them are requests.

    Raises
    ------
    LogError
        When no counter of speculative decoding has a value.
    """
    unread: list[Finding] = []
    engines: dict[tuple[tuple[str, str], ...], list[_Scrape]] = {}
    for counter in _counters(document, unread):
        scrapes = engines.setdefault(counter.engine, [])
        if not scrapes or _has(scrapes[-1], counter):
            scrapes.append(_Scrape(counter.line, counter.line))
        latest = scrapes[-1]
        latest.last = counter.line
        if counter.position is None:
            latest.values[counter.name] = counter.value
        else:
            latest.positions[counter.position] = counter.value
    runs = [
        _run(document.name, engine, scrapes, len(engines) > 1)
        for engine, scrapes in engines.items()
        if any(scrape.values.keys() - {"predicted_tokens", "decode_s"} for scrape in scrapes)
    ]
    if not runs:
        problem = "no counter of speculative decoding has a value"
        remedy = "start the server with --metrics and save /metrics after some requests"
        raise LogError(problem, remedy, document.name)
    runs[0] = replace(runs[0], findings=tuple(unread))
    return tuple(runs)


def _has(scrape: _Scrape, counter: _Counter) -> bool:
    if counter.position is None:
        return counter.name in scrape.values
    return counter.position in scrape.positions


def _counters(document: Document, unread: list[Finding]) -> Iterator[_Counter]:
    for number, line in document.cleaned.pairs():
        text = line.strip(" `")
        if len(line) > _LONGEST_LINE or not _SAMPLE.match(text.lstrip("| ")):
            continue
        if "|" in text:
            # Prometheus' own page, pasted as a table: a sample, and its value in the next cell.
            cells = [cell for cell in cells_of(text) or () if cell]
            text = " ".join(cells[:2])
        yield from _samples(text, number, document.name, unread)


def _samples(text: str, number: int, called: str, unread: list[Finding]) -> Iterator[_Counter]:
    from prometheus_client.parser import (  # noqa: PLC0415 - few logs are counters
        text_string_to_metric_families,
    )

    try:
        samples = [
            sample
            for family in text_string_to_metric_families(text + "\n")
            for sample in family.samples
        ]
    except (ValueError, KeyError, IndexError, OverflowError):  # a time of 400 digits
        if _SPECULATIVE in text and "_created" not in text:
            message = "the counter stops before its value or is none, and is left out"
            unread.append(Finding("warning", "number-unread", f"{called}:{number}", message))
        return
    for sample in samples:
        engine, _, rest = sample.name.partition(":")
        name = _NAMES.get(rest.removesuffix("_total"))
        value = as_measure(sample.value)
        if name is None or engine not in _ENGINES or value is None:
            continue
        labels: Mapping[str, str] = sample.labels
        position = as_count(labels.get("position", "")) if name == "position" else None
        if name == "position" and (position is None or position > _DEEPEST):
            continue
        rest_labels = tuple(sorted((k, v) for k, v in labels.items() if k != "position"))
        yield _Counter(number, (("", engine), *rest_labels), name, position, value)


def _run(
    name: str, engine: tuple[tuple[str, str], ...], scrapes: list[_Scrape], several: bool
) -> Run:
    labels = dict(engine)
    source = Source(name, scrapes[0].first, scrapes[-1].last)
    depth = max((len(scrape.positions) for scrape in scrapes), default=0)
    label = "vLLM" if labels[""] == "vllm" else "llama-server"
    if several and "engine" in labels:
        label = f"{label}, engine {labels['engine']}"
    tasks: tuple[TaskResult, ...] = ()
    total: Aggregate | None = None
    if len(scrapes) == 1:
        only = scrapes[0]
        total = Aggregate(
            source,
            predicted_tokens=_count(only.values, "predicted_tokens"),
            draft_tokens=_count(only.values, "draft_tokens"),
            accepted_tokens=_count(only.values, "accepted_tokens"),
            decode_s=only.values.get("decode_s") or None,
            positions=_positions(only.positions, _count(only.values, "rounds")),
        )
    else:
        tasks = tuple(
            _between(name, place, before, after)
            for place, (before, after) in enumerate(pairwise(scrapes), 1)
        )
    return Run(
        source,
        FORMAT,
        tasks,
        total,
        label=label,
        n_max=depth or None,
        # A path is somebody's machine; its last part is the model.
        target=labels["model_name"].rpartition("/")[2] if "model_name" in labels else None,
        cumulative=len(scrapes) == 1,
    )


def _between(name: str, place: int, before: _Scrape, after: _Scrape) -> TaskResult:
    restarted = any(after.values.get(key, 0) < value for key, value in before.values.items())
    start = _Scrape(0, 0) if restarted else before
    grown = {key: value - start.values.get(key, 0.0) for key, value in after.values.items()}
    positions = {
        key: value - start.positions.get(key, 0.0) for key, value in after.positions.items()
    }
    return TaskResult(
        f"between scrapes {place} and {place + 1}",
        Source(name, before.first, after.last),
        predicted_tokens=_count(grown, "predicted_tokens"),
        draft_tokens=_count(grown, "draft_tokens"),
        accepted_tokens=_count(grown, "accepted_tokens"),
        decode_s=grown.get("decode_s") or None,
        positions=_positions(positions, _count(grown, "rounds")),
    )


def _count(values: Mapping[str, float], name: str) -> int | None:
    return as_count(values[name]) if name in values else None


def _positions(accepted: Mapping[int, float], rounds: int | None) -> Positions | None:
    if not rounds or sorted(accepted) != list(range(len(accepted))) or not accepted:
        return None
    counts = [as_count(accepted[place]) for place in sorted(accepted)]
    whole = [count for count in counts if count is not None]
    if len(whole) < len(counts):
        return None
    return Positions(tuple(count / rounds for count in whole), tuple(whole), rounds)
