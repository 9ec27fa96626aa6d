"""Runs with their speedups, as ``summary`` makes them."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from analysis.depths.measured import MeasuredRuns
from analysis.records import Run
from analysis.statistics.speedups import Speedups


def compared(runs: Sequence[Run], baseline: str | None = "plain") -> pd.DataFrame:
    own = MeasuredRuns(tuple(runs), baseline=baseline)
    return Speedups(baseline)(own.totals, own.tasks, own.passes, own.noise, own.unlike)
