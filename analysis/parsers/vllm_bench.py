"""What ``vllm bench serve`` prints at its end, with its speculative decoding section."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from analysis.errors import LogError
from analysis.parsers.text.document import Document
from analysis.parsers.text.grammar import NUMBER, as_count, as_measure, decimals, scaled
from analysis.parsers.text.headings import heading
from analysis.parsers.text.spec_words import drafted_depth, mined
from analysis.records import Aggregate, Finding, Positions, Run, Source

__all__ = ["FORMAT", "HINTS", "SHAPE", "read", "recognises"]

FORMAT = "vllm-bench"
SHAPE = "the report of `vllm bench serve` (`Speculative Decoding` section)"
HINTS = (
    "acceptance rate (%)",
    "acceptance length",
    "draft tokens",
    "accepted tokens",
    "per-position acceptance",
    "speculative decoding",
    "benchmark duration",
)

_LINE = re.compile(rf"[ |]*(?P<key>[A-Za-z][^:\n|]{{2,60}}?)[ ]*:[ ]*(?P<value>{NUMBER})[ |]*")
_POSITION = re.compile(r"(Position|[Aa]cceptance(?: rate)? at token) (\d{1,3})")
_BEGINS = re.compile(
    r"(?<!=)=++ ?Serving Benchmark Result ?=+|(?<!-)-{3,}+Speculative Decoding-{3,}"
)
_KEYS = {
    "Successful requests": "n_requests",
    "Maximum request concurrency": "concurrency",
    "Benchmark duration (s)": "elapsed_s",
    "Total generated tokens": "predicted_tokens",
    "Acceptance rate (%)": "acceptance_rate",
    "Acceptance length": "mean_length",
    "Drafts": "rounds",
    "Draft tokens": "draft_tokens",
    "Accepted tokens": "accepted_tokens",
    # What the script for offline use prints, and what people make of it.
    "Total output tokens": "predicted_tokens",
    "total_num_output_tokens": "predicted_tokens",
    "Number of draft proposals": "rounds",
    "num_drafts": "rounds",
    "Number of draft tokens generated": "draft_tokens",
    "num_draft_tokens": "draft_tokens",
    "Number of accepted tokens": "accepted_tokens",
    "num_accepted_tokens": "accepted_tokens",
    "Mean acceptance length": "mean_length",
    "mean acceptance length": "mean_length",
}
_COUNTS = frozenset(
    {"n_requests", "concurrency", "predicted_tokens", "rounds"}
    | {"draft_tokens", "accepted_tokens"}
)
_SPECULATIVE = frozenset({"acceptance_rate", "mean_length", "rounds", "draft_tokens"})
_LONGEST_LINE = 300


@dataclass
class _Section:
    """The lines of one report, as they are gathered."""

    first: int
    last: int
    start: int
    values: dict[str, str] = field(default_factory=dict)
    positions: dict[int, str] = field(default_factory=dict)
    percent: bool = False


def recognises(document: Document) -> bool:
    """Whether a report is there with its acceptance."""
    if "ccept" not in document.text:
        return False
    return any(_speculative(section) for section in _sections(document))


def read(document: Document) -> tuple[Run, ...]:
    """Read a run of totals per report; one without acceptance beside others is a baseline's.

    Raises
    ------
    LogError
        When there is no report with acceptance.
    """
    sections = [section for section in _sections(document) if len(section.values) > 1]
    if not any(map(_speculative, sections)):
        problem = "no speculative decoding section of vllm bench serve is here"
        remedy = "paste the report from its first rule to its last"
        raise LogError(problem, remedy, document.name)
    text = document.cleaned.text
    floor = 0
    runs = []
    for section in sections:
        label = heading(text[floor : section.start]).label
        runs.append(_run(section, document.name, label))
        floor = section.start
    return tuple(runs)


def _speculative(section: _Section) -> bool:
    return len(section.values) > 1 and (
        "acceptance_rate" in section.values
        or {"rounds", "draft_tokens", "accepted_tokens"} <= section.values.keys()
    )


def _sections(document: Document) -> Iterator[_Section]:
    section: _Section | None = None
    offset = 0
    for number, line in document.cleaned.pairs():
        start, offset = offset, offset + len(line) + 1
        if len(line) > _LONGEST_LINE:
            continue
        titled = _BEGINS.search(line)
        if titled:
            # The speculative section stands inside of the report that it belongs to.
            inside = (
                "Speculative" in titled[0] and section and not _SPECULATIVE & section.values.keys()
            )
            if not inside:
                if section:
                    yield section
                section = _Section(number, number, start)
            continue
        found = _LINE.fullmatch(line.rstrip())
        if not found:
            continue
        position = _POSITION.fullmatch(found["key"].strip())
        key = _KEYS.get(found["key"].strip())
        if not position and not key:
            continue
        if section is None or (key and key in section.values):
            if section:
                yield section
            section = _Section(number, number, start)
        section.last = number
        if position:
            section.positions.setdefault(int(position[2]), found["value"])
            section.percent = position[1] == "Position"
        elif key:
            section.values[key] = found["value"]
    if section:
        yield section


def _run(section: _Section, name: str, label: str | None) -> Run:
    source = Source(name, section.first, section.last)
    values = {
        key: as_count(text) if key in _COUNTS else as_measure(text)
        for key, text in section.values.items()
    }
    unread = [key for key, value in values.items() if value is None]

    def count(key: str) -> int | None:
        value = values.get(key)
        return None if value is None else int(value)

    rate = values.get("acceptance_rate")
    shares = [as_measure(section.positions[place]) for place in sorted(section.positions)]
    whole = sorted(section.positions) == list(range(len(shares))) and None not in shares
    spec_type, depth = mined(label or "")
    speculative = bool(_SPECULATIVE & values.keys())
    return Run(
        source,
        FORMAT,
        aggregate=Aggregate(
            source,
            n_requests=count("n_requests"),
            predicted_tokens=count("predicted_tokens"),
            draft_tokens=count("draft_tokens"),
            accepted_tokens=count("accepted_tokens"),
            acceptance_rate=None if rate is None else scaled(rate, -2),
            rate_decimals=decimals(section.values.get("acceptance_rate", "")) + 2,
            elapsed_s=values.get("elapsed_s"),
            positions=Positions(
                tuple(
                    scaled(share, -2) if section.percent else share
                    for share in shares
                    if share is not None
                ),
                rounds=count("rounds"),
            )
            if shares and whole
            else None,
        ),
        label=label,
        spec_type=spec_type if speculative or spec_type == "none" else None,
        # People cut positions off, and counts do not lie.
        n_max=drafted_depth(count("rounds"), count("draft_tokens"))
        or (len(shares) if whole else 0)
        or depth
        if speculative
        else None,
        concurrency=count("concurrency"),
        findings=tuple(
            Finding("warning", "number-unread", str(source), f"{key} can't be read")
            for key in unread
        ),
    )
