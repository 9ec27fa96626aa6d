"""What would other settings have done? Asked of a log with its drafts' confidences."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from analysis import parsers
from analysis.errors import LogError
from analysis.replaying.replayed import Replayed, replayed

__all__ = ["replay", "replayed_runs"]

_NO_CONFIDENCES = (
    "start llama-server with -lv 5 and LLAMA_TRACE=1 in its environment, --spec-draft-p-min 0 "
    "and a large --spec-draft-n-max; see docs/truncation.md"
)


def replay(log: str | Path, format: str | None = None) -> pd.DataFrame:
    """Replay depths, thresholds and policies on a log with confidences.

    Parameters
    ----------
    log
        A llama-server log made with ``-lv 5``, or a live record with confidences.
    format
        Its format; recognised where null.

    Returns
    -------
    pandas.DataFrame
        Columns ``replaying.table.REPLAY_COLUMNS`` and `run`.

    Raises
    ------
    LogError
        The log can't be read, has no confidences, or its drafts were cut by a threshold.
    """
    return pd.concat(
        [one.table.assign(run=one.run) for one in replayed_runs(log, format)], ignore_index=True
    )


def replayed_runs(log: str | Path, format: str | None = None) -> list[Replayed]:
    """The same, one result per server start; see :func:`replay`."""
    runs = parsers.read(log, format)
    names = [run.label or run.id or f"run {index}" for index, run in enumerate(runs, 1)]
    found = [made for run, name in zip(runs, names, strict=True) if (made := replayed(run, name))]
    if found:
        return found
    if any(run.p_min for run in runs):
        problem = "the drafts of this log were cut by a threshold, so that others can't be told"
    else:
        problem = "no drafted token has a confidence here"
    raise LogError(problem, _NO_CONFIDENCES, file=Path(log))
