"""Pieces of a log in, blocks of whole lines out: rounds in columns, all else line by line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from analysis.parsers.llama_server.figures import Whole, whole
from analysis.parsers.llama_server.lines import NEEDLES
from analysis.parsers.llama_server.trace import (
    Flags,
    Indices,
    Trace,
    behind_clock,
    chatter,
    stands,
    tagged_lines,
    trace,
)

__all__ = ["Block", "blocks"]

_NO_BREAK = "\N{NO-BREAK SPACE}".encode()
"""What forums make of the spaces that align columns."""
_NEEDLES = tuple(re.compile(re.escape(needle)) for needle in NEEDLES)

_LONGEST_LINE = 1 << 23
"""Of a longer line, as a picture in a request's body is one, the parts are lines."""


@dataclass(frozen=True, eq=False)
class Block:
    """Some whole lines of a log.

    Attributes
    ----------
    first_line
        Number of its first line in the log, from 1.
    rounds
        The verification rounds that have the usual shape.
    requests
        Those whose lines stand together from launch to end, by the index of their first line.
    said
        Index, start and end of every other line that may say something, and of the first line
        of each of those requests.
    """

    first_line: int
    rounds: Trace
    requests: dict[int, Whole]
    said: list[tuple[int, int, int]]
    raw: bytes
    starts: Indices
    ends: Indices

    def line(self, index: int) -> bytes:
        """The bytes of a line; none beyond the last."""
        if index >= len(self.starts):
            return b""
        return self.raw[self.starts[index] : self.ends[index]]

    def above(self, index: int, longest: int) -> bytes:
        """At most `longest` bytes of the lines before one."""
        end = int(self.starts[index])
        return self.raw[max(end - longest, 0) : end]


def blocks(pieces: Iterable[bytes]) -> Iterator[Block]:
    """Cut pieces of any length into blocks that end with a line."""
    rest: list[bytes] = []
    waiting = 0
    first_line = 1
    for piece in pieces:
        cut = piece.rfind(b"\n") + 1
        if not cut and waiting + len(piece) < _LONGEST_LINE:
            rest.append(piece)
            waiting += len(piece)
            continue
        cut = cut or len(piece)
        raw = b"".join([*rest, piece[:cut]])
        rest = [piece[cut:]]
        waiting = len(rest[0])
        yield _block(raw, first_line)
        first_line += raw.count(b"\n")
    if raw := b"".join(rest):
        yield _block(raw, first_line)


def _block(raw: bytes, first_line: int) -> Block:
    if _NO_BREAK[:1] in raw and _NO_BREAK in raw:  # one byte alone is found far faster
        raw = raw.replace(_NO_BREAK, b" ")
    buffer = np.frombuffer(raw, np.uint8)
    stops = np.flatnonzero(buffer == ord("\n"))
    if not raw.endswith(b"\n"):
        stops = np.append(stops, len(raw))
    starts = np.concatenate(([0], stops[:-1] + 1))
    returns = (stops > starts) & (buffer[np.maximum(stops - 1, 0)] == ord("\r"))
    ends = stops - returns
    rounds = trace(buffer, starts, ends)
    behind = behind_clock(buffer, starts, ends)
    tagged = tagged_lines(buffer, behind)
    launches = np.flatnonzero(tagged)
    launches = launches[stands(buffer, behind[launches], b" I slot launch_slot_: ")]
    requests = _requests(raw, launches, starts, first_line)
    silent = chatter(buffer, behind, traced=bool(len(rounds)))
    silent[rounds.line] = True
    if requests:
        silent |= _between(requests, len(starts))
    said = _said(raw, starts, stops, tagged & ~silent, silent)
    at = zip(said.tolist(), starts[said].tolist(), ends[said].tolist(), strict=True)
    return Block(first_line, rounds, requests, list(at), raw, starts, ends)


def _requests(raw: bytes, launches: Indices, starts: Indices, first_line: int) -> dict[int, Whole]:
    """The requests of which all lines stand together, by the index of the first."""
    at = zip(launches.tolist(), starts[launches].tolist(), strict=True)
    return {
        index: found
        for index, start in at
        if (found := whole(raw, start, first_line + index, launched=True)) is not None
    }


def _between(requests: Mapping[int, Whole], lines: int) -> Flags:
    """Which of so many lines belong to requests that were read at one go, but for their first."""
    inside = np.zeros(lines + 1, np.int8)
    inside[[first + 1 for first in requests]] += 1
    inside[[first + found.last + 1 for first, found in requests.items()]] -= 1
    return np.cumsum(inside[:-1], dtype=np.int8).astype(np.bool_)


def _said(raw: bytes, starts: Indices, stops: Indices, tagged: Flags, silent: Flags) -> Indices:
    """The lines that are `tagged`, or that are not `silent` and hold one of the fragments."""
    lines = np.flatnonzero(~(tagged | silent))
    if len(lines):
        tagged[lines[_holding(raw, starts, stops, lines)]] = True
    return np.flatnonzero(tagged)


def _holding(raw: bytes, starts: Indices, stops: Indices, lines: Indices) -> Indices:
    """Which of the lines hold one of the fragments."""
    if len(lines) < len(starts):
        # Neighbours are copied together: such a log has few of them between its rounds.
        breaks = np.flatnonzero(np.diff(lines) > 1)
        firsts = lines[np.concatenate(([0], breaks + 1))].tolist()
        lasts = lines[np.append(breaks, len(lines) - 1)].tolist()
        text = b"\n".join(
            raw[starts[first] : stops[last]] for first, last in zip(firsts, lasts, strict=True)
        )
        lengths = (stops - starts)[lines]
        after = np.cumsum(lengths + 1)
    else:
        text = raw
        after = stops + 1
    places = [at for needle in _NEEDLES for at in _places(needle, text)]
    return after.searchsorted(np.array(places, np.int64), side="right")


def _places(needle: re.Pattern[bytes], text: bytes) -> Iterator[int]:
    return (found.start() for found in needle.finditer(text))
