"""What did a configuration do, by server start and task, and at which rate?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

__all__ = ["Floats", "TaskTable", "tables"]

Floats = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True, eq=False)
class TaskTable:
    """What one configuration did, by server start and task.

    Attributes
    ----------
    units, seconds
        Shape (n_starts, n_tasks): tokens or forwards and the time they took, the
        mean of the repeats within a start; NaN where there is none.
    starts, tasks
        What the rows and columns are. A row is a repeat where the
        configuration had one server start only, and `one_start` is true then.
    geometric
        Whether its rate is the geometric mean of its tasks' instead of total
        units over total seconds.
    share
        Where a column is a whole pass: the sum of the squared shares of its requests.
    """

    units: Floats
    seconds: Floats
    starts: tuple[object, ...]
    tasks: tuple[str, ...]
    one_start: bool
    geometric: bool = False
    share: float = 1.0

    @property
    def present(self) -> npt.NDArray[np.bool_]:
        """Where there is a time."""
        return ~np.isnan(self.seconds)

    def means(self) -> tuple[Floats, Floats]:
        """Mean units and seconds of each task over its starts, shape (n_tasks,) each."""
        number = np.maximum(self.present.sum(axis=0), 1)
        return np.nansum(self.units, axis=0) / number, np.nansum(self.seconds, axis=0) / number

    def among(self, tasks: Sequence[str]) -> TaskTable:
        """The same with these tasks alone, in this order, and the starts that have one of them."""
        place = {task: column for column, task in enumerate(self.tasks)}
        columns = np.array([place[task] for task in tasks], dtype=np.intp)
        rows = np.flatnonzero(np.any(self.present[:, columns], axis=1))
        return replace(
            self,
            units=self.units[np.ix_(rows, columns)],
            seconds=self.seconds[np.ix_(rows, columns)],
            starts=tuple(self.starts[row] for row in rows),
            tasks=tuple(tasks),
        )

    def shares(self) -> Floats:
        """What each task counts for in the log of the rate, shape (n_tasks,), 1 in sum."""
        if self.geometric:
            return np.full(len(self.tasks), 1 / len(self.tasks))
        seconds = self.means()[1]
        out: Floats = seconds / seconds.sum()
        return out

    def effects(self) -> Floats:
        """Each request's relative effect on the log of the rate, about its task's mean.

        Shape (n_starts, n_tasks), to first order: the effect of a start is the
        sum over its tasks of these times :meth:`shares`.
        """
        units, seconds = self.means()
        if self.geometric:
            units, seconds = (np.where(total > 0, total, np.nan) for total in (units, seconds))
            return self.units / units - self.seconds / seconds
        longer = (self.seconds - seconds) / seconds.sum()
        out: Floats = ((self.units - units) / units.sum() - longer) / self.shares()
        return out

    def rate(self) -> float:
        """Units per second, each task its mean over repeats."""
        units, seconds = self.means()
        if self.geometric:
            return float(np.exp(np.log(units / seconds).mean()))
        return float(units.sum() / seconds.sum())


def tables(rows: pd.DataFrame, *, geometric: bool = False) -> dict[str, TaskTable]:
    """Rows of `run`, `start`, `repeat`, `task`, `units`, `seconds`, as one table per run.

    A column `share`, if there is one, is that of :class:`TaskTable`.
    """
    values = {name: rows[name].to_numpy("float64") for name in ("units", "seconds")}
    keys = {name: rows[name].to_numpy() for name in ("start", "repeat", "task")}
    of_run, runs = pd.factorize(rows["run"])
    shares = rows["share"].to_numpy("float64") if "share" in rows else np.ones(len(rows))
    out: dict[str, TaskTable] = {}
    for number, run in enumerate(runs):
        own = np.flatnonzero(of_run == number)
        task, tasks = pd.factorize(keys["task"][own])
        start, starts = pd.factorize(keys["start"][own])
        repeat, repeats = pd.factorize(keys["repeat"][own])
        one_start = len(starts) == 1
        # What one repeat did of a task in several requests is one sum.
        shape = (len(starts), len(repeats), len(tasks))
        cells = {name: np.zeros(shape) for name in values}
        done = np.zeros(shape, dtype=bool)
        done[start, repeat, task] = True
        for name, cell in cells.items():
            np.add.at(cell, (start, repeat, task), values[name][own])
            cell[~done] = np.nan
        if one_start:
            means = {name: cell[0] for name, cell in cells.items()}
        else:
            there = done.sum(axis=1)
            means = {
                name: np.where(there > 0, np.nansum(cell, axis=1) / np.maximum(there, 1), np.nan)
                for name, cell in cells.items()
            }
        out[str(run)] = TaskTable(
            means["units"],
            means["seconds"],
            tuple(repeats if one_start else starts),
            tuple(map(str, tasks)),
            one_start,
            geometric,
            float(shares[own].mean()),
        )
    return out
