"""What does a message say about a request? One small record for each kind that matters."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from analysis.parsers.llama_server.totals import Statistics, statistics
from analysis.parsers.text.grammar import decimals

__all__ = [
    "Accepted",
    "Cached",
    "Cancelled",
    "Decoded",
    "Header",
    "Launched",
    "Mark",
    "PerPosition",
    "Prefilled",
    "Released",
    "Round",
    "Total",
    "mark",
    "shares",
]


@dataclass(frozen=True, slots=True)
class Launched:
    """A slot begins a request."""


@dataclass(frozen=True, slots=True)
class Released:
    """A slot is done with a request."""


@dataclass(frozen=True, slots=True)
class Header:
    """A request's figures follow on lines of their own."""


@dataclass(frozen=True, slots=True)
class Cancelled:
    """A client went away."""

    task: int


@dataclass(frozen=True, slots=True)
class Cached:
    """How much of a request's prompt stood in the slot's cache."""

    tokens: int


class Prefilled(NamedTuple):
    """Prompt processing of a request: tokens and seconds."""

    tokens: int
    seconds: float | None


class Decoded(NamedTuple):
    """Generation of a request; `per_token_ms` tells how many tokens the time was divided by."""

    tokens: int
    seconds: float | None
    per_token_ms: float | None
    per_second: float | None


@dataclass(frozen=True, slots=True)
class Total:
    """Prompt processing and generation together."""

    seconds: float | None


class Accepted(NamedTuple):
    """What a request drafted, and what of it was accepted."""

    accepted: int
    drafted: int
    rate: float | None
    decimals: int
    per_position: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class PerPosition:
    """Share accepted at each position."""

    rates: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Round:
    """One verification round; `traced` lines come from LLAMA_TRACE, others from debug output."""

    accepted: int
    drafted: int
    restored: bool
    traced: bool


Mark = (
    Launched
    | Released
    | Header
    | Cached
    | Cancelled
    | Prefilled
    | Decoded
    | Total
    | Accepted
    | PerPosition
    | Round
    | Statistics
)

_SHARE = re.compile(r" *[01](?:\.\d{1,6})? *(?:, *[01](?:\.\d{1,6})? *){0,255}", re.ASCII)
_REAL = r"(-?(?:\d{1,15}(?:\.\d{1,9})?|nan|inf))"
_PROMPT = re.compile(rf"prompt eval time = *{_REAL} ms / *(\d{{1,9}}) tokens\b")
_EVAL = re.compile(
    rf"eval time = *{_REAL} ms / *(\d{{1,9}}) tokens\b"
    rf"(?: *\( *{_REAL} ms per token, *{_REAL} tokens per second\))?"
)
_TOTAL = re.compile(rf"total time = *{_REAL} ms")
_ACCEPTANCE = re.compile(
    rf"draft acceptance(?: rate)? = *{_REAL} *\( *(\d{{1,9}}) accepted */ *(\d{{1,9}}) generated\)"
    rf"(?:, mean (?:acceptance length|len) = *{_REAL})?"
    r"(?:, acceptance rate per position = \(([^()]*)\))?"
)
_PER_POSITION = re.compile(r"acc per pos = \(([^()]*)\)")
_ROUND = re.compile(
    r"accepted *(\d{1,6})/ *(\d{1,6}) draft tokens(?: (\(restore checkpoint\))|(, new n_tokens)|$)"
)
_CACHED = re.compile(r"cached n_tokens = (\d{1,9})\b")
_CANCEL = re.compile(r"(?:\w+ +\w+: +)?cancel task, id_task = (\d{1,9})")


def mark(text: str) -> Mark | None:
    """Read one message; ``None`` when it says nothing that is read."""
    read = _BY_BEGINNING.get(text[:4])
    if read is not None and (found := read(text)):
        return found
    if totals := statistics(text):
        return totals
    cancelled = _CANCEL.match(text)
    return Cancelled(int(cancelled[1])) if cancelled else None


def _round(text: str) -> Round | None:
    found = _ROUND.match(text)
    if found is None:
        return None
    accepted, drafted, restored, debug = found.groups()
    return Round(int(accepted), int(drafted), restored is not None, debug is None)


def _prefilled(text: str) -> Prefilled | None:
    found = _PROMPT.match(text)
    return Prefilled(int(found[2]), _seconds(found[1])) if found else None


def _cached(text: str) -> Cached | None:
    found = _CACHED.match(text)
    return Cached(int(found[1])) if found else None


def _decoded(text: str) -> Decoded | None:
    found = _EVAL.match(text)
    if found is None:
        return None
    spent, tokens, per_token, per_second = found.groups()
    # A rate of 0.00 stands for a request that decoded nothing.
    return Decoded(int(tokens), _seconds(spent), _real(per_token), _real(per_second) or None)


def _total(text: str) -> Total | None:
    found = _TOTAL.match(text)
    return Total(_seconds(found[1])) if found else None


def _launched(text: str) -> Launched | None:
    return Launched() if text.startswith("processing task") else None


def _released(text: str) -> Released | None:
    return Released() if text.startswith("stop processing") else None


def _per_position(text: str) -> PerPosition | None:
    found = _PER_POSITION.match(text)
    return PerPosition(shares(found[1])) if found else None


def _accepted(text: str) -> Accepted | None:
    found = _ACCEPTANCE.match(text)
    if found is None:
        return None
    return Accepted(
        accepted=int(found[2]),
        drafted=int(found[3]),
        rate=_real(found[1]),
        decimals=decimals(found[1]),
        per_position=shares(found[5] or ""),
    )


def shares(text: str) -> tuple[float, ...]:
    """Shares accepted by position; none where one of them is no share."""
    return tuple(map(float, text.split(","))) if _SHARE.fullmatch(text) else ()


def _real(text: str | None) -> float | None:
    """A number that matched; ``inf``, ``nan`` and negative ones are none."""
    return float(text) if text and text[0].isdigit() else None


def _seconds(text: str) -> float | None:
    value = _real(text)
    return None if value is None else value / 1000


_BY_BEGINNING: dict[str, Callable[[str], Mark | None]] = {
    "acce": _round,
    "prom": _prefilled,
    "eval": _decoded,
    "tota": _total,
    "proc": _launched,
    "stop": _released,
    "draf": _accepted,
    "acc ": _per_position,
    "cach": _cached,
}
