"""Can these timings of a server be true? They are data from outside until they are checked.

Numbers must be finite and not negative, whole where they count, and fit
together: within what was asked for, within the wall time that the client saw,
and rates with their counts and times.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from analysis.runner.deadline import ExchangeError

__all__ = ["Timings", "read_timings", "since_first_token"]

_LARGEST = 2.0**53
_COUNTS = ("prompt_n", "predicted_n", "draft_n", "draft_n_accepted", "cache_n")
_NEEDED = ("prompt_n", "prompt_ms", "predicted_n", "predicted_ms")
_NUMBERS = frozenset((*_COUNTS, *_NEEDED, "prompt_per_second", "predicted_per_second"))

WALL_SHARE, WALL_S = 0.05, 0.05
"""By how much a server's time may exceed the client's for the same request."""

RATE_SHARE = 0.01
UNTIMED_MS = 0.01
"""With one token, servers report 0.001 ms and a rate of 0: nothing was timed."""


@dataclass(frozen=True)
class Timings:
    """llama.cpp's ``timings`` of one request, checked.

    Attributes
    ----------
    sent
        The object as it was sent, its numbers only: milliseconds and tokens.
    prompt_tokens, predicted_tokens, draft_tokens, accepted_tokens
        Its counts; drafted and accepted are 0 where it has none.
    """

    sent: Mapping[str, float]
    prompt_tokens: int
    predicted_tokens: int
    draft_tokens: int
    accepted_tokens: int


def read_timings(sent: Mapping[str, Any], most_tokens: int, wall_s: float) -> Timings:
    """Check a server's timings of one whole answer.

    Parameters
    ----------
    sent
        As the last chunk has them.
    most_tokens
        What the request asked for at most.
    wall_s
        The request's wall time at the client.

    Raises
    ------
    ExchangeError
        ``malformed``: something is missing or no number. ``implausible``: the
        numbers contradict each other or the request. The message says which.
    """
    for name in _NEEDED:
        if sent.get(name) is None:
            raise ExchangeError("malformed", f"the answer's timings have no {name}")
    # What a later build adds is kept where it is a number, and is no reason to refuse the rest.
    known = {
        name: value
        for name, value in sent.items()
        if value is not None and (name in _NUMBERS or _wrong_number(name, value) is None)
    }
    for name, value in known.items():
        if (wrong := _wrong_number(name, value)) is not None:
            raise ExchangeError("malformed", f"the answer's timings have {wrong}")
    counts = {name: int(known.get(name, 0)) for name in _COUNTS}
    problem = _contradiction(known, counts, most_tokens, wall_s)
    if problem is not None:
        raise ExchangeError("implausible", problem)
    return Timings(
        {name: counts[name] if name in _COUNTS else value for name, value in known.items()},
        counts["prompt_n"],
        counts["predicted_n"],
        counts["draft_n"],
        counts["draft_n_accepted"],
    )


def _wrong_number(name: str, value: object) -> str | None:
    """What is wrong with a value that should be a number, or null."""
    said = f"{name} = {repr(value)[:40]}"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"{said}, which is no number"
    if not 0 <= value < _LARGEST:
        return f"{said}, which is negative or without bound"
    if name in _COUNTS and value != int(value):
        return f"{said}, which is no whole number"
    return None


def _contradiction(
    known: Mapping[str, float], counts: Mapping[str, int], most_tokens: int, wall_s: float
) -> str | None:
    """What can't be true, as a sentence, or null."""
    predicted, drafted, accepted = (
        counts[name] for name in ("predicted_n", "draft_n", "draft_n_accepted")
    )
    if counts["cache_n"] or not counts["prompt_n"]:
        return (
            f"{counts['cache_n']} tokens of the prompt came from the server's cache, "
            f"{counts['prompt_n']} were processed: this is not the time of the whole prompt"
        )
    if not 1 <= predicted <= most_tokens:
        return f"the server generated {predicted} tokens, 1 to {most_tokens} were asked for"
    if accepted > drafted:
        return f"the server accepted {accepted} of {drafted} drafted tokens"
    if accepted > predicted:
        return f"the server accepted {accepted} drafted tokens in an answer of {predicted}"
    told_s = (known["prompt_ms"] + known["predicted_ms"]) / 1000
    if told_s > wall_s * (1 + WALL_SHARE) + WALL_S:
        return f"the server says that it worked {told_s:.3g} s, the answer took {wall_s:.3g} s"
    return _wrong_rate(known, predicted)


def _wrong_rate(known: Mapping[str, float], predicted: int) -> str | None:
    """Builds divide n or n - 1 tokens by the decode time, so a rate is between the two."""
    rate, decode_ms = known.get("predicted_per_second"), known["predicted_ms"]
    if rate is None or decode_ms <= UNTIMED_MS or predicted < 2:
        return None
    low, high = ((predicted - less) / decode_ms * 1000 for less in (1, 0))
    if low * (1 - RATE_SHARE) <= rate <= high * (1 + RATE_SHARE):
        return None
    return (
        f"the server says {rate:.6g} tokens/s, but {predicted} tokens "
        f"in {decode_ms:.6g} ms are {high:.6g}"
    )


def since_first_token(timings: object) -> float | None:
    """How long ago the first token was there, in s, as a chunk's own timings say; null without."""
    if not isinstance(timings, dict) or not timings.get("predicted_n"):
        return None
    since = timings.get("predicted_ms")
    if isinstance(since, bool) or not isinstance(since, int | float):
        return None
    return since / 1000 if 0 <= since < _LARGEST else None
