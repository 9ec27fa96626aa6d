"""Workloads: what each kind of text gives, with a verdict."""

from __future__ import annotations

from analysis.cards.escaping import Markdown, code, say
from analysis.cards.facts import Facts, Recommendation, TaskFacts
from analysis.cards.markdown import details, join, paragraphs, table
from analysis.cards.numbers import counted, length, percent, rate, speedup, speedup_between
from analysis.cards.section import Figures, Section
from analysis.cards.wording import (
    OFF,
    clear,
    gained,
    label,
    labels,
    method_name,
    workload_title,
)
from analysis.statistics.policy import TIE

HEADING = "By workload"
ITEM = "**{title}** ({tasks}). {verdict}"
PAYS = "{label} is best: {rate} tok/s decode, {gained}."
PAYS_OTHERS = "{number} of {total} configurations {verb} slower than {off} here."
OFF_SLOWER = "Leave speculation off: the closest, {label}, reaches {rate} tok/s decode, {gained}."
OFF_EQUAL = "Leave speculation off: the best, {label}, is about as fast as {off} ({gained})."
UNPAIRED = (
    "{label} is the fastest of {total} with {rate} tok/s decode, {ratio} the slowest, {slowest}."
)
UNPAIRED_ALONE = "{label} gives {rate} tok/s decode."
ACCEPTS = "It accepts {acceptance} of its drafts{range}."
ACCEPTS_CLOSEST = (
    "It accepts only {acceptance} of its drafts{range}: most of the drafting is wasted."
)
ACCEPTS_NONE = "It accepts none of its drafts."
OWN = "With {method} only, {label} is best: {gained}."
OWN_OFF = "With {method} only, leave speculation off."
RANGE = ", from {low} on {low_task} to {high} on {high_task}"
SUMMARY = "Figures per workload"
TITLE = "**{title}**"
HEADERS = ("Configuration", "Decode tok/s", "Decode speedup", "Acceptance", "Tokens per forward")
READING = "The tasks of a workload together: their tokens over their decode time."
NO_RATIO = "Without a baseline, whether speculation pays here can't be said."


def write(facts: Facts, figures: Figures) -> Section | None:  # noqa: ARG001
    """A verdict per class of tasks, figures folded; null without real runs."""
    real = {run.id for run in facts.real}
    classes = {
        name: tuple(row for row in rows if row.run in real and row.decode_tps)
        for name, rows in facts.workloads.items()
    }
    chosen = {choice.workload: choice for choice in facts.choices[1:]}
    parts = [
        _item(facts, name, rows, chosen[name])
        for name, rows in classes.items()
        if rows and name in chosen and facts.drafting
    ]
    if not parts:
        return None
    tables = [_table(facts, name, rows) for name, rows in classes.items() if rows]
    return Section(
        HEADING,
        paragraphs(
            *parts,
            Markdown(NO_RATIO) if facts.baseline is None else None,
            details(SUMMARY, paragraphs(*tables, Markdown(READING))),
        ),
    )


def _item(facts: Facts, name: str, rows: tuple[TaskFacts, ...], choice: Recommendation) -> Markdown:
    tasks = dict.fromkeys(
        str(row.task) for row in facts.tasks if row.workload == name and row.task is not None
    )
    return say(
        ITEM,
        title=workload_title(name),
        tasks=join([code(task) for task in tasks]),
        verdict=Markdown(" ".join(filter(None, _verdict(facts, name, rows, choice)))),
    )


