"""Markers: where do the generated sections of a README begin and end?

A section stands between two comments, each on a line of its own. What looks
like one inside a fenced code block or in the front matter is text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from analysis.errors import CardError, one_of

__all__ = [
    "BEGIN",
    "END",
    "Span",
    "TextLine",
    "body_of",
    "find_spans",
    "has_title",
    "lines_of",
    "pair",
]

BEGIN = "<!-- mtpbench:begin {name} -->"
END = "<!-- mtpbench:end {name} -->"

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_MARKER = re.compile(r" {0,3}<!--[ \t]*mtpbench:(begin|end)[ \t]+(\S+)[ \t]*-->[ \t]*")
_LIKE_MARKER = re.compile(r" {0,3}<!--\s*mtpbench:")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)")
_FRONT_MATTER = re.compile(r"---[ \t]*")
_TITLE = re.compile(r" {0,3}(#([ \t]|$)|<h1[\s>])", re.IGNORECASE)
_UNDERLINE = re.compile(r" {0,3}=+[ \t]*")
_BOM = "\ufeff"


@dataclass(frozen=True)
class Span:
    """One section of a text.

    Attributes
    ----------
    name
        The section's name.
    begin, end
        Lines of its markers, counted from 1.
    start, stop
        Offsets of what lies between the marker lines.
    newline
        The line end of its first marker.
    """

    name: str
    begin: int
    end: int
    start: int
    stop: int
    newline: str


@dataclass(frozen=True)
class TextLine:
    """A line of a text.

    Attributes
    ----------
    number
        Counted from 1.
    start, stop
        Offsets in the text, its line end included.
    text, newline
        What it says, and its line end.
    code
        Whether it is of a fenced code block, be it one of its fences.
    """

    number: int
    start: int
    stop: int
    text: str
    newline: str
    code: bool = False


def pair(name: str) -> str:
    """The two lines that a section needs."""
    return f"{BEGIN.format(name=name)}\n{END.format(name=name)}"


def find_spans(text: str, known: Collection[str], file: str | None = None) -> tuple[Span, ...]:
    """The sections of a README in the order in which they stand.

    Parameters
    ----------
    text
        The README with its line ends as they are; a byte order mark may open it.
    known
        Names that a section may have.
    file
        How the README is called in errors.

    Returns
    -------
    tuple of Span
        Empty where there is no marker.

    Raises
    ------
    CardError
        A marker is misspelt, unknown, doubled, nested, or lacks its other
        half; the error has the line.
    """
    spans: dict[str, Span] = {}
    opened: tuple[str, TextLine] | None = None
    for line in _outside_code(text):
        if not _LIKE_MARKER.match(line.text):
            continue
        marker = _MARKER.fullmatch(line.text)
        if marker is None:
            problem = "this marker is none that mtpbench knows"
            remedy = f"write {BEGIN.format(name='NAME')} or {END.format(name='NAME')} alone on it"
            raise CardError(problem, remedy, file=file or "README", line=line.number)
        kind, name = marker.groups()
        if name not in known:
            problem, remedy = one_of("a section", name, known)
            raise CardError(problem, remedy, file=file or "README", line=line.number)
        if kind == "begin":
            _check_begin(name, line, opened, spans, file)
            opened = (name, line)
            continue
        if opened is None or opened[0] != name:
            raise _stray_end(name, line, opened, file)
        first = opened[1]
        spans[name] = Span(
            name, first.number, line.number, first.stop, line.start, first.newline or "\n"
        )
        opened = None
    if opened is not None:
        problem = f"the section {opened[0]} has no end"
        remedy = f"add the line {END.format(name=opened[0])} below it"
        raise CardError(problem, remedy, file=file or "README", line=opened[1].number)
    return tuple(spans.values())


def has_title(text: str, spans: Sequence[Span]) -> bool:
    """Whether a README has a title of its own, outside of its generated sections."""
    before = ""
    for line in _outside_code(text):
        if any(span.start <= line.start < span.stop for span in spans):
            before = ""
            continue
        if _TITLE.match(line.text) or (before.strip() and _UNDERLINE.fullmatch(line.text)):
            return True
        before = line.text
    return False


def _check_begin(
    name: str,
    line: TextLine,
    opened: tuple[str, TextLine] | None,
    spans: dict[str, Span],
    file: str | None,
) -> None:
    if opened is not None:
        problem = f"the section {name} begins inside {opened[0]}, begun on line {opened[1].number}"
        remedy = f"put {END.format(name=opened[0])} above it"
        raise CardError(problem, remedy, file=file or "README", line=line.number)
    if name in spans:
        problem = f"the section {name} is here twice, first on line {spans[name].begin}"
        raise CardError(problem, "remove one of the two", file=file or "README", line=line.number)


def _stray_end(
    name: str, line: TextLine, opened: tuple[str, TextLine] | None, file: str | None
) -> CardError:
    if opened is None:
        problem = f"the section {name} ends here and never began"
        remedy = f"add the line {BEGIN.format(name=name)} above it, or remove this one"
    else:
        problem = f"the section {name} ends inside {opened[0]}, begun on line {opened[1].number}"
        remedy = f"write {END.format(name=opened[0])}"
    return CardError(problem, remedy, file=file or "README", line=line.number)


def lines_of(text: str) -> Iterator[tuple[int, str, str]]:
    """Number, content and line end of each line, by any convention."""
    for number, found in enumerate(_LINE.finditer(text), start=1):
        content = found[0].rstrip("\r\n")
        yield number, content, found[0][len(content) :]


def body_of(text: str) -> Iterator[TextLine]:
    """The lines of a text below its front matter; a byte order mark is none of what they say."""
    start = 0
    lines = []
    for number, content, newline in lines_of(text):
        stop = start + len(content) + len(newline)
        shown = content.removeprefix(_BOM) if number == 1 else content
        lines.append(TextLine(number, start, stop, shown, newline))
        start = stop
    fence: str | None = None
    for line in lines[_front_matter(lines) :]:
        found = _FENCE.fullmatch(line.text)
        yield replace(line, code=True) if found or fence is not None else line
        if found and fence is None:
            fence = found[1]
        elif found and fence and found[1].startswith(fence) and not found[2].strip():
            fence = None


def _outside_code(text: str) -> Iterator[TextLine]:
    return (line for line in body_of(text) if not line.code)


def _front_matter(lines: list[TextLine]) -> int:
    """How many lines the YAML block at the top takes; 0 without one."""
    if not lines or not _FRONT_MATTER.fullmatch(lines[0].text):
        return 0
    for index, line in enumerate(lines[1:], start=2):
        if _FRONT_MATTER.fullmatch(line.text):
            return index
    return 0
