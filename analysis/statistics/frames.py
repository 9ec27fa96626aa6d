"""Records in, tidy frames out: one row per task result, one per run.

Nulls are ``NaN`` or ``<NA>`` in frames and never anything else; columns carry
the names of the results.json contract, and their units are those of
``records.py`` (seconds, tokens per second, tokens).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, NamedTuple

import pandas as pd

from analysis.errors import encodable
from analysis.records import BUILT_IN_WORKLOADS, Run, TaskResult, forwards
from analysis.statistics.columns import dtypes
from analysis.statistics.passes import pass_frame, starts
from analysis.statistics.rates import (
    Convention,
    decode_seconds,
    decode_tps,
    rate_convention,
    timed_tokens,
)
from analysis.statistics.rows import RunRow, TaskRow

__all__ = ["OTHER_WORKLOAD", "RUN_COLUMNS", "TASK_COLUMNS", "run_frame", "task_frame"]

OTHER_WORKLOAD = "other"
"""Class of a task that neither the campaign nor the built-in table names."""

TASK_COLUMNS: Mapping[str, str] = dtypes(TaskRow)
RUN_COLUMNS: Mapping[str, str] = {
    **dtypes(RunRow),
    "stated_predicted_tokens": "Int64",
    "stated_draft_tokens": "Int64",
    "stated_accepted_tokens": "Int64",
    "stated_acceptance_rate": "float64",
    "stated_decode_s": "float64",
    "stated_decode_tps": "float64",
    "stated_forwards": "Int64",
    "stated_effective_tps": "float64",
}

_MAY_BE_NULL = ("Int64", "float64")

_OF_RESULT = tuple(one.name for one in fields(TaskResult) if one.name in TASK_COLUMNS)
"""Columns that a task result has by the same name; ``_task_columns`` has those that differ."""
_OF_RUN = tuple(one.name for one in fields(Run) if one.name in RUN_COLUMNS)
"""Columns of a run that its repeats state alike; ``_run_row`` has those that are more."""


def task_frame(
    runs: Iterable[Run], workloads: Mapping[str, str] | None = None, build: str | None = None
) -> pd.DataFrame:
    """One row per task result, with the figures that follow from it alone.

    Parameters
    ----------
    runs
        The runs, each with an `id`; runs that share one are its repeats.
    workloads
        Task name to workload class, over the built-in classes.
    build
        llama.cpp's build where a run names none: how its rates count.

    Returns
    -------
    pandas.DataFrame
        Columns `TASK_COLUMNS`. `timed_tokens` are all but the first token of
        each request; `decode_s` is the time that they took, measured where the
        source has it, else from its rate, and `decode_tps` their rate, by one
        convention for all sources (see ``rates.py``). `ms_per_forward` of a
        request that drafted nothing is its plain step, the time per timed
        token. `start` numbers the server starts of a run id from 1: a run is
        one, or each of its repeats where those had fresh servers. `pooled`
        counts the requests that a row sums, those that failed left out. A
        failed request keeps nulls.
    """
    chosen = workloads or {}
    runs = list(runs)
    cells: dict[str, list[Any]] = {name: [] for name in TASK_COLUMNS}
    for run, numbers in zip(runs, starts(runs), strict=True):
        # A large log has as many rows as requests: by columns they take half the time.
        own = _task_columns(run, numbers, chosen, rate_convention(run, build))
        for name, column in cells.items():
            column.extend(own.get(name, [None] * len(run.tasks)))
    return _frame(cells, TASK_COLUMNS)


def _workload(result: TaskResult, chosen: Mapping[str, str]) -> str:
    """The author's class of a task, else the source's own, else the built-in one."""
    built_in = BUILT_IN_WORKLOADS.get(result.task, OTHER_WORKLOAD)
    return chosen.get(result.task) or result.workload or built_in


def _task_columns(
    run: Run, numbers: Mapping[int, int], chosen: Mapping[str, str], convention: Convention | None
) -> dict[str, list[Any]]:
    tasks = run.tasks
    of = {name: [getattr(result, name) for result in tasks] for name in _OF_RESULT}
    timed = [timed_tokens(result) for result in tasks]
    decode_s = [decode_seconds(result, convention) for result in tasks]
    steps = [_forwards(result, run.n_max) for result in tasks]
    return {
        **of,
        "run": [run.id] * len(tasks),
        "start": [numbers[repeat] for repeat in of["repeat"]],
        "workload": [_workload(result, chosen) for result in tasks],
        "timed_tokens": timed,
        "acceptance_rate": [
            accepted / drafted if drafted and accepted is not None else None
            for drafted, accepted in zip(of["draft_tokens"], of["accepted_tokens"], strict=True)
        ],
        "decode_tps": [decode_tps(result, convention) for result in tasks],
        "decode_s": decode_s,
        "watts": [
            None if result.surroundings is None else result.surroundings.watts for result in tasks
        ],
        "context_tokens": [_context(run, result) for result in tasks],
        "synthetic": [run.synthetic] * len(tasks),
        "definition": [run.acceptance_definition] * len(tasks),
        "source": [str(result.source) for result in tasks],
        "forwards": steps,
        "mean_accepted_length": [
            tokens / count if count and tokens is not None else None
            for tokens, count in zip(timed, steps, strict=True)
        ],
        "ms_per_forward": [
            1000 * seconds / count if count and seconds else None
            for seconds, count in zip(decode_s, steps, strict=True)
        ],
    }


def _forwards(result: TaskResult, n_max: int | None) -> int | None:
    predicted, drafted, accepted = (
        result.predicted_tokens, result.draft_tokens, result.accepted_tokens,
    )  # fmt: skip
    if predicted is None or drafted is None or accepted is None:
        return None
    # A pooled row sums several requests, each of which took its first token from prefill.
    return forwards(predicted - (result.pooled - 1), drafted, accepted, n_max)


def _context(run: Run, result: TaskResult) -> int | None:
    """What stood before a request's first generated token, as far as it is known."""
    if result.prompt_tokens is None or result.cached_tokens is None:
        return run.context_tokens
    return result.prompt_tokens + result.cached_tokens


