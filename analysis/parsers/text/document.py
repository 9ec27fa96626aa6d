"""What a parser is given: a text that knows its line numbers.

Line numbers are those of the file as an editor shows it. Whatever is cleaned
away later, a figure is still reported where the user will find it.
"""

from __future__ import annotations

import codecs
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from analysis.errors import LogError
from analysis.parsers.text.pasted import clean
from analysis.records import Source

__all__ = ["Document", "Numbered", "decode"]


class Numbered:
    """A text joined from lines, several of which may share a number.

    Parameters
    ----------
    lines
        Pairs of line number and line without its end.
    """

    def __init__(self, lines: Iterable[tuple[int, str]]) -> None:
        self._starts: list[int] = []
        self._numbers: list[int] = []
        parts: list[str] = []
        at = 0
        for number, line in lines:
            self._starts.append(at)
            self._numbers.append(number)
            parts.append(line)
            at += len(line) + 1
        self.text = "\n".join(parts)

    def pairs(self) -> Iterator[tuple[int, str]]:
        """Number and text of each line."""
        return zip(self._numbers, self.text.split("\n"), strict=False)

    def line_at(self, offset: int) -> int:
        """Return the number of the line that holds the character at `offset`."""
        if not self._starts:
            return 1
        return self._numbers[max(bisect_right(self._starts, offset) - 1, 0)]


@dataclass(frozen=True)
class Document:
    r"""A log's text under the name that its figures will be attributed to.

    Attributes
    ----------
    name
        How the file is called in every :class:`~analysis.records.Source`.
    text
        The text without byte order mark, every line ended by ``\n``.
    """

    name: str
    text: str

    @classmethod
    def of(cls, text: str, name: str) -> Document:
        r"""Make a document, whatever the line ends of `text`.

        A carriage return alone ends a line only in a text that has no other
        line ends; elsewhere it is a progress bar that overwrote itself.
        """
        text = text.removeprefix("\ufeff").replace("\r\n", "\n")
        return cls(name, text.replace("\r", " " if "\n" in text else "\n"))

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines as they are."""
        return tuple(self.text.split("\n"))

    @cached_property
    def plain(self) -> Numbered:
        """The text as it is; for formats that nobody retypes, such as JSON."""
        return Numbered(enumerate(self.lines, start=1))

    @cached_property
    def cleaned(self) -> Numbered:
        """The text without what pasting added; for formats that people paste."""
        return Numbered(
            (number, piece)
            for number, line in enumerate(self.lines, start=1)
            for piece in clean(line)
        )

    def source(self, numbered: Numbered, start: int, end: int) -> Source:
        """Return where characters `start` up to `end` of `numbered` stand in the file."""
        return Source(self.name, numbered.line_at(start), numbered.line_at(max(start, end - 1)))


def decode(raw: bytes, called: str) -> Document:
    """Read the bytes of a file into a document.

    Parameters
    ----------
    raw
        UTF-8, or UTF-16 with a byte order mark as PowerShell's ``>`` writes it.
    called
        What the file is called.

    Raises
    ------
    LogError
        When there is no text in it, it is binary or in another encoding.
    """
    document = Document.of(_text(raw, called), called)
    if not document.text.strip():
        raise LogError("the file is empty", "save the benchmark's output to it", called)
    return document


def _text(raw: bytes, called: str) -> str:
    encoding = "utf-8"
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    elif b"\0" in raw:
        at = raw.index(b"\0")
        raise LogError(
            f"this is a binary file (a NUL byte at offset {at})",
            "name the log as text",
            called,
            raw.count(b"\n", 0, at) + 1,
        )
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        at = error.start
        raise LogError(
            f"byte 0x{raw[at]:02x} at offset {at} is not {encoding.upper()}",
            "save the log as UTF-8",
            called,
            raw[:at].count(b"\n") + 1,
        ) from None
    if "\0" in text:
        at = text.index("\0")
        raise LogError(
            f"this is a binary file (a NUL character at offset {at})",
            "name the log as text",
            called,
            text.count("\n", 0, at) + 1,
        )
    return text
