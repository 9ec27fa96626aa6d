"""Coverage of tasks: which runs did the same ones, so that they can be ranked?

Tasks differ in how fast they are: a run that did only the easy ones would
win. A run that lacks a task of the others is shown with what it did, and is
never chosen over one that did them all.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import pandas as pd

from analysis.statistics.speedups import GroupSpeedups
from analysis.statistics.throughput import pooled

__all__ = ["Coverage", "Ranked", "ranked"]


@dataclass(frozen=True)
class Coverage:
    """How many of the tasks that runs are ranked on each of them did.

    These are the tasks of the run with speculation that has most in common
    with the baseline (without a baseline, of the run with most tasks), as far
    as the baseline has them.

    Parameters
    ----------
    baseline
        Run id of the run without speculation, or null.
    """

    baseline: str | None

    def __call__(self, runs: pd.DataFrame, tasks: pd.DataFrame) -> pd.DataFrame:
        """Add `ranked_tasks` and `missing_tasks` to runs.

        Parameters
        ----------
        runs, tasks
            Frames of ``frames.run_frame`` and ``frames.task_frame``.

        Returns
        -------
        pandas.DataFrame
            `runs` with the number of the tasks that runs are ranked on, and
            how many of them a run has no result for; both null for a run
            whose source names no tasks.
        """
        reference = self.reference(runs, tasks)
        done = _done(tasks)
        own = [done.get(str(run), frozenset()) for run in runs["id"]]
        missing = [len(reference - found) if found else None for found in own]
        shared = [len(reference) if found else None for found in own]
        return runs.assign(
            ranked_tasks=pd.array(shared, dtype="Int64"),
            missing_tasks=pd.array(missing, dtype="Int64"),
        )

    def reference(self, runs: pd.DataFrame, tasks: pd.DataFrame) -> AbstractSet[str]:
        """The tasks that runs are ranked on."""
        done = _done(tasks)
        plain = done.get(self.baseline or "", frozenset())
        real = [
            done.get(str(run), frozenset())
            for run in runs.loc[~runs["synthetic"], "id"]
            if run != self.baseline
        ]
        # Of runs that have equally much in common, the first.
        common = [found & plain for found in real] if plain else real
        widest = max(common, key=len, default=frozenset())
        return widest or plain


@dataclass(frozen=True, eq=False)
class Ranked:
    """Frames of a ``summary.Summary`` with the runs that can be ranked, on the tasks they share."""

    runs: pd.DataFrame
    workloads: pd.DataFrame
    tasks: pd.DataFrame


def ranked(
    runs: pd.DataFrame, workloads: pd.DataFrame, tasks: pd.DataFrame, baseline: str | None
) -> Ranked:
    """What runs are ranked by: all that they did where that is the same, else what they share.

    Parameters
    ----------
    runs
        With the columns of :class:`Coverage`.
    workloads, tasks
        As in a ``summary.Summary``.
    baseline
        Run id, or null.

    Returns
    -------
    Ranked
        Without the runs that lack a task or were measured under other conditions
        than the baseline; rates are those on the shared tasks.
    """
    reference = Coverage(baseline).reference(runs, tasks)
    done = _done(tasks[tasks["run"].isin(runs["id"])])
    like = runs["unlike"].isna()
    if like.all() and all(found == reference for found in done.values()):
        return Ranked(runs, workloads, tasks)
    whole = runs[like & ~(runs["missing_tasks"] > 0).fillna(value=False)].copy()
    shared = tasks[tasks["task"].isin(reference) & tasks["run"].isin(whole["id"])]
    rates = pooled(shared, ["run"]).set_index("run")["decode_tps"]
    whole["decode_tps"] = whole["id"].map(rates).fillna(whole["decode_tps"])
    order = {name: place for place, name in enumerate(dict.fromkeys(workloads["workload"]))}
    classes = pooled(shared, ["run", "workload"]).sort_values(
        "workload", key=lambda names: names.map(order), kind="stable"
    )
    compared = GroupSpeedups(baseline, "workload")(classes.reset_index(drop=True), shared)
    return Ranked(whole, compared, shared)


def _done(tasks: pd.DataFrame) -> dict[str, frozenset[str]]:
    """Tasks that each run has a result for."""
    finished = tasks[tasks["error"].isna()]
    return {
        str(run): frozenset(map(str, names))
        for run, names in finished.groupby("run", sort=False)["task"]
    }
