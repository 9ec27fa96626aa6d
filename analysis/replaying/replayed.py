"""Replay the runs of a log or a campaign that have their drafts' confidences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.depths.curves import DepthCurve
from analysis.records import LOGGED, Run
from analysis.replaying.calibration import RELIABILITY_COLUMNS, SCORE_COLUMNS, Calibration
from analysis.replaying.costs import BLOCK_DRAFTERS, RoundCost, curve_cost, fitted
from analysis.replaying.table import REPLAY_COLUMNS, Replay
from analysis.replaying.texts import Guesses, guesses
from analysis.statistics.frames import task_frame

__all__ = ["LOGGING_COLUMNS", "Replayed", "Replays", "replayed"]

LOGGING_COLUMNS = ("run", "without_ms", "with_ms")


@dataclass(frozen=True, eq=False)
class Replayed:
    """The replay of one run.

    Attributes
    ----------
    run
        Its id or label, for tables.
    spec_type, n_max, p_min
        As logged.
    table
        Of ``table.Replay``.
    reliability, scores
        Of ``calibration.Calibration``.
    requests
        How many requests have confidences.
    rates
        Draws of throughput by row of `table`, see ``table.Replay.drawn``; null without times.
    """

    run: str
    spec_type: str | None
    n_max: int | None
    p_min: float | None
    table: pd.DataFrame
    reliability: pd.DataFrame
    scores: pd.DataFrame
    requests: int
    rates: npt.NDArray[np.floating[Any]] | None = None


def replayed(
    run: Run,
    name: str,
    workloads: Mapping[str, str] | None = None,
    cost: RoundCost | None = None,
) -> Replayed | None:
    """Replay one run; null where it has no confidences, or its drafts were cut by a threshold.

    Parameters
    ----------
    run
        Of a parser or a campaign.
    name
        What to call it in tables.
    workloads
        The author's classes of tasks.
    cost
        Of a forward; from the log's own clock where null.
    """
    if run.p_min or run.synthetic or all(task.rounds is None for task in run.tasks):
        return None
    answers: list[Guesses] = []
    rounds = []
    for task, workload in zip(run.tasks, task_frame([run], workloads)["workload"], strict=True):
        if task.rounds is None:
            continue
        made = guesses(task.rounds, task.task, workload, task.predicted_tokens)
        if made is not None:
            answers.append(made)
            rounds.append(task.rounds)
    if not answers:
        return None
    cost = cost or fitted(rounds, run.spec_type in BLOCK_DRAFTERS)
    sampled = run.temperature is None or run.temperature > 0
    reliability, scores = Calibration()(answers)
    table, rates = Replay(sampled=sampled).drawn(answers, cost)
    return Replayed(
        name,
        run.spec_type,
        run.n_max,
        run.p_min,
        table,
        reliability,
        scores,
        len(answers),
        rates,
    )


@dataclass(frozen=True, eq=False)
class Replays:
    """The replays of a campaign's runs as frames, each with a column `run` (its id).

    Attributes
    ----------
    table, reliability, scores
        See :class:`Replayed`; empty where no run has confidences.
    logging
        What logging confidences costs, where a run was measured with and
        without: columns `LOGGING_COLUMNS`, times in ms per forward.
    each
        One :class:`Replayed` for each run.
    """

    table: pd.DataFrame
    reliability: pd.DataFrame
    scores: pd.DataFrame
    logging: pd.DataFrame
    each: tuple[Replayed, ...] = ()

    @classmethod
    def of(
        cls,
        runs: Sequence[Run],
        logged: Sequence[Run],
        workloads: Mapping[str, str],
        times: pd.DataFrame,
        curves: Sequence[DepthCurve],
    ) -> Replays:
        """Replay each run that can be, at the cost of its method's forwards.

        Parameters
        ----------
        runs, logged, workloads
            Of the campaign. A logged run repeats one of `runs` for its confidences
        alone, and stands for it.
        times, curves
            Of ``depths.cost.StepTimes`` and ``depths.curves.depth_curves``: where
            they know a run's method, its forwards cost what was measured
            without the logging.
        """
        by_method = {curve.method: curve for curve in curves if curve.workload is None}
        methods = dict(zip(times["run"], times["method"], strict=True))
        found = []
        twins = [replace(run, id=run.id.removesuffix(LOGGED)) for run in logged]
        for run in (*runs, *twins):
            method = methods.get(run.id)
            cost = None
            if method in by_method and (run.n_max or 0) < by_method[method].step_ms.shape[1]:
                cost = curve_cost(
                    by_method[method], times[times["method"] == method],
                    run.spec_type in BLOCK_DRAFTERS,
                )  # fmt: skip
            made = replayed(run, run.id, workloads, cost)
            if made is not None:
                found.append(made)
        parts = {
            "table": REPLAY_COLUMNS, "reliability": RELIABILITY_COLUMNS, "scores": SCORE_COLUMNS
        }  # fmt: skip
        return cls(
            **{
                name: pd.concat(
                    [getattr(one, name).assign(run=one.run) for one in found], ignore_index=True
                )
                if found
                else pd.DataFrame(columns=["run", *columns])
                for name, columns in parts.items()
            },
            logging=_logging_cost(runs, twins),
            each=tuple(found),
        )


def _logging_cost(runs: Sequence[Run], twins: Sequence[Run]) -> pd.DataFrame:
    """Time per forward of the runs that were measured with and without the logging."""
    rows = []
    for twin in twins:
        without = _ms_per_forward([run for run in runs if run.id == twin.id])
        with_it = _ms_per_forward([twin])
        if without is not None and with_it is not None:
            rows.append((twin.id, without, with_it))
    return pd.DataFrame(rows, columns=list(LOGGING_COLUMNS))


def _ms_per_forward(runs: Sequence[Run]) -> float | None:
    rows = task_frame(runs)
    timed = rows[rows["error"].isna() & rows["decode_s"].notna() & rows["forwards"].notna()]
    forwards = float(timed["forwards"].sum())
    return 1000 * float(timed["decode_s"].sum()) / forwards if forwards else None
