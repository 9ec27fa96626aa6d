"""Order: how fast was each request among its repeats, by when it began?"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

__all__ = ["RunOrder"]

_LEAST_REPEATS = 3
"""Of two repeats each is as far from their median as the other: no order could show."""


@dataclass(frozen=True)
class RunOrder:
    """Each request over the median of its repeats, in the order of time.

    Parameters
    ----------
    least_requests
        Fewer of them are no series.
    """

    least_requests: int = 12

    def __call__(self, tasks: pd.DataFrame) -> pd.DataFrame:
        """Ratios in the order of time.

        Parameters
        ----------
        tasks
            A task frame.

        Returns
        -------
        pandas.DataFrame
            `run, repeat, task, workload`, `elapsed_s` since the first request
            (s), and `ratio` of its decode rate to the median of the same task
            and run. Only of tasks that were repeated three times or more and
            whose start is recorded; empty with fewer than `least_requests`.
        """
        keys = ["run", "task"]
        timed = tasks["started_s"].notna() & (tasks["decode_tps"] > 0) & tasks["error"].isna()
        rows = tasks[timed.fillna(value=False)]
        rows = rows[rows.groupby(keys)["repeat"].transform("nunique") >= _LEAST_REPEATS]
        rows = rows.sort_values("started_s", kind="stable")
        out = rows[["run", "repeat", "task", "workload"]].copy()
        out["elapsed_s"] = rows["started_s"] - rows["started_s"].min()
        out["ratio"] = rows["decode_tps"] / rows.groupby(keys)["decode_tps"].transform("median")
        return (out if len(out) >= self.least_requests else out.iloc[:0]).reset_index(drop=True)
