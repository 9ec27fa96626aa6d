"""What is in a server's log that has no finished request?"""

from __future__ import annotations

import re

from analysis.parsers.text.document import Document

__all__ = ["seen_in"]

_SLOT = re.compile(r"(?:slot +)?[\w()]{1,40}: id +\d{1,4} \| task +(-?\d{1,9}) \| *(.{0,40})")
_CLOCK = re.compile(r"\d{1,7}\.\d\d\.\d{3}\.\d{3} +[IWED] +$")
_PART = re.compile(r"[^\s:|\[\]()<>=,\"]++")
_LETTER = re.compile(r"[^\W\d_]")
_KINDS = (
    (re.compile(r"n_gen =|prompt processing"), "progress of"),
    (re.compile(r"processing task"), "the beginning of"),
)
_LONGEST = 60
_REACH = 400


def seen_in(head: Document) -> str:
    """What else the log has, as the end of a sentence; empty where it has nothing of a request."""
    before: str | None = None
    tasks: dict[str, set[str]] = {}
    for line in head.lines:
        found = _SLOT.search(line[:_REACH])
        if found is None:
            continue
        before = line[: found.start()] if before is None else before
        for shape, kind in _KINDS:
            if shape.match(found[2]):
                tasks.setdefault(kind, set()).add(found[1])
    if not tasks:
        return "" if "#calls" not in head.text else ", only totals of the server since it started"
    kind, of = next((kind, tasks[kind]) for _, kind in _KINDS if kind in tasks)
    number = f"task {next(iter(of))}" if len(of) == 1 else f"{len(of)} tasks"
    # Hosts and units are nobody's business: of a prefix, its numbers and marks show which it is.
    hidden = _PART.sub(_without_words, _CLOCK.sub("", before or "")).strip()
    behind = f", behind `{hidden[:_LONGEST]}`" if hidden else ""
    return f", only {kind} {number}{behind}"


def _without_words(part: re.Match[str]) -> str:
    return "\N{HORIZONTAL ELLIPSIS}" if _LETTER.search(part[0]) else part[0]
