"""Replay the runs of a log or a campaign that have their drafts' confidences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from analysis.depths.curves import DepthCurve
from analysis.records import Run
from analysis.replaying.calibration import RELIABILITY_COLUMNS, SCORE_COLUMNS, Calibration
from analysis.replaying.costs import BLOCK_DRAFTERS, RoundCost, curve_cost, fitted
from analysis.replaying.table import REPLAY_COLUMNS, Replay
from analysis.replaying.texts import Guesses, guesses
from analysis.statistics.frames import task_frame

__all__ = ["Replayed", "Replays", "replayed"]


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
        With confidences.
    """

    run: str
    spec_type: str | None
    n_max: int | None
    p_min: float | None
    table: pd.DataFrame
    reliability: pd.DataFrame
    scores: pd.DataFrame
    requests: int


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
    if run.p_min or run.synthetic:
        return None
    answers: list[Guesses] = []
    rounds = []
    for task, workload in zip(run.tasks, task_frame([run], workloads)["workload"], strict=True):
        if task.rounds is None:
            continue
        made = guesses(task.rounds, task.task, workload)
        if made is not None:
            answers.append(made)
            rounds.append(task.rounds)
    if not answers:
        return None
    cost = cost or fitted(rounds, run.spec_type in BLOCK_DRAFTERS)
    sampled = run.temperature is None or run.temperature > 0
    reliability, scores = Calibration()(answers)
    return Replayed(
        name,
        run.spec_type,
        run.n_max,
        run.p_min,
        Replay(sampled=sampled)(answers, cost),
        reliability,
        scores,
        len(answers),
    )


@dataclass(frozen=True, eq=False)
class Replays:
    """The replays of a campaign's runs as frames, each with a column `run` (its id).

    Attributes
    ----------
    table, reliability, scores
        See :class:`Replayed`; empty where no run has confidences.
    """

    table: pd.DataFrame
    reliability: pd.DataFrame
    scores: pd.DataFrame

    @classmethod
    def of(
        cls,
        runs: Sequence[Run],
        workloads: Mapping[str, str],
        sweeps: pd.DataFrame,
        times: pd.DataFrame,
        curves: Sequence[DepthCurve],
    ) -> Replays:
        """Replay each run that can be, at the cost of its method's forwards.

        Parameters
        ----------
        runs, workloads
            Of the campaign.
        sweeps, times, curves
            Of ``depths.methods.Sweeps``, ``depths.cost.StepTimes`` and
            ``depths.curves.depth_curves``: where they know a method, its
            forwards cost what was measured without the logging.
        """
        by_method = {curve.method: curve for curve in curves if curve.workload is None}
        methods = dict(zip(sweeps["run"], sweeps["method"], strict=True))
        found = []
        for run in runs:
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
            }
        )
