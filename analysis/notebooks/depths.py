"""How far do drafts survive, and how deep should one draft? The answers of a notebook on depth."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from analysis.charts import frames_of
from analysis.charts.chart import extremes
from analysis.charts.depth_cost import depth_cost
from analysis.charts.depth_throughput import depth_throughput
from analysis.charts.labels import percent
from analysis.charts.ladder import STEPS, ladder
from analysis.charts.reliability import reliability
from analysis.charts.survival import survival
from analysis.charts.truncation import truncation
from analysis.names import method_title, workload_name, workload_title
from analysis.notebooks.answer import Answer
from analysis.notebooks.tables import (
    best_depths_table,
    confidence_verdicts,
    depths_table,
    positions_table,
    replay_table,
    values_table,
)
from analysis.summary import Summary

_WORDS = {
    "survival": "accepted up to here",
    "source": "known from",
    "n_max": "depth",
    "p_min": "threshold",
    "ms_per_forward": "ms per forward",
    "mean_accepted_length": "tokens per forward",
    "position_gain": "last position adds",
    "position_break_even": "and has to add",
    "decode_tps": "decode tok/s",
    "probability": "chance to be the fastest",
    "untried": "not run, predicted faster",
    "untried_gain": "by",
    "draft_tokens": "drafted",
    "accepted_tokens": "accepted",
}
"""Columns as a reader calls them; the tables to copy keep the names of the frames."""

__all__ = [
    "how_far_drafts_survive",
    "how_sure_the_draft_is",
    "what_a_better_policy_gains",
    "what_a_threshold_brings",
    "what_each_depth_costs",
    "which_depth",
]


def _worded(table: pd.DataFrame, drop: Sequence[str] = ()) -> pd.DataFrame:
    """A table of methods in words, without rows of which nothing is known."""
    figures = table.drop(columns=[*drop, "n_max", "position", "source"], errors="ignore")
    shown = table[(figures != "–").any(axis=1)].drop(columns=list(drop))
    return shown.rename(index=method_title, columns=_WORDS)


def how_far_drafts_survive(summary: Summary) -> Answer:
    """Which share of drafts is accepted up to each position, and on which text more?"""
    said = [
        sentence
        for method, rows in summary.positions.groupby("method", sort=False)
        for sentence in _survival(str(method), rows)
    ]
    said = said or ["Positions are neither counted nor can they be inferred from one depth."]
    return Answer(tuple(said), _worded(positions_table(summary)), survival(frames_of(summary)))


def _survival(method: str, rows: pd.DataFrame) -> list[str]:
    known = rows[rows["task"].isna() & rows["survival"].notna()].sort_values("position")
    whole = known[known["workload"].isna()]
    if len(whole) < 2:
        return []
    first, last = whole.iloc[0], whole.iloc[-1]
    name = method_title(method)
    said = [
        f"With {name}, {percent(first['survival'])} of drafts are accepted at position "
        f"{first['position']} and {percent(last['survival'])} up to position {last['position']} "
        f"({last['source']})."
    ]
    deep = known[known["workload"].notna() & (known["position"] == last["position"])]
    if len(deep) > 1:
        best, worst = extremes(deep, "survival")
        if best["survival"] == worst["survival"]:
            return said
        said.append(
            f"Up to there, it is {percent(best['survival'])} on {workload_name(best['workload'])} "
            f"and {percent(worst['survival'])} on {workload_name(worst['workload'])}."
        )
    return said


def what_each_depth_costs(summary: Summary) -> Answer:
    """What does each further position have to add, and what does it add?"""
    rows = summary.depths[summary.depths["workload"].isna() & (summary.depths["n_max"] > 1)]
    rows = rows[rows["source"] == "measured"]
    judged = rows[rows["position_gain"].notna() & rows["position_break_even"].notna()]
    said = []
    for method, own in judged.groupby("method", sort=False):
        pays = own[own["position_gain"] > own["position_break_even"]]
        last = own.sort_values("n_max").iloc[-1]
        said += [
            f"With {method_title(str(method))}, {len(pays)} of {len(own)} measured depths add more "
            "tokens per forward than their last position costs.",
            f"At depth {last['n_max']} the last position adds {last['position_gain']:.2f} and has "
            f"to add {last['position_break_even']:.2f}.",
        ]
    said = said or ["One depth of a method says nothing of what a further position costs."]
    return Answer(tuple(said), _worded(depths_table(summary)), depth_cost(frames_of(summary)))


def which_depth(summary: Summary) -> Answer:
    """Which depth should one run, and for which text another?"""
    said = [
        sentence
        for method, rows in summary.best_depths.groupby("method", sort=False)
        for sentence in _best(str(method), rows)
    ]
    said = said or ["No method has two depths, so none can be compared."]
    table = _worded(best_depths_table(summary), drop=["speedup_low", "speedup_high"])
    table["depth"] = ["off" if depth == "0" else depth for depth in table["depth"]]
    workloads = [workload_title(name) for name in table.pop("workload")]
    table.insert(0, "workload", workloads)
    return Answer(tuple(said), table, depth_throughput(frames_of(summary)))


def _best(method: str, rows: pd.DataFrame) -> list[str]:
    whole = rows[rows["workload"].isna()]
    if whole.empty:
        return []
    row, name = whole.iloc[0], method_title(method)
    said = [
        f"Over all prompts {_depth(row['n_max'])} is the setting to use with {name}: "
        f"{row['decode_tps']:.1f} tok/s ({row['low']:.1f} to {row['high']:.1f})."
    ]
    other = rows[rows["workload"].notna() & (rows["n_max"] != row["n_max"])]
    parts = [
        f"{_depth(depth)} on {' and on '.join(map(workload_name, own['workload']))}"
        for depth, own in other.groupby("n_max", sort=True)
    ]
    said.append(f"Else: {'; '.join(parts)}." if parts else "It is the same on every workload.")
    return said


def _depth(number: object) -> str:
    return f"depth {number}" if number else "no speculation"


def what_a_better_policy_gains(summary: Summary) -> Answer:
    """What would a better policy than one depth for everything gain?"""
    rows = summary.ladder[summary.ladder["workload"].isna() & summary.ladder["decode_tps"].notna()]
    said = [
        sentence
        for method, own in rows.groupby("method", sort=False)
        for sentence in _policies(str(method), own.set_index("step"))
    ]
    names = ["method", "step", "decode_tps", "low", "high", "source"]
    table = rows[names].copy()
    for name in ("decode_tps", "low", "high"):
        table[name] = ["–" if pd.isna(value) else f"{value:.1f}" for value in table[name]]
    table["method"] = [method_title(name) for name in table["method"]]
    table["step"] = [STEPS.get(step, step) for step in table["step"]]
    said = said or ["There is no fixed depth to compare a policy with."]
    table = table.set_index("method").rename_axis(None).rename(columns=_WORDS)
    return Answer(tuple(said), table, ladder(frames_of(summary)))


def _policies(method: str, steps: pd.DataFrame) -> list[str]:
    rates = steps["decode_tps"]
    if "fixed" not in rates or "routed" not in rates:
        return []
    off = float(rates.get("off", 0.0))
    fixed = float(rates["fixed"])
    single = max(fixed, off)
    what = "no speculation throughout" if off > fixed else "the best fixed depth"
    said = [
        f"With {method_title(method)}, choosing by workload gives {rates['routed']:.1f} tok/s "
        f"against {single:.1f} with {what} ({_signed(rates['routed'] / single - 1)})."
    ]
    if "ceiling" in rates:
        said.append(
            f"Cutting every draft right after its last accepted token is predicted to "
            f"give {rates['ceiling']:.1f}: more is not to be had from these drafts."
        )
    return said


def _signed(share: float) -> str:
    return f"{'+' if share >= 0 else '−'}{percent(abs(share))}"


def how_sure_the_draft_is(summary: Summary) -> Answer:
    """Is the draft's own confidence worth anything?"""
    verdicts, frames = confidence_verdicts(summary), frames_of(summary)
    said = [f"{frames.labels[str(run)]}: {row['verdict']}" for run, row in verdicts.iterrows()]
    chart = reliability(frames)
    said = said or ["No log has the draft's confidences."]
    return Answer(tuple(said), values_table(chart), chart)


