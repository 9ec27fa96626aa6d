"""The recommended settings as a file that llama-server loads.

Sections are presets, keys its long flags without dashes: ``llama-server
--models-preset FILE``, or ``-hf REPOSITORY`` for one that has nothing but a
``preset.ini``. Beside GGUF files it does harm: llama.cpp then downloads nothing
else of that repository.
"""

from __future__ import annotations

import re
from dataclasses import replace

from analysis.cards.axis_words import measured_at
from analysis.cards.commands import DRAFT, TARGET, Files, files, flags, replayed_flags, run_flags
from analysis.cards.escaping import clean
from analysis.cards.facts import Facts, Recommendation
from analysis.cards.wording import workload_name
from analysis.errors import CardError
from analysis.statistics.points import AXES
from analysis.summary import Summary

__all__ = ["preset"]

FIRST = "; Settings recommended by the measurements in this card.\n"
HEAD = """\
; Use: llama-server --models-preset preset.ini
; File names are relative to the folder in which the server starts.
; Not for a repository with GGUF files: llama.cpp would download this file alone.
"""
SHARED_HEAD = "; Use: llama-server -hf {repository}\n"
PLACEHOLDERS = "; {names}: put your own files there, nobody recorded theirs.\n"
COMMENT = re.compile("[;#]")
"""What begins a comment in llama.cpp's reader, also within a value."""
OFF_FOR = "; no speculation: {workloads}"
FOR = "; {label}: {workloads}"
AT = "; Measured at {at}; with others it may be another one, see RESULTS.md.\n"
PARALLEL = "parallel"
"""llama-server's flag for how many requests it serves at once."""

REPLAYED = "; predicted from the log of {label}, no run had it: {workloads}"
EVERYTHING = "all prompts"


def preset(summary: Summary, repository: str | None = None) -> str:
    """Text of ``preset.ini``.

    Parameters
    ----------
    summary
        A campaign's figures.
    repository
        ``OWNER/NAME`` of a repository of its own that it is for: models are then named
        by repository. By default they are files.

    Returns
    -------
    str
        A section ``off`` and one per recommended configuration, of everything
        measured and of the card's own draft; and one for each setting that is
        predicted to be better than those. Synthetic runs are never in it. Where a
        campaign varies requests at once, what speculates serves as many as its advice is for.

    Raises
    ------
    CardError
        A model's repository is not known, or a name can't be written.
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
    plain = loaded[0] if loaded else _target(facts)
    if repository is None:
        missing = dict.fromkeys(name for used in loaded for name in used.placeholders)
        head = FIRST + HEAD + (PLACEHOLDERS.format(names=", ".join(missing)) if missing else "")
        models = _as_files
    else:
        head = FIRST + SHARED_HEAD.format(repository=repository)
        models = _as_repositories
    where, at_once = facts.summary.axes.where, {}
    if where.axes:
        head += AT.format(at=measured_at(facts))
    if "concurrency" in where.axes and where.home:
        # What pays at some requests at once need not pay at more.
        at_once = {PARALLEL: f"{where.home.at[AXES.index('concurrency')]:g}"}
    off = {**dict([*models(plain).items()][:1]), "spec-type": "none"}
    parts = [head, _section("off", _said(OFF_FOR, "", uses[None]), off)]
    for run, used in zip(runs, loaded, strict=True):
        keys = {**models(used), **run_flags(facts, run), **at_once}
        parts.append(_section(_name(run.id), _said(FOR, run.label, uses[run.id]), keys))
    for told, workloads in _replayed(facts).values():
        run = facts.by_id[str(told.replayed_run)]
        name = f"{run.spec_type}-n{told.replayed_n_max}-p{told.replayed_p_min:g}-replayed"
        keys = {**models(files(facts, run)), **replayed_flags(facts, told), **at_once}
        parts.append(_section(_name(name), _said(REPLAYED, run.label, workloads), keys))
    return "\n".join(parts)


def _replayed(facts: Facts) -> dict[tuple[object, ...], tuple[Recommendation, list[str]]]:
    """Settings that are predicted to be better than all measured ones, and what for."""
    found: dict[tuple[object, ...], tuple[Recommendation, list[str]]] = {}
    for choice in (*facts.choices, *facts.own_choices):
        if not choice.replayed_advised:
            continue
        key = (choice.replayed_run, choice.replayed_n_max, choice.replayed_p_min)
        _, used = found.setdefault(key, (choice, []))
        if _workload(choice) not in used:
            used.append(_workload(choice))
    return found


def _as_files(used: Files) -> dict[str, str]:
    """Keys that name the models; the first is the target's."""
    keys = {"model": used.target}
    if used.target == used.target_repository:
        keys = {"hf-repo": used.target}
    if used.draft is not None:
        a_file = used.draft != used.draft_repository
        keys["model-draft" if a_file else "hf-repo-draft"] = used.draft
    return keys


def _as_repositories(used: Files) -> dict[str, str]:
    keys = {}
    for role, key, name, repository in (
        ("target", "hf-repo", used.target, used.target_repository),
        ("draft", "hf-repo-draft", used.draft, used.draft_repository),
    ):
        if repository:
            keys[key] = repository
        elif name is not None:
            raise CardError(
                f"a preset for everybody names repositories, and that of {name} is not known",
                f'add {role}_repo = "OWNER/NAME:QUANT" under [card] in campaign.toml',
            )
    return keys


def _workload(choice: Recommendation) -> str:
    return EVERYTHING if choice.workload is None else workload_name(choice.workload)


def _target(facts: Facts) -> Files:
    """The target alone, where no configuration is recommended."""
    used = files(facts, facts.runs[0]) if facts.runs else None
    if used is None:
        return Files(TARGET, None, None, None, (TARGET,))
    return replace(used, draft=None, draft_repository=None)


def _name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]", "-", name) or DRAFT


def _said(template: str, label: str, workloads: list[str]) -> str:
    if not workloads:
        return template.partition(":")[0].format(label=clean(label))
    return template.format(label=clean(label), workloads=clean(", ".join(workloads)))


def _section(name: str, comment: str, keys: dict[str, str]) -> str:
    lines = [f"{key} = {_value(value)}" for key, value in keys.items()]
    return "\n".join([f"[{name}]", comment, *lines, ""])


def _value(text: str) -> str:
    # llama.cpp would end the value there, and load another file without a word.
    return COMMENT.sub("?", clean(text))
