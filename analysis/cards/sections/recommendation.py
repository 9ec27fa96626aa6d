"""Recommendation: which settings for which workload, speculation off included."""

from __future__ import annotations

from analysis.cards.commands import coded, replayed_flags, run_flags
from analysis.cards.escaping import Markdown, code, escape, say
from analysis.cards.facts import Facts, Recommendation
from analysis.cards.markdown import Align, bullets, paragraphs, table
from analysis.cards.numbers import UNRECORDED, percent, rate, speedup
from analysis.cards.section import Figures, Section
from analysis.cards.wording import (
    ALL_PROMPTS,
    difference,
    labels,
    method_name,
    no_baseline,
    unlike_measured,
    workload_names,
    workload_title,
)
from analysis.statistics.decision import ALIKE, BOUND

HEADING = "What to use for each workload, and the flags"
ALL = ALL_PROMPTS
OFF_SETTING = "leave speculation off"
HEADERS = ("Workload", "Configuration", "Flags", "Decode tok/s", "Decode speedup")
OWN_HEADER = "With {method} only"
OWN_CELL = "{setting} ({speedup})"
ROUTED = (
    "Choosing by workload would generate {routed} tok/s on these prompts, against {fixed} with "
    "{label} throughout: {difference}.{interval}"
)
INTERVAL = " The 90 % interval of that gain is {low} to {high}."
ROUTED_ONE = "One configuration is best for every workload, so there is nothing to switch."
ROUTED_PLAIN = "Without speculation these prompts run at {plain} tok/s."
UNPAIRED = (
    "{no_baseline}, so these are the best of what was measured; "
    "whether leaving speculation off is faster still is not known."
)
REPLAYED = (
    "{where} {flags} is predicted to be best, from the log of {run} with its confidences: {rate} "
    "tok/s decode{gain}. No run had these flags."
)
REPLAYED_CLOSEST = (
    "With speculation, {flags} is predicted to come closest over all prompts, from the log of "
    "{run} with its confidences: {rate} tok/s decode{gain}. No run had these flags."
)
GAIN = ", {speedup} of no speculation. The 90 % interval is {low} to {high}"
RULE = (
    "The choice goes by generation speed, noise taken into account: what should lose least against "
    "the best, and no speculation where that should lose less than {bound}. A workload has "
    "its own configuration where that should be more than {alike} faster there."
)


def write(facts: Facts, figures: Figures) -> Section | None:  # noqa: ARG001
    """A table of settings; null when nothing real was measured with speculation."""
    if not facts.choices or not facts.drafting:
        return None
    return Section(
        HEADING,
        paragraphs(
            _table(facts),
            bullets(
                filter(
                    None,
                    (
                        said(facts, choice)
                        for said in (unlike_measured, _replayed)
                        for choice in facts.choices
                    ),
                )
            ),
            _routing(facts),
            say(UNPAIRED, no_baseline=no_baseline(facts)) if facts.baseline is None else None,
            say(RULE, bound=percent(BOUND), alike=percent(ALIKE)),
        ),
    )


def _table(facts: Facts) -> Markdown:
    own = {choice.workload: choice for choice in facts.own_choices}
    several = len({run.spec_type for run in facts.drafting}) > 1 and bool(facts.own)
    paired = facts.baseline is not None
    headers: list[str] = list(HEADERS if paired else HEADERS[:-1])
    if several:
        headers.append(say(OWN_HEADER, method=method_name(facts.method)))
    rows = []
    for choice in facts.choices:
        title = ALL if choice.workload is None else workload_title(choice.workload)
        cells = [
            escape(title),
            _setting(facts, choice),
            _flags(facts, choice),
            rate(choice.decode_tps),
            *([speedup(choice.expected_speedup)] if paired else []),
        ]
        if several:
            mine = own.get(choice.workload)
            cells.append(UNRECORDED if mine is None else _own_cell(facts, mine))
        rows.append(cells)
    sides: list[Align] = ["left", "left", "left", "right"]
    sides.extend(["right"] if paired else [])
    sides.extend(["left"] if several else [])
    return table(headers, rows, sides)


def _setting(facts: Facts, choice: Recommendation) -> Markdown:
    return escape(OFF_SETTING) if choice.run is None else labels([facts.by_id[choice.run]])


def _flags(facts: Facts, choice: Recommendation) -> Markdown:
    if choice.run is None:
        return code("--spec-type none")
    used = run_flags(facts, facts.by_id[choice.run])
    return coded(used) if used else UNRECORDED


def _replayed(facts: Facts, choice: Recommendation) -> Markdown | None:
    """A setting that no run had and that a log predicts to be better; else null."""
    if choice.replayed_run is None or not (choice.replayed_advised or choice.workload is None):
        return None
    gain: Markdown | str = ""
    if choice.replayed_speedup is not None:
        gain = say(
            GAIN,
            speedup=speedup(choice.replayed_speedup),
            low=speedup(choice.replayed_low),
            high=speedup(choice.replayed_high),
        )
    return say(
        REPLAYED if choice.replayed_advised else REPLAYED_CLOSEST,
        where=Markdown("Over all prompts")
        if choice.workload is None
        else say("On {workload}", workload=workload_names([choice.workload])),
        flags=coded(replayed_flags(facts, choice)),
        rate=rate(choice.replayed_tps),
        gain=gain,
        run=labels([facts.by_id[choice.replayed_run]]),
    )


def _own_cell(facts: Facts, choice: Recommendation) -> Markdown:
    setting = _setting(facts, choice)
    if choice.run is None or choice.expected_speedup is None:
        return setting
    return say(OWN_CELL, setting=setting, speedup=speedup(choice.expected_speedup))


def _routing(facts: Facts) -> Markdown | None:
    routing = facts.summary.routing
    if routing is None or len(facts.choices) < 3:
        return None
    fixed = facts.by_id[routing.fixed_run]
    if len({choice.run for choice in facts.choices[1:]}) == 1:
        return Markdown(ROUTED_ONE) if facts.choices[1].run is not None else None
    interval = Markdown("")
    if routing.gain_low is not None and routing.gain_high is not None:
        ends = difference(routing.gain_low), difference(routing.gain_high)
        interval = say(INTERVAL, low=ends[0], high=ends[1])
    said = say(
        ROUTED,
        routed=rate(routing.routed_tps),
        fixed=rate(routing.fixed_tps),
        label=labels([fixed]),
        difference=difference(routing.routed_tps / routing.fixed_tps),
        interval=interval,
    )
    if routing.baseline_tps is None or fixed is facts.baseline:
        return said
    return Markdown(f"{said} {say(ROUTED_PLAIN, plain=rate(routing.baseline_tps))}")