def what_a_threshold_brings(summary: Summary) -> Answer:
    """What would other depths and thresholds have done on the logged drafts?"""
    rows, frames = summary.replays.table, frames_of(summary)
    said = [
        sentence
        for run, own in rows[rows["workload"].isna() & (rows["n_min"] == 0)].groupby("run")
        for sentence in _threshold(frames.labels[str(run)], own)
    ]
    said = said or ["No log has the draft's confidences."]
    table = replay_table(summary).rename(index=frames.labels, columns=_WORDS)
    return Answer(tuple(said), table, truncation(frames))


def _threshold(run: str, rows: pd.DataFrame) -> list[str]:
    deepest = rows["n_max"].max()
    (whole,) = rows[(rows["policy"] == "fixed") & (rows["n_max"] == deepest)].to_dict("records")
    cut = rows[(rows["policy"] == "threshold") & (rows["n_max"] == deepest)]
    half = cut[cut["draft_tokens"] <= whole["draft_tokens"] / 2].sort_values("p_min")
    said = [
        f"{run}: at depth {deepest} without a threshold a forward brings "
        f"{whole['mean_accepted_length']:.2f} tokens, with "
        f"{whole['draft_tokens']:.0f} drafted in all."
    ]
    if not half.empty:
        row = half.iloc[0]
        said.append(
            f"p_min {row['p_min']:g} is the least that halves what is drafted, and leaves "
            f"{row['mean_accepted_length']:.2f} tokens a forward."
        )
    return said
