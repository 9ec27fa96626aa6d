"""mtp-bench's ``--out`` file, alone, wrapped in a caller's keys, or several in a list."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import cast

from analysis.errors import LogError
from analysis.parsers.mtp_bench.totals import TOTALS, aggregate_from
from analysis.parsers.text.command import settings, spec_type_name
from analysis.parsers.text.document import Document
from analysis.parsers.text.grammar import as_count, as_measure
from analysis.parsers.text.json_text import JsonValue, decode, items, members, objects
from analysis.records import Aggregate, Finding, Run, Source, TaskResult

__all__ = ["FORMAT", "HINTS", "SHAPE", "read", "recognises"]

FORMAT = "mtp-bench-json"
SHAPE = 'mtp-bench\'s --out file (`{"results": […], "aggregate": {…}}`)'
HINTS = (
    '"results"',
    '"aggregate"',
    '"predicted_n"',
    '"draft_n"',
    '"predicted_per_second"',
    '"wall_s"',
)

_BEGINS = re.compile(r"\s*[\[{]")
_RESULTS = re.compile(r'"results"\s*:\s*\[')
_FIGURES = re.compile(
    r'"(?:predicted_n|predicted_per_second|draft_n|n_requests|total_predicted|wall_s_total)"\s*:'
)
_ROW_KEYS = frozenset({"predicted_n", "predicted_per_second", "draft_n", "error"})
_ACCEPTED = ("draft_n_accepted", "draft_accept_n")
_NO_FLAGS = frozenset({"", "(none)", "none"})
_OUR_KEYS = frozenset({"results", "aggregate"})
_TIMES_FASTEST = 1e6


def recognises(document: Document) -> bool:
    """Whether the text begins like JSON and has the script's keys, broken or not."""
    text = document.text
    return bool(_BEGINS.match(text) and _RESULTS.search(text) and _FIGURES.search(text))


def read(document: Document) -> tuple[Run, ...]:
    """Read every object that has results.

    Returns
    -------
    tuple of Run
        In order. Impossible figures are left out, with a ``number-unread``
        finding; results without rows beside others are a ``no-rows`` one.

    Raises
    ------
    LogError
        When the JSON is broken, or holds no result.
    """
    runs = [
        _SavedReader(document, value).run()
        for top in decode(document)
        for value in objects(document.text, top)
        if _is_output(value.data)
    ]
    if any(run.tasks for run in runs):
        return tuple(runs)
    if not runs:
        problem = 'no object here has "results" with an mtp-bench task in them'
        raise LogError(problem, "name the file that --out wrote", document.name, 1)
    line = runs[0].source.first_line
    remedy = "run the benchmark again with --out"
    raise LogError("a block with no rows", remedy, document.name, line)


def _is_output(data: object) -> bool:
    if not isinstance(data, dict) or not isinstance(data.get("results"), list):
        return False
    aggregate = data.get("aggregate")
    if isinstance(aggregate, dict) and TOTALS & aggregate.keys():
        return True
    return any(_is_row(row) for row in data["results"])


def _is_row(data: object) -> bool:
    return (
        isinstance(data, dict)
        and isinstance(data.get("name"), str)
        and bool(_ROW_KEYS & data.keys())
    )


