"""Summary: what this is, what it needs, what to use and how to start it. The first screen."""

from __future__ import annotations

import re

from analysis.cards.advice import advice
from analysis.cards.commands import FIRST_BUILDS, command, files, placeholder_note
from analysis.cards.escaping import Markdown, escape, say
from analysis.cards.facts import Facts
from analysis.cards.glance import glance
from analysis.cards.markdown import paragraphs, repository
from analysis.cards.measured import build_used, how_sure, measured_on
from analysis.cards.numbers import UNRECORDED, speedup
from analysis.cards.section import Figures, Section, chart
from analysis.cards.verdict import verdict
from analysis.cards.wording import (
    article,
    draft_kind,
    label,
    method_name,
    workload_names,
)

TITLE = "# {title}"
A_DRAFT = (
    "{a} {draft} for speculative decoding in llama.cpp{alone}: load it beside its target, {target}."
)
NOT_ALONE = ", not a language model of its own"
DEPTH = " `n_max` is the most tokens that it drafts at a time."
A_METHOD = "{method} speculation in llama.cpp with {target}; no draft model is needed."
A_BENCHMARK = "A benchmark of speculative decoding in llama.cpp with {target}."
NO_TARGET = "a target model that is {unrecorded}"
NO_NAME = "which is {unrecorded}"

STATUS = "**Needs:** {status}"
NEEDS = "**Needs:** llama.cpp with {method}, {first}."
MEASURED = "**Needs:** llama.cpp. Measured with {build}; older builds were not tried."
UNMEASURED = "**Needs:** llama.cpp. Which build was used is {unrecorded}."

_PULL = re.compile(r"\bggml-org/llama\.cpp#(\d{1,6})\b")

START = "To start it:"
START_ON = "To start it for {workload}:"
START_ANYWAY = "To try this draft anyway ({label}, {speedup}):"


def write(facts: Facts, figures: Figures) -> Section | None:
    """The opening of the card; its heading is the card's title."""
    return Section(
        None,
        paragraphs(
            say(TITLE, title=facts.summary.campaign.title),
            _what(facts),
            _needs(facts),
            verdict(facts),
            _start(facts),
            chart(figures, "throughput"),
            glance(facts),
            advice(facts),
            measured_on(facts),
            how_sure(facts),
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
    said = say(
        A_DRAFT,
        a=article(draft),
        draft=draft,
        # Any small model can be a separate draft, and be used without a target too.
        alone=Markdown("" if facts.method == "draft-simple" else NOT_ALONE),
        target=target if name else say(NO_NAME, unrecorded=UNRECORDED),
    )
    deep = any("n_max" in run.label for run in facts.own)
    return Markdown(said + DEPTH) if deep else said


def _needs(facts: Facts) -> Markdown | None:
    """What the author says of it, else the first build that has the method."""
    stated = facts.summary.campaign.card.get("status")
    if isinstance(stated, str) and stated.strip():
        return say(STATUS, status=_with_links(escape(stated, limit=1000)))
    if facts.method is None:
        return None
    first = next(
        (FIRST_BUILDS[word] for word in facts.method.split(",") if word in FIRST_BUILDS), None
    )
    if first is None:
        build = build_used(facts)
        if build == UNRECORDED:
            return say(UNMEASURED, unrecorded=UNRECORDED)
        return say(MEASURED, build=build)
    return say(NEEDS, method=method_name(facts.method), first=first.words)


def _with_links(text: Markdown) -> Markdown:
    """Pull requests of llama.cpp as links: there a reader sees whether they are merged."""
    address = r"[\g<0>](https://github.com/ggml-org/llama.cpp/pull/\1)"
    return Markdown(_PULL.sub(address, text))


def _start(facts: Facts) -> Markdown | None:
    run, workload = facts.shown
    if run is None or run.spec_type is None:
        return None
    words = START
    if workload is not None:
        words = START_ON
    elif facts.baseline is not None and facts.own_choices and facts.own_choices[0].run is None:
        words = START_ANYWAY
    named = Markdown("") if workload is None else workload_names([workload])
    values = {"label": label(run), "workload": named, "speedup": speedup(facts.gain(run))}
    said = say(words, **values)
    return paragraphs(said, command(facts, run), placeholder_note(files(facts, run)))
