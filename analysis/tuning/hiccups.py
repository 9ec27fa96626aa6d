"""Which requests took far longer than everything else says that they should have?

A machine that does something else for two seconds makes one request several
times as long. One such request of the baseline would make every setting look
faster, and all noise larger. What a setting truly costs comes back with each of
its starts, what a task costs in every setting, and what drafts cost goes with
how many were drafted: only what none of the three explains is a hiccup.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

__all__ = ["usual_step"]

Floats = npt.NDArray[np.floating[Any]]
Places = npt.NDArray[np.int64]

FACTOR = 1.5
"""At least by how much a hiccup makes a forward longer."""
_SDS = 4.0
_PER_DRAFTED = 0.2
"""Most that a drafted token may add to the log of a forward's time."""
_LEAST_STARTS = 3
"""Of two starts, nobody knows which is the unusual one."""
_NORMAL = 1.4826
"""From a median absolute deviation to a standard deviation."""


def usual_step(step: Floats, rate: Floats, start: Places, task: Places) -> Floats:
    """What the log time of a forward would have been without hiccups.

    Parameters
    ----------
    step
        Log of the time of a forward, one value a request.
    rate
        Tokens drafted per forward.
    start, task
        Which server start and task the request belongs to, from 0.

    Returns
    -------
    numpy.ndarray
        `step`, but for hiccups, which have what their start and their task lead to expect.
    """
    expected = _polished(step, start, task)
    over = step - expected
    scale = _NORMAL * float(np.median(np.abs(over - np.median(over))))
    drafts = np.maximum(rate - _polished(rate, start, task), 0.0)
    often = np.bincount(task)[task] >= _LEAST_STARTS
    hiccup = often & (over > np.log(FACTOR) + _SDS * scale + _PER_DRAFTED * drafts)
    usual: Floats = np.where(hiccup, expected, step)
    return usual


def _polished(value: Floats, start: Places, task: Places) -> Floats:
    """Sum of a start's and a task's effect, by medians (Tukey 1977)."""
    across: Floats = np.zeros(len(value))
    down: Floats = np.zeros(len(value))
    for _ in range(4):
        across = _median(value - down, start)
        down = _median(value - across, task)
    return across + down


def _median(value: Floats, group: Places) -> Floats:
    out: Floats = pd.Series(value).groupby(group).transform("median").to_numpy("float64")
    return out
