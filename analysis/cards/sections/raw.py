"""Raw results: the log lines that every figure comes from, as they were written."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from analysis.cards.escaping import Markdown, code, fence, say
from analysis.cards.facts import Facts
from analysis.cards.markdown import details, paragraphs
from analysis.cards.section import Figures, Section
from analysis.cards.wording import label
from analysis.files.inside import bytes_inside
from analysis.privacy import public
from analysis.records import Run, Source

HEADING = "Raw results"
INTRO = "The log lines that the figures were computed from, unchanged."
SUMMARY = "{label}"
PLACE = "{source}"
GONE = "{file} can't be read any more."
PRIVATE = "Keys, folders and names in these lines are hidden."
LONG = "The first {shown} of {total} lines; the rest is in {file}."
RECORDS = (
    "{file} holds {total} records that a program wrote, too long to be read here: {size} bytes, "
    "SHA-256 {digest}."
)
MOST_LINES = 400
LONG_LINE = 500
"""Mean characters in a line above which lines are for programs and not for people."""


def write(facts: Facts, figures: Figures) -> Section | None:  # noqa: ARG001
    """One folded block per run; null without runs."""
    runs = facts.summary.campaign.runs
    if not runs:
        return None
    folder = facts.summary.campaign.folder
    return Section(
        HEADING, paragraphs(Markdown(INTRO), *[_block(facts, folder, run) for run in runs])
    )


def _block(facts: Facts, folder: Path, run: Run) -> Markdown:
    known = facts.by_id.get(run.id)
    title = run.label or run.id if known is None else known.label
    if known is not None and known.synthetic:
        title = str(label(known))
    data = bytes_inside(folder / run.source.file, folder)
    place = say(PLACE, source=code(str(run.source)))
    if data is None:
        return details(title, say(GONE, file=code(run.source.file)))
    lines = _lines(data, run.source)
    if sum(map(len, lines)) > LONG_LINE * len(lines):
        return details(title, paragraphs(place, _records(data, run.source, lines)))
    note = None
    if len(lines) > MOST_LINES:
        note = say(LONG, shown=MOST_LINES, total=len(lines), file=code(run.source.file))
    written = "\n".join(lines[:MOST_LINES])
    shown = public(written)
    hidden = say(PRIVATE) if shown != written else None
    return details(title, paragraphs(place, fence(shown, "text"), hidden, note))


def _records(data: bytes, source: Source, lines: list[str]) -> Markdown:
    """What identifies lines that are not repeated: of a whole file, what `sha256sum` says of it."""
    if len(lines) < len(_split(data)):
        data = "\n".join(lines).encode("utf-8", "surrogateescape")
    return say(
        RECORDS,
        file=code(str(source)),
        total=len(lines),
        size=len(data),
        digest=code(hashlib.sha256(data).hexdigest()),
    )


def _lines(data: bytes, source: Source) -> list[str]:
    lines = _split(data)
    return lines[(source.first_line or 1) - 1 : source.last_line or len(lines)]


def _split(data: bytes) -> list[str]:
    """Lines as records count them; what ends with a line feed has none behind it."""
    lines = re.split(r"\r\n|\r|\n", data.decode("utf-8-sig", errors="replace"))
    return lines[:-1] if not lines[-1] else lines
