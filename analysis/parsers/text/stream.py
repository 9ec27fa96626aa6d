"""Where do a log's bytes come from: a file, a compressed one, standard input?

Whatever it is, a log is read once, from its beginning, in pieces. Its head is
kept, so that it can be recognised before anything else of it is read.
"""

from __future__ import annotations

import codecs
import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from analysis.errors import LogError
from analysis.parsers.text.document import Document, decode

__all__ = [
    "HEAD",
    "LARGEST_WHOLE",
    "PIECE",
    "STANDARD_INPUT",
    "Log",
    "is_compressed",
    "open_log",
    "opened",
    "transcoded",
]

STANDARD_INPUT = "-"
"""The path that stands for standard input."""

HEAD = 1 << 18
"""A log is recognised by at most this many bytes of it."""

PIECE = 1 << 20
"""Bytes that are read at once."""

LARGEST_WHOLE = 1 << 26
"""A log that is not read in pieces has at most this many bytes."""

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
# A block of 128 KiB may take four bytes: what is unpacked at once must stay small.
_COMPRESSED_PIECE = 1 << 10
_MOST_PACKED = 100
"""Logs of one line for each round pack best, about thirtyfold."""
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Log:
    r"""The bytes of a log, decompressed, under the name that figures are attributed to.

    Parameters
    ----------
    name
        How the log is called in every :class:`~analysis.records.Source`.
    source
        The bytes, in pieces of any length.
    """

    def __init__(self, name: str, source: Iterator[bytes]) -> None:
        self.name = name
        self._source = source
        self._taken: list[bytes] = []
        self._head: Document | None = None
        self._document: Document | None = None

    @classmethod
    def of(cls, document: Document) -> Log:
        """Make a log of a text that is already in memory."""
        log = cls(document.name, iter([document.text[:HEAD].encode("utf-8", "replace")]))
        log._document = document
        return log

    @property
    def head(self) -> Document:
        """The first :data:`HEAD` bytes as text; a line that they cut is left out."""
        if self._head is None:
            size = 0
            while size < HEAD and (piece := next(self._source, b"")):
                self._taken.append(piece)
                size += len(piece)
            raw = b"".join(self._taken)[:HEAD]
            text = raw.decode("utf-16" if raw.startswith(_UTF16) else "utf-8", "replace")
            if size >= HEAD and "\n" in text:
                text = text[: text.rindex("\n") + 1]
            self._head = Document.of(text, self.name)
        return self._head

    def pieces(self) -> Iterator[bytes]:
        r"""Give all bytes in order, as UTF-8; once.

        Raises
        ------
        LogError
            When the log can't be read to its end.
        """
        if self._document is not None:
            return iter([self._document.text.encode("utf-8", "replace")])
        return transcoded(self._raw())

    def document(self) -> Document:
        """Read the whole log into a document.

        Raises
        ------
        LogError
            When it can't be read to its end, is empty, binary, in another
            encoding, or larger than :data:`LARGEST_WHOLE`.
        """
        if self._document is None:
            parts: list[bytes] = []
            size = 0
            for piece in self._raw():
                parts.append(piece)
                size += len(piece)
                if b"\0" in piece and not parts[0].startswith(_UTF16):
                    break  # binary, which decoding says; no need to read all of a model file
                if size > LARGEST_WHOLE:
                    raise LogError(
                        f"this is larger than {LARGEST_WHOLE >> 20} MiB and does not begin "
                        "like a server's log",
                        "name its format, or cut out the part with the results",
                        self.name,
                    )
            self._document = decode(b"".join(parts), self.name)
        return self._document

    def _raw(self) -> Iterator[bytes]:
        taken, self._taken = self._taken, []
        yield from taken
        yield from self._source


@contextmanager
def open_log(path: str | os.PathLike[str], name: str | None = None) -> Iterator[Log]:
    """Open a log, whatever it is compressed with.

    Parameters
    ----------
    path
        A file, plain or compressed by gzip or zstd, or ``-`` for standard input.
    name
        What to call it; the path by default.

    Raises
    ------
    LogError
        When the file is missing, a folder or unreadable.
    """
    if os.fspath(path) == STANDARD_INPUT:
        called = name or "stdin"
        yield Log(called, _readable(cast("io.BufferedReader", sys.stdin.buffer), called))
        return
    called = os.fspath(path) if name is None else name
    with opened(path, called) as file:
        yield Log(called, _readable(file, called))


