"""The recommended settings as a file that llama-server loads.

Sections are presets, keys its long flags without dashes: ``llama-server
--models-preset FILE``.
"""

from __future__ import annotations

import re

from analysis.cards.commands import DRAFT, TARGET, Files, files, flags
from analysis.cards.facts import Choice, Facts, RunFacts
from analysis.cards.markdown import clean
from analysis.cards.wording import workload_name
from analysis.summary import Summary

__all__ = ["preset"]

HEAD = """\
; Settings recommended by the measurements in this card.
; Use: llama-server --models-preset preset.ini
; File names are relative to the folder in which the server starts.
"""
PLACEHOLDERS = "; {names}: put your own files there, nobody recorded theirs.\n"
OFF_FOR = "; no speculation: {workloads}"
FOR = "; {label}: {workloads}"
EVERYTHING = "everything measured together"


def preset(summary: Summary) -> str:
    """Text of ``preset.ini``.

    Parameters
    ----------
    summary
        A campaign's figures.

    Returns
    -------
    str
        A section ``off`` and one per recommended configuration, of everything
        measured and of the card's own draft. Synthetic runs are never in it.
    """
    facts = Facts(summary)
    uses: dict[str | None, list[str]] = {None: []}
    for choice in facts.choices:
        uses.setdefault(choice.run, []).append(_workload(choice))
    added = [choice for choice in facts.own_choices if choice.run not in uses]
    for choice in added:
        uses.setdefault(choice.run, []).append(_workload(choice))
    runs = [facts.by_id[run] for run in uses if run is not None and flags(facts.by_id[run])]
    loaded = [files(facts, run) for run in runs]
    target = loaded[0].target if loaded else _target(facts)
    missing = dict.fromkeys(name for used in loaded for name in used.placeholders)
    parts = [HEAD + (PLACEHOLDERS.format(names=", ".join(missing)) if missing else "")]
    parts.append(
        _section("off", _said(OFF_FOR, "", uses[None]), {"model": target, "spec-type": "none"})
    )
    for run, used in zip(runs, loaded, strict=True):
        keys = {"model": used.target, **_draft(used), **flags(run)}
        parts.append(_section(_name(run), _said(FOR, run.label, uses[run.id]), keys))
    return "\n".join(parts)


def _workload(choice: Choice) -> str:
    return EVERYTHING if choice.workload is None else workload_name(choice.workload)


def _target(facts: Facts) -> str:
    stated = facts.summary.campaign.card.get("target_file")
    return clean(stated) if isinstance(stated, str) and clean(stated) else TARGET


def _draft(used: Files) -> dict[str, str]:
    if used.draft is None:
        return {}
    return {"model-draft" if used.draft_is_file else "hf-repo-draft": used.draft}


def _name(run: RunFacts) -> str:
    return re.sub(r"[^A-Za-z0-9._-]", "-", run.id) or DRAFT


def _said(template: str, label: str, workloads: list[str]) -> str:
    if not workloads:
        return template.partition(":")[0].format(label=clean(label))
    return template.format(label=clean(label), workloads=clean(", ".join(workloads)))


def _section(name: str, comment: str, keys: dict[str, str]) -> str:
    lines = [f"{key} = {clean(value)}" for key, value in keys.items()]
    return "\n".join([f"[{name}]", comment, *lines, ""])
