"""Server starts whose times are written down, as rows that ``task_tables.tables`` takes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

COLUMNS = ["run", "start", "repeat", "task", "units", "seconds"]


def rows(runs: dict[str, list[Sequence[float]]]) -> pd.DataFrame:
    """``{run: [times of the tasks of each start]}``; every task has 100 tokens."""
    return pd.DataFrame(
        [
            (run, start, start, f"t{place}", 100.0, seconds)
            for run, starts in runs.items()
            for start, times in enumerate(starts, 1)
            for place, seconds in enumerate(times)
            if not np.isnan(seconds)
        ],
        columns=COLUMNS,
    )
