"""Speedups at a glance: every configuration on every kind of text, in one small table."""

from __future__ import annotations

from analysis.cards.certainty import briefly, ends
from analysis.cards.facts import Facts, RunFacts, TaskFacts
from analysis.cards.markdown import Markdown, escape, paragraphs, say, table
from analysis.cards.numbers import speedup, speedup_between
from analysis.cards.wording import clear, kind, label, workload_title

__all__ = ["glance"]

CONFIGURATION = "Speedup over no speculation"
ALL = "All prompts"
BEST = "**{value}**"
EFFECTIVE = (
    "*Above 1.00× is faster than no speculation; bold is the fastest of its column, where it pays. "
    "All prompts: whole requests. Kinds of text: decoding only. {certainty}*"
)
DECODE = (
    "*Above 1.00× is faster than no speculation; bold is the fastest of its column, where it pays. "
    "Decoding only. {certainty}*"
)


def glance(facts: Facts) -> Markdown | None:
    """The table with its caption; null without a baseline or with nothing to compare."""
    runs = [run for run in facts.drafting if facts.gain(run) is not None]
    if facts.baseline is None or not runs:
        return None
    names = [name for name, rows in facts.workloads.items() if any(row.speedup for row in rows)]
    found = {(row.run, name): row for name in names for row in facts.workloads[name]}
    # Who did only some of the tasks is not the fastest of those who did them all.
    whole = [run for run in runs if not run.aside]
    overall = [facts.gain(run) for run in whole]
    rows = []
    for run in runs:
        cells = [_bold(_overall(facts, run), facts.gain(run), overall)]
        for name in names:
            column = [_gain(found.get((other.id, name))) for other in whole]
            gain = _gain(found.get((run.id, name)))
            cells.append(_bold(_shown(found.get((run.id, name))), gain, column))
        rows.append([label(run), *cells])
    headers = [CONFIGURATION, ALL, *[escape(workload_title(name)) for name in names]]
    words = EFFECTIVE if kind(facts) == "effective" else DECODE
    return paragraphs(table(headers, rows), say(words, certainty=briefly(facts) or ""))


def _gain(row: TaskFacts | None) -> float | None:
    return None if row is None else row.speedup


def _shown(row: TaskFacts | None) -> Markdown:
    """A speedup, marked where it can't be told from 1; brackets would not fit in the table."""
    if row is None or row.speedup is None or row.speedup_low is None:
        return speedup(_gain(row))
    open_ = row.speedup_low <= 1 <= (row.speedup_high or 1)
    return Markdown(f"{'~' * open_}{speedup(row.speedup)}")


def _overall(facts: Facts, run: RunFacts) -> Markdown:
    return speedup_between(facts.gain(run), *ends(facts, run))


def _bold(shown: Markdown, gain: float | None, column: list[float | None]) -> Markdown:
    best = max((other for other in column if other is not None), default=None)
    pays = gain is not None and clear(gain) == "faster" and not shown.startswith("~")
    return say(BEST, value=shown) if pays and gain == best else shown
