"""Logs without a campaign: what is in them, and what is wrong with them?"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from analysis import parsers
from analysis.audit import audit_runs
from analysis.depths.measured import MeasuredRuns
from analysis.errors import LogError, ReportError, encodable, one_of, printable
from analysis.files.storage import write_text
from analysis.records import Finding, Run
from analysis.results import as_json, measured
from analysis.statistics.throughput import Speedups, TaskSpeedups

__all__ = ["Ingested", "ingest", "save", "text"]

_COUNTED_FROM_TOKENS = (
    "note: {runs}: n_max is not known, so forwards are counted from tokens alone. A stop inside an "
    "accepted draft hides some, and with n_max (--init, then n_max in campaign.toml) they may be "
    "a few more, and ms per forward a little less."
)

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
                records += parsers.read(path, format=format)
        except LogError as error:
            if len(paths) == 1:
                raise
            broken.append(_broken(error))
            unread.append(path)
    named = tuple(_identified(records))
    own = MeasuredRuns(named)
    tasks = TaskSpeedups(None)(own.tasks)
    runs = Speedups(None)(own.totals, tasks)
    return Ingested(named, runs, tasks, (*broken, *audit_runs(named, own)), tuple(unread))


def _broken(error: LogError) -> Finding:
    return Finding("error", "log-broken", error.where, f"{error.problem}; {error.remedy}")


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
            with parsers.open_log(path) as log:
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
        write_text(path, as_json(measured(found.runs, found.tasks, found.findings)))
    elif path.suffix == ".csv":
        write_text(path, found.tasks.to_csv(index=False, lineterminator="\n"))
    else:
        beside = path.with_name(f".{path.name}.part")
        try:
            found.tasks.to_parquet(beside, index=False)
            beside.replace(path)
        except OSError as error:
            raise ReportError(
                f"this can't be written: {error.strerror or error}",
                "choose another place with --out",
                file=path,
            ) from error
        finally:
            with suppress(OSError):
                beside.unlink()


def text(found: Ingested) -> str:
    """Runs, tasks and findings as plain text for a terminal."""
    run_columns = [
        "id",
        "label",
        "n_requests",
        "predicted_tokens",
        "draft_tokens",
        "accepted_tokens",
    ]
    run_columns += ["acceptance_rate", "wall_s", "effective_tps", "decode_tps", "forwards"]
    task_columns = ["run", "task", "predicted_tokens", "draft_tokens", "accepted_tokens"]
    task_columns += ["acceptance_rate", "decode_tps", "ms_per_forward", "source"]
    tables = [_plain(found.runs[run_columns]), _plain(found.tasks[task_columns])]
    if short := _counted_from_tokens(found.runs):
        tables.append(printable(_COUNTED_FROM_TOKENS.format(runs=", ".join(short))))
    findings = [
        printable(f"{finding.level}: {finding.where}: {finding.message} [{finding.code}]")
        for finding in found.findings
    ]
    return "\n\n".join([*tables, *(["\n".join(findings)] if findings else [])])


def _counted_from_tokens(runs: pd.DataFrame) -> list[str]:
    """Ids of runs whose forwards may be more than their tokens tell."""
    unknown = runs["n_max"].isna() & runs["forwards"].notna()
    return list(runs.loc[unknown & (runs["draft_tokens"].fillna(0) > 0), "id"])


def _plain(frame: pd.DataFrame) -> str:
    if frame.empty:
        return "no task rows"
    return frame.map(_cell).to_string(index=False)


def _cell(value: object) -> str:
    """A value for a terminal: a stranger's text without what a terminal would obey."""
    if value is None or value is pd.NA or value != value:  # noqa: PLR0124 - only NaN differs
        return "-"
    if isinstance(value, float):
        return f"{value:.3f}"
    return printable(value)
