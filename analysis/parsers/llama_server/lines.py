r"""What does one line of llama-server's log say?

A message is recognised by its own words behind a prefix of known parts: colour
codes, container, journal and server clocks, the level letter. A request's body
that happens to hold such words has other characters before them and is not one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["NEEDLES", "Line", "lines_of", "looks_like_server", "names_a_slot"]

NEEDLES = (
    # All that is looked for in the middle of a log's bytes: a line without one says nothing here.
    b" time =",
    b"draft acceptance",
    b"acc per pos",
    b"#calls",
    b"draft tokens",
    b"print_timing: id",
    b"processing task",
    b"stop processing",
    b"cancel task",
    b"loading ",
    b"load draft model",
    b"build",
    b"speculative implementation",
    b"MTP draft context",
    b"n_max=",
    b"size_m=",
    b"block_size=",
    b"clamping to",
    b"ignoring p_min",
    b"n_slots = ",
    b" temp = ",
    b"exiting due to",
    b"llama-server",
)
"""Fragments of which every line that says something holds one."""

_STAMP = (
    rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
    rb"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d{1,9})?"
)
_PREFIX = re.compile(
    rb"(?:[ \t>|`]++"
    rb"|\x1b\[[0-9;]*m"
    rb"|\[(?P<child>\d{1,6})\] "
    rb"|(?P<stamp>" + _STAMP + rb")(?: [\w.-]{1,64} [\w./@-]{1,64}\[\d{1,9}\]:)?"
    rb"|std(?:out|err) [FP] "
    rb"|[\w.-]{1,64} +\| "
    rb"|(?P<clock>\d{1,7}\.\d\d\.\d{3}\.\d{3})(?=[ \x1b])"
    rb"|[IWED](?= )"
    rb"){0,12}"
)
_SLOT = re.compile(
    rb"(?:slot +)?+[\w()]{1,40}: id +(?P<slot>\d{1,4}) \| task +(?P<task>-?\d{1,9}) \|[ ]*+"
)
# The usual shape, at one go; every other is taken apart piece by piece.
_USUAL = re.compile(
    rb"(\d{1,7})\.(\d\d)\.(\d{3})\.(\d{3}) [IWED] slot +[\w()]{1,40}: "
    rb"id +(\d{1,4}) \| task (-?\d{1,9}) \| *([^\x1b\r`]*)$"
)
_TAGGED = re.compile(rb"(?:slot|srv|que|cmn|spec) +[\w()]{1,40}: ")
_OWN = re.compile(rb"(?:slot|srv|que) +[\w()]{1,40}: ")
_LEVEL = re.compile(rb"\d{1,7}\.\d\d\.\d{3}\.\d{3} [IWED] ")
_ANSI = re.compile(rb"\x1b\[[0-9;]*m")
_JSON_TEXT = ("msg", "log", "MESSAGE", "message")


class Line(NamedTuple):
    """One line behind its prefix.

    Attributes
    ----------
    text
        The message, without its tag of slot and task.
    slot, task
        Ids, where the line has that tag.
    child
        Port of the server that printed it, where a router runs several.
    at_s
        Seconds by the server's own clock, or by a calendar.
    own_clock
        Whether `at_s` is the server's own, which starts with it.
    """

    text: bytes
    slot: int | None = None
    task: int | None = None
    child: int | None = None
    at_s: float | None = None
    own_clock: bool = False


def lines_of(raw: bytes) -> Iterator[Line]:
    r"""Take one physical line apart; a JSON object may hold several.

    Parameters
    ----------
    raw
        Without its line end.

    Examples
    --------
    >>> list(lines_of(b"[53409] 1.02.452.000 I slot release: id  3 | task 7 | stop processing: x"))
    [Line(text=b'stop processing: x', slot=3, task=7, child=53409, at_s=62.452, own_clock=True)]
    >>> [line.text for line in lines_of(b'{"type":"log","time":278,"msg":"srv init: on\\n"}')]
    [b'srv init: on']
    >>> [line.text for line in lines_of(b'{"content": "draft acceptance = 1"}')]
    []
    """
    usual = _USUAL.match(raw)
    if usual:
        minutes, seconds, millis, micros, slot, task, text = usual.groups()
        at_s = _seconds(minutes, seconds, millis, micros)
        yield Line(text.rstrip(b" "), int(slot), int(task), None, at_s, True)
        return
    found = _PREFIX.match(raw)
    start = found.end() if found else 0
    if raw[start : start + 1] == b"{":
        yield from _json_lines(raw[start:], found)
        return
    yield _line(raw, found)


def _line(raw: bytes, found: re.Match[bytes] | None) -> Line:
    at_s, own = _time(found)
    child = int(found["child"]) if found and found["child"] else None
    start = found.end() if found else 0
    tag = _SLOT.match(raw, start)
    text = raw[tag.end() if tag else start :]
    if b"\x1b" in text:
        text = _ANSI.sub(b"", text)
    text = text.rstrip(b"\r` ")
    if tag is None:
        return Line(text, None, None, child, at_s, own)
    return Line(text, int(tag["slot"]), int(tag["task"]), child, at_s, own)


def _json_lines(raw: bytes, outer: re.Match[bytes] | None) -> Iterator[Line]:
    try:
        data = json.loads(raw)
    except (ValueError, RecursionError):
        return
    if not isinstance(data, dict):
        return
    text = next((data[key] for key in _JSON_TEXT if isinstance(data.get(key), str)), None)
    if text is None:
        return
    at_s, own = _time(outer)
    micros = data.get("time")
    if data.get("type") == "log" and isinstance(micros, int) and 0 <= micros < 1 << 60:
        at_s, own = micros / 1e6, True
    elif at_s is None and isinstance(micros, str) and len(micros) < 64:
        at_s, own = _time(_PREFIX.match(micros.encode("utf-8", "replace")))
    for part in text.rstrip("\n").split("\n"):
        line = part.encode("utf-8", "replace")
        inner = _line(line, _PREFIX.match(line))
        if inner.at_s is None:
            inner = Line(inner.text, inner.slot, inner.task, inner.child, at_s, own)
        yield inner


def _time(found: re.Match[bytes] | None) -> tuple[float | None, bool]:
    if found is None:
        return None, False
    if found["clock"]:
        return _seconds(*found["clock"].split(b".")), True
    return (_calendar(found["stamp"]) if found["stamp"] else None), False


def _seconds(minutes: bytes, seconds: bytes, millis: bytes, micros: bytes) -> float:
    """The parts of a server's clock in seconds, rounded once, as for a whole column."""
    whole = (int(minutes) * 60 + int(seconds)) * 1000 + int(millis)
    return (whole * 1000 + int(micros)) / 1e6


