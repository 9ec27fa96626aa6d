"""Throughput: how fast is a run, and how much faster than the baseline?

Each statistic is a frozen dataclass of settings that is called frame to frame.
The vocabulary is the README's: *effective* throughput counts whole requests,
*decode* throughput the timed tokens over the time after prefill (``rates.py``);
a *speedup* above 1 is faster.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

__all__ = ["PairDifference", "RunTotals", "Speedups", "TaskSpeedups", "pooled"]

_SAME = 1e-9
"""Relative difference up to which two figures differ by the rounding of floats alone."""

_SUMS = (
    "predicted_tokens",
    "timed_tokens",
    "draft_tokens",
    "accepted_tokens",
    "decode_s",
    "forwards",
)


def pooled(tasks: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Task rows summed within groups, and the ratios that follow from the sums.

    Parameters
    ----------
    tasks
        A task frame; failed requests are left out.
    by
        Columns that make the groups, e.g. ``["run", "workload"]``.

    Returns
    -------
    pandas.DataFrame
        One row per group in order of first appearance: the columns `by`,
        `n_tasks`, the sums of tokens, decode seconds and forwards (null when a
        row of the group has none), and `acceptance_rate`, `decode_tps`,
        `mean_accepted_length`, `ms_per_forward`.
    """
    done = tasks[tasks["error"].isna()]
    groups = done.groupby(by, sort=False)
    out = groups[list(_SUMS)].sum(min_count=1)
    complete = groups[list(_SUMS)].count().eq(groups.size(), axis=0)
    out = out.where(complete)
    out.insert(0, "n_tasks", groups["task"].nunique())
    timed = out["timed_tokens"].astype("float64")
    drafted = out["draft_tokens"].astype("float64")
    steps = out["forwards"].astype("float64")
    rate = _ratio(out["accepted_tokens"].astype("float64"), drafted)
    # Engines define acceptance differently: rows of two definitions have no common rate.
    out["acceptance_rate"] = rate.where(groups["definition"].nunique().lt(2))
    out["decode_tps"] = _ratio(timed, out["decode_s"])
    out["mean_accepted_length"] = _ratio(timed, steps)
    # Nothing drafted: a plain step gives one token, also where no forwards are counted.
    steps = steps.where(drafted.fillna(0) > 0, timed)
    out["ms_per_forward"] = _ratio(1000 * out["decode_s"], steps)
    return out.reset_index()


def _ratio(top: pd.Series, bottom: pd.Series) -> pd.Series:
    return top / bottom.where(bottom > 0)


@dataclass(frozen=True)
class RunTotals:
    """Totals, throughputs and forwards of each run."""

    def __call__(self, runs: pd.DataFrame, tasks: pd.DataFrame) -> pd.DataFrame:
        """Add a run's sums and ratios to its settings.

        Parameters
        ----------
        runs, tasks
            Frames of ``frames.run_frame`` and ``frames.task_frame``.

        Returns
        -------
        pandas.DataFrame
            `runs` with `predicted_tokens`, `draft_tokens`, `accepted_tokens`,
            `acceptance_rate`, `effective_tps`, `decode_s`, `decode_tps`,
            `non_decode_s` (wall - decode), `forwards`, `mean_accepted_length`,
            `ms_per_forward`.
        """
        sums = pooled(tasks, ["run"]).rename(columns={"run": "id"})
        out = runs.merge(sums, on="id", how="left", validate="one_to_one")
        out = _with_stated(out)
        out["effective_tps"] = out["stated_effective_tps"]
        # Of other requests than those that were decoded, or of overlapping ones, it is no rest.
        same = _ratio(out["predicted_tokens"].astype("float64"), out["wall_s"])
        same = (same / out["effective_tps"] - 1).abs() < _SAME
        rest = out["wall_s"] - out["decode_s"]
        out["non_decode_s"] = rest.where(same & out["aggregate_tps"].isna())
        return out


