"""Speed at a glance: every configuration on every workload, in one small table."""

from __future__ import annotations

from collections.abc import Callable

from analysis.cards.certainty import ends, marked
from analysis.cards.escaping import Markdown, say
from analysis.cards.facts import Facts, RunFacts, TaskFacts
from analysis.cards.markdown import paragraphs, table
from analysis.cards.numbers import rate, speedup
from analysis.cards.wording import ALL_PROMPTS, kind, label, method_name, workload_title

__all__ = ["glance"]

SPEEDUP = "Speed over no speculation"
RATE = "Tokens per second"
BEST = "**{value}**"
RATIOS = "*Above 1.00× is faster than no speculation{may_be}. {bold}{kinds}{synthetic}*"
RATES = "*{bold}{kinds}{synthetic}*"
SYNTHETIC = " Synthetic runs are left out: what they accept is made up."
BOLD = "Bold: what to use{alone}{off}{luck}. "
ALONE = " with {method} alone"
NONE = "; a column without: leave {method} off"
SPECULATION = "speculation"
LUCK = "; a higher figure beside it may be luck"
NOISE = "; what has a ~ may be noise"
EFFECTIVE = (
    "All prompts: whole requests, the prompt's time included; workloads: generation only, so the "
    "first column is no mean of the others."
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
    advised = {choice.workload: choice.run for choice in facts.own_choices or facts.choices}
    uses = [advised.get(name) for name in (None, *names)]
    cells = [
        [say(BEST, value=said) if run.id == use else said for run, (_, said) in of_all]
        for use, of_all in zip(uses, [zip(shown, one, strict=True) for one in columns], strict=True)
    ]
    rows = [[label(run), *own] for run, *own in zip(shown, *cells, strict=True)]
    headers = [title, ALL_PROMPTS, *[workload_title(name) for name in names]]
    doubted = any(said.startswith("~") for column in columns for _, said in column)
    values = {
        "may_be": Markdown(NOISE if doubted else ""),
        "bold": _explained(facts, shown, uses, columns),
        "kinds": EFFECTIVE if kind(facts) == "effective" else DECODE,
        "synthetic": Markdown(SYNTHETIC if any(run.synthetic for run in facts.runs) else ""),
    }
    words = RATES if facts.baseline is None else RATIOS
    caption = say(words, **{name: said for name, said in values.items() if f"{{{name}}}" in words})
    return paragraphs(table(headers, rows), caption)


def _explained(
    facts: Facts, shown: list[RunFacts], uses: list[str | None], columns: list[list[Cell]]
) -> Markdown:
    """What bold means in this table; empty where nothing is bold."""
    if not any(uses):
        return Markdown("")
    own = {run.id for run in facts.own or shown if not run.aside}
    higher = False
    for use, column in zip(uses, columns, strict=True):
        values = {run.id: value for run, (value, _) in zip(shown, column, strict=True)}
        used = values.get(use or "")
        higher |= used is not None and any((values.get(run) or 0.0) > used for run in own)
    alone = own < {run.id for run in shown if not run.aside}
    off = method_name(facts.method) if alone else SPECULATION
    return say(
        BOLD,
        alone=say(ALONE, method=method_name(facts.method)) if alone else Markdown(""),
        off=Markdown("") if all(uses) or facts.baseline is None else say(NONE, method=off),
        luck=Markdown(LUCK if higher else ""),
    )


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
