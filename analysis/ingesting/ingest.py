"""Logs without a campaign: what is in them, and what is wrong with them?"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis import parsers
from analysis.audit import audit_runs
from analysis.depths.measured import MeasuredRuns
from analysis.errors import LogError, ReportError, encodable, one_of
from analysis.files.storage import write_text, written_beside
from analysis.privacy import public, public_path
from analysis.records import Finding, Positions, Run
from analysis.statistics.speedups import Speedups, TaskSpeedups

__all__ = ["Ingested", "confidences", "data", "ingest", "save"]

SAVED_AS = (".csv", ".json", ".parquet")

_LIKE_LOGS = (".log", ".txt", ".md", ".json", ".jsonl", ".csv")
_COMPRESSED = (".gz", ".zst")


@dataclass(frozen=True, eq=False)
class Ingested:
    """What was read: frames with the columns of results.json, and the findings.

    Attributes
    ----------
    unread
        Paths, of several that were named, in which nothing could be read; each
        has a finding ``log-broken``.
    """

    records: tuple[Run, ...]
    runs: pd.DataFrame
    tasks: pd.DataFrame
    findings: tuple[Finding, ...]
    unread: tuple[Path, ...] = ()


def ingest(paths: Sequence[str | Path], format: str | None = None) -> Ingested:
    """Read logs and folders of logs.

    Parameters
    ----------
    paths
        Files are read as they are; of a folder, every file below it that is
        recognised as some format. One of those that is broken is a finding, and
        so is one that is named like a log and holds no text. Of several paths,
        those that can't be read are findings beside what the others hold.
    format
        Name of a format, instead of recognising it by content.

    Returns
    -------
    Ingested
        Run ids are made from the file names, with ``#2`` and so on for the
        second run of a file. Without a campaign there is no baseline, so
        speedups are null.

    Raises
    ------
    LogError
        The only path can't be read, or nothing was recognised in it; or there
        is no such format.
    """
    if format is not None and format not in parsers.FORMATS:
        raise LogError(*one_of("the format", format, parsers.FORMATS), file=paths[0])
    records: list[Run] = []
    broken: list[Finding] = []
    unread: list[Path] = []
    for path in map(Path, paths):
        try:
            # Not Path.is_dir, which raises for a name that no file can have.
            if os.path.isdir(path):  # noqa: PTH112
                runs_below, broken_below = _read_folder(path, format)
                records += runs_below
                broken += broken_below
            else:
                records += parsers.read(path, format=format, name=_called(path))
        except LogError as error:
            if len(paths) == 1:
                if str(path) == parsers.STANDARD_INPUT:
                    raise
                raise LogError(error.problem, error.remedy, path, error.line) from error
            broken.append(_broken(error))
            unread.append(path)
    named = tuple(_identified(records))
    own = MeasuredRuns(named)
    tasks = TaskSpeedups(None)(own.tasks)
    runs = Speedups(None)(own.totals, tasks, own.passes)
    return Ingested(named, runs, tasks, (*broken, *audit_runs(named, own)), tuple(unread))


def _called(path: Path, folder: Path | None = None) -> str:
    """What sources call a file: no folder that the process does not work in is named."""
    if str(path) == parsers.STANDARD_INPUT:
        return "stdin"
    shown = public_path(path)
    return public_path(path, folder) if folder is not None and shown == path.name else shown


def _broken(error: LogError) -> Finding:
    return Finding("error", "log-broken", error.where, public(f"{error.problem}; {error.remedy}"))


def _read_folder(folder: Path, format: str | None) -> tuple[list[Run], list[Finding]]:
    """The runs of a folder's logs, and a finding for each log that is broken."""
    formats = list(parsers.FORMATS.values()) if format is None else [parsers.FORMATS[format]]
    runs: list[Run] = []
    broken: list[Finding] = []
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    for path in files:
        # A folder holds other files too: only of a log does it matter that it can't be read.
        expected = _named_like_a_log(path)
        try:
            with parsers.open_log(path, _called(path, folder)) as log:
                known = parsers.recognised(log, formats)
                if known is None:
                    continue
                expected = True
                whole = parsers.read_recognised if format is None else _read_as
                runs += whole(log, known)
        except LogError as error:
            if expected:
                broken.append(_broken(error))
    if not runs and not broken:
        raise LogError(
            f"none of the {len(files)} files in this folder is a log",
            "name a file to hear why it is not recognised",
            file=folder,
        )
    return runs, broken


def _read_as(log: parsers.Log, known: parsers.Format) -> tuple[Run, ...]:
    return parsers.read_log(log, known.name)


def _named_like_a_log(path: Path) -> bool:
    name = path.name.lower()
    for ending in _COMPRESSED:
        name = name.removesuffix(ending)
    return name.endswith(_LIKE_LOGS)


def _identified(runs: Sequence[Run]) -> list[Run]:
    used: dict[str, int] = {}
    named = []
    for run in runs:
        stem = encodable(Path(run.source.file).stem) or "log"
        used[stem] = used.get(stem, 0) + 1
        number = used[stem]
        named.append(replace(run, id=stem if number == 1 else f"{stem}#{number}"))
    return named


def data(found: Ingested) -> dict[str, list[dict[str, Any]]]:
    """What was read, for programs: `runs`, `tasks` and `findings` as in results.json.

    Tasks have `prompt_tokens` and `positions` as well, runs the `positions` of
    sources that state totals alone: `rate` by position, the counts `accepted`
    over `rounds` where they are known, and the `definition`; `confidences` is the
    number of drafted tokens whose probability was logged, null where none was.
    """
    from analysis.results import measured  # noqa: PLC0415 - printing a log must not wait for it

    read = measured(found.runs, found.tasks, found.findings)
    results = (result for run in found.records for result in run.tasks)
    for row, result in zip(read["tasks"], results, strict=True):
        row |= {"prompt_tokens": result.prompt_tokens, "positions": _by_position(result.positions)}
    for row, run in zip(read["runs"], found.records, strict=True):
        row["positions"] = _by_position(run.aggregate.positions if run.aggregate else None)
        row["confidences"] = confidences(run)
    return read


def confidences(run: Run) -> int | None:
    """Drafted tokens whose probability was logged; null where none was."""
    told = [task.rounds.confidence for task in run.tasks if task.rounds is not None]
    return sum(int(np.isfinite(one).sum()) for one in told if one is not None) or None


def _by_position(positions: Positions | None) -> dict[str, Any] | None:
    return None if positions is None else asdict(positions)


def _no_formula(value: object) -> object:
    """A cell that a spreadsheet shows and does not compute."""
    return f"'{value}" if isinstance(value, str) and value[:1] in set("=+-@\t\r") else value


def save(found: Ingested, path: Path) -> None:
    """Write what was read: tasks to ``.csv`` or ``.parquet``, everything to ``.json``.

    Raises
    ------
    ReportError
        The ending is another one, or the place can't be written.
    """
    if path.suffix not in SAVED_AS:
        problem, remedy = one_of("the ending", path.suffix, SAVED_AS)
        raise ReportError(problem, remedy, file=path)
    if path.suffix == ".json":
        from analysis.results import as_json  # noqa: PLC0415

        write_text(path, as_json(data(found)))
    elif path.suffix == ".csv":
        write_text(path, found.tasks.map(_no_formula).to_csv(index=False, lineterminator="\n"))
    else:
        with written_beside(path) as file:
            found.tasks.to_parquet(file, index=False)
