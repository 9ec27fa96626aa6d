"""How much faster is one run than another, over all its tasks and task by task?

The intervals are those of ``uncertainty.py``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from analysis.statistics.noise import Noise
from analysis.statistics.scatter import scatter
from analysis.statistics.task_tables import Floats, TaskTable
from analysis.statistics.uncertainty import LEVEL, Known, Side, half_width, known, uncertainty

__all__ = ["RATIO_COLUMNS", "Ratios", "TaskRatios"]

RATIO_COLUMNS = ("run", "n_tasks", "ratio", "low", "high", "sd", "freedom")


@dataclass(frozen=True)
class Ratios:
    """Ratio of every run's rate to one run's, over the tasks that both have.

    Parameters
    ----------
    baseline
        Run id of what is compared with; null gives no rows.
    noise
        The noise model's settings.
    level
        Coverage of the intervals.
    """

    baseline: str | None
    noise: Noise = field(default_factory=Noise)
    level: float = LEVEL

    def __call__(
        self,
        tables: Mapping[str, TaskTable],
        levels: pd.DataFrame,
    ) -> pd.DataFrame:
        """One row per run that shares a task with the baseline.

        Parameters
        ----------
        tables
            Of all runs, see ``task_tables.tables``.
        levels
            Frame of ``noise.Noise``.

        Returns
        -------
        pandas.DataFrame
            Columns `RATIO_COLUMNS`: `ratio` with its interval, `sd` and `freedom` of
            its logarithm. The baseline itself has no row.
        """
        plain = tables.get(self.baseline or "")
        rows = []
        if plain is not None:
            shown = known(scatter(tables), levels, self.noise)
            for run, table in tables.items():
                if run != self.baseline and (row := self._row(run, table, plain, shown)):
                    rows.append(row)
        return pd.DataFrame(rows, columns=list(RATIO_COLUMNS)).astype(
            dict.fromkeys(RATIO_COLUMNS[2:], "float64")
        )

    def _row(
        self,
        run: str,
        table: TaskTable,
        plain: TaskTable,
        shown: Known,
    ) -> dict[str, object] | None:
        others = set(plain.tasks)
        common = [task for task in table.tasks if task in others]
        if not common:
            return None
        sides = [
            Side(whole.among(common), shown, id)
            for id, whole in ((run, table), (str(self.baseline), plain))
        ]
        ratio = _ratio(sides[0].table, sides[1].table)
        sd, freedom = uncertainty(sides)
        margin = np.exp(half_width(sd, freedom, self.level))
        return {
            "run": run,
            "n_tasks": len(common),
            "ratio": ratio,
            "low": ratio / margin,
            "high": ratio * margin,
            "sd": sd,
            "freedom": freedom,
        }


def _ratio(one: TaskTable, other: TaskTable) -> float:
    if not one.geometric:
        return one.rate() / other.rate()
    (units, seconds), (others, their) = one.means(), other.means()
    return float(np.exp(np.log(units / seconds / (others / their)).mean()))


@dataclass(frozen=True)
class TaskRatios:
    """Ratio of every run's rate to one run's, task by task.

    Parameters
    ----------
    baseline, noise, level
        As of :class:`Ratios`.
    """

    baseline: str | None
    noise: Noise = field(default_factory=Noise)
    level: float = LEVEL

    def __call__(self, tables: Mapping[str, TaskTable], levels: pd.DataFrame) -> pd.DataFrame:
        """One row per task that a run and the baseline both have.

        Parameters
        ----------
        tables, levels
            As for :class:`Ratios`.

        Returns
        -------
        pandas.DataFrame
            `run`, `task`, `ratio`, `low`, `high`. A task's scatter is pooled over the
            starts of all configurations; where that leaves too few degrees of
            freedom, the campaign's levels stand for it.
        """
        plain = tables.get(self.baseline or "")
        parts = [pd.DataFrame(columns=["run", "task", "ratio", "low", "high"])]
        if plain is not None:
            shown = known(scatter(tables), levels, self.noise)
            pooled = _scatter_by_task(tables)
            others = set(plain.tasks)
            for run, table in tables.items():
                common = [task for task in table.tasks if task in others]
                if run != self.baseline and common:
                    sides = (table.among(common), plain.among(common))
                    terms = [
                        self._terms(side, id, shown, pooled.loc[common])
                        for side, id in zip(sides, (run, str(self.baseline)), strict=True)
                    ]
                    parts.append(self._rows(run, sides, terms))
        parts = parts[1:] or parts
        return pd.concat(parts, ignore_index=True)

    def _terms(
        self, side: TaskTable, run: str, shown: Known, pooled: pd.DataFrame
    ) -> tuple[Floats, Floats]:
        """Variance of the log of each task's rate, and its degrees of freedom."""
        number = np.maximum(side.present.sum(axis=0), 1).astype("float64")
        of_run = shown.run[0] / (1 if side.one_start else number)
        of_request = shown.request[0] / number
        variance = of_run + of_request
        freedom = variance**2 / (of_run**2 / shown.run[1] + of_request**2 / shown.request[1])
        if side.one_start:
            return variance, freedom
        squares, seen = pooled["squares"].to_numpy(), pooled["freedom"].to_numpy()
        if run in shown.found.own:
            squares, seen = _squares(side), number - 1
        enough = (seen >= min(self.noise.enough, shown.found.freedom)) & (squares > 0)
        own = squares / np.maximum(seen, 1) / number
        return np.where(enough, own, variance), np.where(enough, seen, freedom)

    def _rows(
        self, run: str, sides: tuple[TaskTable, TaskTable], terms: Sequence[tuple[Floats, Floats]]
    ) -> pd.DataFrame:
        from scipy.special import stdtrit  # noqa: PLC0415 - reading a log must not wait for it

        above, below = (side.means() for side in sides)
        ratio = above[0] / above[1] / (below[0] / below[1])
        variance = terms[0][0] + terms[1][0]
        # Both sides' scatter is the same estimate, so that it is off alike.
        spread = sum(part / np.maximum(freedom, 1) ** 0.5 for part, freedom in terms) ** 2
        freedom = np.where(variance > 0, variance**2 / np.where(spread > 0, spread, 1), 1e6)
        margin = np.exp(stdtrit(np.clip(freedom, 1, 1e6), 0.5 + self.level / 2) * variance**0.5)
        columns = {"task": sides[0].tasks, "ratio": ratio, "low": ratio / margin}
        return pd.DataFrame({"run": run, **columns, "high": ratio * margin})


def _squares(table: TaskTable) -> Floats:
    """Sum of the squared relative effects of each task's starts on its own rate."""
    units, seconds = table.means()
    out: Floats = np.nansum((table.units / units - table.seconds / seconds) ** 2, axis=0)
    return out


def _scatter_by_task(tables: Mapping[str, TaskTable]) -> pd.DataFrame:
    """Sums over configurations of each task's `squares` and degrees of `freedom`."""
    parts = [
        pd.DataFrame(
            {
                "squares": 0.0 if table.one_start else _squares(table),
                "freedom": 0.0 if table.one_start else table.present.sum(axis=0) - 1.0,
            },
            index=list(table.tasks),
        )
        for table in tables.values()
    ]
    return pd.concat(parts).groupby(level=0).sum()