def run_frame(runs: Sequence[Run], passes: pd.DataFrame | None = None) -> pd.DataFrame:
    """One row per run id, in order of first appearance: what was configured and its wall time.

    Parameters
    ----------
    runs
        The runs; those that share an id are repeats of one configuration.
    passes
        Their frame of ``passes.pass_frame``, where somebody has it.

    Returns
    -------
    pandas.DataFrame
        Columns `RUN_COLUMNS`. The `stated_…` ones are totals of a source
        whose rows lack the figure, or that has no rows. `wall_s` is the time of
        the passes that have one (see ``passes.py``), and `stated_effective_tps`
        their tokens over it. A pass that lacks tasks of the others is left out
        of the latter; where no other has a time, each task's tokens and time are
        averaged over its repeats first. `aggregate_tps` of several at once is what
        all clients received in steady states over how long these lasted, where that was
        counted, and else `stated_effective_tps`.
    """
    by_id: dict[str, list[Run]] = {}
    for run in runs:
        by_id.setdefault(run.id, []).append(run)
    passes = pass_frame(runs) if passes is None else passes
    of: dict[str, list[_PassFigures]] = {}
    columns = (passes[name] for name in _PassFigures._fields)
    for run, own in zip(passes["run"], map(_PassFigures, *columns), strict=True):
        of.setdefault(run, []).append(own)
    rows = [
        {**_run_row(parts), **_walls(parts, of.get(encodable(run), []))}
        for run, parts in by_id.items()
    ]
    return _frame({name: [row.get(name) for row in rows] for name in RUN_COLUMNS}, RUN_COLUMNS)


def _frame(cells: dict[str, list[Any]], columns: Mapping[str, str]) -> pd.DataFrame:
    """A frame of columns; they are used up, so that those of a large log are never there twice."""
    made = {}
    for name, kind in columns.items():
        values = cells.pop(name)
        if kind == "object":
            values = [encodable(said) if isinstance(said, str) else said for said in values]
        if kind in _MAY_BE_NULL and values.count(None) == len(values):
            # Of a large log most columns are of what it does not say: no value is looked at then.
            made[name] = pd.Series([None], dtype=kind).repeat(len(values)).reset_index(drop=True)
        else:
            made[name] = pd.Series(values, dtype=kind)
    return pd.DataFrame(made)


