"""Is a draft's confidence worth a threshold, and which setting is best?"""

from __future__ import annotations

from typing import Any

import pandas as pd

from analysis.statistics.decision import BOUND, decide

__all__ = ["best_setting", "settings_of", "worth_a_threshold"]

_TELLS = 0.55
"""Area under the curve that a confidence must exceed, with its interval, to tell anything."""


def settings_of(table: pd.DataFrame, workload: str | None = None) -> pd.DataFrame:
    """The rows of a replay that llama-server's own options can set, with a throughput.

    Parameters
    ----------
    table
        Of ``replaying.table.Replay``.
    workload
        Null = all.
    """
    rows = table[table["workload"].isna() if workload is None else table["workload"] == workload]
    cut = (rows["policy"] == "threshold") & (rows["p_min"] > 0)
    plain = rows["policy"] == "fixed"
    return rows[(plain | cut) & (rows["n_min"] == 0) & rows["decode_tps"].notna()]


def best_setting(table: pd.DataFrame, workload: str | None = None) -> dict[str, Any] | None:
    """The depth and threshold to use of a log alone, by ``decision.decide``.

    Parameters
    ----------
    table
        Of ``replaying.table.Replay``.
    workload
        Null = all.

    Returns
    -------
    dict or None
        A row of the table; null without throughputs. Any depth without a
        threshold counts as smaller than one with. The middle of each row's
        draws is all that the rule needs: noise about it changes what a setting
        may lose, and not which is expected to lose least.
    """
    rows = settings_of(table, workload)
    if rows.empty:
        return None
    sizes = (rows["p_min"] > 0).astype("int64")
    chosen = decide(rows[["decode_tps"]].to_numpy("float64").T, sizes.tolist()).chosen
    return {str(key): value for key, value in rows.iloc[chosen].to_dict().items()}


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
            f"A threshold brings nothing here (at most {100 * BOUND:.1f} %), although the "
            f"confidence tells right from wrong ({told})."
        )
    return (
        f"A threshold is predicted to bring {100 * gain:.1f} % over the best fixed depth: the "
        f"confidence tells right from wrong ({told})."
    )
