"""Usage: which files are needed and how to start them."""

from __future__ import annotations

from analysis.cards.commands import TARGET, Files, command, files, placeholder_note
from analysis.cards.facts import Facts, RunFacts
from analysis.cards.markdown import (
    Markdown,
    code,
    details,
    fence,
    paragraphs,
    repository,
    say,
    table,
)
from analysis.cards.numbers import UNRECORDED
from analysis.cards.section import Figures, Section
from analysis.cards.wording import label, method_name

HEADING = "Files and usage"
ROLES = ("File", "Role", "Format")
TARGET_ROLE = "target model, {target}"
DRAFT_ROLE = "{method} draft model (this repository)"
COMPATIBLE = (
    "Draft and target must share tokenizer, vocabulary and architecture metadata; with another "
    "target the draft fails to load or its tokens are rejected."
)
BUILD = "llama.cpp build used: {build}."
CLI = "The same on the command line:"
OTHER = "The fastest configuration overall, {label}, is another method than the one of this card:"
OTHER_SUMMARY = "Start the fastest configuration overall"
PLAIN = "Without speculation, to compare on your own machine:"
PRESET = (
    "`preset.ini` beside this card holds these settings for `llama-server --models-preset "
    "preset.ini`, with a section `off`."
)


def write(facts: Facts, figures: Figures) -> Section | None:  # noqa: ARG001
    """Files, compatibility and commands; null when nothing was configured to run."""
    run, _ = facts.shown
    if run is None or run.spec_type is None:
        return None
    drafts = files(facts, run).draft is not None
    return Section(
        HEADING,
        paragraphs(
            _files(facts, run),
            Markdown(COMPATIBLE) if drafts else None,
            say(BUILD, build=_build(facts)),
            say(CLI),
            command(facts, run, "llama-cli"),
            _plain(facts, files(facts, run)),
            Markdown(PRESET),
            _other(facts),
        ),
    )


def _files(facts: Facts, run: RunFacts) -> Markdown:
    card, used = facts.summary.campaign.card, files(facts, run)
    target = facts.summary.campaign.target
    named = repository(target) if target else UNRECORDED
    rows: list[tuple[str, str, str]] = [
        (code(used.target), say(TARGET_ROLE, target=named), UNRECORDED)
    ]
    if used.draft is not None:
        form = " ".join(str(card[key]) for key in ("format", "quantization") if key in card)
        role = say(DRAFT_ROLE, method=method_name(facts.method))
        rows.insert(0, (code(used.draft), role, form or UNRECORDED))
    note = placeholder_note(used)
    return paragraphs(table(ROLES, rows, ("left", "left", "left")), note)


def _build(facts: Facts) -> str:
    builds = {run.build for run in facts.real if run.build}
    stated = facts.summary.campaign.conditions.get("build")
    return stated or (builds.pop() if len(builds) == 1 else UNRECORDED)


def _plain(facts: Facts, used: Files) -> Markdown:  # noqa: ARG001
    target = used.target or TARGET
    return paragraphs(say(PLAIN), fence(f"llama-server -m {target}", "bash"))


def _other(facts: Facts) -> Markdown | None:
    best = facts.best
    if best is None or best in facts.own or best.spec_type is None:
        return None
    return details(
        OTHER_SUMMARY,
        paragraphs(
            say(OTHER, label=label(best)),
            command(facts, best),
            placeholder_note(files(facts, best)),
        ),
    )
