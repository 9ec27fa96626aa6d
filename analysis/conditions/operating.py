"""Operating points: what did each run give at its point, against no speculation at the same?"""

from __future__ import annotations

from dataclasses import dataclass, field

import pandas as pd

from analysis.conditions.latency import LATENCY_COLUMNS, Latency
from analysis.depths.measured import MeasuredRuns
from analysis.statistics.noise import Noise
from analysis.statistics.points import AXES, RunsAtPoint
from analysis.statistics.speedups import Speedups

__all__ = ["POINT_COLUMNS", "OperatingPoints"]

_OF_SPEEDUPS = tuple(
    f"{name}{end}" for name in ("speedup", "decode_speedup") for end in ("", "_low", "_high")
)
_OF_RUNS = (
    "n_requests",
    "effective_tps",
    "aggregate_tps",
    "joules_per_token",
    "decode_tps",
    "acceptance_rate",
    "mean_accepted_length",
)
_LATENCIES = LATENCY_COLUMNS[1:]

POINT_COLUMNS = (
    "run",
    "series",
    "baseline",
    *AXES,
    "at_once",
    "repeats",
    *_OF_RUNS,
    "drafted_per_forward",
    "tokens_per_forward",
    *_OF_SPEEDUPS,
    *_LATENCIES,
)


@dataclass(frozen=True)
class OperatingPoints:
    """Every run of every point, those without speculation first.

    Parameters
    ----------
    noise
        The settings of the noise model.
    """

    noise: Noise = field(default_factory=Noise)

    def __call__(self, measured: MeasuredRuns) -> tuple[pd.DataFrame, pd.DataFrame]:
        """One row per run and point, and the run frame of the points that are not home.

        Parameters
        ----------
        measured
            All runs of a campaign.

        Returns
        -------
        points : pandas.DataFrame
            Columns `POINT_COLUMNS`. `series` is the id by which a configuration
            is known at all its points, and for runs without speculation the
            campaign's baseline; `baseline` the run that the speedups refer
            to. `effective_tps` is tokens over wall time, with several requests at
            once over the union of their times or, in a steady state, over the share of
            it that the measured ones took; `aggregate_tps` is what all clients
            received, the requests that kept the server busy included; `at_once` how
            many were under way on average, null where no request's times are known.
            `tokens_per_forward` counts each request's first token too,
            `mean_accepted_length` does not.
            Speedups have 90 % intervals by the one model of noise.
        elsewhere : pandas.DataFrame
            As ``speedups.Speedups`` makes it, each run against its own point's baseline.
        """
        points = measured.points
        made = [(point, self._runs(point, measured)) for point in points.points]
        kinds = dict.fromkeys(POINT_COLUMNS[3:], "float64")
        empty = pd.DataFrame(columns=list(POINT_COLUMNS))
        rows = [self._rows(point, runs, measured) for point, runs in made]
        frame = pd.concat(rows, ignore_index=True) if rows else empty
        away = [runs for point, runs in made if point is not points.home]
        elsewhere = pd.concat(away, ignore_index=True) if away else measured.totals.head(0)
        return frame[list(POINT_COLUMNS)].astype(kinds), elsewhere

    def _runs(self, point: RunsAtPoint, measured: MeasuredRuns) -> pd.DataFrame:
        ids = (point.baseline, *point.runs)
        totals = measured.totals[measured.totals["id"].isin(ids)]
        tasks = measured.tasks[measured.tasks["run"].isin(ids)]
        passes = measured.passes[measured.passes["run"].isin(ids)]
        return Speedups(point.baseline, self.noise)(totals, tasks, passes, measured.noise)

    @staticmethod
    def _rows(point: RunsAtPoint, runs: pd.DataFrame, measured: MeasuredRuns) -> pd.DataFrame:
        forwards = runs["forwards"].astype("float64")
        forwards = forwards.where(forwards > 0)
        series = measured.points.series
        at_once = measured.passes.groupby("run")["at_once"].mean()
        latency = Latency()(measured.tasks).set_index("run")
        order = {id: place for place, id in enumerate((point.baseline, *point.runs))}
        out = runs.rename(columns={"id": "run"})
        out = out.drop(columns=["baseline", *AXES]).assign(
            series=[series.get(str(id), str(measured.baseline)) for id in runs["id"]],
            baseline=point.baseline,
            drafted_per_forward=runs["draft_tokens"].astype("float64") / forwards,
            tokens_per_forward=runs["predicted_tokens"].astype("float64") / forwards,
            at_once=runs["id"].map(at_once),
            **dict(zip(AXES, point.at, strict=True)),
            **{name: runs["id"].map(latency[name]) for name in _LATENCIES},
        )
        return out.sort_values("run", key=lambda names: names.map(order), kind="stable")[
            list(POINT_COLUMNS)
        ]
