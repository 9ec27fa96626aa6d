"""Latency: how long does one user wait for the first token, and for each one after it?"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

__all__ = ["LATENCY_COLUMNS", "Latency"]

_SHARES = {"p50": 0.5, "p90": 0.9, "p99": 0.99}
_FIGURES = ("first_token_s", "ms_per_token")

LATENCY_COLUMNS = ("run", *(f"{figure}_{name}" for figure in _FIGURES for name in _SHARES))


@dataclass(frozen=True)
class Latency:
    """Percentiles over the requests of each run.

    Parameters
    ----------
    beyond
        Requests that must lie beyond a percentile, on average, for it to be
        given: the slowest of twelve says nothing of one in a hundred.
    """

    beyond: float = 1.0

    def __call__(self, tasks: pd.DataFrame) -> pd.DataFrame:
        """One row per run.

        Parameters
        ----------
        tasks
            A task frame.

        Returns
        -------
        pandas.DataFrame
            Columns `LATENCY_COLUMNS`: ``first_token_s`` in seconds from a request
            to its first token, as the client saw it; ``ms_per_token`` is a request's
            decode time over its timed tokens, in ms. Rows that pool requests have
            neither. Null where too few requests have the figure.
        """
        done = tasks[tasks["error"].isna() & (tasks["pooled"] == 1)]
        timed = done["timed_tokens"].astype("float64")
        per_token = 1000 * done["decode_s"] / timed.where(timed > 0)
        done = done.assign(ms_per_token=per_token)
        rows = []
        for run, own in done.groupby("run", sort=False):
            row: dict[str, object] = {"run": run}
            for figure in _FIGURES:
                known = own[figure].dropna()
                for name, share in _SHARES.items():
                    enough = len(known) * (1 - share) >= self.beyond - 1e-9
                    row[f"{figure}_{name}"] = float(known.quantile(share)) if enough else None
            rows.append(row)
        kinds = dict.fromkeys(LATENCY_COLUMNS[1:], "float64")
        return pd.DataFrame(rows, columns=list(LATENCY_COLUMNS)).astype(kinds)
