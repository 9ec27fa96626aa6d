"""All figures of a request at one go, where its lines stand together as today's builds print them.

Nearly all of a log without verification rounds is such lines. Whatever differs
in anything is left to the reader of single lines, which gives the same.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from analysis.parsers.llama_server.lines import clock_s
from analysis.parsers.llama_server.marks import (
    Accepted,
    Decoded,
    Prefilled,
    Statistics,
    mark,
    shares,
)

__all__ = ["Whole", "whole"]

_REAL = rb"(\d{1,15}\.\d{1,9})"
_RATES = rb" tokens \( *" + _REAL + rb" ms per token, *" + _REAL + rb" tokens per second\)"
_CLOCK = rb"\d{1,7}\.\d\d\.\d{3}\.\d{3} I "
_SAME = rb"\r?\n" + _CLOCK + rb"slot print_timing: id +(?P=slot) \| task (?P=task) \| "
_WHOLE = re.compile(
    _CLOCK + rb"slot print_timing: id +(?P<slot>\d{1,4}) \| task (?P<task>\d{1,9}) \| "
    rb"prompt eval time = *" + _REAL + rb" ms / *(\d{1,9})" + _RATES
    + _SAME + rb" *eval time = *" + _REAL + rb" ms / *(\d{1,9})" + _RATES
    + _SAME + rb" *total time = *" + _REAL + rb" ms / *\d{1,9} tokens"
    + rb"(?:" + _SAME + rb" *graphs reused = *\d{1,9})?"
    + rb"(?:" + _SAME + rb"draft acceptance = (\d\.\d{1,9}) "
    rb"\( *(\d{1,9}) accepted / *(\d{1,9}) generated\), mean len = *" + _REAL
    + rb"(?:" + _SAME + rb" *acc per pos = \(([\d., ]{1,2000})\))?)?"
    + rb"(?:\r?\n" + _CLOCK + rb"(spec common_specu: statistics [^\r\n]{1,4000}))?"
    + rb"(?P<done>\r?\n" + _CLOCK
    + rb"slot +release: id +(?P=slot) \| task (?P=task) \| stop processing: [^\r\n]{1,200})?"
    rb"(?=\r?\n)"
)  # fmt: skip
_OWN = (11, 15, 16)
"""Groups of what may be the last figure: total, mean length, positions."""


class Whole(NamedTuple):
    """The figures of one request.

    Attributes
    ----------
    last_figure, last
        How many lines below the first the last of its own figures and the last of all are.
    ended_s
        When the last line of its slot was printed.
    statistics
        Totals of the one implementation.
    done
        Whether the slot is done with it.
    """

    slot: int
    task: int
    last_figure: int
    last: int
    prefilled: Prefilled
    decoded: Decoded
    total_s: float
    accepted: Accepted | None
    rates: tuple[float, ...]
    ended_s: float
    statistics: Statistics | None
    done: bool


def whole(raw: bytes, start: int) -> Whole | None:
    """The lines that begin at `start`, as far as they are figures of one request."""
    found = _WHOLE.match(raw, start)
    if found is None:
        return None
    (
        slot, task, prompt_ms, prompt, _, _, ms, tokens, each, speed, total_ms,
        rate, accepted, drafted, _, by_position, totals, done,
    ) = found.groups()  # fmt: skip
    end = max(map(found.end, _OWN))
    counted = mark(totals.decode()) if totals else None
    statistics = counted if isinstance(counted, Statistics) else None
    if totals and statistics is None:
        return None
    drafts = None
    if accepted is not None:
        places = len(rate) - 2
        drafts = Accepted(int(accepted), int(drafted), float(rate), places, ())
    return Whole(
        int(slot),
        int(task),
        raw.count(b"\n", start, end),
        raw.count(b"\n", start, found.end()),
        Prefilled(int(prompt), float(prompt_ms) / 1000),
        Decoded(int(tokens), float(ms) / 1000, float(each), float(speed) or None),
        float(total_ms) / 1000,
        drafts,
        shares(by_position.decode()) if by_position else (),
        _clock(raw, start, found.end() if done else end),
        statistics,
        done is not None,
    )


def _clock(raw: bytes, start: int, end: int) -> float:
    """The clock of the line that ends before `end`, which is not above `start`."""
    at = raw.rfind(b"\n", start, end - 1) + 1 or start
    return clock_s(*raw[at : raw.index(b" ", at)].split(b"."))
