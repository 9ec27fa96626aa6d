"""How often was each draft position accepted during one request?

The server counts since its start; the difference of two readings of
``/metrics`` is what happened in between.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from prometheus_client.parser import text_string_to_metric_families

from analysis.runner.deadline import Deadline, ExchangeError
from analysis.runner.running import Running
from analysis.runner.transport import exchange

__all__ = ["AcceptedByPosition", "Counters", "difference", "read_counters"]

_ROUNDS = "llamacpp:spec_decode_num_drafts_total"
_DEEPEST = 1024
_POSITION = "llamacpp:spec_decode_num_accepted_tokens_per_pos_total"


@dataclass(frozen=True)
class Counters:
    """One reading.

    Attributes
    ----------
    rounds
        Verification rounds so far.
    accepted
        Drafted tokens accepted so far, by position from 0; positions that no
        draft has reached yet are not listed.
    """

    rounds: int
    accepted: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class AcceptedByPosition:
    """Accepted at position 1, 2, … in `rounds` verification rounds."""

    accepted: tuple[int, ...]
    rounds: int


def read_counters(server: Running, timeout_s: float = 10.0) -> Counters | None:
    """Read a server's counters; null when it has none, or does not give them in time."""
    try:
        with exchange(server.at, "GET", "/metrics", Deadline(timeout_s)) as response:
            if response.status != HTTPStatus.OK:
                return None
            text = b"".join(response.pieces()).decode("utf-8", "replace")
    except ExchangeError:
        return None
    return parse(text)


def parse(text: str) -> Counters | None:
    """Read the exposition text; null when it is none or has no such counters."""
    rounds: int | None = None
    accepted: dict[int, int] = {}
    try:
        for family in text_string_to_metric_families(_ours(text)):
            for sample in family.samples:
                if not math.isfinite(sample.value):
                    continue
                if sample.name == _ROUNDS:
                    rounds = int(sample.value)
                elif sample.name == _POSITION:
                    accepted[int(sample.labels["position"])] = int(sample.value)
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError):
        return None
    deepest = max(accepted, default=0)
    return None if rounds is None or deepest >= _DEEPEST else Counters(rounds, accepted)


def _ours(text: str) -> str:
    """The lines that are read, of a text that may hold anything."""
    lines = [line for line in text.split("\n") if line.startswith((_ROUNDS, _POSITION))]
    return "\n".join([*lines[: _DEEPEST + 1], ""])


def difference(before: Counters | None, after: Counters | None) -> AcceptedByPosition | None:
    """What happened between two readings; null when one is missing or the server was restarted.

    Examples
    --------
    >>> difference(Counters(10, {0: 6}), Counters(30, {0: 20, 1: 5}))
    AcceptedByPosition(accepted=(14, 5), rounds=20)
    """
    if before is None or after is None:
        return None
    deepest = max(after.accepted, default=-1)
    accepted = tuple(
        after.accepted.get(position, 0) - before.accepted.get(position, 0)
        for position in range(deepest + 1)
    )
    rounds = after.rounds - before.rounds
    if rounds < 0 or any(count < 0 for count in accepted):
        return None
    return AcceptedByPosition(accepted, rounds)
