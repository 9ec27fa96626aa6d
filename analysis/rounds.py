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

__all__ = ["COUNT_COLUMNS", "DEFINITIONS", "position_counts"]

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
    "dispersion": "float64",
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
        `rounds` in all. `dispersion` is by how much the variance of the share
        exceeds that of independent rounds, from the rounds' own sequence;
        null where only totals are known. Printed rates without counts give
        counts through the number of rounds, which the source has or the
        request's forwards stand in for.
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
        denominators = {"at-risk": at_risk, "all-rounds": verified, "drafted-rounds": has}
        for definition, among in denominators.items():
            yield {
                "position": position,
                "definition": definition,
                "denominator": int(among.sum()),
                "accepted": int((reached & among).sum()),
                "rounds": int(verified.sum()),
                "dispersion": dispersion(reached[among]),
            }


def dispersion(outcomes: np.ndarray) -> float:
    """Variance of a sequence's mean over that of as many independent outcomes.

    1 + 2 Σ of the autocorrelations up to the first that is not positive
    (Geyer's initial positive sequence), between 1 and a quarter of the length.

    Parameters
    ----------
    outcomes
        Booleans in order, shape (n,).

    Examples
    --------
    >>> dispersion(np.array([True, False] * 20))
    1.0
    """
    n = len(outcomes)
    centred = outcomes - outcomes.mean() if n else outcomes
    variance = float(np.dot(centred, centred)) / max(n, 1)
    if n < 8 or variance == 0:
        return 1.0
    total = 1.0
    for lag in range(1, n // 4):
        correlation = float(np.dot(centred[:-lag], centred[lag:])) / (n * variance)
        if correlation <= 2 / np.sqrt(n):
            break
        total += 2 * correlation
    return float(min(max(total, 1.0), n / 4))


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
