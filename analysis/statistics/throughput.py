"""Throughput: how fast is a run, and how much faster than the baseline?

Each statistic is a frozen dataclass of settings that is called frame to frame.
The vocabulary is the README's: *effective* throughput counts whole requests,
*decode* throughput the timed tokens over the time after prefill (``rates.py``);
a *speedup* above 1 is faster.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

__all__ = ["RunTotals", "pooled"]

Floats = npt.NDArray[np.floating[Any]]
Numbers = npt.NDArray[np.integer[Any]]

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
        `mean_accepted_length`, `ms_per_forward`. In these each task counts with
        its mean over repeats, however often it was repeated.
    """
    done = tasks[tasks["error"].isna()]
    group, first = _numbered(*(done[name] for name in by))
    n_groups = len(first)
    cell, first_of_cell = _numbered(group, done["task"])
    group_of_cell = group[first_of_cell]
    once = _numbered(cell, done["repeat"])[1]
    repeats = np.bincount(cell[once], minlength=len(first_of_cell))
    most = np.zeros(n_groups)
    np.maximum.at(most, group_of_cell, repeats)
    # A task counts as often as the most repeated one of its group.
    weight = (most[group_of_cell] / repeats)[cell]
    n_rows = np.bincount(group, minlength=n_groups)
    out: dict[str, Any] = {
        name: done[name].iloc[first].reset_index(drop=True).infer_objects() for name in by
    }
    out["n_tasks"] = np.bincount(group_of_cell, minlength=n_groups)
    weighed: dict[str, Floats] = {}
    for name in _SUMS:
        values = done[name].to_numpy("float64", na_value=np.nan)
        known = ~np.isnan(values)
        lacking = np.bincount(group[known], minlength=n_groups) < n_rows
        sums, weighed[name] = (
            np.where(lacking, np.nan, np.bincount(group, np.where(known, some, 0.0), n_groups))
            for some in (values, values * weight)
        )
        out[name] = sums if name == "decode_s" else pd.array(sums, dtype="Int64")
    timed, drafted, accepted, seconds, steps = (
        weighed[name]
        for name in ("timed_tokens", "draft_tokens", "accepted_tokens", "decode_s", "forwards")
    )
    # Engines define acceptance differently: rows of two definitions have no common rate.
    defined = done["definition"].notna().to_numpy()
    by_definition = _numbered(group[defined], done["definition"][defined])[1]
    n_definitions = np.bincount(group[defined][by_definition], minlength=n_groups)
    rate = _quotient(accepted, drafted)
    out["acceptance_rate"] = np.where(n_definitions < 2, rate, np.nan)
    out["decode_tps"] = _quotient(timed, seconds)
    out["mean_accepted_length"] = _quotient(timed, steps)
    # Nothing drafted: a plain step gives one token, also where no forwards are counted.
    out["ms_per_forward"] = _quotient(1000 * seconds, np.where(drafted > 0, steps, timed))
    return pd.DataFrame(out)


def _quotient(top: Floats, bottom: Floats) -> Floats:
    found = np.full(len(top), np.nan)
    np.divide(top, bottom, out=found, where=bottom > 0)
    return found


def _numbered(*columns: pd.Series | Numbers) -> tuple[Numbers, Numbers]:
    """The number of each row's combination, in order of appearance, and each one's first row.

    In place of pandas' groups, which take ten times as long for frames as small as most are.
    """
    codes = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        own, values = pd.factorize(column, use_na_sentinel=False)
        codes = codes * len(values) + own
    codes, values = pd.factorize(codes)
    return codes, np.unique(codes, return_index=True)[1]


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
            `ms_per_forward`, and `joules_per_token`: energy is mean power times time
            (E = P t, P averaged over time), so that energy over tokens is mean power over
            tokens per second. With several requests at once these are all that the
            clients received together, for the power is that of all, too.
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
        watts = out["id"].map(_mean_watts(tasks)).astype("float64")
        out["joules_per_token"] = _ratio(watts, out["aggregate_tps"].fillna(out["effective_tps"]))
        return out


def _mean_watts(tasks: pd.DataFrame) -> pd.Series:
    """Mean power over the time of each run's requests; null where one of them has none."""
    done = tasks[tasks["error"].isna()]
    watts, walls = (done[name].astype("float64") for name in ("watts", "wall_s"))
    parts = pd.DataFrame({"j": watts * walls, "s": walls}).groupby(done["run"], sort=False)
    sums = parts.sum(min_count=1).where(parts.count().eq(parts.size(), axis=0))
    return _ratio(sums["j"], sums["s"])


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
