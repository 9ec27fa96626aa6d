"""The frames to go on with: what is at hand at the end of a notebook?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd

from analysis.records import Run
from analysis.statistics.columns import columns
from analysis.statistics.rows import RoundRow
from analysis.summary import Summary

__all__ = ["Data", "frames", "round_frame"]

_KEYS = {"run": "object", "repeat": "int64", "task": "object"}


class Data(NamedTuple):
    """One row per run, per request, and per verification round; docs/api.md has the columns."""

    runs: pd.DataFrame
    tasks: pd.DataFrame
    rounds: pd.DataFrame


def frames(summary: Summary) -> Data:
    """All that a campaign's records and figures are, to compute with.

    Returns
    -------
    Data
        `runs, tasks, rounds`: copies, to be changed as one likes.
    """
    return Data(summary.runs.copy(), summary.tasks.copy(), round_frame(summary.campaign.runs))


def round_frame(runs: Iterable[Run]) -> pd.DataFrame:
    """One row per verification round of the requests whose rounds were logged.

    Returns
    -------
    pandas.DataFrame
        `run, repeat, task` and the columns of ``rows.RoundRow``; no rows
        where no log has any.
    """
    parts = []
    for run in runs:
        for result in run.tasks:
            rounds = result.rounds
            if rounds is None:
                continue
            number = len(rounds.drafted)
            parts.append(
                pd.DataFrame(
                    {
                        "run": run.id,
                        "repeat": result.repeat,
                        "task": result.task,
                        "round": np.arange(1, number + 1),
                        "drafted": rounds.drafted,
                        "accepted": rounds.accepted,
                        "at_s": np.nan if rounds.at_s is None else rounds.at_s,
                    }
                )
            )
    kinds = {**_KEYS, **{column.name: column.dtype for column in columns(RoundRow)}}
    whole = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(kinds))
    return whole[list(kinds)].astype(kinds)
