"""How much faster than without speculation, by which figure, and how sure is that?

Every speedup of the program is made here: effective and decode, of a run, of a
workload class, of a task, and the geometric mean of tasks; all by the one
model of noise in ``noise.py``. What was not measured under the baseline's
conditions, and what is no real work, has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from analysis.statistics.conditions import CONDITIONS
from analysis.statistics.noise import Noise
from analysis.statistics.ratios import Ratios, TaskRatios
from analysis.statistics.task_tables import TaskTable, tables
from analysis.statistics.uncertainty import significance

__all__ = ["GroupSpeedups", "Speedups", "TaskSpeedups", "decode_cells"]

_COLUMNS = {"ratio": "", "low": "_low", "high": "_high"}


def decode_cells(tasks: pd.DataFrame) -> pd.DataFrame:
    """Rows that were timed, as ``task_tables.tables`` takes them: timed tokens and decode time."""
    timed = tasks["error"].isna() & (tasks["timed_tokens"] > 0) & (tasks["decode_s"] > 0)
    return _cells(tasks[timed.fillna(value=False)], "timed_tokens", "decode_s")


def _cells(rows: pd.DataFrame, units: str, seconds: str) -> pd.DataFrame:
    out = rows[["run", "start", "repeat", "task", "workload"]].copy()
    out["units"] = rows[units].astype("float64")
    out["seconds"] = rows[seconds].astype("float64")
    return out


def _untimed(tasks: pd.DataFrame) -> dict[str, set[str]]:
    """Of each run, the tasks that it answered with more than a first token and has no time of."""
    rows = tasks[tasks["error"].isna() & (tasks["timed_tokens"] != 0)]
    asked, timed = _tasks_of(rows), _tasks_of(rows[rows["decode_s"] > 0])
    return {run: own - timed.get(run, set()) for run, own in asked.items()}


def _tasks_of(rows: pd.DataFrame) -> dict[str, set[str]]:
    """The tasks of each run."""
    return {str(run): set(own) for run, own in rows.groupby("run", sort=False)["task"]}


@dataclass(frozen=True)
class Speedups:
    """Each run against the baseline, paired by task.

    Parameters
    ----------
    baseline
        Run id of the run without speculation; ``None`` gives nulls.
    noise
        The settings of the noise model.
    """

    baseline: str | None
    noise: Noise = field(default_factory=Noise)

    def __call__(
        self,
        totals: pd.DataFrame,
        tasks: pd.DataFrame,
        passes: pd.DataFrame,
        levels: pd.DataFrame | None = None,
        unlike: Mapping[str, Mapping[str, str]] | None = None,
    ) -> pd.DataFrame:
        """Add speedups and break-even figures to run totals.

        Parameters
        ----------
        totals
            Frame of ``throughput.RunTotals``.
        tasks
            A task frame.
        passes
            Frame of ``passes.pass_frame``.
        levels
            Frame of ``noise.Noise``; made of `tasks` if not given.
        unlike
            Runs that were measured under other conditions than the baseline,
            see ``conditions.unlike``.

        Returns
        -------
        pandas.DataFrame
            `totals` with

            - `baseline`: whether this row is the run compared with;
            - `speedup`: ratio of effective throughputs. Null when the two runs
              did other tasks and the source has no wall time per task;
            - `decode_speedup`, `geomean_task_speedup`: over the common tasks;
            - the ends of the 90 % intervals of these three, with the suffixes
              ``_low`` and ``_high``, and the `significance` of the first, or of
              the second where only that is known;
            - `n_common_tasks`, `unlike` (the conditions that differ, in words).
              All of these are null for a synthetic run, which is no real work,
              and for one measured under other conditions;
            - `time_saved`: 1 - 1 / speedup, the share of wall time saved on equal text;
            - `step_cost_ratio` R = ms per forward / plain step;
            - `break_even_acceptance` (R - 1) / drafted tokens per forward: above
              1 no acceptance rate is enough, below 0 any is. `n_max` says no
              more than how many tokens a draft may have.
        """
        out = totals.copy()
        if levels is None:
            levels = self.noise(tasks.head(0) if self.baseline is None else tasks)
        differs = {
            run: " and ".join(CONDITIONS[name] for name in found)
            for run, found in (unlike or {}).items()
        }
        out["unlike"] = out["id"].map(differs).astype("object")
        real = out.loc[~out["synthetic"] & out["unlike"].isna(), "id"]
        if self.baseline is None:
            real = real.head(0)
        rows = tasks[tasks["run"].isin(real)]
        cells = decode_cells(rows)
        missing = self._without_time(rows)
        _take(out, "decode_speedup", self._ratios(tables(cells), levels), missing)
        geometric = self._ratios(tables(cells, geometric=True), levels)
        _take(out, "geomean_task_speedup", geometric, missing)
        walls = passes[passes["run"].isin(real)]
        _take(out, "speedup", self._effective(rows, walls, levels))
        itself = out["id"] == self.baseline
        for name, rate in (("speedup", "effective_tps"), ("decode_speedup", "decode_tps")):
            out.loc[itself & out[rate].notna(), name] = 1.0
        out.loc[itself & out["decode_tps"].notna(), "geomean_task_speedup"] = 1.0
        out["n_common_tasks"] = out["id"].map(self._common(rows)).astype("float64")
        low = out["speedup_low"].fillna(out["decode_speedup_low"])
        high = out["speedup_high"].fillna(out["decode_speedup_high"])
        out["significance"] = [significance(*pair) for pair in zip(low, high, strict=True)]
        out["baseline"] = itself
        plain = out.loc[out["id"] == self.baseline, "ms_per_forward"]
        step = float(plain.iloc[0]) if len(plain) else np.nan
        out["step_cost_ratio"] = (out["ms_per_forward"] / step).where(out["unlike"].isna())
        forwards = out["forwards"].astype("float64")
        drafted = out["draft_tokens"].astype("float64") / forwards.where(forwards > 0)
        dearer = out["step_cost_ratio"] - 1
        out["break_even_acceptance"] = dearer / drafted.where(drafted > 0)
        out["time_saved"] = 1 - 1 / out["speedup"]
        return out

    def _ratios(self, found: Mapping[str, TaskTable], levels: pd.DataFrame) -> pd.DataFrame:
        return Ratios(self.baseline, self.noise)(found, levels)

    def _common(self, tasks: pd.DataFrame) -> dict[str, int]:
        names = _tasks_of(tasks[tasks["error"].isna()])
        plain = names.get(self.baseline or "", set())
        counts = {str(run): len(own & plain) for run, own in names.items()}
        return {run: count for run, count in counts.items() if count}

    def _without_time(self, tasks: pd.DataFrame) -> set[str]:
        """Runs whose rate, or the baseline's, lacks a task that both answered."""
        names, untimed = _tasks_of(tasks[tasks["error"].isna()]), _untimed(tasks)
        baseline = self.baseline or ""
        plain, answered = untimed.get(baseline, set()), names.get(baseline, set())
        return {
            run for run, own in names.items() if own & plain or untimed.get(run, set()) & answered
        }

    def _effective(
        self, tasks: pd.DataFrame, passes: pd.DataFrame, levels: pd.DataFrame
    ) -> pd.DataFrame:
        """Ratios of effective throughputs: of whole passes if all have a time, else of requests."""
        done = tasks[tasks["error"].isna()]
        names = {str(run): frozenset(own) for run, own in done.groupby("run")["task"]}
        plain = names.get(self.baseline or "")
        whole = passes[passes["complete"] & (passes["wall_s"] > 0)]
        whole = whole[whole["predicted_tokens"].notna()]
        unused = set(passes["run"]) - set(whole["run"])
        unused |= set(passes.drop(whole.index)["run"])
        by_pass = self._ratios(tables(_pass_cells(whole)), levels)
        # Of totals alone nobody knows the tasks, and how long they took is all there is.
        same = [names.get(run) == plain for run in by_pass["run"]]
        by_pass = by_pass[pd.Series(same, index=by_pass.index, dtype="bool")]
        by_request = self._ratios(tables(_request_cells(done, passes)), levels)
        steady = by_pass if self.baseline not in unused else by_pass.head(0)
        order = [steady[~steady["run"].isin(unused)], by_request, by_pass]
        return pd.concat(order).drop_duplicates("run")


