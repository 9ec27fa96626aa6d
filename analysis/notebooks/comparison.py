"""What differs between campaigns, and what changed? The answers of a notebook that compares."""

from __future__ import annotations

import pandas as pd

from analysis.answers.compare import Comparison
from analysis.answers.side_by_side import matches_table, runs_side_by_side
from analysis.charts.change import change
from analysis.charts.chart import extremes
from analysis.charts.labels import legible, listed
from analysis.notebooks.answer import Answer

__all__ = ["what_changed", "what_differs"]


_WORDS = {
    "id": "run",
    "spec_type": "method",
    "effective_tps": "effective tok/s",
    "decode_tps": "decode tok/s",
    "acceptance_rate": "accepted",
    "mean_accepted_length": "tokens per forward",
    "ms_per_forward": "ms per forward",
}
"""Columns as a reader calls them; the table to copy keeps the names of the frames."""


def what_differs(found: Comparison) -> Answer:
    """In what do the campaigns differ, and in what not?"""
    campaigns = found.runs["campaign"].nunique()
    said = [f"{campaigns} campaigns with {len(found.runs)} runs are side by side."]
    if found.differing:
        words = listed(name.replace("_", " ") for name in found.differing)
        said.append(f"Their runs differ in {words}: whatever is slower may be so for any of these.")
    else:
        said.append("Nothing that was recorded differs between them.")
    if found.shared:
        same = "; ".join(f"{name} {legible(value)}" for name, value in found.shared.items())
        said.append(f"The same everywhere: {same}.")
    table = runs_side_by_side(found)
    return Answer(tuple(said), table.set_index("campaign").rename(columns=_WORDS))


def what_changed(found: Comparison) -> Answer:
    """Which configurations became faster or slower from one campaign to the next?"""
    rows = found.matches[found.matches["ratio"].notna()]
    if rows.empty:
        return Answer(
            (
                "No two runs of different campaigns have the same method and depth and could be "
                "compared.",
            ),
            matches_table(found),
        )
    faster, slower = (rows["significance"] == word for word in ("faster", "slower"))
    far, _ = extremes(rows.assign(far=(rows["ratio"] - 1).abs()), "far")
    said = (
        f"Of {len(rows)} configurations that both have, {faster.sum()} became faster and "
        f"{slower.sum()} slower; the others can't be told from no change.",
        f"The largest change is that of {far['second_run']}: {far['ratio']:.2f}× "
        f"({far['low']:.2f} to {far['high']:.2f}) over {far['n_tasks']} tasks.",
        _only_builds(rows),
    )
    return Answer(said, matches_table(found), change(found.matches))


def _only_builds(rows: pd.DataFrame) -> str:
    alone = (rows["differs"] == "build").sum()
    return f"In {alone} of them the build alone differs; only those say something of a build."
