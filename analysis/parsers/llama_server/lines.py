r"""What does one line of llama-server's log say?

A message is recognised by its own words, wherever on its line it begins. What
stands before it is a prefix only if other lines have the like, see
``text/prefixes.py``: a request's body that holds such words is not one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from analysis.parsers.llama_server.clocks import calendar_s, clock_s
from analysis.parsers.text.prefixes import Prefixes

__all__ = [
    "NEEDLES",
    "ServerLine",
    "learned",
    "lines_of",
    "looks_like_server",
    "names_a_slot",
    "usual_line",
]

NEEDLES = (
    # All that is looked for in the middle of a log's bytes, and each of them takes a pass over
    # it: a line without one says nothing here.
    b" time",
    b"draft",
    b"acc per pos",
    b"#calls",
    b"print_timing: id",
    b"processing",
    b"cached n_tokens",
    b"cancel task",
    b"load",
    b"build",
    b"speculative",
    b": - ",
    b"ignoring p_min",
    b"n_slots = ",
    b" temp = ",
    b"exiting due to",
    b"config file",
    b"llama-server",
)
"""Fragments of which every line that says something holds one."""


# The usual shape, at one go; every other is taken apart piece by piece.
_USUAL = re.compile(
    rb"(\d{1,7}\.\d\d\.\d{3}\.\d{3}) [IWED] "
    rb"(?:slot +[\w()]{1,40}: id +(\d{1,4}) \| task (-?\d{1,9}) \| *|(?=(?:spec|srv|cmn) ))"
    rb"([^\x1b\r`]*)$"
)
# Markdown escapes the bars of cells, and eats underscores of names.
_SLOT = (
    rb"(?:slot +[\w() ]{1,40}?|[\w()]{1,40}): id +(?P<slot>\d{1,4}) *\\?\| *"
    rb"task +(?P<task>-?\d{1,9}) *\\?\| *"
)
_TAG = rb"(?:slot|srv|que|cmn|spec|res|main) +[\w()]{1,40}: "
_BEGINS = re.compile(
    rb"(?<![\w.])(?:(?P<clock>\d{1,7}\.\d\d\.\d{3}\.\d{3}) *[IWED] +|"
    + _SLOT
    + rb"|(?="
    + _TAG
    + rb"))"
)
_BEHIND_CLOCK = re.compile(_SLOT)
# What older builds print of a request without any tag.
_MESSAGE = re.compile(
    rb"(?<![\w.])(?:prompt eval time|(?:generation )?eval time|total time|draft acceptance"
    rb"|acc per pos|(?:common_speculative_print_stats: +)?statistics +[\w-]{1,40}: +#calls)"
)
_OWN = re.compile(rb"(?:slot|srv|que) +[\w()]{1,40}: ")
# Other programs of llama.cpp print the same messages behind the name of a function.
_OTHER_PROGRAM = re.compile(rb"\b(?:llama|common|ggml)_\w+: *$")
_ANSI = re.compile(rb"(?:\x1b|\\u001[bB]|\\x1[bB]|\\033|#033|\^\[)?\[\d{0,3}(?:;\d{1,3}){0,4}m")
_ESCAPED = re.compile(rb"(?<!\\)\\([_|()\[\]*#.=-])")
_ENTITIES = {b"#124": b"|", b"amp": b"&", b"lt": b"<", b"gt": b">", b"quot": b'"', b"#39": b"'"}
_ENTITY = re.compile(rb"&(#124|amp|lt|gt|quot|#39);")
_CHILD = re.compile(rb"(?:^|\s)\[(\d{4,6})\] ++$")
_REACH = 400
"""A message begins within so many bytes of its line."""
_JSON_KEYS = ("msg", "log", "MESSAGE", "message")
_A_KEY = re.compile(rb'"(?:msg|log|MESSAGE|message)"\s*+:')
_SOME_LINES = 4000
"""That many lines are enough to learn from."""


class ServerLine(NamedTuple):
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


def learned(lines: Iterable[bytes], known: Prefixes | None = None) -> Prefixes:
    """What stands before the lines of a log whose beginning can be told.

    Parameters
    ----------
    lines
        The first of a log.
    known
        What was learned from earlier lines, which grows.
    """
    prefixes = known or Prefixes()
    befores: list[str] = []
    for raw in lines:
        if _USUAL.match(raw):
            befores.append("")
            continue
        plain = _plain(raw)
        found = _BEGINS.search(plain, 0, _REACH) or _MESSAGE.search(plain, 0, _REACH)
        if found and not _OTHER_PROGRAM.search(plain, 0, found.start()):
            before = plain[: found.start()]
            child = _CHILD.search(before)
            befores.append(_text(before[: child.start()] if child else before))
        if len(befores) >= _SOME_LINES:
            break
    prefixes.learn(befores)
    return prefixes


_NONE = Prefixes()


def lines_of(raw: bytes, prefixes: Prefixes = _NONE) -> Iterator[ServerLine]:
    r"""Take one physical line apart; a JSON object may hold several.

    Parameters
    ----------
    raw
        Without its line end.
    prefixes
        What was learned from the log.

    Examples
    --------
    >>> list(lines_of(b"[53409] 1.02.452.000 I slot release: id  3 | task 7 | stop: x"))
    [ServerLine(text=b'stop: x', slot=3, task=7, child=53409, at_s=62.452, own_clock=True)]
    >>> [line.text for line in lines_of(b'{"type":"log","time":278,"msg":"srv init: on\\n"}')]
    [b'srv init: on']
    >>> [line.text for line in lines_of(b'{"content": "draft acceptance = 1"}')]
    []
    """
    usual = usual_line(raw)
    if usual:
        yield usual
        return
    plain = _plain(raw)
    begins = _BEGINS.search(plain, 0, _REACH)
    brace = plain.find(b"{", 0, begins.start() if begins else _REACH)
    if brace >= 0 and (_A_KEY.search(plain, brace) or not plain[:brace].strip(b" \t|>`")):
        data = _object(plain[brace:])
        if data is not None:
            yield from _json_lines(data, plain[:brace])
            return
    line = _line(plain, begins, prefixes)
    if line is not None:
        yield line


def usual_line(raw: bytes) -> ServerLine | None:
    """A line as today's builds print it, without anything before it; null for any other."""
    usual = _USUAL.match(raw)
    if usual is None:
        return None
    clock, slot, task, text = usual.groups()
    at_s = clock_s(clock)
    if slot is None:
        return ServerLine(text.rstrip(b" "), None, None, None, at_s, True)
    return ServerLine(text.rstrip(b" "), int(slot), int(task), None, at_s, True)


