"""What does a server's own log say: about its start, its end, and each request's rounds?

Lines are known by their message and never by their prefix, which changes from
build to build. What a log does not say is null.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from analysis.parsers.llama_server.lines import ServerLine, lines_of
from analysis.parsers.llama_server.marks import Released, Round, mark
from analysis.parsers.llama_server.setup import Implementation, Parameters, setup_mark
from analysis.parsers.llama_server.totals import Statistics

__all__ = ["LogTail", "RequestLog", "StartFacts", "errors_in", "read_request", "read_start"]

_CLAMP = "requested draft size"
_AT_ERROR = re.compile(r"^(?:\x1b\[[\d;]*m)*[\d.]+ E |vocabs are not compatible")
_ERROR = re.compile(r"^(?:\x1b\[[\d;]*m)*[\d.]+ E |\b(?:error|failed|fatal)\b", re.IGNORECASE)
_GENERIC = re.compile(r"exiting due to|cleaning up|fit params|encountered an error while")
_PREFIX = re.compile(r"^(?:\x1b\[[\d;]*m)*[\d.]+ [A-Z] (?:(?:srv|cmn|spec|slot|que) +)?")

_CONFIG = re.compile(r"\busing config file:\s*(.+)", re.IGNORECASE)

_LONGEST_LINE = 300
_MOST_ERRORS = 3
BEGINNING, _TAIL = 64 * 1024, 256 * 1024
_MOST = 64 * 2**20
"""Of a log that is looked at for one request: a line of 60 bytes for a million rounds."""


@dataclass(frozen=True)
class StartFacts:
    """What a server's log says of its speculation.

    Attributes
    ----------
    n_max
        Depth in effect: after a clamp, the clamped one.
    clamp
        The server's sentence when it lowered the depth.
    refusal
        The server's sentence when it could not use the method and went on
        without it, for instance because of the draft's vocabulary.
    config_files
        Configuration files of the machine that it applied.
    """

    n_max: int | None = None
    clamp: str | None = None
    refusal: str | None = None
    config_files: tuple[str, ...] = ()


@dataclass(frozen=True)
class RequestLog:
    """What a server's log says of one request.

    Attributes
    ----------
    drafted, accepted
        Tokens of each verification round, in order.
    at_s
        When each round ended, on the log's clock; null where lines have none.
    confidence
        How sure the draft was of each token of each round; null where it is not logged.
    draft_s
        Time spent drafting so far, by implementation: cumulative over the server's life.
    """

    drafted: tuple[int, ...] = ()
    accepted: tuple[int, ...] = ()
    at_s: tuple[float, ...] | None = None
    draft_s: tuple[tuple[str, float], ...] = ()
    confidence: tuple[tuple[float, ...], ...] | None = None


def read_start(text: str) -> StartFacts:
    """Read the depth in effect from what is logged before the first request."""
    n_max = clamp = refusal = None
    added = False
    config_files: list[str] = []
    for raw, line in _lines(text):
        message = line.text.decode("utf-8", "replace")
        if (applied := _CONFIG.search(message)) is not None:
            config_files.append(applied[1].strip()[:_LONGEST_LINE])
        said = setup_mark(message)
        if isinstance(said, Implementation):
            added = True
        elif isinstance(said, Parameters) and said.clamped:
            n_max, clamp = said.n_max, message[message.find(_CLAMP) :].strip()
        elif isinstance(said, Parameters) and added and clamp is None and said.n_max is not None:
            # Of a chain of methods, the deepest.
            n_max = max(n_max or 0, said.n_max)
        elif added and refusal is None and _AT_ERROR.search(raw):
            refusal = _PREFIX.sub("", raw).strip()[:_LONGEST_LINE]
    return StartFacts(n_max, clamp, refusal, tuple(dict.fromkeys(config_files)))


def read_request(text: str) -> RequestLog | None:
    """Read the rounds that are logged with ``LLAMA_TRACE=1`` while one request is served.

    A line that says ``restore checkpoint`` is followed by its replay, which
    is the same round once more and is left out.

    Returns
    -------
    RequestLog or None
        Null while the end of the request is not in the text.
    """
    rounds: list[tuple[int, int, float | None]] = []
    draft_s: dict[str, float] = {}
    replayed = released = False
    for _, line in _lines(text):
        said = mark(line.text.decode("utf-8", "replace"))
        if isinstance(said, Round) and said.traced:
            if not replayed:
                rounds.append((said.drafted, said.accepted, line.at_s))
            replayed = said.restored
        elif isinstance(said, Statistics) and said.totals.draft_s is not None:
            draft_s[said.totals.implementation] = said.totals.draft_s
        elif isinstance(said, Released):
            released = True
    if not released:
        return None
    at = [time for _, _, time in rounds if time is not None]
    return RequestLog(
        tuple(drafted for drafted, _, _ in rounds),
        tuple(accepted for _, accepted, _ in rounds),
        tuple(at) if len(at) == len(rounds) else None,
        tuple(draft_s.items()),
        _confidences(text, len(rounds)),
    )


def _confidences(text: str, rounds: int) -> tuple[tuple[float, ...], ...] | None:
    """The probabilities of each round's tokens, as the reader of whole logs finds them."""
    if "draft candidate" not in text:
        return None
    # Few servers log them, and those that do not must not wait for numpy.
    import numpy as np  # noqa: PLC0415

    from analysis.parsers.llama_server.reader import Reader  # noqa: PLC0415

    for run in Reader("log", "llama-server").read([text.encode("utf-8", "replace")]):
        for task in run.record().tasks:
            found = task.rounds
            if found is None or found.confidence is None or len(found.drafted) != rounds:
                continue
            return tuple(
                tuple(round(float(value), 3) for value in row[~np.isnan(row)])
                for row in found.confidence
            )
    return None


