"""Ladder: what does each policy reach with a method, from leaving it off to the ceiling?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from analysis.depths.curves import DepthCurve
from analysis.depths.truncation import ceiling_tps, threshold_tps
from analysis.statistics.decision import MEASURED, Predicted, Settings, decide
from analysis.statistics.policy import Recommend
from analysis.statistics.routing import routed

_TAILS = (0.05, 0.95)

__all__ = ["LADDER_COLUMNS", "STEPS", "Ladder"]

STEPS = ("off", "fixed", "routed", "p_min", "threshold", "ceiling")
"""Policies from the simplest to the unreachable."""
LADDER_COLUMNS = (
    "method",
    "workload",
    "step",
    "run",
    "n_max",
    "p_min",
    "decode_tps",
    "low",
    "high",
    "speedup",
    "gap_closed",
    "source",
)


@dataclass(frozen=True)
class Ladder:
    """What each policy reaches with one method, from leaving it off to the ceiling.

    Parameters
    ----------
    baseline
        Run id of the run without speculation, or null.
    information
        See :func:`truncation.threshold_tps`: half of the variance of acceptance.
    """

    baseline: str | None
    information: float = 0.5

    def __call__(
        self,
        curves: Sequence[DepthCurve],
        sweeps: pd.DataFrame,
        runs: pd.DataFrame,
        workloads: pd.DataFrame,
        settings: Mapping[str | None, Settings],
        *,
        predicted: Mapping[str | None, Predicted] | None = None,
    ) -> pd.DataFrame:
        """One row per method, workload and policy that the data allow.

        Parameters
        ----------
        curves
            Of ``curves.depth_curves``.
        sweeps
            Frame of ``methods.Sweeps``.
        runs, workloads
            Frames of a ``summary.Summary``.
        settings
            Of ``settings.measured_settings``.
        predicted
            The same of settings that were replayed from a log with confidences.

        Returns
        -------
        pandas.DataFrame
            Columns `LADDER_COLUMNS`; `step` is one of `STEPS`, `workload` null
            = all tasks. `fixed` is the measured depth that is recommended of
            the method's, `routed` (overall only) the recommended one or off by
            workload, `p_min` a measured run with a threshold: their `source` is ``measured``.
            `threshold` is ``replayed`` where a log of the method has
            confidences. `ceiling` (``predicted``) and a `threshold` that is
            ``assumed`` are capped at the deepest depth measured; `gap_closed`
            is the share of the way from `fixed` to `ceiling`, null beyond it.
        """
        told = predicted or {}
        rows = [
            row
            for curve in curves
            for row in self._steps(
                curve, sweeps, runs, workloads, settings, predicted=told.get(curve.workload)
            )
        ]
        out = pd.DataFrame(rows, columns=list(LADDER_COLUMNS))
        texts = ("method", "workload", "step", "run", "n_max", "source")
        floats = [name for name in LADDER_COLUMNS if name not in texts]
        return out.astype({"n_max": "Int64", **dict.fromkeys(floats, "float64")})

    def _steps(
        self,
        curve: DepthCurve,
        sweeps: pd.DataFrame,
        runs: pd.DataFrame,
        workloads: pd.DataFrame,
        settings: Mapping[str | None, Settings],
        *,
        predicted: Predicted | None,
    ) -> Iterator[dict[str, Any]]:
        found = list(self._measured(curve, sweeps, runs, workloads, settings))
        replayed = None
        if predicted is not None:
            own = set(sweeps.loc[sweeps["method"] == curve.method, "run"])
            replayed = _replayed(predicted, own)
        if set(range(1, max(curve.measured) + 1)) <= set(curve.known):
            found += [
                row
                for row in self._predicted(curve)
                if replayed is None or row["step"] != "threshold"
            ]
        if replayed is not None:
            found.append(replayed)
        by_step = {row["step"]: row for row in found}
        plain = by_step.get("off", {}).get("decode_tps")
        fixed = by_step.get("fixed", {}).get("decode_tps")
        ceiling = by_step.get("ceiling", {}).get("decode_tps")
        for row in sorted(found, key=lambda row: STEPS.index(row["step"])):
            row |= {"method": curve.method, "workload": curve.workload}
            if plain is not None:
                row["speedup"] = row["decode_tps"] / plain
            # Leaving speculation off may be beyond all that drafting can reach.
            if (
                fixed is not None
                and ceiling is not None
                and ceiling > fixed
                and row["decode_tps"] <= ceiling
            ):
                row["gap_closed"] = (row["decode_tps"] - fixed) / (ceiling - fixed)
            yield row

    def _measured(
        self,
        curve: DepthCurve,
        sweeps: pd.DataFrame,
        runs: pd.DataFrame,
        workloads: pd.DataFrame,
        settings: Mapping[str | None, Settings],
    ) -> Iterator[dict[str, Any]]:
        own = sweeps[sweeps["method"] == curve.method]
        if curve.workload is None:
            rates = runs.set_index("id")["decode_tps"].dropna()
        else:
            among = workloads[workloads["workload"] == curve.workload]
            rates = among.set_index("run")["decode_tps"].dropna()
        if self.baseline is not None and self.baseline in rates.index:
            yield {"step": "off", "decode_tps": float(rates[self.baseline]), "source": "measured"}
        groups = {"fixed": own[own["excluded"].isna()], "p_min": own[own["excluded"] == "p-min"]}
        for step, group in groups.items():
            timed = group[group["run"].isin(rates.index)].set_index("run", drop=False)
            known = settings.get(curve.workload)
            if known is None or not set(timed["run"]) & set(known.runs):
                continue
            own_settings = known.among(set(timed["run"]))
            depths = timed["n_max"].astype("float64").to_dict()
            same = [MEASURED for _ in own_settings.runs]
            run = own_settings.runs[decide(own_settings.rates, same).chosen]
            yield {
                "step": step,
                "run": run,
                "n_max": depths[run],
                "p_min": timed.at[run, "p_min"] if step == "p_min" else None,
                "decode_tps": float(rates.to_dict()[run]),
                "source": "measured",
            }
        if curve.workload is not None:
            return
        used = {*groups["fixed"]["run"], *([] if self.baseline is None else [self.baseline])}
        own_runs, classes = runs[runs["id"].isin(used)], workloads[workloads["run"].isin(used)]
        among_used = {name: one.among(used) for name, one in settings.items()}
        chosen = Recommend(self.baseline)(own_runs, classes, among_used)
        routing = routed(chosen, own_runs, classes, self.baseline, among_used)
        if routing is not None:
            yield {"step": "routed", "decode_tps": routing.routed_tps, "source": "measured"}

    def _predicted(self, curve: DepthCurve) -> Iterator[dict[str, Any]]:
        depth = max(curve.measured)
        ceiling = ceiling_tps(curve, depth)
        guessed, threshold = threshold_tps(curve, depth, self.information)
        for step, draws, source in (
            ("threshold", guessed, "assumed"),
            ("ceiling", ceiling, "predicted"),
        ):
            low, high = np.quantile(draws, _TAILS)
            yield {
                "step": step,
                "n_max": depth,
                "p_min": threshold if step == "threshold" else None,
                "decode_tps": float(np.median(draws)),
                "low": low,
                "high": high,
                "source": source,
            }


def _replayed(predicted: Predicted, runs: set[str]) -> dict[str, Any] | None:
    """The threshold that the rule takes of those replayed from the logs of these runs."""
    told = predicted.among(
        [
            place
            for place, (run, threshold) in enumerate(
                zip(predicted.runs, predicted.thresholds, strict=True)
            )
            if run in runs and threshold
        ]
    )
    if not told.runs:
        return None
    chosen = decide(told.rates, told.sizes).chosen
    low, high = np.quantile(told.rates[:, chosen], _TAILS)
    return {
        "step": "threshold",
        "n_max": told.depths[chosen],
        "p_min": told.thresholds[chosen],
        "decode_tps": float(np.median(told.rates[:, chosen])),
        "low": low,
        "high": high,
        "source": "replayed",
    }
