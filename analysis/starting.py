"""Pasted logs in, a campaign folder out: what the logs say, and what is left to fill in."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from analysis import parsers
from analysis.campaign import SETTINGS_FILE
from analysis.errors import CampaignError, LogError, encodable, printable
from analysis.parsers.spec_words import mined
from analysis.records import BUILT_IN_WORKLOADS, SPEC_TYPES, Run
from analysis.storage import replaced_folder, write_bytes, write_text

__all__ = ["start"]

_NOT_IN_ID = re.compile(r"[^A-Za-z0-9._-]+")
_SECRET = re.compile(
    rb"--api-key[ =]+\S|\bauthorization: *bearer +\S|\b(?:hf|sk|ghp)[_-][A-Za-z0-9]{16}",
    re.IGNORECASE,
)
_LONGEST_ID = 60
_LONGEST_LABEL = 120
_DEEPEST = 1024
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
class _Log:
    """A file that holds runs, and what it is called in the campaign."""

    path: Path
    name: str
    runs: tuple[Run, ...]
    secret_at: int | None = None


@dataclass(frozen=True)
class _Entry:
    """A run with its id and where its log is."""

    run: Run
    log: str
    block: int | None
    id: str = ""
    by_file_name: bool = False
    secret_at: int | None = None


def start(paths: Sequence[str | Path], folder: str | Path, format: str | None = None) -> Path:
    """Make a campaign folder of logs.

    Parameters
    ----------
    paths
        Logs, which are copied byte for byte, and folders of logs.
    folder
        The campaign folder to make. It must not hold anything yet.
    format
        Name of a format, instead of recognising each log by content.

    Returns
    -------
    pathlib.Path
        The folder, with a campaign.toml that ``mtpbench report`` accepts.

    Raises
    ------
    CampaignError
        The folder is not empty, or no run has results per request.
    LogError
        A log can't be read, or nothing was recognised in it.
    """
    place = Path(folder)
    _refuse_what_is_there(place)
    logs = _logs(paths, format)
    entries = _identified(_entries(logs))
    if not any(entry.run.tasks for entry in entries):
        raise CampaignError(
            "these logs hold totals of runs and no result of a request or a task",
            "add the output that the totals were made of",
            file=logs[0].path if logs else None,
        )
    settings = _settings(entries, title=place.resolve().name or "campaign")
    with replaced_folder(place) as staging:
        for log in logs:
            write_bytes(staging / log.name, log.path.read_bytes())
        write_text(staging / SETTINGS_FILE, settings)
    return place


def _refuse_what_is_there(place: Path) -> None:
    # Not Path.is_dir, which raises for a name that no file can have.
    if os.path.lexists(place) and not (os.path.isdir(place) and not os.listdir(place)):  # noqa: PTH112, PTH208
        raise CampaignError(
            "there is something in this place already",
            "name a folder that does not exist, or empty it",
            file=place,
        )


def _logs(paths: Iterable[str | Path], format: str | None) -> list[_Log]:
    logs: list[_Log] = []
    names: set[str] = {SETTINGS_FILE}
    for given in paths:
        path = Path(given)
        if str(given) == "-":
            problem = "standard input can't be copied into a campaign"
            raise CampaignError(problem, "save it to a file and name that", file="-")
        if os.path.isdir(path):  # noqa: PTH112
            found = [_Log(file, "", runs) for file, runs in _below(path, format)]
            if not found:
                problem = "no file in this folder is a log"
                raise LogError(problem, "name a file to hear why", file=path)
        else:
            found = [_Log(path, "", parsers.read(path, format=format))]
        for log in found:
            name = _free(_file_name(log.path), names)
            names.add(name)
            logs.append(replace(log, name=name, secret_at=_secret_at(log.path)))
    return logs


def _secret_at(path: Path) -> int | None:
    """Line of the first thing that looks like a credential."""
    with path.open("rb") as file:
        return next((n for n, line in enumerate(file, start=1) if _SECRET.search(line)), None)


def _below(folder: Path, format: str | None) -> Iterator[tuple[Path, tuple[Run, ...]]]:
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        try:
            yield file, parsers.read(file, format=format)
        except LogError:
            # A folder holds other files too.
            continue


def _file_name(path: Path) -> str:
    name = _NOT_IN_ID.sub("-", encodable(path.name)).strip("-.") or "log"
    return name[-_LONGEST_ID:].lstrip("-.") or "log"


def _free(name: str, taken: set[str]) -> str:
    stem, dot, ending = name.partition(".")
    number = 1
    while name in taken:
        number += 1
        name = f"{stem}-{number}{dot}{ending}"
    return name


def _entries(logs: Iterable[_Log]) -> Iterator[_Entry]:
    for log in logs:
        alone = len(log.runs) == 1
        for number, run in enumerate(log.runs, start=1):
            stem = log.name.partition(".")[0] if alone else ""
            said, depth = mined(run.label or stem)
            drafted = any(task.draft_tokens for task in run.tasks)
            # Words are believed only where the counts do not say otherwise.
            believed = said is not None and run.tasks and (said == "none") is not drafted
            spec_type = run.spec_type or (said if believed else None)
            n_max = run.n_max if run.n_max is not None else depth if believed else None
            yield _Entry(
                replace(run, spec_type=spec_type, n_max=None if spec_type == "none" else n_max),
                log.name,
                None if alone else number,
                by_file_name=bool(believed and not run.label and not run.spec_type),
                secret_at=log.secret_at if number == 1 else None,
            )


def _identified(entries: Iterable[_Entry]) -> list[_Entry]:
    taken: set[str] = set()
    named = []
    for entry in entries:
        made = _free(_id(entry), taken)
        taken.add(made)
        named.append(replace(entry, id=made))
    return named


def _id(entry: _Entry) -> str:
    run = entry.run
    if run.spec_type == "none":
        return "baseline"
    if run.spec_type and run.n_max is not None:
        method = run.spec_type.replace("draft-", "").replace(",", "-")
        return f"{method}-n{run.n_max}"
    words = run.label or Path(entry.log).name.partition(".")[0]
    made = _NOT_IN_ID.sub("-", encodable(words)).strip("-._").lower()[:_LONGEST_ID].strip("-._")
    return (made if made[:1].isalnum() else f"run-{made}").strip("-._") or "run"


def _settings(entries: Sequence[_Entry], title: str) -> str:
    usable = [entry for entry in entries if entry.run.tasks]
    head = _HEAD.format(
        title=_text(title),
        target=_target(usable),
        baseline=_baseline(usable),
        build=_build(usable),
    )
    parts = [head, *(_table(entry) for entry in entries), _workloads(usable)]
    return "\n".join(part for part in parts if part)


def _target(entries: Sequence[_Entry]) -> str:
    found = sorted({_model(entry.run.target) for entry in entries if entry.run.target})
    seen = f"   # the logs name {', '.join(found)[:200]}" if found else ""
    return (
        f'# target = "org/model"             # the model that the drafts work for{_comment(seen)}\n'
    )


def _baseline(entries: Sequence[_Entry]) -> str:
    plain = [entry.id for entry in entries if entry.run.spec_type == "none"]
    if not plain:
        return '# baseline = "ID"                  # no run without speculation was recognised\n'
    others = f"   # also without speculation: {', '.join(plain[1:])}" if plain[1:] else ""
    return f"baseline = {_text(plain[0])}{others}\n"


def _build(entries: Sequence[_Entry]) -> str:
    builds = {entry.run.build for entry in entries}
    if len(builds) == 1 and None not in builds:
        return f"build = {_text(str(builds.pop()))}\n"
    return '# build   = "b…"\n'


def _table(entry: _Entry) -> str:
    run = entry.run
    lines = ["[[runs]]", f"id = {_text(entry.id)}"]
    if entry.secret_at is not None:
        said = f"# Line {entry.secret_at} of this log looks like a credential: blank it to publish."
        lines.insert(1, said)
    label = printable(run.label or "").strip()[:_LONGEST_LABEL]
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
    if run.tasks:
        return "\n".join(lines) + "\n"
    reason = "# Only totals, without a result per task, so it can't be compared:"
    return "\n".join([reason, *(f"# {line}" for line in lines)]) + "\n"


def _method(entry: _Entry) -> list[str]:
    run = entry.run
    known = run.spec_type and all(word in SPEC_TYPES for word in run.spec_type.split(","))
    lines = []
    if known:
        told = "   # by the name of its file" if entry.by_file_name else ""
        lines.append(f"spec_type = {_text(str(run.spec_type))}{told}")
    elif any(task.draft_tokens for task in run.tasks):
        lines.append('# spec_type = "draft-…"            # it drafted; the log does not say how')
    else:
        lines.append(
            '# spec_type = "none"               # nothing was drafted, or the log is silent'
        )
    if run.spec_type == "none":
        return lines
    if run.n_max is not None and 0 <= run.n_max <= _DEEPEST:
        return [*lines, f"n_max = {run.n_max}"]
    return [*lines, "# n_max = 3"]


def _workloads(entries: Sequence[_Entry]) -> str:
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
