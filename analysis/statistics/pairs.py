"""Which two runs would a reader ask about side by side, and by how much do they differ?"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import pandas as pd

from analysis.statistics.noise import Noise
from analysis.statistics.ratios import TaskRatios
from analysis.statistics.speedups import Speedups, decode_cells
from analysis.statistics.task_tables import tables
from analysis.statistics.throughput import pooled

__all__ = ["Pair", "PairDifference", "chosen_pairs", "side_by_side"]


@dataclass(frozen=True)
class PairDifference:
    """Two runs side by side on their common tasks.

    Parameters
    ----------
    first, second
        Run ids; every ratio is second over first.
    """

    first: str
    second: str

    def __call__(self, tasks: pd.DataFrame, levels: pd.DataFrame | None = None) -> pd.DataFrame:
        """One row per common task.

        Parameters
        ----------
        tasks
            A task frame; runs beside the two show how much times scatter.
        levels
            Frame of ``noise.Noise``; made of `tasks` if not given.

        Returns
        -------
        pandas.DataFrame
            `task`, `workload`; `decode_tps`, `draft_tokens`, `accepted_tokens`
            of each run with the suffixes ``_first`` and ``_second``; `ratio`
            of the decode rates, `low` and `high` of its 90 % interval.
        """
        columns = ["decode_tps", "draft_tokens", "accepted_tokens"]
        both = tasks[tasks["run"].isin([self.first, self.second])]
        per_task = pooled(both, ["run", "task", "workload"])
        sides = [
            per_task.loc[per_task["run"] == run, ["task", "workload", *columns]]
            for run in (self.first, self.second)
        ]
        out = sides[0].merge(
            sides[1].drop(columns="workload"), on="task", suffixes=("_first", "_second")
        )
        out["ratio"] = out["decode_tps_second"] / out["decode_tps_first"]
        cells = tables(decode_cells(tasks[~tasks["synthetic"]]))
        found = TaskRatios(self.first)(cells, Noise()(tasks) if levels is None else levels)
        ends = found[found["run"] == self.second].set_index("task")
        for name in ("low", "high"):
            out[name] = out["task"].map(ends[name]).astype("float64")
        return out


@dataclass(frozen=True, eq=False)
class Pair:
    """Two runs that a reader would ask about side by side.

    Attributes
    ----------
    first, second
        Run ids; every ratio is second over first.
    tasks
        Frame of ``PairDifference``.
    total
        The second's row of ``speedups.Speedups`` with the first in the baseline's place.
    """

    first: str
    second: str
    tasks: pd.DataFrame
    total: pd.Series


def side_by_side(
    first: str,
    second: str,
    *,
    totals: pd.DataFrame,
    tasks: pd.DataFrame,
    passes: pd.DataFrame,
    levels: pd.DataFrame,
) -> Pair:
    """Compare two runs of a campaign.

    Parameters
    ----------
    first, second
        Run ids.
    totals, tasks, passes, levels
        Of all runs: frames of ``throughput.RunTotals``, ``speedups.TaskSpeedups``,
        ``passes.pass_frame`` and ``noise.Noise``.
    """
    both = totals[totals["id"].isin([first, second])]
    found = Speedups(first)(both, tasks, passes, levels)
    total = found[found["id"] == second].iloc[0]
    return Pair(first, second, PairDifference(first, second)(tasks, levels), total)


def chosen_pairs(runs: pd.DataFrame) -> list[tuple[str, str]]:
    """Within each method its two fastest depths, and across methods the deepest run of each.

    `runs` is the frame of a ``summary.Summary``.
    """
    drafting = runs[(runs["draft_tokens"].fillna(0) > 0) & ~runs["synthetic"]]
    drafting = drafting[drafting["n_max"].notna()]
    pairs, deepest = [], []
    for _, method in drafting.groupby("spec_type", sort=False):
        by_depth = method.sort_values("n_max", kind="stable")
        deepest.append(str(by_depth["id"].iloc[-1]))
        top = method.sort_values("decode_tps", ascending=False, kind="stable")["id"].head(2)
        if len(top) == 2:
            chosen = by_depth[by_depth["id"].isin(top)]["id"]
            pairs.append((str(chosen.iloc[0]), str(chosen.iloc[1])))
    return pairs + list(pairwise(deepest))
