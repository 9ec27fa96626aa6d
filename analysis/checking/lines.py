"""What does each line of a README say, and what stands above it?

Markdown and plain text alike: cards are pasted from anywhere, so that titles
without marks, bullets of any kind and tables by tabs are understood too.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

from analysis.cards.markers import BOM, FENCE, lines_of

__all__ = ["Line", "plain", "read_lines"]

_TITLE = re.compile(r" {0,3}(#{1,6})\s+(.*)|\s*<summary>(.*?)</summary>\s*|\s*\*\*([^*]+)\*\*\s*")
UNMARKED, SUMMARY, BOLD = 7, 8, 9
"""Levels of titles below those of headings."""
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_ALT = re.compile(r'\balt="([^"]*)"')
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")
_ADDRESS = re.compile(r"<?https?://[^\s<>]+>?")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<!--(?:(?!<!--|-->).)*-->")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_LONGEST_TITLE, _LONGEST_LEAD = 70, 400
_QUOTED = re.compile(r"^(?:\s*+>)++\s?")
_LOGGED = re.compile(
    r"\w{2}(?<!max)=\s*\d.*\w{2}(?<!max)=\s*\d|^\s*\"\w+\":|\w{2}(?<!max)=\s+\d|\|\s*task\s+-?\d|print_timing|statistics\s+\S+:"
)


@dataclass(frozen=True)
class Line:
    """A paragraph, list item, title, row or line of code, with its context.

    `text` are its words without markup; `starts` are offset and number (from 1) of each of its
    lines. `kind` is ``text``, ``item``, ``title``, ``row``, ``header``, ``code`` or ``quote``, a
    log line outside of code. `titles` stand above it, the outermost first; `before`
    it are the last ones, whatever they are of. `lead` introduces its list and ends in a colon. A
    row has `cells` and the `headers` of its table.
    """

    text: str
    kind: str
    starts: tuple[tuple[int, int], ...]
    titles: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
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
    shown = _TAG.sub(lambda tag: " ".join(_ALT.findall(tag[0])), text)
    shown = _ADDRESS.sub("", _LINK.sub(r"\1", shown))
    # What is escaped is no mark, and stays out of sight until those are gone.
    shown = _ESCAPED.sub(lambda sign: f"&#{ord(sign[1])};", shown)
    shown = re.sub(r"\*\*|__(?=\w)|(?<=\w)__|`+", "", shown)
    shown = re.sub(r"(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])", "", shown)
    return html.unescape(shown).strip()


def read_lines(text: str) -> tuple[Line, ...]:
    """Every paragraph, title, row and line of code of a README."""
    return tuple(_Reader([content for _, content, _ in lines_of(text.removeprefix(BOM))]).found)


class _Reader:
    """Goes down the lines once, knowing what it is in."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.titles: dict[int, str] = {}
        self.before: tuple[str, ...] = ()
        self.lead, self.kind, self.fence = "", "text", ""
        self.headers: tuple[str, ...] = ()
        self.open: list[tuple[int, str]] = []
        self.found: list[Line] = []
        borders = [at for at, line in enumerate(lines) if line.rstrip() == "---"][:2]
        start = borders[1] + 1 if len(borders) == 2 and borders[0] == 0 else 0
        for at in range(start, len(lines)):
            self._line(at, lines[at])
        self._end_paragraph()

    def _line(self, at: int, line: str) -> None:
        fence = FENCE.fullmatch(line)
        if fence and not self.fence:
            self._end_paragraph()
            self.fence = fence[1]
        elif fence and fence[1].startswith(self.fence) and not fence[2].strip():
            self.fence = ""
        elif self.fence:
            self._add("code", [(at, line.strip())] if line.strip() else [])
        else:
            if "</details>" in line:
                self._leave(SUMMARY)
            title = self._title(at, line)
            cells = None if title else self._cells(line)
            if title:
                self._end_paragraph()
                self._leave(title[0])
                self.titles[title[0]] = title[1]
                self.before = (*self.before, title[1])[-12:]
                self._add("title", [(at, title[1])])
            elif cells is not None:
                self._end_paragraph()
                kind = "row" if self.headers else "header"
                self.headers = self.headers or cells
                self._add(kind, [(at, " | ".join(cells))] if cells else [], self.headers, cells)
            else:
                self.headers = ()
                self._read_words(at, line)

    def _title(self, at: int, line: str) -> tuple[int, str] | None:
        """Level and words of a title, be it a short line between empty ones that is no sentence."""
        found = _TITLE.fullmatch(line)
        if found and (found[1] or found[3] or not self.open):
            level = len(found[1]) if found[1] else SUMMARY if found[3] else BOLD
            return level, plain(found[found.lastindex or 0].rstrip("# "))
        around = self.lines[max(0, at - 1) : at] + self.lines[at + 1 : at + 2]
        if len(line) > _LONGEST_TITLE or any(other.strip() for other in around):
            return None
        words = plain(line)
        sentence = re.search(r"[.:;,!?)]$|[|\t<>=]", words) or _ITEM.match(line)
        return (UNMARKED, words) if words[:1].isalnum() and not sentence else None

    def _leave(self, level: int) -> None:
        """A title ends what is below those of its level."""
        self.titles = {one: words for one, words in self.titles.items() if one < level}
        self.lead, self.headers = "", ()

    def _cells(self, line: str) -> tuple[str, ...] | None:
        """Those of a row; none of the line below the headers."""
        piped = line.lstrip().startswith("|") or (bool(self.headers) and "|" in line)
        if piped and "-" in line and not set(line) - set("|:- \t"):
            return ()
        if not piped and "\t" not in line.strip():
            return None
        inner = re.sub(r"^\||(?<!\\)\|$", "", line.strip()) if piped else line.strip()
        return tuple(map(plain, re.split(r"(?<!\\)\|" if piped else "\t", inner)))

    def _read_words(self, at: int, line: str) -> None:
        words = plain(_QUOTED.sub("", line, count=1))
        item, logged = _ITEM.match(words), _LOGGED.search(words)
        if item or logged or not line.strip():
            self._end_paragraph()
        if logged:
            self._add("quote", [(at, words)])
            return
        if item:
            self.kind, words = "item", words[item.end() :]
        elif line.strip() and not self.open:
            self.lead, self.kind = "", "text"
        self.open += [(at, words)] if words else []

    def _end_paragraph(self) -> None:
        said, self.open = self.open, []
        self._add(self.kind, said)
        if said and said[-1][1].endswith(":"):
            self.lead = " ".join(words for _, words in said)[-_LONGEST_LEAD:]

    def _add(self, kind: str, said: list[tuple[int, str]], *table: tuple[str, ...]) -> None:
        if said:
            text = " ".join(words for _, words in said)
            ends = accumulate((len(words) + 1 for _, words in said), initial=0)
            starts = tuple(zip(ends, (at + 1 for at, _ in said), strict=False))
            titles, lead = tuple(self.titles.values()), self.lead if kind == "item" else ""
            self.found.append(Line(text, kind, starts, titles, self.before, lead, *table))
