"""A replay as plain text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from analysis.errors import printable
from analysis.replaying.replayed import Replayed
from analysis.replaying.verdict import best_setting, worth_a_threshold

__all__ = ["replay_text"]

_SHOWN = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


def replay_text(found: Replayed) -> str:
    """What was read, what the confidence is worth, and every setting in a table."""
    return "\n".join(_lines(found))


def _lines(found: Replayed) -> Iterator[str]:
    logged = ", ".join(
        part
        for part in (
            found.spec_type or "drafter not recorded",
            "n_max not recorded" if found.n_max is None else f"n_max {found.n_max}",
            "p_min not recorded" if found.p_min is None else f"p_min {found.p_min:g}",
        )
    )
    total = found.scores.iloc[0]
    yield printable(f"{found.run}: {logged}; {found.requests} request{'s' * (found.requests > 1)}, "
                    f"{total['guesses']} drafted tokens at risk")  # fmt: skip
    yield worth_a_threshold(found.table, found.scores)
    chosen = best_setting(found.table)
    if chosen is not None:
        yield (
            f"predicted best: n_max {chosen['n_max']}, p_min {chosen['p_min']:g}: "
            f"{chosen['decode_tps']:.1f} tok/s decoding "
            f"({chosen['decode_tps_low']:.1f} to {chosen['decode_tps_high']:.1f}) by the times of "
            "this log, which the logging itself made longer"
        )
    else:
        yield "no throughput: too few rounds of the log are shorter than its deepest"
    yield ""
    yield f"{'policy':<11}{'n_max':>6}{'p_min':>7}{'drafted':>9}{'accepted':>10}{'forwards':>10}" \
          f"{'tokens/forward':>16}  90 % interval{'tok/s':>9}"  # fmt: skip
    whole = found.table[found.table["workload"].isna()]
    for row in _shown(whole).to_dict("records"):
        rate = "" if pd.isna(row["decode_tps"]) else f"{row['decode_tps']:9.1f}"
        yield (
            f"{row['policy']:<11}{row['n_max']:>6}{row['p_min']:>7.2f}{row['draft_tokens']:>9.0f}"
            f"{row['accepted_tokens']:>10.0f}{row['forwards']:>10.0f}"
            f"{row['mean_accepted_length']:>16.3f}  {row['low']:.3f}–{row['high']:.3f}  {rate}"
        ).rstrip()


def _shown(rows: pd.DataFrame) -> pd.DataFrame:
    """All fixed depths and policies; thresholds at the deepest depth, by tenths."""
    deepest = rows["n_max"] == rows["n_max"].max()
    tenths = rows["p_min"].isin(_SHOWN)
    curve = rows["policy"].isin(["threshold", "product"])
    shown: pd.DataFrame = rows[
        ~curve | (deepest & tenths & (rows["n_min"] == 0) & (rows["p_min"] > 0))
    ]
    return shown
