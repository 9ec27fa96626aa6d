"""A campaign's recommendations as plain text for a terminal."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from analysis.pipeline import summary_of
from analysis.summary import Summary

__all__ = ["advice_text", "recommend"]

EVERYTHING = "everything together"
OFF = "leave speculation off"
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
    return f"{workload}: {setting} ({gain})\n    {row['reason']}"


def _gain(row: pd.Series, repeated: bool) -> str:
    said = f"{row['expected_speedup']:.2f}×"
    if pd.isna(row["run"]):
        return said
    if pd.isna(row["low"]) or pd.isna(row["high"]):
        return f"{said}, {'no interval' if repeated else 'one run: no interval'}"
    return f"{said}, {row['low']:.2f} to {row['high']:.2f}"
