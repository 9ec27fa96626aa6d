"""Rates: over which tokens is one taken, and how long did decoding take?

One convention everywhere, that of current builds of llama.cpp: decoding starts
with the first token in hand, which prefill gave, so a request of n tokens is
timed over n - 1. Logs of builds that counted all n are brought to it. What was
not timed has no rate.
"""

from __future__ import annotations

import math
import re
from typing import Literal

from analysis.records import Run, TaskResult

__all__ = ["build_number", "decode_seconds", "decode_tps", "rate_convention", "timed_tokens"]

Convention = Literal["n", "n-1"]

# Only what is sure on either side: between them a build alone does not tell.
_LAST_RATE_BY_N = 9750
_FIRST_RATE_BY_N_LESS_1 = 10434
_BUILD = re.compile(r"b?(\d{4,6})(?:\s*\([0-9a-f]{6,40}\))?")
_TOLERANCE = 2e-3


def build_number(text: str | None) -> int | None:
    """Return the number of a build, null where the text is not exactly one build.

    Examples
    --------
    >>> build_number("b9831"), build_number("b10570 (9b9ac3e38)"), build_number("b9831 or newer")
    (9831, 10570, None)
    """
    found = _BUILD.fullmatch((text or "").strip())
    return int(found[1]) if found else None


def rate_convention(run: Run, build: str | None) -> Convention | None:
    """Return over which tokens a run's rates are printed, null where nothing tells.

    A server's log says it; else a request with both its decode time and its
    rate does, else the build. Rates of requests too long to tell the two apart
    say nothing.
    """
    if run.rate_convention is not None:
        return run.rate_convention
    votes: set[Convention] = set()
    for task in run.tasks:
        n, seconds, rate = task.predicted_tokens, task.decode_s, task.decode_tps
        if n is None or not seconds or not rate or not 2 <= n <= 1 / (2 * _TOLERANCE):
            continue
        counted = rate * seconds
        if _is(counted, n) != _is(counted, n - 1):
            votes.add("n" if _is(counted, n) else "n-1")
    if len(votes) == 1:
        return votes.pop()
    number = build_number(run.build or build)
    if votes or number is None:
        return None
    if number <= _LAST_RATE_BY_N:
        return "n"
    return "n-1" if number >= _FIRST_RATE_BY_N_LESS_1 else None


def _is(counted: float, tokens: int) -> bool:
    return abs(counted - tokens) <= max(_TOLERANCE * tokens, 0.05)


def timed_tokens(result: TaskResult) -> int | None:
    """Tokens that decode time was spent on: all but the first of each request.

    A row that sums several requests lacks the first token of each.
    """
    if result.predicted_tokens is None:
        return None
    return max(result.predicted_tokens - result.pooled, 0)


def decode_seconds(result: TaskResult, convention: Convention | None) -> float | None:
    """Decode time: measured, else from the rate and the tokens that it counts.

    0 where nothing was decoded: a single token comes from prefill, whatever a
    server prints beside it. Null where no time of any sense is stated.

    Parameters
    ----------
    result
        A request, or a row that sums several.
    convention
        How its source counts, see :func:`rate_convention`; null is taken for
        that of current builds.
    """
    tokens = timed_tokens(result)
    if tokens == 0:
        return 0.0
    if _positive(result.decode_s):
        return result.decode_s
    if tokens is None or result.predicted_tokens is None or not _positive(result.decode_tps):
        return None
    counted = result.predicted_tokens if convention == "n" else tokens
    return counted / result.decode_tps  # type: ignore[operator]


def decode_tps(result: TaskResult, convention: Convention | None) -> float | None:
    """Timed tokens over decode time; null where nothing was timed.

    Parameters
    ----------
    result, convention
        As in :func:`decode_seconds`.
    """
    tokens = timed_tokens(result)
    if tokens == 0:
        return None
    if _positive(result.decode_tps):
        if convention == "n" and tokens is not None and result.predicted_tokens:
            return result.decode_tps * tokens / result.predicted_tokens  # type: ignore[operator]
        return result.decode_tps
    seconds = decode_seconds(result, convention)
    return tokens / seconds if tokens and seconds else None


def _positive(value: float | None) -> bool:
    return value is not None and 0 < value < math.inf
