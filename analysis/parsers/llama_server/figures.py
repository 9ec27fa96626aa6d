"""All figures of a request at one go, where its lines stand together as today's builds print them.

Nearly all of a log without verification rounds is such lines. Whatever differs
in anything is left to the reader of single lines, which gives the same.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from analysis.parsers.llama_server.clocks import clock_s
from analysis.parsers.llama_server.marks import (
    Accepted,
    Decoded,
    Prefilled,
    shares,
)
from analysis.parsers.llama_server.totals import Statistics, statistics

__all__ = ["Whole", "whole"]

_REAL = rb"(\d{1,15}+\.\d{1,9}+)"
_RATES = rb" tokens \( *+" + _REAL + rb" ms per token, *+" + _REAL + rb" tokens per second\)"
_UNREAD = rb" tokens \( *[\d.]{3,25}+ ms per token, *[\d.]{3,25}+ tokens per second\)"
_CLOCK = rb"\d{1,7}+\.\d\d\.\d{3}\.\d{3} I "
_TIMED = rb"(\d{1,7}+)\.(\d\d)\.(\d{3})\.(\d{3}) I "
_TAG = rb"id ++(?P<slot>\d{1,4}+) \| task (?P<task>\d{1,9}+) \| "
_SAME = _CLOCK + rb"slot print_timing: id ++(?P=slot) \| task (?P=task) \| "
_NEXT = rb"\r?\n" + _SAME
_FIGURES = (
    rb"prompt eval time = *+" + _REAL + rb" ms / *+(\d{1,9}+)" + _UNREAD
    + _NEXT + rb" *+eval time = *+" + _REAL + rb" ms / *+(\d{1,9}+)" + _RATES
    + _NEXT + rb" *+total time = *+" + _REAL + rb" ms / *+\d{1,9}+ tokens"
    + rb"(" + _NEXT + rb" *+graphs reused = *+\d{1,9}+)?"
    + rb"(?:" + _NEXT + rb"draft acceptance = (\d\.\d{1,9}+) "
    rb"\( *+(\d{1,9}+) accepted / *+(\d{1,9}+) generated\), mean len = *+\d{1,15}+\.\d{1,9}+"
    rb"(?:" + _NEXT + rb" *+acc per pos = \(([\d., ]{1,2000})\))?)?"
    + rb"(?:\r?\n" + _CLOCK + rb"(spec common_specu: statistics [^\r\n]{1,4000}))?"
    + rb"(\r?\n" + _TIMED
    + rb"slot ++release: id ++(?P=slot) \| task (?P=task) \| stop processing: [^\r\n]{1,200}+)"
)  # fmt: skip
_END = rb"(?=\r?\n)"
_WHOLE = re.compile(_TIMED + rb"slot print_timing: " + _TAG + _FIGURES + rb"?" + _END)
_LAUNCHED = re.compile(
    _TIMED + rb"slot launch_slot_: " + _TAG + rb"processing task[^\r\n]{0,80}\r?\n"
    # What a slot says of its prompt, which is none of its figures.
    rb"(?:" + _CLOCK + rb"slot +(?:update_slots|init_sampler): id +(?P=slot) \| task (?P=task) \| "
    rb"(?:new prompt|n_tokens = |n_past = |cached n_tokens|kv cache rm|prompt processing"
    rb"|prompt done|init sampler)[^\r\n]{0,400}\r?\n){0,64}"
    + _SAME + _FIGURES + _END
)  # fmt: skip
_CACHED = re.compile(rb"cached n_tokens = (\d{1,9})\b")
_FIRST_FIGURE, _LAST_FIGURES = 7, (13, 17, 18)
"""Groups: the prompt's time; what may be the last figure, the total, drafts or positions."""


class Whole(NamedTuple):
    """The figures of one request.

    Attributes
    ----------
    launched
        Whether the first line is that of its launch, not that of its prompt times. Then the
        last is where its slot is done with it.
    began_s, ended_s
        When the first line was printed, and the last of its slot.
    first_figure, last_figure, last
        How many lines below the first line the first and the last of its own figures and the
        last of all are.
    statistics
        Totals of the one implementation.
    done
        Whether the slot is done with it.
    """

    slot: int
    task: int
    launched: bool
    began_s: float
    ended_s: float
    first_figure: int
    last_figure: int
    last: int
    cached: int | None
    prefilled: Prefilled
    decoded: Decoded
    total_s: float
    accepted: Accepted | None
    rates: tuple[float, ...]
    statistics: Statistics | None
    done: bool


def whole(raw: bytes, start: int, *, launched: bool = False) -> Whole | None:
    """The lines that begin at `start`, as far as they are figures of one request.

    Parameters
    ----------
    raw
        Whole lines.
    start
        Where the line with its prompt times begins, or that of its launch.
    launched
        Whether it is the latter; then all lines up to its end have to stand together.
    """
    found = (_LAUNCHED if launched else _WHOLE).match(raw, start)
    if found is None:
        return None
    (
        minutes, seconds, millis, micros, slot, task, prompt_ms, prompt, ms, tokens, each, speed,
        total_ms, graphs, rate, accepted, drafted, by_position, totals, done, *ended,
    ) = found.groups()  # fmt: skip
    counted = statistics(totals.decode()) if totals else None
    if totals and counted is None:
        return None
    drafts = None
    if accepted is not None:
        drafts = Accepted(int(accepted), int(drafted), float(rate), len(rate) - 2, ())
    first = raw.count(b"\n", start, found.start(_FIRST_FIGURE)) if launched else 0
    # The last one counts: a prompt that does not fit is asked for again.
    cached = _CACHED.findall(raw, start, found.start(_FIRST_FIGURE)) if launched else ()
    own = 2 + (graphs is not None) + (rate is not None) + (by_position is not None)
    began_s = clock_s(minutes, seconds, millis, micros)
    return Whole(
        int(slot),
        int(task),
        launched,
        began_s,
        clock_s(*ended) if done else _clock_of_last(raw, found),
        first,
        first + own,
        first + own + (totals is not None) + (done is not None),
        int(cached[-1]) if cached else None,
        Prefilled(int(prompt), float(prompt_ms) / 1000),
        Decoded(int(tokens), float(ms) / 1000, float(each), float(speed) or None),
        float(total_ms) / 1000,
        drafts,
        shares(by_position.decode()) if by_position else (),
        counted,
        done is not None,
    )


def _clock_of_last(raw: bytes, found: re.Match[bytes]) -> float:
    """The clock of the last line with a figure of the request."""
    end = max(map(found.end, _LAST_FIGURES))
    at = raw.rfind(b"\n", found.start(), end) + 1
    return clock_s(*raw[at : raw.index(b" ", at)].split(b"."))