@dataclass
class _SavedReader:
    document: Document
    value: JsonValue

    def __post_init__(self) -> None:
        self.findings: list[Finding] = []

    def run(self) -> Run:
        wrapping: dict[str, object] = {}
        tasks: list[TaskResult] = []
        aggregate: Aggregate | None = None
        for key, value in members(self.document.text, self.value):
            if key == "results" and isinstance(value.data, list):
                tasks = list(self._tasks(value))
            elif key == "aggregate" and isinstance(value.data, dict):
                aggregate = self._aggregate(value)
                wrapping.setdefault("concurrency", value.data.get("concurrency"))
            elif key not in _OUR_KEYS:
                wrapping[key] = value.data
        source = self._source(self.value)
        if not tasks:
            message = "results without a task; run the benchmark again with --out"
            self.findings.append(Finding("error", "no-rows", str(source), message))
        run = Run(source, FORMAT, tuple(tasks), aggregate, findings=tuple(self.findings))
        return _wrapped(run, wrapping)

    def _source(self, value: JsonValue) -> Source:
        return self.document.source(self.document.plain, value.start, value.end)

    def _unread(self, source: Source, message: str) -> None:
        self.findings.append(Finding("warning", "number-unread", str(source), message))

    def _aggregate(self, value: JsonValue) -> Aggregate:
        source = self._source(value)
        aggregate, unread = aggregate_from(cast("Mapping[str, object]", value.data), source)
        for key in unread:
            self._unread(source, f"{key} can't be read and is left out")
        return aggregate

    def _tasks(self, results: JsonValue) -> Iterator[TaskResult]:
        seen: Counter[str] = Counter()
        places = _rate_places(cast("list[object]", results.data))
        for value in items(self.document.text, results):
            if _is_row(value.data):
                row = cast("dict[str, object]", value.data)
                name = str(row["name"])
                seen[name] += 1
                yield replace(self._task(row, name, self._source(value), places), repeat=seen[name])

    def _task(
        self, row: Mapping[str, object], name: str, source: Source, places: int | None
    ) -> TaskResult:
        if row.get("error"):
            return TaskResult(
                name, source, error=str(row["error"]), wall_s=as_measure(row.get("wall_s"))
            )
        accepted = next((row[key] for key in _ACCEPTED if row.get(key) is not None), None)
        counts = {
            "predicted_n": as_count(row.get("predicted_n")),
            "draft_n": as_count(row.get("draft_n")),
            "draft_n_accepted": as_count(accepted),
        }
        speed = as_measure(row.get("predicted_per_second"))
        speed = speed if speed and speed <= _TIMES_FASTEST else None
        rate, wall = as_measure(row.get("accept_rate")), as_measure(row.get("wall_s"))
        given = {**row, "draft_n_accepted": accepted}
        read: dict[str, object] = {
            **counts,
            "predicted_per_second": speed,
            "accept_rate": rate,
            "wall_s": wall,
        }
        for key, figure in read.items():
            if figure is None and given.get(key) is not None:
                self._unread(source, f"{key} of {name} can't be read and is left out")
        return TaskResult(
            name,
            source,
            predicted_tokens=counts["predicted_n"],
            draft_tokens=counts["draft_n"],
            accepted_tokens=counts["draft_n_accepted"],
            reported_rate=rate,
            rate_decimals=None if rate is None else places,
            decode_tps=speed,
            wall_s=wall,
        )


def _rate_places(rows: list[object]) -> int | None:
    """Digits to which the script rounded its rates: JSON drops a trailing zero of some."""
    rates = [row.get("accept_rate") for row in rows if isinstance(row, dict)]
    texts = [repr(rate) for rate in rates if isinstance(rate, float)]
    return max((len(text.partition(".")[2]) for text in texts if "e" not in text), default=None)


def _wrapped(run: Run, keys: Mapping[str, object]) -> Run:
    """Add to a run what the keys around its results say."""
    words = {key: value for key, value in keys.items() if isinstance(value, str) and value.strip()}
    flags = words.pop("spec_flags", None)
    label = words.pop("mode", None) or words.pop("label", None)
    target = words.pop("model", None)
    build = words.pop("build", None)
    spec_type = spec_type_name(words.pop("spec_type", ""))
    if flags is not None and flags.strip().lower() in _NO_FLAGS:
        flags, spec_type = None, "none"
    found = settings(flags or "")
    numbers = {key: value for key, value in keys.items() if isinstance(value, int | float)}
    return replace(
        run,
        label=label,
        command=flags,
        spec_type=found.spec_type or spec_type,
        n_max=found.n_max if found.n_max is not None else as_count(numbers.pop("n_max", None)),
        p_min=found.p_min if found.p_min is not None else as_measure(numbers.pop("p_min", None)),
        draft=found.draft,
        target=target or found.target,
        build=build,
        temperature=found.temperature
        if found.temperature is not None
        else as_measure(numbers.pop("temperature", None)),
        concurrency=as_count(numbers.pop("concurrency", None)),
        synthetic=found.synthetic,
        conditions={key: str(value)[:200] for key, value in {**words, **numbers}.items()}
        | dict(found.conditions),
    )