def opened(path: str | os.PathLike[str], called: str) -> io.BufferedReader:
    """Open a file for reading its bytes; what hinders that is a ``LogError``."""
    try:
        return Path(path).open("rb")
    except FileNotFoundError:
        raise LogError("there is no such file", "check the path", called) from None
    except IsADirectoryError:
        raise LogError("this is a folder", "name one log file", called) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        problem = f"the file can't be read ({reason})"
        raise LogError(problem, "check the path and its permissions", called) from None


def _readable(source: io.BufferedReader, called: str) -> Iterator[bytes]:
    """What a source holds, decompressed; whatever goes wrong is a ``LogError``."""
    try:
        magic = source.peek(len(_ZSTD))
        packed = _Counted(source)
        if magic.startswith(_GZIP):
            with gzip.GzipFile(fileobj=packed) as unpacked:  # type: ignore[call-overload]
                yield from _no_bomb(iter(lambda: unpacked.read(PIECE), b""), packed, called)
        elif magic.startswith(_ZSTD):
            yield from _no_bomb(_unpacked(packed), packed, called)
        else:
            yield from iter(lambda: source.read1(PIECE), b"")
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        problem = f"the compressed data is cut or broken ({error})"
        raise LogError(problem, "copy the log again", called) from None
    except OSError as error:
        problem = f"the file can't be read ({error.strerror or error})"
        raise LogError(problem, "check the path and its permissions", called) from None


def is_compressed(source: io.BufferedReader) -> bool:
    """Whether the next bytes of a source begin a compressed log."""
    return source.peek(len(_ZSTD)).startswith((_GZIP, _ZSTD))


class _Counted:
    """A source that knows how many bytes were read of it."""

    def __init__(self, source: io.BufferedReader) -> None:
        self._source = source
        self.size = 0

    def read(self, size: int = -1) -> bytes:
        data = self._source.read(size)
        self.size += len(data)
        return data


def _no_bomb(pieces: Iterator[bytes], packed: _Counted, called: str) -> Iterator[bytes]:
    """Pieces as long as they are as many as those of a log may be."""
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > LARGEST_WHOLE + _MOST_PACKED * packed.size:
            problem = f"this unpacks to more than {_MOST_PACKED} times its size, which no log does"
            raise LogError(problem, "unpack the log and save it again", called)
        yield piece


def _unpacked(source: _Counted) -> Iterator[bytes]:
    """What zstd frames hold, in pieces that stay small however well they are compressed."""
    import zstandard  # noqa: PLC0415 - few logs are

    frame = None
    parts: list[bytes] = []
    size = 0
    while compressed := source.read(_COMPRESSED_PIECE):
        while compressed:
            frame = frame or zstandard.ZstdDecompressor().decompressobj()
            try:
                parts.append(frame.decompress(compressed))
            except zstandard.ZstdError as error:
                raise EOFError(error) from error
            size += len(parts[-1])
            compressed = frame.unused_data
            frame = None if frame.eof else frame
        if size >= PIECE:
            yield b"".join(parts)
            parts, size = [], 0
    if parts:
        yield b"".join(parts)
    if frame is not None:
        message = "it stops within a frame"
        raise EOFError(message)


def transcoded(pieces: Iterator[bytes]) -> Iterator[bytes]:
    r"""UTF-8 of bytes that may be UTF-16, as PowerShell's ``>`` writes it; no byte order mark."""
    decoder: codecs.IncrementalDecoder | None = None
    first = True
    for piece in pieces:
        if first:
            first = False
            if piece.startswith(_UTF16):
                decoder = codecs.getincrementaldecoder("utf-16")("replace")
            piece = piece.removeprefix(codecs.BOM_UTF8)  # noqa: PLW2901
        yield piece if decoder is None else decoder.decode(piece).encode("utf-8", "replace")
