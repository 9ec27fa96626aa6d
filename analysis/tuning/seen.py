"""What do the server starts of each setting say of its tokens and its times?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.tuning.hiccups import usual_step

__all__ = ["Seen"]

Floats = npt.NDArray[np.floating[Any]]
Places = npt.NDArray[np.intp]

_SAME_COUNTS = 0.002
"""Relative error of counts that greedy decoding repeats but for rounding."""
_FEWER_TASKS = 0.15
"""How far the tokens per forward of some tasks may be from those of all, if half are missing."""


@dataclass(frozen=True, eq=False)
class Seen:
    """What the server starts say of their settings.

    Of each of the `measured` settings: how many starts (`repeats`), the mean log
    `time` of a forward, the sum of `squares` about it, and the variance that
    requests give one start. The rest is of every setting, but for the `hiccups`:
    columns `start`, `task` and `times`, by how much a request took longer than usual.
    """

    measured: Places
    repeats: npt.NDArray[np.float64]
    time: Floats
    squares: Floats
    time_variance: Floats
    starts: npt.NDArray[np.int64]
    length: Floats
    length_sd: Floats
    drafted: Floats
    request_sd: float
    hiccups: pd.DataFrame

    @classmethod
    def of(
        cls, settings: pd.DataFrame, requests: pd.DataFrame, prior: float, freedom: float
    ) -> Seen:
        """Read the frames of ``belief.Learning``, with its prior of a request's scatter."""
        names = {name: place for place, name in enumerate(settings["setting"])}
        used = requests[requests["setting"].isin(names)]
        place = used["setting"].map(names).to_numpy("int64")
        start, _ = pd.factorize(used["start"])
        task, tasks = pd.factorize(used["task"])
        columns = ("tokens", "forwards", "drafted", "seconds")
        tokens, forwards, drafted, seconds = (used[name].to_numpy("float64") for name in columns)
        count = int(start.max()) + 1
        own_step = np.log(seconds / forwards)
        step = usual_step(own_step, drafted / forwards, start, task)
        hiccup = step < own_step
        seconds = np.where(hiccup, forwards * np.exp(step), seconds)
        effect, scatter, own = _two_ways(step, start, task, rows=count, columns=len(tasks))
        own = max(own - float(hiccup.sum()), 0.0)
        variance = (prior**2 * freedom + scatter) / (freedom + own)
        spent = np.bincount(start, seconds, count)
        shares = seconds / spent[start]
        # What the tasks that a start has cost beside the mean of all.
        in_start = np.bincount(start, forwards, count)
        lean = np.log(np.bincount(start, forwards * np.exp(effect[task]), count) / in_start)
        whole = np.bincount(start, minlength=count) == len(tasks)
        usual = float(lean[whole].mean()) if whole.any() else 0.0
        time = np.log(spent / in_start) - np.where(whole, 0.0, lean - usual)
        of_start = np.zeros(count, dtype=np.intp)
        of_start[start] = place
        n = len(settings)
        sums = [np.bincount(place, column, n) for column in (tokens, forwards, drafted)]
        with np.errstate(invalid="ignore", divide="ignore"):
            length, rate = sums[0] / sums[1], sums[2] / sums[1]
        pairs = np.zeros((n, len(tasks)), dtype=bool)
        pairs[place, task] = True
        missing = 1 - pairs.mean(axis=1)
        starts = np.bincount(of_start, minlength=n)
        measured = np.flatnonzero(starts)
        repeats = starts[measured].astype("float64")
        means = np.bincount(of_start, time, n)[measured] / repeats
        apart = time - means[np.searchsorted(measured, of_start)]
        own_variance = variance * np.bincount(start, shares**2, count)
        return cls(
            measured,
            repeats,
            means,
            np.bincount(of_start, apart**2, n)[measured].astype("float64"),
            np.bincount(of_start, own_variance, n)[measured] / repeats,
            starts,
            length,
            np.hypot(_SAME_COUNTS, _FEWER_TASKS * missing),
            rate,
            float(np.sqrt(variance)),
            used.loc[hiccup, ["start", "task"]].assign(times=np.exp(own_step - step)[hiccup]),
        )


def _two_ways(
    value: Floats,
    row: npt.NDArray[np.int64],
    column: npt.NDArray[np.int64],
    rows: int,
    columns: int,
) -> tuple[Floats, float, float]:
    """Effects of columns beside those of rows, the sum of squares about both, and its freedom."""
    in_row = np.bincount(row, minlength=rows)
    in_column = np.bincount(column, minlength=columns)
    across, down = np.zeros(rows), np.zeros(columns)
    for _ in range(4):
        across = np.bincount(row, value - down[column], rows) / in_row
        down = np.bincount(column, value - across[row], columns) / in_column
        down -= down.mean()
    left = value - across[row] - down[column]
    return down, float(left @ left), float(max(len(value) - rows - columns + 1, 0))