def _with_stated(totals: pd.DataFrame) -> pd.DataFrame:
    """Fill what rows do not have from what a source states for the whole run."""
    out = totals.copy()
    for name in ("predicted_tokens", "draft_tokens", "accepted_tokens", "forwards"):
        out[name] = out[name].astype("Int64").fillna(out[f"stated_{name}"])
    for name in ("decode_s", "decode_tps"):
        out[name] = out[name].fillna(out[f"stated_{name}"])
    timed = out["predicted_tokens"].astype("Int64") - out["n_requests"]
    out["timed_tokens"] = out["timed_tokens"].astype("Int64").fillna(timed.clip(lower=0))
    timed, drafted, accepted, steps = (
        out[name].astype("float64")
        for name in ("timed_tokens", "draft_tokens", "accepted_tokens", "forwards")
    )
    out["decode_tps"] = out["decode_tps"].fillna(_ratio(timed, out["decode_s"]))
    rate = _ratio(accepted, drafted).fillna(out["stated_acceptance_rate"])
    # Counts of different definitions have no common rate.
    out["acceptance_rate"] = rate.where(out["definition"].notna())
    length = _ratio(timed, steps)
    out["mean_accepted_length"] = out["mean_accepted_length"].fillna(length)
    step = _ratio(1000 * out["decode_s"], steps.where(drafted.fillna(0) > 0, timed))
    out["ms_per_forward"] = out["ms_per_forward"].fillna(step.where(steps.notna()))
    return out


@dataclass(frozen=True)
class TaskSpeedups:
    """Each task result's decode rate over the baseline's on the same task."""

    baseline: str | None

    def __call__(self, tasks: pd.DataFrame) -> pd.DataFrame:
        """Add `speedup`: ratio of decode rates; null without the task in the baseline.

        The baseline's repeats are pooled per task (tokens over time). A
        synthetic run has none: its text is not what the baseline generates.
        """
        out = tasks.copy()
        if self.baseline is None:
            out["speedup"] = np.nan
            return out
        plain = pooled(tasks[tasks["run"] == self.baseline], ["task"])
        rates = plain.set_index("task")["decode_tps"] if len(plain) else pd.Series(dtype="float64")
        ratio = out["decode_tps"] / out["task"].map(rates).astype("float64")
        out["speedup"] = ratio.where(~out["synthetic"])
        return out


