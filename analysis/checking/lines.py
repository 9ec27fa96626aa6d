"""What does each line of a README say, and what stands above it?

Markdown and plain text alike: cards are pasted from anywhere, so that titles
without marks, bullets of any kind and tables by tabs are understood too.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from analysis.cards.markers import BOM, lines_of

__all__ = ["Line", "Table", "plain", "read_lines"]

_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)")
_HEADING = re.compile(r" {0,3}(#{1,6})\s+(.*)")
_SUMMARY = re.compile(r"\s*<summary>(.*?)</summary>\s*")
_BOLD = re.compile(r"\s*\*\*([^*]+)\*\*\s*")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_DELIMITER = re.compile(r"\s*+\|?\s*+:?-++:?\s*+(\|\s*+:?-++:?\s*+)*+\|?\s*+")
_IMAGE = re.compile(r"<img\b[^<>]*>")
_ALT = re.compile(r'\balt="([^"]*)"')
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")
_ADDRESS = re.compile(r"<?https?://[^\s<>]+>?")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<!--(?:(?!<!--|-->).)*-->")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
UNMARKED, SUMMARY, BOLD = 7, 8, 9
_LONGEST_TITLE, _LONGEST_LEAD = 70, 400
_QUOTED = re.compile(r"(?<!\s)\s*+>\s?")
_LOGGED = re.compile(
    r"\w=\s*\d.*\w=\s*\d|^\s*\"\w+\":|\w=\s+\d|\|\s*task\s+-?\d|print_timing|statistics\s+\S+:"
)


@dataclass(frozen=True)
class Table:
    """The table that a row belongs to."""

    headers: tuple[str, ...]
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Line:
    """A paragraph, list item, title, row or line of code, with its context.

    Attributes
    ----------
    text
        Its words without markup; the lines of a paragraph are joined.
    kind
        ``text``, ``item``, ``title``, ``row``, ``header``, ``code`` or ``quote``, a log line
        outside of code.
    starts
        Offset in `text` and number (from 1) of each of its lines.
    titles
        Headings above it, the outermost first.
    passed
        The nearest titles so far that are none of those, the last one last.
    lead
        The words ending in a colon that introduce its list, or empty.
    part
        Which part of the text it is in: a title begins a new one.
    table
        For a row.
    """

    text: str
    kind: str
    starts: tuple[tuple[int, int], ...]
    titles: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    lead: str = ""
    part: int = 0
    table: Table | None = None

    @property
    def number(self) -> int:
        """Of its first line."""
        return self.starts[0][1]

    def at(self, offset: int) -> int:
        """The number of the line that an offset is in."""
        return self.starts[bisect_right(self.starts, (offset, 1 << 60)) - 1][1]


def plain(text: str) -> str:
    r"""A line's words: tags, emphasis, links and escapes resolved.

    Examples
    --------
    >>> plain("**a\\*b** `c` [d](https://e.org/1) &#124; <b>2</b>")
    'a*b c d | 2'
    """
    shown = _IMAGE.sub(lambda tag: " ".join(_ALT.findall(tag[0])), text)
    shown = _ADDRESS.sub("", _LINK.sub(r"\1", _TAG.sub("", shown)))
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(found[1])
        return f"\x04{len(kept) - 1}\x05"

    shown = _ESCAPED.sub(keep, shown)
    shown = re.sub(r"\*\*|__(?=\w)|(?<=\w)__|`+", "", shown)
    shown = re.sub(r"(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])", "", shown)
    shown = re.sub("\x04(\\d+)\x05", lambda found: kept[int(found[1])], shown)
    return html.unescape(shown).strip()


def read_lines(text: str) -> tuple[Line, ...]:
    """Every paragraph, title, row and line of code of a README."""
    return _Reader([content for _, content, _ in lines_of(text.removeprefix(BOM))]).read()


class _Reader:
    """Goes down the lines once, knowing what it is in."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.titles: list[tuple[int, str]] = []
        self.passed: list[str] = []
        self.lead = ""
        self.part = 0
        self.fence: str | None = None
        self.headers: tuple[str, ...] | None = None
        self.found: list[Line] = []
        self.open: list[tuple[int, str]] = []
        self.kind = "text"
        self.shown: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())

    def read(self) -> tuple[Line, ...]:
        for index in range(self._front_matter(), len(self.lines)):
            self._line(index)
        self._close_paragraph()
        return tuple(self.found)

    def _front_matter(self) -> int:
        if not self.lines or self.lines[0].rstrip() != "---":
            return 0
        return next(
            (at + 1 for at, line in enumerate(self.lines) if at and line.rstrip() == "---"), 0
        )

    def _line(self, index: int) -> None:
        line = self.lines[index]
        fence = _FENCE.fullmatch(line)
        if self.fence is not None:
            if fence and fence[1].startswith(self.fence) and not fence[2].strip():
                self.fence = None
            elif line.strip():
                self._add([(index, line.strip())], "code")
            return
        if fence:
            self._close_paragraph()
            self.fence = fence[1]
            return
        if not line.strip():
            self._close_paragraph()
            self.headers = None
            return
        if "</details>" in line:
            self._close(SUMMARY)
        if self._title(index, line) or self._row(index, line):
            return
        words = plain(_QUOTED.sub("", line, count=1))
        if _LOGGED.search(words):
            self._close_paragraph()
            self._add([(index, words)], "quote")
            return
        item = _ITEM.match(words)
        if item:
            self._close_paragraph()
            self.kind, words = "item", words[item.end() :]
        elif not self.open:
            self.lead, self.kind = "", "text"
        if words:
            self.open.append((index, words))

    def _close_paragraph(self) -> None:
        if not self.open:
            return
        said, self.open = self.open, []
        self._add(said, self.kind)
        if said[-1][1].endswith(":"):
            self.lead = " ".join(words for _, words in said)[-_LONGEST_LEAD:]

    def _title(self, index: int, line: str) -> bool:
        heading, folded = _HEADING.fullmatch(line), _SUMMARY.fullmatch(line)
        bold = _BOLD.fullmatch(line)
        if heading:
            level, words = len(heading[1]), heading[2].rstrip("# ")
        elif folded:
            level, words = SUMMARY, folded[1]
        elif bold and not self.open:
            level, words = BOLD, bold[1]
        elif self._stands_alone(index, line):
            level, words = UNMARKED, line
        else:
            return False
        self._close_paragraph()
        self._close(level)
        self.titles.append((level, plain(words)))
        self._titled()
        self._add([(index, plain(words))], "title")
        return True

    def _stands_alone(self, index: int, line: str) -> bool:
        """A short line between empty ones that is no sentence: a title without marks."""
        if len(line) > _LONGEST_TITLE or self.open:
            return False
        around = [self.lines[at] for at in (index - 1, index + 1) if 0 <= at < len(self.lines)]
        words = plain(line)
        return (
            not any(other.strip() for other in around)
            and bool(words)
            and not re.search(r"[.:;,!?)]$|[|\t<>=]", words)
            and not _ITEM.match(line)
            and words[:1].isalnum()
        )

    def _close(self, level: int) -> None:
        while self.titles and self.titles[-1][0] >= level:
            self.passed = [*self.passed[-7:], self.titles.pop()[1]]
        self.lead, self.headers = "", None
        self.part += 1
        self._titled()

    def _titled(self) -> None:
        self.shown = (tuple(title for _, title in self.titles[-12:]), tuple(self.passed))

    def _row(self, index: int, line: str) -> bool:
        tabs = "\t" in line.strip()
        piped = line.lstrip().startswith("|") or (self.headers is not None and "|" in line)
        if not tabs and not piped:
            self.headers = None
            return False
        self._close_paragraph()
        if piped and _DELIMITER.fullmatch(line):
            return True
        cells = _cells(line, tabs=tabs and not piped)
        kind = "header" if self.headers is None else "row"
        self.headers = cells if self.headers is None else self.headers
        self._add([(index, " | ".join(cells))], kind, Table(self.headers, cells))
        return True

    def _add(self, said: list[tuple[int, str]], kind: str, table: Table | None = None) -> None:
        starts, at = [], 0
        for index, words in said:
            starts.append((at, index + 1))
            at += len(words) + 1
        titles, passed = self.shown
        text = " ".join(words for _, words in said)
        lead = self.lead if kind in ("item", "quote") else ""
        self.found.append(Line(text, kind, tuple(starts), titles, passed, lead, self.part, table))


def _cells(line: str, *, tabs: bool) -> tuple[str, ...]:
    if tabs:
        return tuple(plain(cell) for cell in line.strip().split("\t"))
    inner = line.strip().removeprefix("|")
    inner = inner.removesuffix("|") if not inner.endswith("\\|") else inner
    return tuple(plain(cell) for cell in re.split(r"(?<!\\)\|", inner))
