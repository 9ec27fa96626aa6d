"""Pasted logs in, a campaign folder out: what the logs say, and what is left to fill in."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from analysis import parsers
from analysis.campaigns.campaign import SETTINGS_FILE
from analysis.errors import CampaignError, LogError, encodable
from analysis.files.inside import leads_out
from analysis.files.storage import replaced_folder, write_bytes, write_text
from analysis.ingesting.campaign_draft import comparable, draft
from analysis.ingesting.grouping import ReadLog, entries, free
from analysis.records import Run

__all__ = ["start"]

_NOT_IN_ID = re.compile(r"[^A-Za-z0-9._-]+")
_SECRET = re.compile(
    rb"--api-key[ =]+\S|\bauthorization: *bearer +\S|\b(?:hf|sk|ghp)[_-][A-Za-z0-9]{16}",
    re.IGNORECASE,
)
_LONGEST_ID = 60


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
    found = entries(logs)
    if not comparable(found):
        raise CampaignError(
            "these logs hold rates of runs, and no result of a request nor tokens and a time",
            "add the output that they were made of",
            file=logs[0].path if logs else None,
        )
    settings = draft(found, title=place.resolve().name or "campaign")
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


def _logs(paths: Iterable[str | Path], format: str | None) -> list[ReadLog]:
    logs: list[ReadLog] = []
    names: set[str] = {SETTINGS_FILE}
    for given in paths:
        path = Path(given)
        if str(given) == "-":
            problem = "standard input can't be copied into a campaign"
            raise CampaignError(problem, "save it to a file and name that", file="-")
        if os.path.isdir(path):  # noqa: PTH112
            found = [ReadLog(file, "", runs) for file, runs in _below(path, format)]
            if not found:
                problem = "no file in this folder is a log"
                raise LogError(problem, "name a file to hear why", file=path)
        else:
            found = [ReadLog(path, "", parsers.read(path, format=format))]
        for log in found:
            name = free(_file_name(log.path), names)
            names.add(name)
            head = _head(log.path)
            logs.append(replace(log, name=name, head=head, secret_at=_secret_at(log.path)))
    return logs


def _head(path: Path) -> str:
    """The beginning of a log's text, where its headings and commands are."""
    with parsers.open_log(path) as log:
        return log.head.text


def _secret_at(path: Path) -> int | None:
    """Line of the first thing that looks like a credential."""
    with path.open("rb") as file:
        return next((n for n, line in enumerate(file, start=1) if _SECRET.search(line)), None)


def _below(folder: Path, format: str | None) -> Iterator[tuple[Path, tuple[Run, ...]]]:
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        try:
            runs = parsers.read(file, format=format)
        except LogError:
            # A folder holds other files too.
            continue
        if leads_out(file, folder):
            # Who packed the folder does not say what of its reader's is published.
            problem = "this link leads to a log outside of the folder that was named"
            raise CampaignError(problem, "remove it, or name that log itself", file=file)
        yield file, runs


def _file_name(path: Path) -> str:
    name = _NOT_IN_ID.sub("-", encodable(path.name)).strip("-.") or "log"
    return name[-_LONGEST_ID:].lstrip("-.") or "log"