def _pass_cells(passes: pd.DataFrame) -> pd.DataFrame:
    return passes[["run", "start", "repeat", "share"]].assign(
        task="", units=passes["predicted_tokens"], seconds=passes["wall_s"]
    )


def _request_cells(done: pd.DataFrame, passes: pd.DataFrame) -> pd.DataFrame:
    """Requests of runs of which each has a wall time, one after the other."""
    at_once = set(passes.loc[passes["overlapping"], "run"])
    walls = done["wall_s"].gt(0) & done["predicted_tokens"].notna()
    lacking = set(done.loc[~walls, "run"]) | at_once
    return _cells(done[~done["run"].isin(lacking)], "predicted_tokens", "wall_s")


def _take(out: pd.DataFrame, name: str, ratios: pd.DataFrame, without: Iterable[str] = ()) -> None:
    """Put ratios and their intervals beside the runs that they are of."""
    kept = ratios[~ratios["run"].isin(list(without))].set_index("run")
    for column, suffix in _COLUMNS.items():
        out[name + suffix] = out["id"].map(kept[column]).astype("float64")


@dataclass(frozen=True)
class TaskSpeedups:
    """Each task result's decode rate over the baseline's on the same task."""

    baseline: str | None

    def __call__(
        self, tasks: pd.DataFrame, unlike: Mapping[str, Mapping[str, str]] | None = None
    ) -> pd.DataFrame:
        """Add `speedup`: ratio of decode rates; null without the task in the baseline.

        The baseline's repeats are averaged per task. A synthetic run has none: its
        text is not what the baseline generates. Nor has one of `unlike` (see :class:`Speedups`).
        """
        out = tasks.copy()
        plain = tables(decode_cells(tasks[tasks["run"] == self.baseline])).get(self.baseline or "")
        rates: dict[str, float] = {}
        if plain is not None:
            units, seconds = plain.means()
            rates = dict(zip(plain.tasks, units / seconds, strict=True))
        ratio = out["decode_tps"] / out["task"].map(rates).astype("float64")
        out["speedup"] = ratio.where(~out["synthetic"] & ~out["run"].isin(list(unlike or ())))
        return out