def _verdict(
    facts: Facts, name: str, rows: tuple[TaskFacts, ...], choice: Recommendation
) -> list[Markdown]:
    plain = facts.baseline
    drafting = [row for row in rows if plain is None or row.run != plain.id]
    # Other tasks of the class would be another comparison, see `coverage.py`.
    drafting = [row for row in drafting if not facts.by_id[row.run].aside] or drafting
    if not drafting:
        return []
    best = next((row for row in drafting if row.run == choice.run), None)
    top = best or max(drafting, key=lambda row: row.decode_tps or 0.0)
    run = facts.by_id[top.run]
    values = {"label": labels([run]), "rate": rate(top.decode_tps), "off": OFF}
    if plain is None or top.speedup is None:
        top = max(drafting, key=lambda row: row.decode_tps or 0.0)
        return [_unpaired(facts, drafting, top), _accepted(facts, name, top)]
    ends = (top.speedup_low, top.speedup_high)
    values["gained"] = gained(top.speedup, *ends)
    if best is not None:
        slower = [row for row in drafting if _clear(row) == "slower"]
        said = [say(PAYS, **values)]
        if slower:
            verb = "is" if len(slower) == 1 else "are"
            said.append(
                say(PAYS_OTHERS, number=len(slower), total=len(drafting), verb=verb, off=OFF)
            )
        return [*said, _accepted(facts, name, top), _own(facts, name, top)]
    said = [say(OFF_SLOWER, **values)] if top.speedup < 1 - TIE else [say(OFF_EQUAL, **values)]
    return [*said, _accepted(facts, name, top)]


def _clear(row: TaskFacts) -> str:
    return clear(row.speedup or 1.0, row.speedup_low, row.speedup_high)


def _own(facts: Facts, name: str, top: TaskFacts) -> Markdown:
    """What is left for who has the card's own draft only, where another one is best."""
    choice = next((choice for choice in facts.own_choices[1:] if choice.workload == name), None)
    if choice is None or not facts.own or facts.by_id[top.run] in facts.own:
        return Markdown("")
    method = method_name(facts.method)
    if choice.run is None:
        return say(OWN_OFF, method=method)
    return say(
        OWN,
        method=method,
        label=labels([facts.by_id[choice.run]]),
        gained=gained(choice.expected_speedup),
    )


def _unpaired(facts: Facts, drafting: list[TaskFacts], top: TaskFacts) -> Markdown:
    values = {"label": labels([facts.by_id[top.run]]), "rate": rate(top.decode_tps)}
    if len(drafting) == 1:
        return say(UNPAIRED_ALONE, **values)
    slowest = min(drafting, key=lambda row: row.decode_tps or 0.0)
    return say(
        UNPAIRED,
        **values,
        total=counted(len(drafting), "configuration"),
        ratio=speedup((top.decode_tps or 0.0) / (slowest.decode_tps or 1.0)),
        slowest=labels([facts.by_id[slowest.run]]),
    )


def _accepted(facts: Facts, name: str, top: TaskFacts) -> Markdown:
    if top.acceptance_rate is None:
        return Markdown("")
    rates = {
        str(row.task): row.acceptance_rate
        for row in facts.tasks
        if row.run == top.run and row.workload == name and row.acceptance_rate is not None
    }
    spread = Markdown("")
    if len({percent(share) for share in rates.values()}) > 1:
        low, high = min(rates, key=rates.__getitem__), max(rates, key=rates.__getitem__)
        spread = say(
            RANGE,
            low=percent(rates[low]),
            low_task=code(low),
            high=percent(rates[high]),
            high_task=code(high),
        )
    mostly_wasted = top.acceptance_rate < 0.5 and _clear(top) == "slower"
    if top.acceptance_rate == 0:
        return Markdown(ACCEPTS_NONE)
    words = ACCEPTS_CLOSEST if mostly_wasted else ACCEPTS
    return say(words, acceptance=percent(top.acceptance_rate), range=spread)


def _table(facts: Facts, name: str, rows: tuple[TaskFacts, ...]) -> Markdown:
    cells = [
        [
            label(facts.by_id[row.run]),
            rate(row.decode_tps),
            speedup_between(row.speedup, row.speedup_low, row.speedup_high),
            percent(row.acceptance_rate),
            length(row.mean_accepted_length),
        ]
        for row in rows
    ]
    head = say(TITLE, title=workload_title(name))
    return paragraphs(head, table(HEADERS, cells))
