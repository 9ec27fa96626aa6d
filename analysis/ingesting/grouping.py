"""Which blocks of pasted logs are one configuration, and which ran without speculation?

What is told by words comes first: a run's own settings, its heading, the name
of its file, a method that is the only one which its file names. Counts decide
where words are silent, and what was decided so is marked as a guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from analysis.errors import encodable
from analysis.ingesting.campaign_draft import PlacedRun
from analysis.parsers.text.command import settings
from analysis.parsers.text.spec_words import mined, names_a_repeat, residual
from analysis.records import Run

__all__ = ["ReadLog", "entries"]

_NOT_IN_ID = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_ID = 60
_HEADING = re.compile(r"[ ]{0,3}(?:#{1,6}[ ]|\*\*|<summary)")
_SENTENCE = re.compile(r"[.;:!?,(]\s")
_LETTERS = re.compile(r"eagle|spark|flash|mtp|nextn", re.IGNORECASE)
_LONGEST_LINE = 2000
_ALIKE = 0.03
"""Relative difference of drafted tokens per forward up to which two blocks have one depth."""
_COUNTED = 0.15
"""The same where a heading says that it is a repeat: sampled text drafts more or less."""


@dataclass(frozen=True)
class ReadLog:
    """A file that holds runs, what it is called in the campaign, and the beginning of its text."""

    path: Path
    name: str
    runs: tuple[Run, ...]
    head: str = ""
    secret_at: int | None = None


def entries(logs: Iterable[ReadLog]) -> list[PlacedRun]:
    """Every run with its id; repeats of one configuration share it."""
    told = [entry for log in logs for entry in _of_log(log)]
    return _identified(_with_baseline(told))


def _of_log(log: ReadLog) -> list[PlacedRun]:
    found = list(_told(log))
    method = _only_method(log)
    for place, entry in enumerate(found):
        if place and _continues(found[place - 1].run, entry.run):
            found[place] = _as_before(entry, found[place - 1])
        elif method and entry.run.spec_type is None and _drafted(entry.run):
            found[place] = replace(
                entry, run=replace(entry.run, spec_type=method), by_file_name=True
            )
    return found


def _told(log: ReadLog) -> Iterable[PlacedRun]:
    alone = len(log.runs) == 1
    # A file of one configuration is named after it, also where it holds its repeats: these are
    # told by the first of them.
    named = all(_continues(before, run) for before, run in pairwise(log.runs))
    for number, read in enumerate(log.runs, start=1):
        stem = log.name.partition(".")[0] if named and number == 1 else ""
        # "run 1" names nothing where the whole file is of one configuration.
        nameless = bool(stem) and names_a_repeat(read.label or "")
        run = replace(read, label=None) if nameless else read
        said, depth = mined(run.label or stem)
        drafted = _drafted(run)
        # Words are believed only where the counts do not say otherwise.
        believed = said is not None and _counted(run) and (said == "none") is not drafted
        spec_type = run.spec_type or (said if believed else None)
        deep = depth if believed or (said is None and drafted) else None
        n_max = run.n_max if run.n_max is not None else deep
        yield PlacedRun(
            replace(run, spec_type=spec_type, n_max=None if spec_type == "none" else n_max),
            log.name,
            None if alone else number,
            by_file_name=bool(believed and not run.label and not run.spec_type),
            secret_at=log.secret_at if number == 1 else None,
        )


def _drafted(run: Run) -> bool:
    total = run.aggregate.draft_tokens if run.aggregate else 0
    return any(task.draft_tokens for task in run.tasks) or bool(not run.tasks and total)


def _counted(run: Run) -> bool:
    return bool(run.tasks) or (run.aggregate is not None)


def _only_method(log: ReadLog) -> str | None:
    """The method of a file that names one and no other: in headings and commands, or in prose."""
    named = {mined(log.name.partition(".")[0])[0]}
    prose = set()
    for line in log.head.split("\n"):
        text = line[:_LONGEST_LINE]
        if "--spec-type" in text:
            named.add(settings(text).spec_type)
        elif _HEADING.match(text):
            named.add(mined(text)[0])
        elif _LETTERS.search(text):
            said = (part for part in _SENTENCE.split(text) if mined(part)[0] != "none")
            prose |= {mined(word)[0] for part in said for word in part.split()}
    found = (named - {None, "none"}) or (prose - {None, "none"})
    return found.pop() if len(found) == 1 else None


def _continues(before: Run, run: Run) -> bool:
    """Whether a block without a word of its own, or with no more than "run 2", repeats another."""
    counted = names_a_repeat(run.label or "")
    silent = not (run.command or run.spec_type) and run.n_max is None
    if not silent or (run.label and not counted) or not run.tasks or _tasks(run) != _tasks(before):
        return False
    one, other = _per_forward(before), _per_forward(run)
    if one is None or other is None:
        return False
    return abs(one - other) <= (_COUNTED if counted else _ALIKE) * max(one, other)


def _tasks(run: Run) -> list[str]:
    return [task.task for task in run.tasks]


def _per_forward(run: Run) -> float | None:
    """Drafted tokens per forward over all tasks; null where a count is missing."""
    drafted = steps = 0
    for task in run.tasks:
        counts = (task.predicted_tokens, task.draft_tokens, task.accepted_tokens)
        if task.error or None in counts:
            return None
        predicted, tokens, accepted = (count or 0 for count in counts)
        drafted += tokens
        steps += max(predicted - accepted - task.pooled, 0)
    return drafted / steps if steps else None


def _as_before(entry: PlacedRun, before: PlacedRun) -> PlacedRun:
    first = before.run
    run = replace(
        entry.run,
        label=first.label,
        spec_type=first.spec_type,
        n_max=first.n_max,
        p_min=first.p_min,
        draft=first.draft,
        temperature=first.temperature,
        concurrency=first.concurrency,
    )
    return replace(entry, run=run, repeats=True, counted=names_a_repeat(entry.run.label or ""))


def _with_baseline(found: Sequence[PlacedRun]) -> list[PlacedRun]:
    """Entries with the one configuration marked whose counts alone show no speculation.

    It has the tasks of one of its log that drafted, and drafted in none of
    them. Nothing is guessed where a baseline is told by words, where two
    configurations could be it, or where its own words name a method.
    """
    if any(entry.run.spec_type == "none" for entry in found):
        return list(found)
    drafted = [(entry.log, set(_tasks(entry.run))) for entry in found if _drafted(entry.run)]
    plain = [
        place
        for place, entry in enumerate(found)
        if entry.run.spec_type is None
        and mined(entry.run.label or "")[0] is None
        and entry.run.tasks
        and all(task.draft_tokens == 0 and not task.error for task in entry.run.tasks)
        and any(log == entry.log and tasks <= set(_tasks(entry.run)) for log, tasks in drafted)
    ]
    configurations = [place for place in plain if not found[place].repeats]
    if len(configurations) != 1:
        return list(found)
    return [
        replace(entry, run=replace(entry.run, spec_type="none", n_max=None), guessed=True)
        if place in plain
        else entry
        for place, entry in enumerate(found)
    ]


def _identified(found: Sequence[PlacedRun]) -> list[PlacedRun]:
    """With ids: what agrees in all that is known is one configuration."""
    ids: dict[tuple[object, ...], str] = {}
    tasks: dict[str, set[str]] = {}
    labels: dict[str, str | None] = {}
    taken: set[str] = set()
    named: list[PlacedRun] = []
    for entry in found:
        run = entry.run
        key = (
            run.spec_type, run.n_max, run.p_min, run.draft, run.target, run.temperature,
            run.concurrency, run.synthetic, residual(run.label or ""),
        )  # fmt: skip
        known = ids.get(key) if run.spec_type else None
        if entry.repeats and named:
            known = named[-1].id
        own = set(_tasks(run))
        if known is not None and (entry.repeats or own & tasks[known]):
            run = replace(run, label=labels[known])
            named.append(replace(entry, run=run, id=known))
            tasks[known] |= own
            continue
        made = free(_id(entry), taken)
        taken.add(made)
        ids[key], tasks[made], labels[made] = made, own, run.label
        named.append(replace(entry, id=made))
    return named


def _id(entry: PlacedRun) -> str:
    run = entry.run
    if run.spec_type == "none":
        return "baseline"
    if run.spec_type and run.n_max is not None:
        method = run.spec_type.replace("draft-", "").replace(",", "-")
        return f"{method}-n{run.n_max}"
    words = run.label or Path(entry.log).name.partition(".")[0]
    made = _NOT_IN_ID.sub("-", encodable(words)).strip("-._").lower()[:_LONGEST_ID].strip("-._")
    return (made if made[:1].isalnum() else f"run-{made}").strip("-._") or "run"


def free(name: str, taken: set[str]) -> str:
    """A name that is not taken: itself, or with the first number behind its stem that is free."""
    stem, dot, ending = name.partition(".")
    number = 1
    while name in taken:
        number += 1
        name = f"{stem}-{number}{dot}{ending}"
    return name