_MONTHS = (b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov",
           b"Dec")  # fmt: skip
_DAY_TIME = re.compile(rb"(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(?:Z|([+-])(\d\d):?(\d\d))?$")


def _calendar(stamp: bytes) -> float | None:
    """Seconds since some fixed day; only differences are ever used."""
    import datetime as dt  # noqa: PLC0415 - most logs have the server's own clock

    time = _DAY_TIME.search(stamp)
    try:
        if stamp[:1].isdigit():
            year, month, day = int(stamp[:4]), int(stamp[5:7]), int(stamp[8:10])
        else:
            # A journal leaves the year out: a leap one has every day.
            year, month, day = 2024, _MONTHS.index(stamp[:3]) + 1, int(stamp[4:6])
        days = dt.date(year, month, day).toordinal()
    except ValueError:
        return None
    if time is None:
        return None
    seconds = days * 86400 + int(time[1]) * 3600 + int(time[2]) * 60 + int(time[3])
    offset = (int(time[6]) * 60 + int(time[7])) * 60 if time[5] else 0
    fraction = float(b"0." + time[4]) if time[4] else 0.0
    return seconds + fraction - (offset if time[5] == b"+" else -offset)


def looks_like_server(raw: bytes) -> bool:
    """Whether a line begins as those of llama.cpp's server and its libraries do."""
    plain, at, clock = _behind_prefix(raw)
    if plain[at : at + 1] == b"{":
        return any(line.own_clock or line.slot is not None for line in lines_of(plain))
    return bool(_TAGGED.match(plain, at)) or (clock and bool(_LEVEL.search(plain)))


def names_a_slot(raw: bytes) -> bool:
    """Whether only llama.cpp's server prints such a line: it is of a slot or of the server."""
    plain, at, _ = _behind_prefix(raw)
    if plain[at : at + 1] == b"{":
        return any(line.slot is not None or _OWN.match(line.text) for line in lines_of(plain))
    return bool(_OWN.match(plain, at))


def _behind_prefix(raw: bytes) -> tuple[bytes, int, bool]:
    """A line without colours, where its message begins, and whether a server's clock is before."""
    plain = _ANSI.sub(b"", raw) if b"\x1b" in raw else raw
    found = _PREFIX.match(plain)
    return (plain, found.end(), found["clock"] is not None) if found else (plain, 0, False)
