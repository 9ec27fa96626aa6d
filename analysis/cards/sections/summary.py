"""Summary: what this is, how to start it, what it brings. The first screen."""

from __future__ import annotations

from analysis.cards.certainty import ends
from analysis.cards.commands import command, files, placeholder_note
from analysis.cards.facts import Facts, RunFacts
from analysis.cards.glance import glance
from analysis.cards.markdown import Markdown, bullets, join, paragraphs, repository, say
from analysis.cards.numbers import UNRECORDED, rate, speedup
from analysis.cards.section import Figures, Section
from analysis.cards.sections.turns import turning
from analysis.cards.wording import (
    OFF,
    article,
    clear,
    conditions_line,
    difference,
    diverged_note,
    draft_kind,
    gained,
    kind,
    label,
    labels,
    method_name,
    no_baseline,
    unlike_measured,
    workload_name,
    workload_names,
)

TITLE = "# {title}"
A_DRAFT = (
    "{a} {draft} for speculative decoding in llama.cpp. It is not a language model of "
    "its own: load it beside its target, {target}."
)
A_METHOD = "{method} speculation in llama.cpp with {target}; no draft model is needed."
A_BENCHMARK = "A benchmark of speculative decoding in llama.cpp with {target}."
NO_TARGET = "a target model that is {unrecorded}"
A_DRAFT_ALONE = (
    "{a} {draft} for speculative decoding in llama.cpp. It is not a language model of "
    "its own: load it beside its target, which is {unrecorded}."
)

START = "The best setting measured with {method} is {label}. To start it:"
START_ON = "To start the setting that is best on {workload}, {label}:"
START_ADVISED = "The setting to use of those measured with {method} is {label}. To start it:"
START_FASTEST = "The fastest setting measured with {method} is {label}. To start it:"
START_ANYWAY = (
    "No setting measured with {method} is clearly faster than {off}. To try it anyway, "
    "the closest is {label}:"
)

PAYS = (
    "**{label}: {speedup} the throughput of {off}**, {rate} against {plain} tok/s ({kind}), over "
    "all prompts."
)
OWN_PAYS = (
    "**{label}: {speedup} the throughput of {off}**, {rate} against {plain} tok/s ({kind}), over "
    "all prompts. {other}"
)
OWN_PARTLY = (
    "**{method} pays on {pays} but not over all prompts together.** Over all of them its best "
    "setting, {setting}, gives {rate} against {plain} tok/s ({kind}) without speculation: "
    "{gained}. {other}"
)
OWN_NOT = (
    "**{method} does not pay on these prompts.** Its best setting, {setting}, gives {rate} "
    "against {plain} tok/s ({kind}) without speculation: {gained}. {other}"
)
FASTER_DRAFT = (
    "Another draft model was measured beside it and is faster: {label}, {speedup} over all prompts."
)
FASTER_METHOD = (
    "Another method was measured beside it and is faster: {label}, {speedup} over all prompts."
)
PAYS_NOT = (
    "**Leave speculation off for mixed work: no configuration measured is clearly faster.** "
    "The closest, {setting}, gives {rate} against {plain} tok/s ({kind}) over all prompts: "
    "{gained}."
)
NO_BASELINE = (
    "**{label} is the fastest of {number} configurations with {rate} tok/s ({kind})**, {ratio} the "
    "slowest, {slowest}. {no_baseline}, so no speedup can be given and the configurations are "
    "compared with each other."
)
NO_BASELINE_ADVISED = (
    "**{label} is the one to use of {number} configurations, with {rate} tok/s ({kind})**, {ratio} "
    "the slowest, {slowest}. {no_baseline}, so no speedup can be given and the configurations are "
    "compared with each other."
)
NO_BASELINE_ALONE = (
    "**{label} gives {rate} tok/s ({kind}).** It is the only configuration measured. "
    "{no_baseline}, so no speedup can be given."
)
SYNTHETIC = (
    "**Every run with speculation here is synthetic:** tokens were accepted by coin to measure the "
    "cost of a step. Nothing about real text follows, and nothing is recommended."
)
NOTHING = "**No run with speculation has results**, so there is nothing to compare."

SPLIT = (
    "With the best setting measured for each kind of text, speculation pays on {pays}; leave it "
    "off for {off}."
)
KINDS = {"effective": "effective, over whole requests", "decode": "decode, after the prompt"}
EVERYWHERE = "Speculation pays on every kind of text measured: {pays}."
THERE = "Speculation pays on the one kind of text measured: {pays}."
NOT_THERE = "Speculation does not pay on the one kind of text measured: {off}."
NOWHERE = "Speculation pays on none of the kinds of text measured: {off}."
DEPTHS = "The setting to use depends on the text: {settings}."
DEPTH = "{label} on {workloads}"
TIE = "{first} and {second} are about equal: {difference} for the second."


def write(facts: Facts, figures: Figures) -> Section | None:  # noqa: ARG001
    """The opening of the card; its heading is the card's title."""
    return Section(
        None,
        paragraphs(
            say(TITLE, title=facts.summary.campaign.title),
            _what(facts),
            paragraphs(_headline(facts), conditions_line(facts)),
            _start(facts),
            glance(facts),
            bullets([*_findings(facts), *turning(facts)]),
            diverged_note(facts) if facts.baseline is not None else None,
        ),
    )


