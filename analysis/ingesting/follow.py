"""Requests of a running server, one line each, as soon as each has ended."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from analysis import parsers
from analysis.errors import encodable, printable
from analysis.records import Run, TaskResult
from analysis.results import rounded, rows
from analysis.statistics.columns import names
from analysis.statistics.frames import task_frame
from analysis.statistics.rows import TaskRow

__all__ = ["follow"]


def follow(
    path: str, say: Callable[[str], None], *, format: str | None = None, as_json: bool = False
) -> None:
    """Read a log that grows, until it ends or the process is interrupted.

    Parameters
    ----------
    path
        A file, or ``-`` for standard input.
    say
        Called with a line of text for each request.
    format
        Name of a format, instead of the only one that can be followed.
    as_json
        Whether each line is an object with the keys of results.json's `tasks`.

    Raises
    ------
    LogError
        When the log can't be read or followed.
    """
    stem = encodable(Path(path).stem) if path != parsers.STANDARD_INPUT else "stdin"
    starts: dict[object, int] = {}

    def told(run: Run, task: TaskResult) -> None:
        number = starts.setdefault(run.source.first_line, len(starts) + 1)
        name = stem if number == 1 else f"{stem}#{number}"
        frame = task_frame([replace(run, id=name, tasks=(task,))])
        (row,) = rows(frame, names(TaskRow))
        if as_json:
            keys = names(TaskRow, "results")
            say(json.dumps(rounded({key: row[key] for key in keys}), sort_keys=True))
        else:
            say(_line(row, task))

    parsers.follow(path, told, format)


def _line(row: dict[str, object], task: TaskResult) -> str:
    """A request for a terminal; what the log does not say is left out."""
    drafted, accepted, rate = (
        row["draft_tokens"], row["accepted_tokens"], row["acceptance_rate"],
    )  # fmt: skip
    parts = [
        _said("{} tokens", row["predicted_tokens"]),
        _said("{:.1f} tok/s", row["decode_tps"]),
        _said("{} prompt tokens", task.prompt_tokens),
    ]
    if drafted:
        parts.append(_said(f"{accepted} of {drafted} drafted accepted ({{:.1%}})", rate))
        parts.append(_said("{:.2f} tokens per forward", row["mean_accepted_length"]))
    elif drafted == 0:
        parts.append("nothing drafted")
    parts.append(f"[{row['source']}]")
    return printable(f"{row['run']} {row['task']}: " + ", ".join(part for part in parts if part))


def _said(text: str, value: object) -> str:
    return "" if value is None else text.format(value)
