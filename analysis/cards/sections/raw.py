"""Raw results: the log lines that every figure comes from, as they were written."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from analysis.cards.facts import Facts
from analysis.cards.markdown import Markdown, code, details, fence, paragraphs, say
from analysis.cards.section import Figures, Section
from analysis.cards.wording import label
from analysis.records import Run, Source

HEADING = "Raw results"
INTRO = "The lines that the figures were computed from, unchanged."
SUMMARY = "{label}"
PLACE = "{source}"
GONE = "{file} can't be read any more."
LONG = "The first {shown} of {total} lines; the rest is in {file}."
RECORDS = (
    "{file} holds {total} records of a machine's making, too long to be read here: {size} bytes, "
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
    lines = _lines(folder, run.source)
    place = say(PLACE, source=code(str(run.source)))
    if lines is None:
        return details(title, say(GONE, file=code(run.source.file)))
    whole = "\n".join(lines)
    if len(whole) > LONG_LINE * len(lines):
        return details(title, paragraphs(place, _records(run.source, lines, whole)))
    note = None
    if len(lines) > MOST_LINES:
        note = say(LONG, shown=MOST_LINES, total=len(lines), file=code(run.source.file))
    return details(title, paragraphs(place, fence("\n".join(lines[:MOST_LINES]), "text"), note))


def _records(source: Source, lines: list[str], whole: str) -> Markdown:
    """What identifies lines that are not repeated, as they stand between their line feeds."""
    data = whole.encode("utf-8", "surrogateescape")
    return say(
        RECORDS,
        file=code(str(source)),
        total=len(lines),
        size=len(data),
        digest=code(hashlib.sha256(data).hexdigest()),
    )


def _lines(folder: Path, source: Source) -> list[str] | None:
    path = folder / source.file
    try:
        if not path.resolve().is_relative_to(folder.resolve()):
            return None
        text = path.read_bytes().decode("utf-8-sig", errors="replace")
    except (OSError, ValueError):
        return None
    lines = re.split(r"\r\n|\r|\n", text)
    first = (source.first_line or 1) - 1
    return lines[first : source.last_line or len(lines)]
