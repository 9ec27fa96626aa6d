"""What does each line of a README say, and what stands above it?

Markdown and plain text alike: cards are pasted from anywhere, so that titles
without marks, bullets of any kind and tables by tabs are understood too.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from analysis.cards.markers import BOM, lines_of

__all__ = ["Line", "Table", "plain", "read_lines"]

_MARKER = re.compile(r" {0,3}<!--[ \t]*mtpbench:(begin|end)[ \t]+(\S+)[ \t]*-->[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)")
_HEADING = re.compile(r" {0,3}(#{1,6})\s+(.*)")
_SUMMARY = re.compile(r"\s*<summary>(.*?)</summary>\s*")
_BOLD = re.compile(r"\s*\*\*([^*]+)\*\*\s*")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_DELIMITER = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*")
_IMAGE = re.compile(r"<img\b[^<>]*>")
_ATTRIBUTE = re.compile(r'\b(alt|src)="([^"]*)"')
_LINK = re.compile(r"!?\[([^\[\]]*)\]\(([^()\s]*)\)")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<!--.*?-->")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
UNMARKED, SUMMARY, BOLD = 7, 8, 9
_LONGEST_TITLE = 70


@dataclass(frozen=True)
class Table:
    """The table that a row belongs to."""

    headers: tuple[str, ...]
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Line:
    """One line with its context.

    Attributes
    ----------
    number
        From 1.
    text
        Its words without markup.
    kind
        ``text``, ``title``, ``row``, ``header``, ``code`` or ``front``.
    section
        Name of the generated section that it is in, or empty.
    titles
        Headings above it, the outermost first.
    passed
        Every title so far that is none of those, the nearest last.
    lead
        The line ending in a colon that introduces its list, or empty.
    before
        Earlier lines of the same part, the nearest last.
    table
        For a row.
    """

    number: int
    text: str
    kind: str
    section: str = ""
    titles: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    lead: str = ""
    before: tuple[str, ...] = ()
    table: Table | None = None


def plain(text: str) -> str:
    r"""A line's words: tags, emphasis, links and escapes resolved.

    Examples
    --------
    >>> plain("**a\\*b** `c` [d](https://e.org/1) &#124; <b>2</b>")
    'a*b c d <https://e.org/1> | 2'
    """
    shown = _IMAGE.sub(_picture, text)
    shown = _TAG.sub("", shown)
    shown = _LINK.sub(lambda found: f"{found[1]} \x02{found[2]}\x03", shown)
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(found[1])
        return f"\x04{len(kept) - 1}\x05"

    shown = _ESCAPED.sub(keep, shown)
    shown = re.sub(r"\*\*|__(?=\w)|(?<=\w)__|`+", "", shown)
    shown = re.sub(r"(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])", "", shown)
    shown = re.sub("\x04(\\d+)\x05", lambda found: kept[int(found[1])], shown)
    return html.unescape(shown).replace("\x02", "<").replace("\x03", ">").strip()


def _picture(tag: re.Match[str]) -> str:
    """What an image says, and where it is."""
    found = dict(_ATTRIBUTE.findall(tag[0]))
    return f"{found.get('alt', '')} \x02{found.get('src', '')}\x03"


def read_lines(text: str) -> tuple[Line, ...]:
    """Every line of a README that is not empty and no marker."""
    return _Reader([content for _, content, _ in lines_of(text.removeprefix(BOM))]).read()


class _Reader:
    """Goes down the lines once, knowing what it is in."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.titles: list[tuple[int, str]] = []
        self.passed: list[str] = []
        self.before: list[str] = []
        self.lead = ""
        self.section = ""
        self.fence: str | None = None
        self.headers: tuple[str, ...] | None = None
        self.tabs = False
        self.found: list[Line] = []

    def read(self) -> tuple[Line, ...]:
        first = self._front_matter()
        for index in range(first, len(self.lines)):
            self._line(index)
        return tuple(self.found)

    def _front_matter(self) -> int:
        if not self.lines or self.lines[0].rstrip() != "---":
            return 0
        for index, line in enumerate(self.lines[1:], start=1):
            if line.rstrip() == "---":
                return index + 1
            self.found.append(Line(index + 1, line.strip(), "front"))
        self.found.clear()
        return 0

    def _line(self, index: int) -> None:
        line = self.lines[index]
        fence = _FENCE.fullmatch(line)
        if self.fence is not None:
            if fence and fence[1].startswith(self.fence) and not fence[2].strip():
                self.fence = None
            else:
                self._add(index, line.strip(), "code")
            return
        if fence:
            self.fence = fence[1]
            return
        marker = _MARKER.fullmatch(line)
        if marker:
            self.section = marker[2] if marker[1] == "begin" else ""
            self._end_table()
            return
        if not line.strip():
            self._end_table()
            return
        if "</details>" in line:
            self._close(SUMMARY)
        if not self._title(index, line) and not self._row(index, line):
            self._words(index, line)

    def _title(self, index: int, line: str) -> bool:
        heading, folded = _HEADING.fullmatch(line), _SUMMARY.fullmatch(line)
        bold = _BOLD.fullmatch(line)
        if heading:
            level, words = len(heading[1]), heading[2]
        elif folded:
            level, words = SUMMARY, folded[1]
        elif bold:
            level, words = BOLD, bold[1]
        elif self._stands_alone(index, line):
            level, words = UNMARKED, line
        else:
            return False
        self._close(level)
        self.titles.append((level, plain(words)))
        self._add(index, plain(words), "title")
        return True

    def _stands_alone(self, index: int, line: str) -> bool:
        """A short line between empty ones that is no sentence: a title without marks."""
        around = [self.lines[at] for at in (index - 1, index + 1) if 0 <= at < len(self.lines)]
        words = plain(line)
        return (
            not any(other.strip() for other in around)
            and 0 < len(words) <= _LONGEST_TITLE
            and not re.search(r"[.:;,!?)]$|[|\t<>=]", words)
            and not _ITEM.match(line)
            and words[:1].isalnum()
        )

    def _close(self, level: int) -> None:
        while self.titles and self.titles[-1][0] >= level:
            self.passed.append(self.titles.pop()[1])
        self.before = []
        self.lead = ""
        self._end_table()

    def _row(self, index: int, line: str) -> bool:
        tabs = "\t" in line.strip()
        piped = line.lstrip().startswith("|") or (self.headers is not None and "|" in line)
        if not tabs and not piped:
            self._end_table()
            return False
        if piped and _DELIMITER.fullmatch(line):
            return True
        cells = _cells(line, tabs=tabs and not piped)
        if self.headers is None:
            self.headers = cells
            self._add(index, " | ".join(cells), "header", Table(cells, cells))
        else:
            self._add(index, " | ".join(cells), "row", Table(self.headers, cells))
        return True

    def _end_table(self) -> None:
        self.headers = None

    def _words(self, index: int, line: str) -> None:
        item = _ITEM.match(line)
        words = plain(line[item.end() :] if item else line)
        if not item:
            self.lead = ""
        self._add(index, words, "text")
        if words.endswith(":"):
            self.lead = words
        self.before.append(words)

    def _add(self, index: int, words: str, kind: str, table: Table | None = None) -> None:
        self.found.append(
            Line(
                number=index + 1,
                text=words,
                kind=kind,
                section=self.section,
                titles=tuple(title for _, title in self.titles),
                passed=tuple(self.passed),
                lead=self.lead,
                before=tuple(self.before),
                table=table,
            )
        )


def _cells(line: str, *, tabs: bool) -> tuple[str, ...]:
    if tabs:
        return tuple(plain(cell) for cell in line.strip().split("\t"))
    inner = line.strip().removeprefix("|")
    inner = inner.removesuffix("|") if not inner.endswith("\\|") else inner
    return tuple(plain(cell) for cell in re.split(r"(?<!\\)\|", inner))