def _run_row(parts: Sequence[Run]) -> dict[str, Any]:
    first = parts[0]
    return {
        **{name: _common(getattr(run, name) for run in parts) for name in _OF_RUN},
        "label": first.label or first.id,
        "spec_type": first.spec_type,
        "n_max": first.n_max,
        "p_min": first.p_min,
        "draft": first.draft,
        "synthetic": any(run.synthetic for run in parts),
        "repeats": len({result.repeat for run in parts for result in run.tasks}) or 1,
        "n_requests": _requests(parts),
        "definition": _common(run.acceptance_definition for run in parts),
        "source": ", ".join(str(run.source) for run in parts),
        **_stated(parts),
    }


def _requests(parts: Sequence[Run]) -> int | None:
    if any(run.tasks for run in parts):
        return sum(result.pooled + result.failed for run in parts for result in run.tasks)
    total: int | None = _total(parts, "n_requests")
    return total


def _stated(parts: Sequence[Run]) -> dict[str, Any]:
    """Totals of runs that have nothing but totals; null where rows can be summed instead.

    A report made from rows may state tokens that its rows do not, so a total is
    null only where a row has the figure.
    """
    names = ("predicted_tokens", "draft_tokens", "accepted_tokens", "decode_s")
    stated: dict[str, Any] = {}
    for name in names:
        in_rows = any(getattr(row, name) is not None for run in parts for row in run.tasks)
        stated[f"stated_{name}"] = None if in_rows else _total(parts, name)
    alone = parts[0].aggregate if len(parts) == 1 and not parts[0].tasks else None
    for name in ("acceptance_rate", "decode_tps"):
        stated[f"stated_{name}"] = getattr(alone, name) if alone else None
    counts = [stated[f"stated_{name}"] for name in names[:3]]
    requests = alone.n_requests if alone else None
    stated["stated_forwards"] = None
    if requests and None not in counts:
        predicted, drafted, accepted = counts
        steps = forwards(predicted - (requests - 1), drafted, accepted, parts[0].n_max)
        stated["stated_forwards"] = steps
    return stated


def _total(parts: Sequence[Run], name: str) -> Any:
    values = [getattr(run.aggregate, name) if run.aggregate else None for run in parts]
    return sum(values) if None not in values else None


class _PassFigures(NamedTuple):
    """What a run's throughput needs of one of its passes."""

    predicted_tokens: float
    wall_s: float
    overlapping: bool
    complete: bool


def _walls(parts: Sequence[Run], passes: Sequence[_PassFigures]) -> dict[str, float | None]:
    timed = [one for one in passes if one.wall_s > 0]
    whole = [one for one in timed if one.complete]
    at_once = any(one.overlapping for one in passes)
    rate = None
    if whole:
        tokens = sum(one.predicted_tokens for one in whole)
        rate = tokens / sum(one.wall_s for one in whole)
    elif not at_once:
        rate = _mean_rate(parts)
    known = whole or len(timed) == len(passes)
    return {
        "wall_s": sum(one.wall_s for one in timed) if timed and known else None,
        "stated_effective_tps": rate,
        "aggregate_tps": (_received(parts) or rate) if at_once else None,
    }


def _received(parts: Sequence[Run]) -> float | None:
    """Tokens per second of all clients together, by their own clock."""
    steady = [one for run in parts for one in run.steady_states]
    seconds = sum(one.seconds for one in steady)
    return sum(one.tokens for one in steady) / seconds if seconds else None


def _mean_rate(parts: Sequence[Run]) -> float | None:
    """Tokens over wall time of single requests, each task's mean over its repeats."""
    cells: dict[str, list[tuple[float, float]]] = {}
    for result in (result for run in parts for result in run.tasks if result.error is None):
        if result.predicted_tokens is None or not result.wall_s:
            return None
        cells.setdefault(result.task, []).append((result.predicted_tokens, result.wall_s))
    tokens, seconds = (
        sum(sum(cell[side] for cell in own) / len(own) for own in cells.values()) for side in (0, 1)
    )
    return tokens / seconds if seconds else None


def _common(values: Iterable[Any]) -> Any:
    """The one value that all parts state, or null when they differ or are silent."""
    distinct = set(values)
    return distinct.pop() if len(distinct) == 1 else None
