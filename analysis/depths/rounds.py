"""Verification rounds and printed positions in, tidy counts by position out.

Three denominators are in use and never mixed. ``at-risk``: rounds that drafted
the position and accepted everything before it, so that the share accepted is
the conditional acceptance itself. ``all-rounds``: every verification round, as
llama-server prints. ``drafted-rounds``: the rounds that drafted the position,
as ik_llama.cpp prints.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from analysis.records import BUILT_IN_WORKLOADS, Positions, Rounds, Run, TaskResult

__all__ = ["COUNT_COLUMNS", "DEFINITIONS", "dispersion", "position_counts"]

DEFINITIONS = ("at-risk", "all-rounds", "drafted-rounds")

COUNT_COLUMNS: Mapping[str, str] = {
    "run": "object",
    "repeat": "int64",
    "task": "object",
    "workload": "object",
    "position": "int64",
    "definition": "object",
    "denominator": "float64",
    "accepted": "float64",
    "rounds": "float64",
    "lagged": "float64",
    "squared": "float64",
}


def position_counts(
    runs: Iterable[Run], workloads: Mapping[str, str] | None = None
) -> pd.DataFrame:
    """One row per request, position and definition.

    Parameters
    ----------
    runs
        The runs, each with an `id`.
    workloads
        Task name to workload class, over the built-in classes.

    Returns
    -------
    pandas.DataFrame
        Columns `COUNT_COLUMNS`: `accepted` of `denominator` rounds, out of
        `rounds` in all. `lagged` and `squared` are what :func:`dispersion`
        takes, null where only totals are known. Printed rates without counts
        give counts through the number of rounds, which the source has or the
        number of drafts stands in for.
    """
    classes = {**BUILT_IN_WORKLOADS, **(workloads or {})}
    rows = [
        {
            "run": run.id,
            "repeat": result.repeat,
            "task": result.task,
            "workload": classes.get(result.task, "other"),
            **row,
        }
        for run in runs
        for result in run.tasks
        if result.error is None
        for row in _counts(run, result)
    ]
    return pd.DataFrame(rows, columns=list(COUNT_COLUMNS)).astype(dict(COUNT_COLUMNS))


def _counts(run: Run, result: TaskResult) -> Iterator[dict[str, Any]]:
    if result.rounds is not None and len(result.rounds.drafted):
        yield from _from_rounds(result.rounds)
    elif result.positions is not None:
        yield from _from_positions(run, result, result.positions)


def _from_rounds(rounds: Rounds) -> Iterator[dict[str, Any]]:
    drafted = np.asarray(rounds.drafted)
    accepted = np.minimum(np.asarray(rounds.accepted), drafted)
    verified = drafted > 0
    for position in range(1, int(drafted.max(initial=0)) + 1):
        reached = accepted >= position
        has = drafted >= position
        at_risk = has & (accepted >= position - 1)
        centred = reached[verified] - reached[verified].mean()
        denominators = {"at-risk": at_risk, "all-rounds": verified, "drafted-rounds": has}
        for definition, among in denominators.items():
            yield {
                "position": position,
                "definition": definition,
                "denominator": int(among.sum()),
                "accepted": int((reached & among).sum()),
                "rounds": int(verified.sum()),
                "lagged": float(centred[:-1] @ centred[1:]),
                "squared": float(centred @ centred),
            }


def dispersion(counts: pd.DataFrame) -> float | None:
    """Variance of a share over that of as many independent rounds.

    (1 + r) / (1 - r) with the correlation r of neighbouring rounds, taken over
    all requests and positions together because one request has too few rounds
    to show it; what estimating each request's mean takes from r is added back
    (Kendall's correction, (1 + 3 r) / n).

    Parameters
    ----------
    counts
        Rows of :func:`position_counts`.

    Returns
    -------
    float or None
        From 1 to 19; null where no rounds are known.
    """
    known = counts[counts["squared"].notna()]
    total = float(known["squared"].sum())
    if not total > 0:
        return 1.0 if len(known) else None
    r = float(known["lagged"].sum()) / total
    n = float((known["rounds"] * known["squared"]).sum()) / total
    r = min(max(r + (1 + 3 * r) / n, 0.0), 0.9)
    return (1 + r) / (1 - r)


def _from_positions(run: Run, result: TaskResult, printed: Positions) -> Iterator[dict[str, Any]]:
    rounds = _rounds_of(run, result, printed)
    if not rounds:
        return
    reached = [
        min(round(rate * rounds), rounds)
        if printed.accepted is None or place >= len(printed.accepted)
        else min(printed.accepted[place], rounds)
        for place, rate in enumerate(printed.rate)
    ]
    fixed = printed.definition == "all-rounds" and not run.p_min
    for place, accepted in enumerate(reached):
        common = {"position": place + 1, "accepted": accepted, "rounds": rounds}
        yield {**common, "definition": printed.definition, "denominator": rounds}
        if fixed:
            # Every round drafts the full depth, up to the few at the end of a request.
            before = reached[place - 1] if place else rounds
            yield {
                **common,
                "accepted": min(accepted, before),
                "definition": "at-risk",
                "denominator": before,
            }


def _rounds_of(run: Run, result: TaskResult, printed: Positions) -> int | None:
    if printed.rounds:
        return printed.rounds
    if printed.accepted and printed.rate and printed.rate[0] > 0:
        return round(printed.accepted[0] / printed.rate[0])
    if result.draft_tokens and run.n_max:
        return -(-result.draft_tokens // run.n_max)
    return None
