"""Pieces of a log in, blocks of whole lines out: rounds in columns, all else line by line."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from analysis.parsers.llama_server.lines import NEEDLES
from analysis.parsers.llama_server.trace import Indices, Trace, trace

__all__ = ["Block", "blocks"]

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
    said
        Index and bytes of every other line that may say something.
    """

    first_line: int
    rounds: Trace
    said: list[tuple[int, bytes]]
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
    buffer = np.frombuffer(raw, np.uint8)
    stops = np.flatnonzero(buffer == ord("\n"))
    if not raw.endswith(b"\n"):
        stops = np.append(stops, len(raw))
    starts = np.concatenate(([0], stops[:-1] + 1))
    returns = (stops > starts) & (buffer[np.maximum(stops - 1, 0)] == ord("\r"))
    ends = stops - returns
    found = trace(buffer, starts, ends)
    said = _said(raw, starts, stops, ends, found.line)
    return Block(first_line, found, said, raw, starts, ends)


def _said(
    raw: bytes, starts: Indices, stops: Indices, ends: Indices, known: Indices
) -> list[tuple[int, bytes]]:
    """The lines that are not `known` and hold one of the fragments."""
    other = np.ones(len(starts), np.bool_)
    other[known] = False
    lines = np.flatnonzero(other)
    if not len(lines):
        return []
    if len(known):
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
    hits: set[int] = set()
    stops_after = after.tolist()
    for needle in NEEDLES:
        at = text.find(needle)
        while at >= 0:
            index = bisect_right(stops_after, at)
            hits.add(index)
            at = text.find(needle, stops_after[index])
    found = [int(lines[index]) for index in sorted(hits)]
    return [(index, raw[starts[index] : ends[index]]) for index in found]
