"""Conditions: everything that could move the figures, the unknown named as such."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from analysis.campaigns.campaign_file import CONDITIONS
from analysis.cards.escaping import Markdown, code, escape, say
from analysis.cards.facts import Facts
from analysis.cards.markdown import join, paragraphs, table
from analysis.cards.numbers import UNRECORDED, decimal
from analysis.cards.section import Figures, Section
from analysis.cards.wording import label

HEADING = "Conditions"
HEADERS = ("What", "Value")
NAMES = {
    "gpu": "GPU",
    "cpu": "CPU",
    "ram": "RAM",
    "os": "Operating system",
    "build": "llama.cpp build",
    "flags": "Server flags",
}
KNOWN = tuple((key, NAMES.get(key, key.replace("_", " ").capitalize())) for key in CONDITIONS)
VERBATIM = ("flags", "target_file", "draft_file")
PROMPTS = "Prompts"
_HASH = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{28,}\b")
CONCURRENCY = "Requests at once"
LOGS = "Raw logs"
LOG = "{file} ({label})"
MISSING = "{unrecorded}: {names}."


def write(facts: Facts, figures: Figures) -> Section | None:  # noqa: ARG001
    """A table of what is known and a line on what is not; never null."""
    rows = _rows(facts)
    known = [(name, value) for name, value in rows if value is not None]
    missing = [name for name, value in rows if value is None]
    return Section(
        HEADING,
        paragraphs(table(HEADERS, known, ("left", "left")) if known else None, _missing(missing)),
    )


def _missing(names: Sequence[str]) -> Markdown | None:
    if not names:
        return None
    shown = [name if name.isupper() or "llama" in name else name.lower() for name in names]
    return say(MISSING, unrecorded=UNRECORDED.capitalize(), names=join(shown))


def _rows(facts: Facts) -> list[tuple[str, str | None]]:
    campaign = facts.summary.campaign
    stated = dict(campaign.conditions)
    named = dict(KNOWN)
    from_runs = {
        "build": _common(run.build for run in facts.real),
        "temperature": _common(
            None if run.temperature is None else decimal(run.temperature) for run in facts.real
        ),
        "target_file": campaign.card.get("target_file")
        or _common(run.target for run in campaign.runs),
        "draft_file": campaign.card.get("draft_file") or _common(_real_drafts(facts)),
    }
    rows: list[tuple[str, str | None]] = []
    for key, name in KNOWN:
        value = stated.pop(key, None) or from_runs.get(key)
        form = code if key in VERBATIM else escape
        rows.append((name, form(str(value)) if value else None))
    rows += [(key, value) for key, value in stated.items() if key not in named]
    rows.append((PROMPTS, _common(_short(run.prompt_set) for run in facts.real)))
    at_once = _common(
        None if run.concurrency is None else str(run.concurrency) for run in facts.real
    )
    rows.append((CONCURRENCY, at_once))
    rows.append((LOGS, _logs(facts)))
    return rows


def _short(prompt_set: str | None) -> str | None:
    """A set of prompts as a reader compares it; a whole hash makes the table wider than a page."""
    return None if prompt_set is None else _HASH.sub(r"\1…", prompt_set)


def _real_drafts(facts: Facts) -> Iterable[str | None]:
    real = {run.id for run in facts.real}
    return (run.draft for run in facts.summary.campaign.runs if run.id in real)


def _common(values: Iterable[str | None]) -> str | None:
    distinct = {value for value in values if value}
    return join(sorted(distinct)) if distinct else None


def _logs(facts: Facts) -> Markdown | None:
    logs: dict[str, list[Markdown]] = {}
    for run in facts.summary.campaign.runs:
        names = logs.setdefault(run.source.file, [])
        if run.id in facts.by_id:
            names.append(label(facts.by_id[run.id]))
        elif run.id in facts.summary.axes.where.elsewhere:
            names.append(escape(run.label or run.id, limit=80))
    said = [
        say(LOG, file=code(file), label=Markdown(", ".join(dict.fromkeys(names))))
        for file, names in logs.items()
    ]
    return Markdown("; ".join(said)) if said else None
