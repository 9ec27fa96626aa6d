"""A campaign's recommendations as plain text for a terminal."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from analysis.errors import printable
from analysis.pipeline import summary_of
from analysis.summary import Summary

__all__ = ["advice_text", "recommend"]

EVERYTHING = "all prompts"
OFF = "leave speculation off"
BETTER = "better than every setting measured"
CLOSEST = "the closest with speculation"
NOTHING = "nothing was measured that could be recommended"


def recommend(campaign: str | Path) -> pd.DataFrame:
    """What to run, overall and per workload.

    Parameters
    ----------
    campaign
        A campaign folder, see ``campaign.find``.

    Returns
    -------
    pandas.DataFrame
        The `recommendations` of results.json: one row overall (`workload`
        null) and one per workload; `run` null is to leave speculation off.
    """
    return summary_of(campaign).recommendations


def advice_text(summary: Summary) -> str:
    """One block per workload: the setting, its speedup, and why."""
    blocks = [_block(summary, row) for _, row in summary.recommendations.iterrows()]
    notes = [
        f"{found.level}: {found.message} [{found.code}]"
        for found in summary.findings
        if found.level != "note"
    ]
    return "\n".join([*(blocks or [NOTHING]), *notes])


def _block(summary: Summary, row: pd.Series) -> str:
    workload = EVERYTHING if pd.isna(row["workload"]) else str(row["workload"])
    if pd.isna(row["run"]):
        setting = OFF
    else:
        label = summary.runs.set_index("id").at[row["run"], "label"]
        setting = "".join(sign if sign.isprintable() else "?" for sign in str(label))
    repeated = bool((summary.runs["repeats"] > 1).any())
    gain = "speedup not known" if pd.isna(row["expected_speedup"]) else _gain(row, repeated)
    said = f"{workload}: {setting} ({gain})\n    {row['reason']}"
    return said if pd.isna(row["replayed_run"]) else f"{said}\n    {_replayed(row)}"


def _replayed(row: pd.Series) -> str:
    """A setting that no run had."""
    gain = ""
    if not pd.isna(row["replayed_speedup"]):
        gain = (
            f", {row['replayed_speedup']:.2f}× "
            f"({row['replayed_low']:.2f} to {row['replayed_high']:.2f})"
        )
    return printable(
        f"replayed, not measured: n_max {row['replayed_n_max']} with p_min "
        f"{row['replayed_p_min']:g} is predicted to decode {row['replayed_tps']:.1f} tok/s{gain}, "
        f"{BETTER if row['replayed_advised'] else CLOSEST}, from the log of {row['replayed_run']}"
    )


def _gain(row: pd.Series, repeated: bool) -> str:
    said = f"{row['expected_speedup']:.2f}× decode"
    if pd.isna(row["run"]):
        return said
    if pd.isna(row["low"]) or pd.isna(row["high"]):
        return f"{said}, {'no interval' if repeated else 'one run: no interval'}"
    return f"{said}, {row['low']:.2f} to {row['high']:.2f}"
