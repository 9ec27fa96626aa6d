"""Depth curves: how fast is each depth, draw by draw?

Everything is computed from the posteriors of survival (``acceptance.Curves``)
and of the time per forward (``cost.CostCurve``), so that whatever is read from
the draws carries both uncertainties.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.depths.acceptance import Curves
from analysis.depths.cost import CostCurve

__all__ = ["DepthCurve", "depth_curves", "round_lengths"]

Floats = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True, eq=False)
class DepthCurve:
    """Draws of what a method does at each depth on one workload.

    Attributes
    ----------
    method, workload
        `workload` null = all tasks.
    measured
        Depths with a run.
    step_ms
        Time per forward at depth 0, 1, …, shape (n_draws, depths + 1).
    length
        Tokens per forward at depth 0, 1, … (1 at depth 0), same shape.
    decode_tps
        Decode throughput, same shape; at depth 0 that of no speculation, NaN
        without a baseline.
    known
        Depths at which `step_ms` and `length` are both known.
    tokens
        Predicted tokens of each text, shape (n_tasks,).
    survival
        Probability that a draft of each text is accepted up to a position, shape (n_draws,
        n_tasks, depths).
    fullness
        Tokens drafted per forward, as a share of the depth: the last drafts before a limit
        on tokens are shorter.
    """

    method: str
    workload: str | None
    measured: tuple[int, ...]
    step_ms: Floats
    length: Floats
    decode_tps: Floats
    known: tuple[int, ...]
    tokens: Floats
    survival: Floats
    fullness: float = 1.0


def depth_curves(
    curves: Sequence[Curves], times: pd.DataFrame, plain: pd.DataFrame | None, cost: CostCurve
) -> tuple[DepthCurve, ...]:
    """Every method's throughput over depth, overall and per workload.

    Parameters
    ----------
    curves
        Of ``acceptance.Acceptance``.
    times
        Frame of ``cost.StepTimes``.
    plain
        The baseline's rows of a task frame; null or empty without one.
    cost
        Settings of the cost curve; its run noise is the plain step's too.

    Returns
    -------
    tuple of DepthCurve
        Methods in the order given; all tasks first, then each workload.
    """
    return tuple(
        made
        for place, one in enumerate(curves)
        for made in _of_method(one, times, plain, replace(cost, seed=cost.seed + 100 * place), cost)
    )


def _of_method(
    curves: Curves,
    times: pd.DataFrame,
    plain: pd.DataFrame | None,
    cost: CostCurve,
    shared: CostCurve,
) -> Iterator[DepthCurve]:
    own = times[times["method"] == curves.method]
    if own.empty:
        return
    draws, _, depths = curves.draws.shape
    step_ms = cost(own, depths)[np.arange(draws) % cost.draws]
    timed = set(own["n_max"])
    length, overshoot = round_lengths(curves.draws)
    tokens = curves.tasks["predicted_tokens"].to_numpy("float64")
    plain_ms = _plain_ms(plain, draws, shared)
    known = tuple(
        depth
        for depth in range(1, depths + 1)
        if (len(timed) > 1 or depth in timed) and (curves.identified or depth in curves.depths)
    )
    scopes: list[str | None] = [None, *dict.fromkeys(curves.tasks["workload"])]
    for workload in scopes:
        among = (
            np.ones(len(tokens), dtype=bool)
            if workload is None
            else (curves.tasks["workload"] == workload).to_numpy()
        )
        among = among & (tokens > 1)
        if not among.any():
            continue
        after = tokens[among][None, :, None] - 1
        forwards = ((after + overshoot[:, among]) / length[:, among]).sum(axis=1)
        tps = 1000 * after.sum() / (forwards * step_ms[:, 1:])
        plain_tps = np.full(draws, np.nan) if plain_ms is None else 1000 / plain_ms
        yield DepthCurve(
            curves.method,
            workload,
            tuple(sorted(timed)),
            step_ms,
            np.column_stack([np.ones(draws), after.sum() / forwards]),
            np.column_stack([plain_tps, tps]),
            known,
            tokens[among],
            curves.draws[:, among],
            float(curves.tasks.loc[among, "drafted"].sum() / curves.tasks.loc[among, "full"].sum()),
        )


def round_lengths(survival: Floats) -> tuple[Floats, Floats]:
    """Mean tokens per round at each depth, and by how much the last round overshoots a text.

    With X = 1 + accepted, a text of n tokens after the first takes
    (n + o) / E[X] rounds, o = (E[X²] / E[X] - 1) / 2 (renewal theorem).

    Parameters
    ----------
    survival
        Positions along the last axis.

    Returns
    -------
    tuple of numpy.ndarray
        E[X] and o, of the same shape; the last axis is the depth from 1.
    """
    place = np.arange(1, survival.shape[-1] + 1)
    mean = 1 + np.cumsum(survival, axis=-1)
    square = 2 * mean - 1 + np.cumsum((2 * place - 1) * survival, axis=-1)
    return mean, (square / mean - 1) / 2


def _plain_ms(plain: pd.DataFrame | None, draws: int, cost: CostCurve) -> Floats | None:
    """Draws of the plain step: total decode time over timed tokens, and its error."""
    if plain is None:
        return None
    done = plain[plain["error"].isna() & (plain["decode_s"] > 0)]
    if done.empty:
        return None
    cells = done.groupby("task", sort=False)[["timed_tokens", "decode_s"]].mean()
    tokens, seconds = (cells[name].to_numpy("float64") for name in cells)
    value = 1000 * seconds.sum() / tokens.sum()
    weights = tokens / tokens.sum()
    count = 1 / float((weights**2).sum())
    spread = float(np.sqrt((weights * (1000 * seconds / tokens - value) ** 2).sum()))
    error = spread / np.sqrt(count - 1) if count > 1.5 else 0.02 * value
    freedom = max(count - 1, 2.0)
    random = np.random.default_rng(11)
    shared = max(cost.run_sd, cost.least_noise) / np.sqrt(done["start"].nunique())
    noise = error * random.standard_t(freedom, draws)
    noise += shared * value * random.standard_t(max(cost.run_freedom, 1.0), draws)
    drawn: Floats = np.maximum(value + noise, 0.01 * value)
    return drawn
