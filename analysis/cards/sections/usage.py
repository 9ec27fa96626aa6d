"""Usage: which files are needed and how to start them."""

from __future__ import annotations

from analysis.cards.commands import (
    Files,
    command,
    files,
    placeholder_note,
    plain_command,
    powershell,
)
from analysis.cards.facts import Facts, RunFacts
from analysis.cards.markdown import (
    Markdown,
    code,
    details,
    paragraphs,
    repository,
    say,
    table,
)
from analysis.cards.numbers import UNRECORDED
from analysis.cards.section import Figures, Section
from analysis.cards.shells import BASH, POWERSHELL
from analysis.cards.wording import draft_kind, label

HEADING = "Files and usage"
ROLES = ("File", "Role", "Format")
TARGET_ROLE = "target model, {target}"
DRAFT_ROLE = "{draft} (this repository)"
COMPATIBLE = (
    "Draft and target must share tokenizer, vocabulary and architecture metadata; with another "
    "target the draft fails to load or its tokens are rejected."
)
BUILD = "llama.cpp build used: {build}."
CLI = "`llama-cli` takes the same options for a chat in the terminal:"
WINDOWS = "The same in PowerShell"
PLACEHOLDER = "{file}, a placeholder: its name was not recorded"
OTHER = "The fastest configuration overall, {label}, is another method than the one of this card:"
OTHER_SUMMARY = "Start the fastest configuration overall"
PLAIN = "Without speculation, to compare on your own machine:"
PRESET = "All recommended settings, with a section `off`, by one name: {command}."


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
            say(PLAIN),
            plain_command(files(facts, run), BASH),
            _preset(facts),
            _windows(facts, run),
            _other(facts),
        ),
    )


def _files(facts: Facts, run: RunFacts) -> Markdown:
    card, used = facts.summary.campaign.card, files(facts, run)
    target = facts.summary.campaign.target
    named = repository(target) if target else UNRECORDED
    rows: list[tuple[str, str, str]] = [
        (_file(used, used.target), say(TARGET_ROLE, target=named), UNRECORDED)
    ]
    if used.draft is not None:
        form = " ".join(str(card[key]) for key in ("format", "quantization") if key in card)
        role = say(DRAFT_ROLE, draft=draft_kind(facts.method))
        rows.insert(0, (_file(used, used.draft), role, form or UNRECORDED))
    return table(ROLES, rows, ("left", "left", "left"))


def _build(facts: Facts) -> str:
    builds = {run.build for run in facts.real if run.build}
    stated = facts.summary.campaign.conditions.get("build")
    return stated or (builds.pop() if len(builds) == 1 else UNRECORDED)


def _preset(facts: Facts) -> Markdown | None:
    stated = facts.summary.campaign.card.get("preset_repo")
    return say(PRESET, command=code(f"llama-server -hf {stated}")) if stated else None


def _windows(facts: Facts, run: RunFacts) -> Markdown:
    return details(
        WINDOWS,
        paragraphs(
            powershell(facts, run),
            powershell(facts, run, "llama-cli"),
            say(PLAIN),
            plain_command(files(facts, run), POWERSHELL),
        ),
    )


def _file(used: Files, name: str) -> Markdown:
    shown = code(name)
    return say(PLACEHOLDER, file=shown) if name in used.placeholders else shown


def _other(facts: Facts) -> Markdown | None:
    best = facts.best
    if best is None or best in facts.own or best.spec_type is None:
        return None
    told = files(facts, facts.shown[0]).placeholders if facts.shown[0] else ()
    return details(
        OTHER_SUMMARY,
        paragraphs(
            say(OTHER, label=label(best)),
            command(facts, best),
            placeholder_note(files(facts, best), told),
            details(WINDOWS, powershell(facts, best) or Markdown("")),
        ),
    )
