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
from analysis.cards.escaping import Markdown, code, say
from analysis.cards.facts import Facts, RunFacts
from analysis.cards.markdown import details, paragraphs, repository, table
from analysis.cards.numbers import UNRECORDED
from analysis.cards.section import Figures, Section
from analysis.cards.shells import BASH, POWERSHELL
from analysis.cards.wording import draft_kind, labels

HEADING = "Files and usage"
ROLES = ("File", "Role", "Format")
TARGET_ROLE = "target model, {target}"
DRAFT_ROLE = "{draft} (this repository)"
COMPATIBLE = (
    "Draft and target must share tokenizer, vocabulary and architecture metadata; with another "
    "target the draft fails to load or its tokens are rejected."
)
LAYERS = (
    "Recent builds of llama.cpp put as many layers of both models on the GPU as fit; `-ngl` and "
    "`-ngld` set how many of the target and of the draft."
)
CLI = "`llama-cli` takes the same options for a chat in the terminal:"
MORE = "More commands: a chat in the terminal, no speculation, PowerShell"
WINDOWS = "In PowerShell:"
PLACEHOLDER = "{file}, a placeholder: its name was not recorded"
OTHER = "The fastest over all prompts, {label}, which is not the method of this card:"
PLAIN = "Without speculation, to compare on your own machine:"
PRESET = "All recommended settings, with a section `off`, by one name: {command}."


def write(facts: Facts, figures: Figures) -> Section | None:  # noqa: ARG001
    """Files, compatibility and commands; null when nothing was configured to run."""
    run, _ = facts.shown
    if run is None or run.spec_type is None:
        return None
    used = files(facts, run)
    drafts = used.draft is not None
    return Section(
        HEADING,
        paragraphs(
            _files(facts, run),
            Markdown(COMPATIBLE) if drafts else None,
            Markdown(LAYERS) if drafts and not used.layers else None,
            _preset(facts),
            details(MORE, _more(facts, run)),
        ),
    )


def _more(facts: Facts, run: RunFacts) -> Markdown:
    return paragraphs(
        say(CLI),
        command(facts, run, "llama-cli"),
        say(PLAIN),
        plain_command(files(facts, run), BASH),
        _other(facts),
        say(WINDOWS),
        powershell(facts, run),
        powershell(facts, run, "llama-cli"),
        plain_command(files(facts, run), POWERSHELL),
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


def _preset(facts: Facts) -> Markdown | None:
    stated = facts.summary.campaign.card.get("preset_repo")
    return say(PRESET, command=code(f"llama-server -hf {stated}")) if stated else None


def _file(used: Files, name: str) -> Markdown:
    shown = code(name)
    return say(PLACEHOLDER, file=shown) if name in used.placeholders else shown


def _other(facts: Facts) -> Markdown | None:
    best = facts.best
    if best is None or best in facts.own or best.spec_type is None:
        return None
    told = files(facts, facts.shown[0]).placeholders if facts.shown[0] else ()
    return paragraphs(
        say(OTHER, label=labels([best])),
        command(facts, best),
        placeholder_note(files(facts, best), told),
        powershell(facts, best),
    )
