"""What does each line of a README say, and what stands above it?

Markdown and plain text alike: cards are pasted from anywhere, so that titles
without marks, bullets of any kind and tables by tabs are understood too.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from dataclasses import dataclass

from analysis.cards.markers import BOM, lines_of

__all__ = ["Line", "plain", "read_lines"]

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
_HIDDEN = 0xE000
_SHOWN = {_HIDDEN + code: code for code in range(128)}
"""Where escaped signs are kept until marks are gone."""
UNMARKED, SUMMARY, BOLD = 7, 8, 9
_LONGEST_TITLE, _LONGEST_LEAD = 70, 400
_QUOTED = re.compile(r"(?<!\s)\s*+>\s?")
_LOGGED = re.compile(
    r"\w{2}(?<!max)=\s*\d.*\w{2}(?<!max)=\s*\d|^\s*\"\w+\":|\w{2}(?<!max)=\s+\d|\|\s*task\s+-?\d|print_timing|statistics\s+\S+:"
)


@dataclass(frozen=True)
class Line:
    """A paragraph, list item, title, row or line of code, with its context.

    `text` are its words without markup; `starts` are offset and number (from 1) of each of its
    lines. `kind` is ``text``, ``item``, ``title``, ``row``, ``header``, ``code`` or ``quote``, a
    log line outside of code. `titles` stand above it, the outermost first; `passed` are the
    nearest that do so no more. `lead` introduces its list and ends in a colon. A row has `cells`
    and the `headers` of its table.
    """

    text: str
    kind: str
    starts: tuple[tuple[int, int], ...]
    titles: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    lead: str = ""
    headers: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()

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
    shown = _ESCAPED.sub(lambda sign: chr(_HIDDEN + ord(sign[1])), shown)
    shown = re.sub(r"\*\*|__(?=\w)|(?<=\w)__|`+", "", shown)
    shown = re.sub(r"(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])", "", shown)
    return html.unescape(shown.translate(_SHOWN)).strip()


def read_lines(text: str) -> tuple[Line, ...]:
    """Every paragraph, title, row and line of code of a README."""
    return _LinesReader([content for _, content, _ in lines_of(text.removeprefix(BOM))]).read()


class _LinesReader:
    """Goes down the lines once, knowing what it is in."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.titles: list[tuple[int, str]] = []
        self.passed: tuple[str, ...] = ()
        self.above: tuple[str, ...] = ()
        self.lead, self.kind, self.fence = "", "text", ""
        self.headers: tuple[str, ...] = ()
        self.open: list[tuple[int, str]] = []
        self.found: list[Line] = []

    def read(self) -> tuple[Line, ...]:
        start = 0
        if self.lines and self.lines[0].rstrip() == "---":
            ends = (at for at, line in enumerate(self.lines) if at and line.rstrip() == "---")
            start = next(ends, -1) + 1
        for index in range(start, len(self.lines)):
            self._line(index, self.lines[index])
        self._close_paragraph()
        return tuple(self.found)

    def _line(self, index: int, line: str) -> None:
        fence = _FENCE.fullmatch(line)
        if self.fence or fence:
            self._close_paragraph()
            if not self.fence and fence:
                self.fence = fence[1]
            elif fence and fence[1].startswith(self.fence) and not fence[2].strip():
                self.fence = ""
            elif line.strip():
                self._add([(index, line.strip())], "code")
            return
        if not line.strip():
            self._close_paragraph()
            self.headers = ()
            return
        if "</details>" in line:
            self._close(SUMMARY)
        if self._title(index, line) or self._row(index, line):
            return
        words = plain(_QUOTED.sub("", line, count=1))
        item = _ITEM.match(words)
        if item or _LOGGED.search(words):
            self._close_paragraph()
        if _LOGGED.search(words):
            self._add([(index, words)], "quote")
            return
        if item:
            self.kind, words = "item", words[item.end() :]
        elif not self.open:
            self.lead, self.kind = "", "text"
        self.open += [(index, words)] if words else []

    def _close_paragraph(self) -> None:
        said, self.open = self.open, []
        if said:
            self._add(said, self.kind)
            if said[-1][1].endswith(":"):
                self.lead = " ".join(words for _, words in said)[-_LONGEST_LEAD:]

    def _title(self, index: int, line: str) -> bool:
        heading, folded = _HEADING.fullmatch(line), _SUMMARY.fullmatch(line)
        bold = None if self.open else _BOLD.fullmatch(line)
        if not (heading or folded or bold or self._stands_alone(index, line)):
            return False
        level = len(heading[1]) if heading else SUMMARY if folded else BOLD if bold else UNMARKED
        found = heading or folded or bold
        words = plain(found[found.lastindex or 1].rstrip("# ") if found else line)
        self._close_paragraph()
        self._close(level)
        self.titles.append((level, words))
        self.above = tuple(title for _, title in self.titles[-12:])
        self._add([(index, words)], "title")
        return True

    def _stands_alone(self, index: int, line: str) -> bool:
        """A short line between empty ones that is no sentence: a title without marks."""
        around = self.lines[max(0, index - 1) : index] + self.lines[index + 1 : index + 2]
        if len(line) > _LONGEST_TITLE or self.open or any(other.strip() for other in around):
            return False
        words = plain(line)
        sentence = re.search(r"[.:;,!?)]$|[|\t<>=]", words) or _ITEM.match(line)
        return words[:1].isalnum() and not sentence

    def _close(self, level: int) -> None:
        while self.titles and self.titles[-1][0] >= level:
            self.passed = (*self.passed[-7:], self.titles.pop()[1])
        self.above = tuple(title for _, title in self.titles[-12:])
        self.lead, self.headers = "", ()

    def _row(self, index: int, line: str) -> bool:
        piped = line.lstrip().startswith("|") or (bool(self.headers) and "|" in line)
        if not piped and "\t" not in line.strip():
            self.headers = ()
            return False
        self._close_paragraph()
        if not (piped and _DELIMITER.fullmatch(line)):
            inner = re.sub(r"^\||(?<!\\)\|$", "", line.strip()) if piped else line.strip()
            cells = tuple(map(plain, re.split(r"(?<!\\)\|" if piped else "\t", inner)))
            kind = "row" if self.headers else "header"
            self.headers = self.headers or cells
            self._add([(index, " | ".join(cells))], kind, self.headers, cells)
        return True

    def _add(self, said: list[tuple[int, str]], kind: str, *table: tuple[str, ...]) -> None:
        starts, at = [], 0
        for index, words in said:
            starts.append((at, index + 1))
            at += len(words) + 1
        text = " ".join(words for _, words in said)
        lead = self.lead if kind in ("item", "quote") else ""
        self.found.append(Line(text, kind, tuple(starts), self.above, self.passed, lead, *table))