def _lines(text: str) -> Iterator[tuple[str, ServerLine]]:
    for raw in text.splitlines():
        for line in lines_of(raw.encode("utf-8", "replace")):
            yield raw, line


def errors_in(text: str) -> str:
    """The server's own words for what went wrong, as one line; empty when it said nothing.

    The lines marked as errors, the more telling ones; else the last line.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    found = [line for line in lines if _ERROR.search(line)]
    telling = [line for line in found if not _GENERIC.search(line)] or found or lines[-1:]
    short = dict.fromkeys(_PREFIX.sub("", line).strip()[:_LONGEST_LINE] for line in telling)
    return " | ".join(list(short)[-_MOST_ERRORS:])


class LogTail:
    """Reads what a server adds to its log.

    Parameters
    ----------
    path
        The log; null for a server whose log is somewhere else.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._at = path.stat().st_size if path is not None and path.exists() else 0

    def skip(self) -> None:
        """Leave out everything that is there by now."""
        if self._path is not None:
            with suppress(OSError):
                self._at = self._path.stat().st_size

    def request(self, timeout_s: float = 1.0) -> RequestLog | None:
        """What was added while a request was served; the server writes its log a little later.

        Returns
        -------
        RequestLog or None
            Null without a log, or when the end of the request did not appear in time.
        """
        for text in self._growing(timeout_s):
            if (found := read_request(text)) is not None:
                return found
        return None

    def _growing(self, timeout_s: float) -> Iterator[str]:
        if self._path is None:
            return
        deadline = time.monotonic() + timeout_s
        while True:
            with suppress(OSError), self._path.open("rb") as file:
                file.seek(self._at)
                yield file.read(_MOST).decode("utf-8", "replace")
            if time.monotonic() > deadline:
                return
            time.sleep(0.005)


def tail_of(path: Path, beginning: int = 0) -> str:
    """The end of a log, for its errors; empty when it can't be read.

    With `beginning` that many of its first bytes come before it, where settings
    are logged that a long list of tensors may follow.
    """
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(0)
            first = file.read(min(beginning, max(size - _TAIL, 0)))
            file.seek(max(size - _TAIL, 0))
            return (first + file.read()).decode("utf-8", "replace")
    except OSError:
        return ""
