"""How AIPerf writes a figure: a value with its unit, or a histogram of accepted tokens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.parsers.text.grammar import as_count, as_measure
from analysis.records import Positions

__all__ = ["DEEPEST", "LONGEST", "Values", "block", "by_position", "in_seconds"]

LONGEST = 200
DEEPEST = 1024
"""No drafter goes deeper."""

Values = Mapping[str, Any]
_SECONDS = {
    "s": 1.0, "sec": 1.0, "seconds": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0,
}  # fmt: skip


def block(value: object) -> dict[str, Any]:
    """An object of JSON; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def in_seconds(metric: object, name: str = "avg") -> float | None:
    """A time by its unit; null for a unit that is none of a time."""
    found = block(metric)
    value, unit = as_measure(found.get(name)), found.get("unit")
    scale = _SECONDS.get(unit) if isinstance(unit, str) else None
    return None if value is None or scale is None else value * scale


def by_position(histogram: object) -> Positions | None:
    """Acceptance by position, of how many rounds accepted how many tokens."""
    if not isinstance(histogram, dict):
        return None
    found = {as_count(key): as_count(value) for key, value in histogram.items()}
    counts = {key: value for key, value in found.items() if key is not None and value is not None}
    rounds, deepest = sum(counts.values()), max(counts, default=0)
    if len(counts) < len(histogram) or not rounds or not 0 < deepest <= DEEPEST:
        return None
    accepted = tuple(
        sum(count for length, count in counts.items() if length >= position)
        for position in range(1, deepest + 1)
    )
    return Positions(tuple(count / rounds for count in accepted), accepted, rounds)