def _what(facts: Facts) -> Markdown:
    name = facts.summary.campaign.target
    target = repository(name) if name else say(NO_TARGET, unrecorded=UNRECORDED)
    if facts.method is None:
        return say(A_BENCHMARK, target=target)
    if "draft-" not in facts.method:
        return say(A_METHOD, method=method_name(facts.method), target=target)
    draft = draft_kind(facts.method)
    if not name:
        return say(A_DRAFT_ALONE, a=article(draft), draft=draft, unrecorded=UNRECORDED)
    return say(A_DRAFT, a=article(draft), draft=draft, target=target)


def _start(facts: Facts) -> Markdown | None:
    run, workload = facts.shown
    if run is None or run.spec_type is None:
        return None
    if facts.baseline is None:
        fastest = facts.own_choices[0].fastest if facts.own_choices else run.id
        words = START_FASTEST if run.id == fastest else START_ADVISED
    elif workload is not None:
        words = START_ON
    else:
        chosen = facts.own_choices[0].run if facts.own_choices else run
        words = START if chosen is not None else START_ANYWAY
    values = {"method": method_name(facts.method), "label": labels([run]), "off": OFF}
    if workload is not None:
        values["workload"] = workload_name(workload)
    return paragraphs(
        say(words, **values), command(facts, run), placeholder_note(files(facts, run))
    )


def _headline(facts: Facts) -> Markdown:
    plain = facts.baseline
    if plain is not None and facts.best is not None and facts.best_own not in (None, facts.best):
        return _own_headline(facts, facts.best, plain)
    run = facts.best if plain is not None and facts.best is not None else facts.best_drafting
    if plain is None and run is not None:
        run = facts.best or facts.fastest(facts.compared)
    if run is None:
        return say(SYNTHETIC if any(run.synthetic for run in facts.runs) else NOTHING)
    values = {
        "label": label(run),
        "setting": labels([run]),
        "kind": KINDS[kind(facts)],
        "rate": rate(facts.rate(run)),
        "off": OFF,
    }
    if plain is not None:
        return say(
            PAYS if facts.best is not None else PAYS_NOT,
            **values,
            plain=rate(facts.rate(plain)),
            speedup=speedup(facts.gain(run)),
            gained=gained(facts.gain(run), *ends(facts, run)),
        )
    rated = [other for other in facts.compared if facts.rate(other)]
    reason = no_baseline(facts)
    if len(rated) < 2:
        return say(NO_BASELINE_ALONE, **values, no_baseline=reason)
    slowest = min(rated, key=lambda other: facts.rate(other) or 0.0)
    ratio = (facts.rate(run) or 0.0) / (facts.rate(slowest) or 1.0)
    return say(
        NO_BASELINE if run is facts.fastest(rated) else NO_BASELINE_ADVISED,
        **values,
        number=len(rated),
        ratio=speedup(ratio),
        slowest=labels([slowest]),
        no_baseline=reason,
    )


def _own_headline(facts: Facts, best: RunFacts, plain: RunFacts) -> Markdown:
    """What the card's own draft brings first, and then that another one is faster."""
    run = facts.best_own or best
    other = FASTER_DRAFT if "draft-" in str(best.spec_type) else FASTER_METHOD
    pays = [str(choice.workload) for choice in facts.own_choices[1:] if choice.run is not None]
    words = OWN_PARTLY if pays else OWN_NOT
    if facts.own_choices[0].run is not None:
        words = OWN_PAYS
    return say(
        words,
        label=label(run),
        setting=labels([run]),
        kind=KINDS[kind(facts)],
        rate=rate(facts.rate(run)),
        off=OFF,
        plain=rate(facts.rate(plain)),
        speedup=speedup(facts.gain(run)),
        gained=gained(facts.gain(run), *ends(facts, run)),
        method=method_name(facts.method),
        pays=workload_names(pays),
        other=say(other, label=labels([best]), speedup=speedup(facts.gain(best))),
    )


def _findings(facts: Facts) -> list[Markdown]:
    overall = [unlike_measured(facts, choice) for choice in facts.choices[:1]]
    return [one for one in (*overall, _split(facts), *_ties(facts)) if one is not None]


def _split(facts: Facts) -> Markdown | None:
    choices = [choice for choice in facts.choices[1:] if choice.workload is not None]
    if not choices or not facts.drafting:
        return None
    if facts.baseline is None:
        return _depths(facts)
    pays = [str(choice.workload) for choice in choices if choice.run is not None]
    off = [str(choice.workload) for choice in choices if choice.run is None]
    words = SPLIT if pays and off else EVERYWHERE if pays else NOWHERE
    if len(choices) == 1:
        words = THERE if pays else NOT_THERE
    return say(words, pays=workload_names(pays), off=workload_names(off))


def _depths(facts: Facts) -> Markdown | None:
    by_run: dict[str, list[str]] = {}
    for choice in facts.choices[1:]:
        if choice.run is not None and choice.workload is not None:
            by_run.setdefault(choice.run, []).append(choice.workload)
    if len(by_run) < 2:
        return None
    settings = [
        say(DEPTH, label=labels([facts.by_id[run]]), workloads=workload_names(names))
        for run, names in by_run.items()
    ]
    return say(DEPTHS, settings=join(settings))


def _ties(facts: Facts) -> list[Markdown]:
    said = []
    for pair in facts.summary.pairs:
        first, second = facts.by_id.get(pair.first), facts.by_id.get(pair.second)
        if first is None or second is None or first.synthetic or second.synthetic:
            continue
        before, after = facts.rate(first), facts.rate(second)
        if before and after and clear(after / before) == "equal":
            said.append(
                say(
                    TIE,
                    first=labels([first]),
                    second=labels([second]),
                    difference=difference(after / before),
                )
            )
    return said
