"""Conditions: were two runs measured alike, so that their speeds compare?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analysis.records import Run
from analysis.statistics.passes import overlapping

__all__ = ["CONDITIONS", "conditions", "differing", "unlike"]

CONDITIONS = {
    "concurrency": "requests at once",
    "prompt_set": "prompt set",
    "max_tokens": "token limit",
    "longest": "token limit, as the longest texts show it",
    "temperature": "temperature",
    "context_tokens": "tokens of context",
    "request": "fields of requests",
}
"""What has to be the same in two runs that are compared, and what it is called."""

_SAID_BY_TASKS = 3
"""Tasks that end at the same, largest number of tokens, from which this is taken for a limit."""


def conditions(runs: Sequence[Run]) -> dict[str, dict[str, frozenset[object]]]:
    """Per run id, what is known of each condition; two values where its repeats differ."""
    out: dict[str, dict[str, frozenset[object]]] = {}
    for run in runs:
        known = out.setdefault(run.id, dict.fromkeys(CONDITIONS, frozenset()))
        for name in CONDITIONS:
            value = _value(run, name)
            if value is not None:
                known[name] |= {value}
    return out


def _value(run: Run, name: str) -> object:
    if name == "concurrency" and run.concurrency is None and overlapping(run):
        return "several"
    return _limit(run) if name == "longest" else getattr(run, name)


def _limit(run: Run) -> int | None:
    """The limit that a run's texts seem to have had; null where few end at the same length."""
    longest: dict[str, int] = {}
    for result in run.tasks:
        if result.error is None and result.pooled == 1 and result.predicted_tokens is not None:
            longest[result.task] = max(longest.get(result.task, 0), result.predicted_tokens)
    most = max(longest.values(), default=0)
    return most if list(longest.values()).count(most) >= _SAID_BY_TASKS else None


def differing(
    one: Mapping[str, frozenset[object]], other: Mapping[str, frozenset[object]]
) -> dict[str, str]:
    """The conditions that are known not to be the same, with both values.

    Examples
    --------
    >>> four, single = {"concurrency": frozenset({4})}, {"concurrency": frozenset({1})}
    >>> differing(four, single)
    {'concurrency': '4 against 1'}
    """
    out = {}
    for name, values in one.items():
        others = other.get(name, frozenset())
        if len(values | others) < 2 and not _alone(name, values, others):
            continue
        # Repeats of one side that differ can't be told from the other's; one that is silent may.
        if (values and others) or len(values) > 1 or _alone(name, values, others):
            out[name] = f"{_shown(values)} against {_shown(others)}"
    return out


def _alone(name: str, values: frozenset[object], others: frozenset[object]) -> bool:
    """Whether only one side says how many requests ran at once, and it is several."""
    said = values or others
    return name == "concurrency" and not (values and others) and bool(said - {1})


def _shown(values: frozenset[object]) -> str:
    words = [f"{value:g}" if isinstance(value, float) else str(value) for value in values]
    return " and ".join(sorted(words)) or "not recorded"


def unlike(runs: Sequence[Run], baseline: str | None) -> dict[str, dict[str, str]]:
    """Run id to the conditions in which it differs from the baseline, as :func:`differing`.

    Parameters
    ----------
    runs
        Records.
    baseline
        Run id, or null, which nothing differs from.
    """
    if baseline not in {run.id for run in runs}:
        return {}
    known = conditions(runs)
    plain = known[baseline]
    return {run: found for run, own in known.items() if (found := differing(own, plain))}
