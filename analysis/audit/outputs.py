"""Checks of outputs: is the text with speculation the text without?"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from analysis.audit.finding import Check, Evidence, Hit
from analysis.statistics.lossless import DIFFERS, IDENTICAL, NO_CONTROL, UNSTABLE, Lossless

__all__ = ["CHECKS"]


def _greedy_differs(evidence: Evidence) -> Iterator[Hit]:
    for run, rows, compared in _runs_with(evidence, DIFFERS):
        yield (
            run,
            f"{run} does not give the baseline's greedy output in {len(rows)} of {compared} "
            f"tasks, although the baseline repeats its own there: {_places(rows)}",
        )


def _greedy_unstable(evidence: Evidence) -> Iterator[Hit]:
    for run, rows, compared in _runs_with(evidence, UNSTABLE, NO_CONTROL):
        once = set(rows["verdict"]) == {NO_CONTROL}
        why = "was measured once" if once else "does not repeat its own everywhere either"
        yield (
            run,
            f"{run} does not give the baseline's greedy output in {len(rows)} of {compared} "
            f"tasks, and the baseline {why}, so nothing follows from it: {_places(rows)}",
        )


def _greedy_identical(evidence: Evidence) -> Iterator[Hit]:
    compared = Lossless(evidence.baseline)(evidence.runs)
    if compared.empty or not (compared["verdict"] == IDENTICAL).all():
        return
    yield (
        "campaign",
        f"greedy outputs are the baseline's in all {compared['task'].nunique()} tasks of "
        f"{', '.join(dict.fromkeys(compared['run']))}",
    )


def _runs_with(evidence: Evidence, *verdicts: str) -> Iterator[tuple[str, pd.DataFrame, int]]:
    compared = Lossless(evidence.baseline)(evidence.runs)
    for run, rows in compared.groupby("run", sort=False):
        hit = rows[rows["verdict"].isin(verdicts)]
        if len(hit):
            yield str(run), hit, len(rows)


def _places(rows: pd.DataFrame) -> str:
    """Each task with the first token that differs, as far as tokens were recorded."""
    return ", ".join(
        str(row["task"])
        + ("" if pd.isna(row["first_difference"]) else f" (from token {row['first_difference']})")
        for _, row in rows.iterrows()
    )


CHECKS = (
    Check(
        "greedy-differs",
        "warning",
        "Greedy output differs from the baseline's, which repeats itself",
        "At temperature 0 speculation should leave the text as it is. A forward over several "
        "tokens rounds otherwise than one over a single token, so a near tie may tip and the rest "
        "of the text with it; a faulty draft path looks the same from outside.",
        "Read both texts around the first differing token: with keep_text = true under [live] they "
        "are recorded. A tie shows two words of nearly equal weight there.",
        _greedy_differs,
    ),
    Check(
        "greedy-unstable",
        "note",
        "Greedy output differs, and there is no control that holds",
        "Where the baseline was measured once, or gives another text each time, a different text "
        "says nothing about speculation.",
        "Repeat the baseline at temperature 0 on one server start per repeat.",
        _greedy_unstable,
    ),
    Check(
        "greedy-identical",
        "note",
        "Greedy outputs are the baseline's",
        "Speculation left every compared text as it was.",
        "Nothing: this is as it should be.",
        _greedy_identical,
    ),
)
