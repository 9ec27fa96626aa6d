"""Losslessness: does speculation leave the text as it is?

Speculative decoding promises the target's own output. At temperature 0 that
can be checked: the tokens of a configuration against those of the run without
speculation. Equal weights and prompts need not give equal tokens, though,
since a forward over several tokens rounds otherwise than one over a single
token, and a near tie may tip. So the baseline's own repeats are compared with
each other first, as a control of what differs without any speculation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import pandas as pd

from analysis.errors import encodable
from analysis.records import Run, TaskResult

__all__ = [
    "DIFFERS",
    "IDENTICAL",
    "LOSSLESS_COLUMNS",
    "NO_CONTROL",
    "UNSTABLE",
    "Lossless",
    "first_difference",
]

IDENTICAL = "identical"
"""Every output is one of the baseline's."""

DIFFERS = "differs"
"""An output is none of the baseline's, although the baseline repeats itself."""

UNSTABLE = "unstable"
"""An output is none of the baseline's, and the baseline does not repeat itself either."""

NO_CONTROL = "no-control"
"""An output is none of the baseline's, which was measured once: there is nothing to judge by."""

LOSSLESS_COLUMNS = {
    "run": "object",
    "task": "object",
    "outputs": "int64",
    "identical": "int64",
    "first_difference": "Int64",
    "baseline_outputs": "int64",
    "baseline_first_difference": "Int64",
    "verdict": "object",
}


@dataclass(frozen=True)
class Lossless:
    """Compares greedy outputs with the baseline's, task by task.

    Parameters
    ----------
    baseline
        Run id of the run without speculation; null compares nothing.
    """

    baseline: str | None

    def __call__(self, runs: Sequence[Run]) -> pd.DataFrame:
        """Compare every configuration that can be compared.

        Parameters
        ----------
        runs
            Records. Synthetic runs are left out, since their text is not the
            model's, and so is every run that is not known to be greedy
            (temperature 0) or that has another prompt set than the baseline.

        Returns
        -------
        pandas.DataFrame
            Columns `LOSSLESS_COLUMNS`, one row for each run and task with an
            output on both sides. `outputs` of the run were compared,
            `identical` of them are one of the baseline's `baseline_outputs`.
            `first_difference` is the earliest token (from 1) at which an
            output parts from the baseline's closest one;
            `baseline_first_difference` that at which two of the baseline's own
            part. Both are null where nothing parts, or where only hashes were
            recorded.
        """
        plain = [run for run in runs if run.id == self.baseline and _greedy(run)]
        prompts = {run.prompt_set for run in plain}
        references = _outputs(plain)
        rows = []
        others = [run for run in runs if run.id != self.baseline and _greedy(run)]
        for id in dict.fromkeys(run.id for run in others):
            parts = [run for run in others if run.id == id]
            if {run.prompt_set for run in parts} != prompts or len(prompts) != 1:
                continue
            for task, outputs in _outputs(parts).items():
                if task in references:
                    rows.append(_compared(id, task, outputs, references[task]))
        return pd.DataFrame(rows, columns=list(LOSSLESS_COLUMNS)).astype(LOSSLESS_COLUMNS)


def first_difference(first: Sequence[int], second: Sequence[int]) -> int | None:
    """The first token, counted from 1, at which two outputs differ.

    One that ends where the other goes on differs at the first token it lacks.

    Examples
    --------
    >>> first_difference([5, 6, 7], [5, 9, 7])
    2
    >>> first_difference([5, 6], [5, 6, 7])
    3
    >>> first_difference([5, 6], [5, 6]) is None
    True
    """
    for place, (one, other) in enumerate(zip(first, second, strict=False), start=1):
        if one != other:
            return place
    shorter = min(len(first), len(second))
    return None if len(first) == len(second) else shorter + 1


def _greedy(run: Run) -> bool:
    return run.temperature == 0 and not run.synthetic


def _outputs(runs: Sequence[Run]) -> dict[str, list[TaskResult]]:
    found: dict[str, list[TaskResult]] = {}
    for run in runs:
        for result in run.tasks:
            if result.error is None and result.output_hash is not None and result.pooled == 1:
                found.setdefault(result.task, []).append(result)
    return found


def _compared(
    id: str, task: str, outputs: Sequence[TaskResult], references: Sequence[TaskResult]
) -> dict[str, Any]:
    known = {result.output_hash for result in references}
    differing = [result for result in outputs if result.output_hash not in known]
    stable = len(known) == 1
    if not differing:
        verdict = IDENTICAL
    elif not stable:
        verdict = UNSTABLE
    else:
        verdict = DIFFERS if len(references) > 1 else NO_CONTROL
    apart = [_closest(result, references) for result in differing]
    own = [_apart(one, other) for one, other in combinations(references, 2)]
    return {
        "run": encodable(id),
        "task": encodable(task),
        "outputs": len(outputs),
        "identical": len(outputs) - len(differing),
        "first_difference": _earliest(apart),
        "baseline_outputs": len(references),
        "baseline_first_difference": _earliest(own),
        "verdict": verdict,
    }


def _closest(result: TaskResult, references: Sequence[TaskResult]) -> int | None:
    """Where an output leaves the reference that it follows longest."""
    places = [_apart(result, reference) for reference in references]
    return max((place for place in places if place is not None), default=None)


def _apart(one: TaskResult, other: TaskResult) -> int | None:
    if one.tokens is None or other.tokens is None or one.output_hash == other.output_hash:
        return None
    return first_difference(one.tokens, other.tokens)


def _earliest(places: Sequence[int | None]) -> int | None:
    return min((place for place in places if place is not None), default=None)
