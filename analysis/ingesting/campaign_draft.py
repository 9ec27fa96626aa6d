"""The campaign.toml that logs give: what they say, and a comment for what they do not."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from analysis.errors import encodable, printable
from analysis.names import method_title
from analysis.records import BUILT_IN_WORKLOADS, SPEC_TYPES, Run

__all__ = ["PlacedRun", "comparable", "draft"]

_LONGEST_LABEL = 120
_DEEPEST = 1024
_GUESS = "a guess: it drafted nothing on the tasks on which others of its log drafted"
_HEAD = """\
# A draft made from the logs beside it. What they do not say is left as a comment: fill in what you
# know, then run `mtpbench report` with this folder.

[campaign]
title = {title}
{target}{baseline}
[conditions]
# gpu     = "…"                    # what is not here is "not recorded"
# driver  = "…"
# os      = "…"
# sampler = "…"
{build}
[card]
# license    = "apache-2.0"
# base_model = "org/model"         # what the published weights derive from
"""


@dataclass(frozen=True)
class PlacedRun:
    """A run with its id and where its log is.

    `by_file_name` and `guessed` say by what its method was told where neither
    its log nor its heading names one: the log's name or its other headings, or
    the counts. `repeats` says that it has no heading, or (`counted`) one that says
    no more than ``run 2``, and goes on with the block
    before it.
    """

    run: Run
    log: str
    block: int | None
    id: str = ""
    by_file_name: bool = False
    guessed: bool = False
    repeats: bool = False
    counted: bool = False
    secret_at: int | None = None


def draft(entries: Sequence[PlacedRun], title: str) -> str:
    """Write a campaign.toml in which what is not known is a comment.

    Parameters
    ----------
    entries
        At least one of them with results per task.
    title
        What the campaign is called.

    Returns
    -------
    str
        Valid TOML, whatever the logs hold.
    """
    usable = comparable(entries)
    head = _HEAD.format(
        title=_text(title),
        target=_target(usable),
        baseline=_baseline(usable),
        build=_build(usable),
    )
    parts = [head, *(_table(entry, used=entry in usable) for entry in entries), _workloads(usable)]
    return "\n".join(part for part in parts if part)


def comparable(entries: Sequence[PlacedRun]) -> list[PlacedRun]:
    """Those that can be compared: with results, or where none has any, with tokens and a time.

    Beside results, totals mostly say the same once more.
    """
    results = [entry for entry in entries if entry.run.tasks]
    return results or [
        entry
        for entry in entries
        if (total := entry.run.aggregate) and total.predicted_tokens and total.wall_s
    ]


def _target(entries: Sequence[PlacedRun]) -> str:
    found = sorted({_model(entry.run.target) for entry in entries if entry.run.target})
    seen = f"   # the logs name {', '.join(found)[:200]}" if found else ""
    return (
        f'# target = "org/model"             # the model that the drafts work for{_comment(seen)}\n'
    )


def _baseline(entries: Sequence[PlacedRun]) -> str:
    found = [entry for entry in entries if entry.run.spec_type == "none"]
    plain = list(dict.fromkeys(entry.id for entry in found))
    if not plain:
        return '# baseline = "ID"                  # no run without speculation was recognised\n'
    others = f"   # also without speculation: {', '.join(plain[1:])}" if plain[1:] else ""
    guess = "   # a guess, see the run" if found[0].guessed else ""
    return f"baseline = {_text(plain[0])}{guess}{others}\n"


def _build(entries: Sequence[PlacedRun]) -> str:
    builds = {entry.run.build for entry in entries}
    if len(builds) == 1 and None not in builds:
        return f"build = {_text(str(builds.pop()))}\n"
    return '# build   = "b…"\n'


def _table(entry: PlacedRun, *, used: bool) -> str:
    run = entry.run
    lines = ["[[runs]]", f"id = {_text(entry.id)}"]
    if entry.secret_at is not None:
        said = f"# Line {entry.secret_at} of this log looks like a credential: blank it to publish."
        lines.insert(1, said)
    if entry.repeats and not entry.counted:
        lines.insert(1, "# A guess: no heading of its own, and it drafts as the block before it.")
    label = printable(run.label or _called(run)).strip()[:_LONGEST_LABEL]
    lines.append(f"label = {_text(label)}" if label else '# label = "…"')
    lines.append(f"log = {_text(entry.log)}")
    if entry.block is not None:
        lines.append(f"block = {entry.block}")
    lines += _method(entry)
    if run.p_min is not None and 0 <= run.p_min <= 1:
        lines.append(f"p_min = {run.p_min!r}")
    if run.draft:
        lines.append(f"draft = {_text(_model(run.draft))}")
    if run.synthetic:
        lines.append("synthetic = true")
    for name, value in (("temperature", run.temperature), ("concurrency", run.concurrency)):
        if value is not None:
            lines.append(f"{name} = {value!r}")
    if used:
        return "\n".join(lines) + "\n"
    reason = "# Only totals, without a result per task, so it can't be compared:"
    return "\n".join([reason, *(f"# {line}" for line in lines)]) + "\n"


def _called(run: Run) -> str:
    """What a card may call a run that has no name of its own; empty where not enough is known."""
    if run.spec_type == "none":
        return "No speculation"
    if not _known(run) or run.n_max is None or run.draft:
        return ""
    cut = "" if run.p_min is None else f", p_min {run.p_min:g}"
    return f"{method_title(run.spec_type)}, n_max {run.n_max}{cut}"


def _known(run: Run) -> bool:
    return bool(run.spec_type) and set(str(run.spec_type).split(",")) <= set(SPEC_TYPES)


def _method(entry: PlacedRun) -> list[str]:
    run = entry.run
    lines = []
    if _known(run):
        told = "   # by what its file is called or says of others" if entry.by_file_name else ""
        told = f"   # {_GUESS}" if entry.guessed else told
        lines.append(f"spec_type = {_text(str(run.spec_type))}{told}")
    elif any(task.draft_tokens for task in run.tasks) or (
        run.aggregate and run.aggregate.draft_tokens
    ):
        lines.append('# spec_type = "draft-…"            # it drafted; the log does not say how')
    else:
        lines.append(
            '# spec_type = "none"               # nothing was drafted, or the log is silent'
        )
    if run.spec_type == "none":
        return lines
    if run.n_max is not None and 0 <= run.n_max <= _DEEPEST:
        return [*lines, f"n_max = {run.n_max}"]
    return [*lines, "# n_max = …                        # the log does not say how deep it drafted"]


def _workloads(entries: Sequence[PlacedRun]) -> str:
    tasks = dict.fromkeys(task.task for entry in entries for task in entry.run.tasks)
    own = [task for task in tasks if task not in BUILT_IN_WORKLOADS]
    if not own:
        return ""
    lines = [f'# {_comment(_text(task))} = "code"' for task in own[:20]]
    lines += ["# …"] if own[20:] else []
    return "\n".join(["# Classes for tasks of your own:", "# [workloads]", *lines]) + "\n"


def _model(text: str) -> str:
    """A model as it may be published: of a path on somebody's machine, the file."""
    is_path = text.startswith(("/", "~", ".")) or "\\" in text or text[1:2] == ":"
    return printable(re.split(r"[\\/]", text)[-1] if is_path else text)


def _comment(text: str) -> str:
    return printable(encodable(text))


def _text(text: str) -> str:
    """A TOML string; JSON's escapes are TOML's, except for one sign that JSON lets stand."""
    return json.dumps(encodable(text), ensure_ascii=False).replace("\x7f", "\\u007f")