@dataclass(frozen=True)
class Speedups:
    """Each run against the baseline, paired by task.

    Parameters
    ----------
    baseline
        Run id of the run without speculation; ``None`` gives nulls.
    """

    baseline: str | None

    def __call__(self, totals: pd.DataFrame, tasks: pd.DataFrame) -> pd.DataFrame:
        """Add speedups and break-even figures to run totals.

        Parameters
        ----------
        totals
            Frame of :class:`RunTotals`.
        tasks
            Task frame with `speedup`.

        Returns
        -------
        pandas.DataFrame
            `totals` with

            - `baseline`: whether this row is the run compared with;
            - `speedup`: ratio of effective throughputs. Null when the two runs
              did other tasks and the source has no wall time per task;
            - `decode_speedup`, `geomean_task_speedup`: over the common tasks;
            - `n_common_tasks`.
              All of these are null for a synthetic run, which is no real work;
            - `time_saved`: 1 - 1 / speedup, the share of wall time saved on equal text;
            - `step_cost_ratio` R = ms per forward / plain step;
            - `break_even_acceptance` (R - 1) / drafted tokens per forward: above
              1 no acceptance rate is enough, below 0 any is. `n_max` says no
              more than how many tokens a draft may have.
        """
        out = totals.copy()
        answered = tasks[tasks["error"].isna()]
        # Without a baseline there is nothing to look for in as many runs as a log may have.
        runs = out["id"] if self.baseline is not None else ()
        added = [self._against_baseline(run, totals, answered) for run in runs]
        extra = pd.DataFrame(added, index=out.index, columns=list(_COMPARED))
        out[list(_COMPARED)] = extra.astype("float64")
        out["baseline"] = out["id"] == self.baseline
        plain = out.loc[out["id"] == self.baseline, "ms_per_forward"]
        step = float(plain.iloc[0]) if len(plain) else np.nan
        out["step_cost_ratio"] = out["ms_per_forward"] / step
        drafted = _ratio(*(out[name].astype("float64") for name in ("draft_tokens", "forwards")))
        out["break_even_acceptance"] = _ratio(out["step_cost_ratio"] - 1, drafted)
        out["time_saved"] = 1 - 1 / out["speedup"]
        return out

    def _of_totals(self, run: str, totals: pd.DataFrame) -> dict[str, object]:
        """Runs of which only totals are known: all that can be said is how long they took."""
        known = totals.set_index("id")
        own, plain = known.loc[run], known.loc[self.baseline]
        if own["synthetic"]:
            return {}
        return {"speedup": own["effective_tps"] / plain["effective_tps"]}

    def _against_baseline(
        self, run: str, totals: pd.DataFrame, tasks: pd.DataFrame
    ) -> dict[str, object]:
        both = [tasks[tasks["run"] == name] for name in (run, self.baseline)]
        names = [set(frame["task"]) for frame in both]
        common = names[0] & names[1]
        if not names[0] | names[1]:
            return self._of_totals(run, totals)
        if self.baseline is None or not common or both[0]["synthetic"].any():
            return {}
        own, plain = (frame[frame["task"].isin(common)] for frame in both)
        by_task = [
            pooled(frame, ["task"]).set_index("task")["decode_tps"] for frame in (own, plain)
        ]
        whole = [pooled(frame, ["run"])["decode_tps"].iloc[0] for frame in (own, plain)]
        if names[0] == names[1]:
            stated = totals.set_index("id")["effective_tps"]
            effective = [stated[run], stated[self.baseline]]
        else:
            effective = [_effective_tps(own), _effective_tps(plain)]
        # In numpy a missing rate of one task makes the mean missing, as it should; an answer of
        # one token has none to miss.
        timed = [set(frame.loc[frame["timed_tokens"] != 0, "task"]) for frame in (own, plain)]
        rated = [task for task in by_task[0].index if all(task in names for names in timed)]
        ratios = (by_task[0] / by_task[1])[rated].to_numpy(dtype="float64")
        return {
            "n_common_tasks": len(common),
            "speedup": effective[0] / effective[1],
            "decode_speedup": whole[0] / whole[1],
            "geomean_task_speedup": float(np.exp(np.log(ratios).mean())) if rated else np.nan,
        }


_COMPARED = ("n_common_tasks", "speedup", "decode_speedup", "geomean_task_speedup")


def _effective_tps(tasks: pd.DataFrame) -> float:
    """Predicted tokens over the wall times of exactly these requests; NaN when one has none."""
    return float(tasks["predicted_tokens"].sum() / tasks["wall_s"].sum(skipna=False))


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

    def __call__(self, tasks: pd.DataFrame) -> pd.DataFrame:
        """One row per common task.

        Parameters
        ----------
        tasks
            A task frame.

        Returns
        -------
        pandas.DataFrame
            `task`, `workload`; `decode_tps`, `draft_tokens`, `accepted_tokens`
            of each run with the suffixes ``_first`` and ``_second``; `ratio`
            of the decode rates.
        """
        columns = ["decode_tps", "draft_tokens", "accepted_tokens"]
        per_task = pooled(tasks, ["run", "task", "workload"])
        sides = [
            per_task.loc[per_task["run"] == run, ["task", "workload", *columns]]
            for run in (self.first, self.second)
        ]
        out = sides[0].merge(
            sides[1].drop(columns="workload"), on="task", suffixes=("_first", "_second")
        )
        out["ratio"] = out["decode_tps_second"] / out["decode_tps_first"]
        return out