@dataclass(frozen=True)
class GroupSpeedups:
    """Decode speedups of each run by task, or by workload class.

    Parameters
    ----------
    baseline, noise
        As of :class:`Speedups`.
    by
        ``task`` or ``workload``.
    """

    baseline: str | None
    by: str
    noise: Noise = field(default_factory=Noise)

    def __call__(
        self,
        groups: pd.DataFrame,
        tasks: pd.DataFrame,
        levels: pd.DataFrame | None = None,
        unlike: Mapping[str, Mapping[str, str]] | None = None,
    ) -> pd.DataFrame:
        """Add `speedup`, `speedup_low` and `speedup_high` to groups.

        Parameters
        ----------
        groups
            Frame of ``throughput.pooled`` by `run` and `by`, and maybe more.
        tasks, levels, unlike
            As for :class:`Speedups`.

        Returns
        -------
        pandas.DataFrame
            `groups` with the ratio over the tasks of the group that both runs
            have, and its 90 % interval.
        """
        levels = self.noise(tasks) if levels is None else levels
        real = tasks[~tasks["synthetic"] & ~tasks["run"].isin(list(unlike or ()))]
        cells = decode_cells(real)
        if self.by == "task":
            found = TaskRatios(self.baseline, self.noise)(tables(cells), levels)
        else:
            ratios = Ratios(self.baseline, self.noise)
            parts = [
                ratios(tables(own), levels).assign(**{self.by: name})
                for name, own in cells.groupby(self.by, sort=False)
            ]
            found = pd.concat(parts) if parts else ratios({}, levels).assign(**{self.by: ""})
        names = {column: f"speedup{suffix}" for column, suffix in _COLUMNS.items()}
        found = found.rename(columns=names)[["run", self.by, *names.values()]]
        found = found.astype({"run": "object", self.by: "object"})
        out = groups.merge(found, on=["run", self.by], how="left", validate="many_to_one")
        out = out.astype(dict.fromkeys(names.values(), "float64"))
        itself = (out["run"] == self.baseline) & out["decode_tps"].notna()
        out["speedup"] = out["speedup"].mask(itself, 1.0)
        return out
