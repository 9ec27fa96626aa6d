"""What does each line of a README say, and what stands above it?

Markdown and plain text alike: cards are pasted from anywhere, so that titles
without marks, bullets of any kind and tables by tabs are understood too.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from analysis.cards.markers import TextLine, body_of
from analysis.parsers.text.tables import cells_of

__all__ = ["Line", "plain", "read_lines"]

_TITLE = re.compile(r" {0,3}(#{1,6})\s+(.*)|\s*<summary>(.*?)</summary>\s*|\s*\*\*([^*]+)\*\*\s*")
_SENTENCE = re.compile(r"[.:;,!?)]$|[|\t<>=]|^\W|^\d{1,3}[.)]\s")
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
    colon. A row has `cells` and the `headers` of its table, a title its `level`.
    """

    text: str
    kind: str
    number: int
    titles: tuple[str, ...] = ()
    lead: str = ""
    headers: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    level: int = 0

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


def read_lines(text: str) -> Iterator[Line]:
    """Every paragraph, title, row and line of code of a README."""
    titles: dict[int, str] = {}
    headers: tuple[str, ...] = ()
    lead = ""
    for line in _joined([*body_of(text)]):
        if line.level:
            # A title ends what is below those of its level.
            titles = {level: words for level, words in titles.items() if level < line.level}
            titles |= {line.level: line.text} if line.text else {}
        if line.level or line.kind == "text":
            lead = ""
        kind = "header" if line.kind == "row" and not headers else line.kind
        headers = (headers or line.cells) if line.kind == "row" else ()
        if line.text:
            above = tuple(titles.values())
            led = lead if kind == "item" else ""
            yield replace(line, kind=kind, titles=above, lead=led, headers=headers)
        if kind in ("text", "item") and line.text.endswith(":"):
            lead = line.text[-_LONGEST_LEAD:].replace("\n", " ")


def _joined(lines: Sequence[TextLine]) -> Iterator[Line]:
    """Paragraphs and items as a whole, and what is a line of its own, be it blank."""
    blank = [True, *(not line.text.strip() for line in lines), True]
    found: list[list[Line]] = []
    for at, line in enumerate(lines):
        before = found[-1][-1].kind if found else ""
        one = _read(line, before, alone=blank[at] and blank[at + 2])
        if one.kind == "text" and before in ("text", "item"):
            found[-1].append(one)
        else:
            found.append([one])
    for first, *others in found:
        text = "\n".join(one.text for one in (first, *others)).strip()
        yield replace(first, text=text)


def _read(line: TextLine, before: str, *, alone: bool) -> Line:
    """A line by itself; `before` is the kind of the one before it, `alone` it is between blanks."""
    text, number = line.text, line.number
    if line.code:
        return Line(text.strip(), "code", number)
    title = _TITLE.fullmatch(text)
    if title and not (title[4] and before in ("text", "item")):
        level = len(title[1]) if title[1] else SUMMARY if title[3] else BOLD
        return Line(plain(title[title.lastindex or 0].rstrip("# ")), "title", number, level=level)
    cells: tuple[str, ...] | None = None
    if text.lstrip().startswith("|") or (before == "row" and "|" in text):
        # Nothing is said by the line below the headers.
        cells = cells_of(text) if "-" not in text or set(text) - set("|:- \t") else ()
    elif "\t" in text.strip():
        cells = tuple(text.strip().split("\t"))
    if cells is not None:
        cells = tuple(map(plain, cells))
        return Line(" | ".join(cells), "row", number, cells=cells)
    words = plain(_QUOTED.sub("", text, count=1))
    if alone and words and len(text) <= _LONGEST_TITLE and not _SENTENCE.search(words):
        return Line(words, "title", number, level=UNMARKED)
    if not words and "</details>" in text:
        return Line("", "end", number, level=SUMMARY)
    item = _ITEM.match(words)
    kind = "quote" if _LOGGED.search(words) else "item" if item else "text" if text.strip() else ""
    return Line(words[item.end() :] if item else words, kind, number)
