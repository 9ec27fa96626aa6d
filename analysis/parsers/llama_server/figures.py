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
)
from analysis.parsers.llama_server.request import Request
from analysis.parsers.llama_server.totals import DraftStatistics, Statistics
from analysis.parsers.text.command import implementation

__all__ = ["Whole", "whole"]

_REAL = rb"(\d{1,15}+\.\d{1,9}+)"
_RATES = rb" tokens \( *+" + _REAL + rb" ms per token, *+" + _REAL + rb" tokens per second\)"
_UNREAD = rb" tokens \( *[\d.]{3,25}+ ms per token, *[\d.]{3,25}+ tokens per second\)"
_CLOCK = rb"\d{1,7}+\.\d\d\.\d{3}\.\d{3} I "
_TIMED = rb"(\d{1,7}+\.\d\d\.\d{3}\.\d{3}) I "
_TAG = rb"id ++(?P<slot>\d{1,4}+) \| task (?P<task>\d{1,9}+) \| "
_SAME = _CLOCK + rb"slot print_timing: id ++(?P=slot) \| task (?P=task) \| "
_NEXT = rb"\r?\n" + _SAME
_SHARES = rb"[01]\.\d{1,6}+(?:, [01]\.\d{1,6}+){0,255}+"
# As builds of today print them, of one implementation.
_TOTALS = (
    rb"spec +common_specu: statistics +([\w-]{1,40}+): #calls\(b,g,a\) = *+\d++ ++\d++ ++\d++, "
    rb"#gen drafts = *+(\d{1,9}+), #acc drafts = *+\d++, #gen tokens = *+(\d{1,9}+), "
    rb"#acc tokens = *+(\d{1,9}+), #mean acc len = *+[\d.]++, "
    rb"#acc rate/pos = \(([\d., ]{0,2000}+)\), "
    rb"dur\(b,g,a\) = [\d.]++, (\d{1,15}+\.\d{1,9}+), [\d.]++ ms"
)
_FIGURES = (
    rb"prompt eval time = *+(?P<prompt_ms>\d{1,15}+\.\d{1,9}+) ms / *+(\d{1,9}+)" + _UNREAD
    + _NEXT + rb" *+eval time = *+" + _REAL + rb" ms / *+(\d{1,9}+)" + _RATES
    + _NEXT + rb" *+total time = *+(?P<total_ms>\d{1,15}+\.\d{1,9}+) ms / *+\d{1,9}+ tokens"
    + rb"(" + _NEXT + rb" *+graphs reused = *+\d{1,9}+)?"
    + rb"(?:" + _NEXT + rb"draft acceptance = (\d\.\d{1,9}+) "
    rb"\( *+(\d{1,9}+) accepted / *+(?P<drafted>\d{1,9}+) generated\), "
    rb"mean len = *+\d{1,15}+\.\d{1,9}+"
    rb"(?:" + _NEXT + rb" *+acc per pos = \((?P<by_position>" + _SHARES + rb")\))?)?"
    + rb"(?:\r?\n" + _CLOCK + _TOTALS + rb")?"
    + rb"(\r?\n" + _TIMED
    + rb"slot ++release: id ++(?P=slot) \| task (?P=task) \| stop processing: [^\r\n]{1,200}+)"
)  # fmt: skip
_END = rb"(?=\r?\n)"
_WHOLE = re.compile(_TIMED + rb"slot print_timing: " + _TAG + rb"()" + _FIGURES + rb"?" + _END)
_LAUNCHED = re.compile(
    _TIMED + rb"slot launch_slot_: " + _TAG + rb"processing task[^\r\n]{0,80}\r?\n"
    # What a slot says of its prompt, which is none of its figures.
    rb"(?:" + _CLOCK + rb"slot +(?:update_slots|init_sampler): id +(?P=slot) \| task (?P=task) \| "
    rb"(?:new prompt|n_tokens = |n_past = |kv cache rm|prompt processing|prompt done|init sampler"
    # The last one counts: a prompt that does not fit is asked for again.
    rb"|cached n_tokens = (?P<cached>\d{1,9}+)(?!\d))[^\r\n]{0,400}+\r?\n){0,64}+"
    + _SAME + _FIGURES + _END
)  # fmt: skip


class Whole(NamedTuple):
    """The figures of one request.

    Attributes
    ----------
    request
        With all of its figures; what began it or came between may stand elsewhere where it
        was not `launched` here.
    last
        How many lines below the first the last of all is.
    statistics
        Totals of the one implementation.
    done
        Whether the slot is done with it, on the last line.
    """

    request: Request
    last: int
    statistics: Statistics | None
    done: bool


def whole(raw: bytes, start: int, number: int, *, launched: bool = False) -> Whole | None:
    """The lines that begin at `start`, as far as they are figures of one request.

    Parameters
    ----------
    raw
        Whole lines.
    start
        Where the line with its prompt times begins, or that of its launch.
    number
        Which line of the log that is.
    launched
        Whether it is the latter; then all lines up to its end have to stand together.
    """
    found = (_LAUNCHED if launched else _WHOLE).match(raw, start)
    if found is None:
        return None
    (
        began, slot, task, cached, prompt_ms, prompt, ms, tokens, each,
        speed, total_ms, graphs, rate, accepted, drafted, by_position, name, drafts, all_drafted,
        all_accepted, all_shares, draft_ms, done, ended,
    ) = found.groups()  # fmt: skip
    counted = None
    if name is not None:
        totals = DraftStatistics(
            implementation(name.decode()),
            int(drafts),
            int(all_drafted),
            int(all_accepted),
            float(draft_ms) / 1000,
        )
        counted = Statistics(totals, all_shares.decode())
    first = raw.count(b"\n", start, found.start("prompt_ms")) if launched else 0
    last = first + 2 + (graphs is not None) + (rate is not None) + (by_position is not None)
    began_s = clock_s(began)
    ended_s = clock_s(ended) if done else _clock_of_last(raw, found)
    request = Request(
        int(slot),
        int(task),
        launched,
        number + first,
        number + last,
        Prefilled(int(prompt), float(prompt_ms) / 1000),
        Decoded(int(tokens), float(ms) / 1000, float(each), float(speed) or None),
        float(total_ms) / 1000,
        Accepted(int(accepted), int(drafted), float(rate), len(rate) - 2, ()) if rate else None,
        int(cached) if cached else None,
        tuple(map(float, by_position.split(b","))) if by_position else (),
        complete=launched,
        began_s=min(began_s, ended_s),
        ended_s=max(began_s, ended_s),
    )
    last += (name is not None) + (done is not None)
    return Whole(request, last, counted, done is not None)


def _clock_of_last(raw: bytes, found: re.Match[bytes]) -> float:
    """The clock of the last line with a figure of the request."""
    end = max(map(found.end, ("total_ms", "drafted", "by_position")))
    at = raw.rfind(b"\n", found.start(), end) + 1
    return clock_s(raw[at : raw.index(b" ", at)])
