"""Is a draft's confidence worth a threshold, and which setting is best?"""

from __future__ import annotations

from typing import Any

import pandas as pd

__all__ = ["LEAST_GAIN", "best_setting", "worth_a_threshold"]

LEAST_GAIN = 0.01
"""A threshold that is predicted to bring less than this share of throughput brings nothing."""

_TELLS = 0.55
"""Area under the curve that a confidence must exceed, with its interval, to tell anything."""


def best_setting(table: pd.DataFrame, workload: str | None = None) -> dict[str, Any] | None:
    """The depth and threshold with the highest predicted throughput.

    Parameters
    ----------
    table
        Of ``replaying.table.Replay``.
    workload
        Null = all.

    Returns
    -------
    dict or None
        A row of the table: a fixed depth where no threshold is better by
        `LEAST_GAIN`; null without throughputs.
    """
    rows = table[table["workload"].isna() if workload is None else table["workload"] == workload]
    rows = rows[(rows["n_min"] == 0) & rows["decode_tps"].notna()]
    fixed = rows[rows["policy"] == "fixed"]
    cut = rows[rows["policy"] == "threshold"]
    if fixed.empty:
        return None
    plain, *_ = fixed.sort_values("decode_tps", ascending=False, kind="stable").to_dict("records")
    cuts = cut.sort_values("decode_tps", ascending=False, kind="stable").to_dict("records")
    gains = bool(cuts) and cuts[0]["decode_tps"] > plain["decode_tps"] * (1 + LEAST_GAIN)
    return {str(key): value for key, value in (cuts[0] if gains else plain).items()}


def worth_a_threshold(table: pd.DataFrame, scores: pd.DataFrame) -> str:
    """One sentence on what the confidence tells, and what a threshold brings.

    Parameters
    ----------
    table
        Of ``replaying.table.Replay``.
    scores
        Of ``replaying.calibration.Calibration``.

    Returns
    -------
    str
        Without the names of runs or tasks.
    """
    whole = scores[scores["workload"].isna()].iloc[0]
    if pd.isna(whole["auc"]):
        return "All drafted tokens had one outcome: what the confidence tells can't be said."
    ends = (
        "" if pd.isna(whole["auc_low"]) else f", {whole['auc_low']:.2f} to {whole['auc_high']:.2f}"
    )
    told = (
        f"area under the curve {whole['auc']:.2f}{ends}, calibration error "
        f"{whole['calibration_error']:.3f}"
    )
    least = whole["auc"] if pd.isna(whole["auc_low"]) else whole["auc_low"]
    if least <= _TELLS:
        return (
            f"A threshold brings nothing: the confidence does not tell right from wrong ({told})."
        )
    best = best_setting(table)
    if best is None:
        return (
            f"The confidence tells right from wrong ({told}); what a threshold saves needs times."
        )
    fixed = table[(table["policy"] == "fixed") & table["workload"].isna()]
    gain = best["decode_tps"] / fixed["decode_tps"].max() - 1
    if best["policy"] == "fixed":
        return (
            f"A threshold brings nothing here (less than {100 * LEAST_GAIN:.0f} %), although the "
            f"confidence tells right from wrong ({told})."
        )
    return (
        f"A threshold is predicted to bring {100 * gain:.1f} % over the best fixed depth: the "
        f"confidence tells right from wrong ({told})."
    )
