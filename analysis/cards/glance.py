"""Speed at a glance: every configuration on every workload, in one small table."""

from __future__ import annotations

from collections.abc import Callable

from analysis.cards.certainty import ends, marked
from analysis.cards.escaping import Markdown, say
from analysis.cards.facts import Facts, RunFacts, TaskFacts
from analysis.cards.markdown import paragraphs, table
from analysis.cards.numbers import rate, speedup
from analysis.cards.wording import ALL_PROMPTS, clear, kind, label, workload_title

__all__ = ["glance"]

SPEEDUP = "Speed over no speculation"
RATE = "Tokens per second"
BEST = "**{value}**"
RATIOS = "*Above 1.00× is faster than no speculation{may_be}. {bold}{kinds}*"
BOLD = "Bold: the fastest of its column, where it pays. "
RATES = "*Bold: the fastest of its column. {kinds}*"
NOISE = "; what has a ~ may be noise"
EFFECTIVE = (
    "All prompts: whole requests, the prompt's time included; workloads: generation only. "
    "These are different measures: the first column is no mean of the others."
)
DECODE = "Generation only, prompt not included."

Cell = tuple[float | None, Markdown]


def glance(facts: Facts) -> Markdown | None:
    """The table with its caption; null with nothing to compare."""
    if facts.baseline is not None:
        return _table(facts, facts.drafting, SPEEDUP, _gain_over_all, _gain_on_one)
    return _table(facts, facts.compared, RATE, _rate_over_all, _rate_on_one)


def _table(
    facts: Facts,
    runs: tuple[RunFacts, ...],
    title: str,
    over_all: Callable[[Facts, RunFacts], Cell],
    on_one: Callable[[TaskFacts | None], Cell],
) -> Markdown | None:
    shown = [run for run in runs if over_all(facts, run)[0] is not None]
    if not shown or (len(shown) < 2 and facts.baseline is None):
        return None
    ids = {run.id for run in shown}
    names = [
        name
        for name, rows in facts.workloads.items()
        if any(on_one(row)[0] is not None for row in rows if row.run in ids)
    ]
    found = {(row.run, name): row for name in names for row in facts.workloads[name]}
    columns = [[over_all(facts, run) for run in shown]]
    columns += [[on_one(found.get((run.id, name))) for run in shown] for name in names]
    # Who did only some of the tasks is not the fastest of those who did them all.
    whole = [not run.aside for run in shown]
    bold = [_bold(column, whole, paired=facts.baseline is not None) for column in columns]
    rows = [[label(run), *cells] for run, *cells in zip(shown, *bold, strict=True)]
    headers = [title, ALL_PROMPTS, *[workload_title(name) for name in names]]
    doubted = any(cell.startswith("~") for column in bold for cell in column)
    leads = any(cell.startswith("**") for column in bold for cell in column)
    kinds = EFFECTIVE if kind(facts) == "effective" else DECODE
    caption = say(RATES, kinds=kinds)
    if facts.baseline is not None:
        may_be, leading = Markdown(NOISE if doubted else ""), Markdown(BOLD if leads else "")
        caption = say(RATIOS, may_be=may_be, bold=leading, kinds=kinds)
    return paragraphs(table(headers, rows), caption)


def _gain_over_all(facts: Facts, run: RunFacts) -> Cell:
    return facts.gain(run), marked(facts.gain(run), *ends(facts, run))


def _gain_on_one(row: TaskFacts | None) -> Cell:
    if row is None:
        return None, speedup(None)
    return row.speedup, marked(row.speedup, row.speedup_low, row.speedup_high)


def _rate_over_all(facts: Facts, run: RunFacts) -> Cell:
    return facts.rate(run), rate(facts.rate(run))


def _rate_on_one(row: TaskFacts | None) -> Cell:
    return (None, rate(None)) if row is None else (row.decode_tps, rate(row.decode_tps))


def _bold(column: list[Cell], whole: list[bool], *, paired: bool) -> list[Markdown]:
    ranked = [value for (value, _), all_ in zip(column, whole, strict=True) if all_ and value]
    best = max(ranked, default=None)

    def one(value: float | None, shown: Markdown) -> Markdown:
        pays = value is not None and clear(value) == "faster" and not shown.startswith("~")
        leads = value is not None and value == best and (pays or not paired)
        return say(BEST, value=shown) if leads else shown

    return [one(*cell) for cell in column]