def _line(plain: bytes, begins: re.Match[bytes] | None, prefixes: Prefixes) -> ServerLine | None:
    """The line, or null where what stands before its message is no prefix."""
    found = begins or _MESSAGE.search(plain, 0, _REACH)
    if found is None:
        return ServerLine(_message(_without(plain, prefixes)))
    before = plain[: found.start()]
    if begins is None and _OTHER_PROGRAM.search(before):
        return None
    child = _CHILD.search(before)
    judged = _text(before[: child.start()] if child else before)
    if not prefixes.allows(judged, sure=begins is not None):
        return None
    at_s, own = calendar_s(before[:_REACH]), False
    if begins and begins["clock"]:
        at_s, own = clock_s(begins["clock"]), True
    tag = begins
    if begins and begins["clock"]:
        tag = _BEHIND_CLOCK.match(plain, begins.end())
    start = found.end() if begins else found.start()
    slot = task = None
    if tag and tag["slot"]:
        slot, task, start = int(tag["slot"]), int(tag["task"]), tag.end()
    text = plain[start:]
    if before.rstrip()[-1:] == b'"':
        text = text.partition(b'"')[0].removesuffix(b"\\n")
    return ServerLine(_message(text), slot, task, int(child[1]) if child else None, at_s, own)


def _without(plain: bytes, prefixes: Prefixes) -> bytes:
    text = prefixes.without(_text(plain[:_REACH]))
    if text is None:
        return plain.lstrip(b" \t>|`")
    return text.encode("utf-8", "replace") + plain[_REACH:]


def _message(text: bytes) -> bytes:
    return text.rstrip(b"\r` |\t")


def _plain(raw: bytes) -> bytes:
    """A line without colours, Markdown's backslashes and the entities of a page."""
    if b"[" in raw:
        raw = _ANSI.sub(b"", raw)
    if b"\\" in raw:
        raw = _ESCAPED.sub(rb"\1", raw)
    if b"&" in raw:
        raw = _ENTITY.sub(lambda found: _ENTITIES[found[1]], raw)
    return raw


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _object(raw: bytes) -> dict[str, object] | None:
    try:
        data = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _json_lines(data: dict[str, object], before: bytes) -> Iterator[ServerLine]:
    text = next((said for key in _JSON_KEYS if isinstance(said := data.get(key), str)), None)
    if text is None:
        return
    at_s, own = calendar_s(before[:_REACH]), False
    micros = data.get("time")
    if data.get("type") == "log" and isinstance(micros, int) and 0 <= micros < 1 << 60:
        at_s, own = micros / 1e6, True
    elif at_s is None and isinstance(micros, str) and len(micros) < 64:
        at_s = calendar_s(micros.encode("utf-8", "replace"))
    for part in text.rstrip("\n").split("\n"):
        plain = _plain(part.encode("utf-8", "replace"))
        inner = _line(plain, _BEGINS.search(plain, 0, _REACH), _NONE)
        if inner is not None:
            timed = inner if inner.at_s is not None else inner._replace(at_s=at_s, own_clock=own)
            yield timed


def looks_like_server(raw: bytes, prefixes: Prefixes = _NONE) -> bool:
    """Whether a line begins as those of llama.cpp's server and its libraries do."""
    if _USUAL.match(raw):
        return True
    plain = _plain(raw)
    if prefixes.without(_text(plain[:_REACH])) is not None:
        return True
    if plain.lstrip()[:1] == b"{":
        return any(line.own_clock or line.slot is not None for line in lines_of(plain))
    found = _BEGINS.search(plain, 0, _REACH)
    return found is not None and prefixes.allows(_text(plain[: found.start()]), sure=True)


def names_a_slot(raw: bytes, prefixes: Prefixes = _NONE) -> bool:
    """Whether only llama.cpp's server prints such a line: it is of a slot or of the server."""
    return any(
        line.slot is not None or _OWN.match(line.text) is not None
        for line in lines_of(raw, prefixes)
    )
