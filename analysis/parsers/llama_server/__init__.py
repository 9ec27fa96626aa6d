"""llama-server's log: requests with their times, drafts and verification rounds.

This file recognises one; ``reader.py`` reads it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from analysis.errors import LogError
from analysis.parsers.llama_server.lines import (
    NEEDLES,
    learned,
    lines_of,
    looks_like_server,
    names_a_slot,
)
from analysis.parsers.llama_server.marks import Cancelled, mark
from analysis.parsers.llama_server.seen import seen_in
from analysis.parsers.text.document import Document
from analysis.parsers.text.prefixes import Prefixes
from analysis.parsers.text.stream import HEAD, Log, transcoded
from analysis.records import Run, TaskResult

__all__ = ["FORMAT", "HINTS", "SHAPE", "begins", "follow", "read", "read_stream", "recognises"]

FORMAT = "llama-server"
SHAPE = "llama-server's log (lines `eval time = … ms / … tokens`, `draft acceptance = …`)"
HINTS = ("eval time =", "draft acceptance", "tokens per second", "slot ", "print_timing", "#calls")

# No server prints them in this order; a viewer that shows what is newest first does.
_BACKWARDS = re.compile(
    r"total time = [^\n]{1,80}\n[^\n]{0,300}? eval time = [^\n]{1,160}\n"
    r"[^\n]{0,300}?prompt eval time = "
)
_A_FEW = 20
_MOST_LINES = 4000
"""That many lines of a head are enough to judge it by."""


def begins(head: Document) -> bool:
    """Whether a log's head is a server's: at least half of its lines begin as llama.cpp's do.

    And one of them is of a slot or the server: other programs print clocks too.
    Older builds print most of what they do while loading a model without any
    mark. Nobody pastes that much, so of a large log a few lines are enough.
    """
    lines = [_bytes(line) for line in head.lines[:_MOST_LINES] if line.strip()]
    prefixes = learned(lines)
    servers = sum(looks_like_server(line, prefixes) for line in lines)
    if not any(names_a_slot(line, prefixes) for line in lines):
        return False
    return 2 * servers >= max(len(lines), 1) or (servers >= _A_FEW and len(head.text) >= HEAD // 2)


def recognises(document: Document) -> bool:
    """Whether the text holds a line with a request's time or acceptance."""
    prefixes = _learned(document)
    for text in document.lines:
        raw = _bytes(text)
        if not any(needle in raw for needle in NEEDLES):
            continue
        for line in lines_of(raw, prefixes):
            found = mark(line.text.decode("utf-8", "replace"))
            if found is not None and not isinstance(found, Cancelled):
                return True
    return False


def _learned(head: Document) -> Prefixes:
    return learned(map(_bytes, head.lines))


def _bytes(line: str) -> bytes:
    return line.replace("\N{NO-BREAK SPACE}", " ").encode("utf-8", "replace")


def _refuse_backwards(head: Document) -> None:
    """Refuse lines from the newest to the oldest: figures of one request would be another's."""
    if found := _BACKWARDS.search(head.text):
        line = head.text.count("\n", 0, found.start()) + 1
        problem = "the lines of this log stand from the newest to the oldest"
        raise LogError(problem, "save it in the order of its clock", head.name, line)


def read(document: Document) -> tuple[Run, ...]:
    """Read a log that is in memory; see :func:`read_stream`."""
    return read_stream(Log.of(document))


def follow(name: str, pieces: Iterator[bytes], told: Callable[[Run, TaskResult], None]) -> None:
    """Read a log that is still written.

    Parameters
    ----------
    name
        How it is called.
    pieces
        Its bytes as they come.
    told
        Called with every request when it has ended, and with its run as it is
        known by then, without its requests.
    """
    from analysis.parsers.llama_server.reader import Reader  # noqa: PLC0415 - it needs numpy

    reader = Reader(name, FORMAT, lambda run, task: told(run.so_far(()), task))
    for run in reader.read(transcoded(pieces)):
        run.record()  # tells of the last ones


def read_stream(log: Log) -> tuple[Run, ...]:
    """Read a log piece by piece.

    Returns
    -------
    tuple of Run
        One for each start of a server that answered a request, in order. Its
        tasks are called ``request 1``, ``request 2``, … in the order in which
        they ended.

    Raises
    ------
    LogError
        When no request is in it.
    """
    from analysis.parsers.llama_server.reader import Reader  # noqa: PLC0415 - it needs numpy

    _refuse_backwards(log.head)
    reader = Reader(log.name, FORMAT, prefixes=_learned(log.head))
    runs = reader.read(log.pieces())
    records = [run.record() for run in runs]
    answered = [record for record in records if record.tasks]
    if not answered:
        failed = next((run.failure for run in runs if run.failure), None)
        if failed:
            problem = f"the server stopped before it answered a request: {failed[1]}"
            remedy = "mend that, start it again and save the log of a request"
            raise LogError(problem, remedy, log.name, failed[0])
        problem = f"no request's times or acceptance are in this server log{seen_in(log.head)}"
        remedy = "save it after a request has been answered, or with -lv 3 or more"
        raise LogError(problem, remedy, log.name)
    # A start that failed is no run, but whoever reads its neighbours should hear of it.
    silent = [finding for record in records if not record.tasks for finding in record.findings]
    answered[0] = replace(answered[0], findings=(*answered[0].findings, *silent))
    return tuple(answered)
