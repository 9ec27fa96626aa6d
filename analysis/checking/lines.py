"""What does each line of a README say, and what stands above it?

Markdown and plain text alike: cards are pasted from anywhere, so that titles
without marks, bullets of any kind and tables by tabs are understood too.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

from analysis.cards.markers import TextLine, body_of
from analysis.parsers.text.tables import cells_of

__all__ = ["Line", "plain", "read_lines"]

_TITLE = re.compile(r" {0,3}(#{1,6})\s+(.*)|\s*<summary>(.*?)</summary>\s*|\s*\*\*([^*]+)\*\*\s*")
_SENTENCE = re.compile(r"[.:;,!?)]$|[|\t<>=]|^\W")
UNMARKED, SUMMARY, BOLD = 7, 8, 9
"""Levels of titles below those of headings."""
_LONGEST_TITLE, _LONGEST_LEAD = 70, 400
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_QUOTED = re.compile(r"^(?:\s*+>)++\s?")
_LOGGED = re.compile(
    r"\w{2}(?<!max)=\s*\d.*\w{2}(?<!max)=\s*\d|^\s*\"\w+\":|\w{2}(?<!max)=\s+\d|\|\s*task\s+-?\d|print_timing|statistics\s+\S+:"
)
_ALT = re.compile(r'\balt="([^"]*)"')
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<!--(?:(?!<!--|-->).)*-->")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)|<?https?://[^\s<>]+>?")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_MARK = re.compile(r"\*\*|__(?=\w)|(?<=\w)__|`+|(?<![\w*])\*(?=[^\s*])|(?<=[^\s*])\*(?![\w*])")


@dataclass(frozen=True)
class Line:
    """A paragraph, list item, title, row or line of code, with its context.

    `text` are its words without markup, `number` (from 1) is that of its first line. `kind` is
    ``text``, ``item``, ``title``, ``row``, ``header``, ``code`` or ``quote``, a log line outside of
    code. `titles` stand above it, the outermost first. `lead` introduces its list and ends in a
    colon. A row has `cells` and the `headers` of its table.
    """

    text: str
    kind: str
    number: int
    titles: tuple[str, ...] = ()
    lead: str = ""
    headers: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()

    def at(self, offset: int) -> int:
        """The number of the line that an offset is in."""
        return self.number + self.text.count("\n", 0, offset)


def plain(text: str) -> str:
    r"""A line's words: tags, emphasis, links and escapes resolved.

    Examples
    --------
    >>> plain("**a\\*b** `c` [d](https://e.org/1) &#124; <b>2</b>")
    'a*b c d | 2'
    """
    shown = _TAG.sub(lambda tag: " ".join(_ALT.findall(tag[0])), text)
    shown = _LINK.sub(lambda link: link[1] or "", shown)
    # What is escaped is no mark, and stays out of sight until those are gone.
    shown = _ESCAPED.sub(lambda sign: f"&#{ord(sign[1])};", shown)
    return html.unescape(_MARK.sub("", shown)).strip()


def read_lines(text: str) -> list[Line]:
    """Every paragraph, title, row and line of code of a README."""
    reader, lines = _Reader(), [*body_of(text)]
    blank = [True, *(not line.text.strip() for line in lines), True]
    for at, line in enumerate(lines):
        reader.read(line, alone=blank[at] and blank[at + 2])
    reader.end_paragraph()
    return reader.found


class _Reader:
    """Goes down the lines once, knowing what it is in."""

    def __init__(self) -> None:
        self.titles: dict[int, str] = {}
        self.lead, self.kind, self.first = "", "text", 0
        self.headers: tuple[str, ...] = ()
        self.open: list[str] = []
        self.found: list[Line] = []

    def read(self, line: TextLine, *, alone: bool) -> None:
        title = None if line.code else self._title(line.text, alone)
        cells = None if line.code or title else self._cells(line.text)
        if "</details>" in line.text and not line.code:
            self._leave(SUMMARY)
        if line.code or title or cells is not None:
            self.end_paragraph()
        if title:
            self._leave(title[0])
            self.titles[title[0]] = title[1]
            self._add("title", line.number, title[1])
        elif line.code:
            self._add("code", line.number, line.text.strip())
        elif cells is not None:
            kind = "row" if self.headers else "header"
            self.headers = self.headers or cells
            self._add(kind, line.number, " | ".join(cells), self.headers, cells)
        else:
            self.headers = ()
            self._read_words(line)

    def _title(self, line: str, alone: bool) -> tuple[int, str] | None:
        """Level and words of a title, be it a short line between empty ones that is no sentence."""
        found = _TITLE.fullmatch(line)
        if found and not (found[4] and self.open):
            level = len(found[1]) if found[1] else SUMMARY if found[3] else BOLD
            return level, plain(found[found.lastindex or 0].rstrip("# "))
        words = plain(line) if alone and len(line) <= _LONGEST_TITLE else ""
        sentence = not words or _SENTENCE.search(words) or _ITEM.match(line)
        return None if sentence else (UNMARKED, words)

    def _leave(self, level: int) -> None:
        """A title ends what is below those of its level."""
        self.titles = {one: words for one, words in self.titles.items() if one < level}
        self.lead, self.headers = "", ()

    def _cells(self, line: str) -> tuple[str, ...] | None:
        """Those of a row; none of the line below the headers."""
        if line.lstrip().startswith("|") or (self.headers and "|" in line):
            ruled = "-" in line and not set(line) - set("|:- \t")
            cells = () if ruled else cells_of(line)
        else:
            cells = tuple(line.strip().split("\t")) if "\t" in line.strip() else None
        return cells if cells is None else tuple(map(plain, cells))

    def _read_words(self, line: TextLine) -> None:
        words = plain(_QUOTED.sub("", line.text, count=1))
        item, logged = _ITEM.match(words), _LOGGED.search(words)
        if item or logged or not line.text.strip():
            self.end_paragraph()
        if logged:
            self._add("quote", line.number, words)
        elif self.open:
            # One of tags alone counts as a line.
            self.open.append(words)
        elif line.text.strip():
            self.kind, self.first = "item" if item else "text", line.number
            self.lead = self.lead if item else ""
            self.open = [words[item.end() :] if item else words] if words else []

    def end_paragraph(self) -> None:
        text, self.open = "\n".join(self.open).strip(), []
        self._add(self.kind, self.first, text)
        if text.endswith(":"):
            self.lead = text[-_LONGEST_LEAD:].replace("\n", " ")

    def _add(self, kind: str, number: int, text: str, *table: tuple[str, ...]) -> None:
        if text:
            titles, lead = tuple(self.titles.values()), self.lead if kind == "item" else ""
            self.found.append(Line(text, kind, number, titles, lead, *table))
