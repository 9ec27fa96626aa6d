"""A copy of a log that can be posted: every line of it, without what is private."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from analysis.errors import ReportError
from analysis.files.storage import written_beside
from analysis.parsers import open_log
from analysis.privacy import HIDDEN, public

__all__ = ["Scrubbed", "scrub", "scrubbed"]

_GOES_ON = (b"\\", b"`", b"^")
_MOST_JOINED = 64
"""Lines of one command; a value may stand on the line behind its flag."""
_KEY_BEGINS = re.compile(rb"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----")
_KEY_ENDS = re.compile(rb"-----END [A-Z ]{0,40}PRIVATE KEY-----")


@dataclass(frozen=True)
class Scrubbed:
    """How many lines a log has, and how many of them had something private."""

    lines: int
    changed: int


def scrub(path: str | os.PathLike[str], out: Path) -> Scrubbed:
    """Write a copy of a log without what is private in it.

    Parameters
    ----------
    path
        The log, plain or compressed, or ``-`` for standard input. Of any size: it is
        read and written in pieces.
    out
        The copy, as plain text. It has the same lines, and reading it gives the same
        records.

    Raises
    ------
    LogError
        The log can't be read.
    ReportError
        The copy can't be written, or is the log itself.
    """
    try:
        same = out.exists() and os.fspath(path) != "-" and out.samefile(path)
    except OSError:
        same = False
    if same:
        raise ReportError("this is the log itself", "name another file with --out", file=out)
    with open_log(path) as log, written_beside(out) as file:
        return scrubbed(log.pieces(), file)


def scrubbed(pieces: Iterable[bytes], file: BinaryIO) -> Scrubbed:
    """Scrub the bytes of a log into an open file; see :func:`scrub`."""
    lines = changed = 0
    for before in _commands(_lines(pieces)):
        after = _public(before)
        file.write(after)
        if after == before:
            lines += before.count(b"\n") or 1
            continue
        for old, new in zip(before.splitlines(), after.splitlines(), strict=False):
            lines += 1
            changed += old != new
    return Scrubbed(lines, changed)


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Lines with their ends, those of a private key hidden."""
    hidden = False
    for line in _split(pieces):
        if hidden or _KEY_BEGINS.search(line):
            hidden = not _KEY_ENDS.search(line)
            end = line[len(line.rstrip(b"\r\n")) :]
            yield HIDDEN.encode() + end
        else:
            yield line


def _split(pieces: Iterable[bytes]) -> Iterator[bytes]:
    rest: list[bytes] = []
    for piece in pieces:
        first, newline, others = piece.partition(b"\n")
        rest.append(first + newline)
        if not newline:
            continue
        yield b"".join(rest)
        whole = others.split(b"\n")
        for line in whole[:-1]:
            yield line + b"\n"
        rest = [whole[-1]]
    if last := b"".join(rest):
        yield last


def _commands(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Lines, those that a shell would join in one."""
    held: list[bytes] = []
    for line in lines:
        held.append(line)
        if line.rstrip(b"\r\n").endswith(_GOES_ON) and len(held) < _MOST_JOINED:
            continue
        yield b"".join(held)
        held = []
    if held:
        yield b"".join(held)


def _public(line: bytes) -> bytes:
    text = line.decode("utf-8", "surrogateescape")
    return public(text).encode("utf-8", "surrogateescape")
