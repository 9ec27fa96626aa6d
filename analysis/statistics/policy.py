"""Recommendations: what should a user run, for which workload?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from analysis.statistics.decision import (
    ALIKE,
    BOUND,
    MEASURED,
    NONE,
    Decided,
    Predicted,
    Settings,
    decide,
)

__all__ = ["TIE", "Recommend"]

TIE = 0.01
"""Throughputs closer than this share are called about equal."""

COLUMNS = (
    "workload",
    "run",
    "spec_type",
    "n_max",
    "p_min",
    "decode_tps",
    "expected_speedup",
    "low",
    "high",
    "reason",
    "closest",
    "fastest",
    "basis",
    "replayed_run",
    "replayed_n_max",
    "replayed_p_min",
    "replayed_tps",
    "replayed_speedup",
    "replayed_low",
    "replayed_high",
    "replayed_advised",
)

_TAILS = (0.05, 0.95)


@dataclass(frozen=True)
class Recommend:
    """The setting to run overall and per workload, or speculation off, by ``decision.decide``.

    Parameters
    ----------
    baseline
        Run id of the run without speculation. ``None``: one of the
        configurations is named, without a speedup.
    bound
        What no speculation may be expected to lose.
    """

    baseline: str | None
    bound: float = BOUND

    def __call__(
        self,
        runs: pd.DataFrame,
        workloads: pd.DataFrame,
        settings: Mapping[str | None, Settings],
        predicted: Mapping[str | None, Predicted] | None = None,
    ) -> pd.DataFrame:
        """Choose among measured configurations.

        Parameters
        ----------
        runs, workloads
            Of the runs to choose from: frames of a ``summary.Summary``.
            Synthetic runs are never chosen, nor those whose speedup is withheld,
            nor those that drafted nothing: they ran as the baseline did, and any
            difference is noise.
        settings
            How fast they are, by workload, null = all tasks.
        predicted
            The same of settings that no run had.

        Returns
        -------
        pandas.DataFrame
            One row overall (`workload` null) and one per workload: `run` (null
            = leave speculation off), `spec_type`, `n_max`, `decode_tps` and
            `expected_speedup` as measured, `low` and `high` of the latter,
            `reason`; `closest` is what the same rule chooses among speculating
            settings alone, `fastest` the run with the highest measured rate;
            `basis` is ``expected`` for the least loss, ``off`` for no speculation that is
            expected to lose hardly more, and on a workload ``usual`` for what is advised
            overall and ``fastest`` for what measured fastest of those as good, in place of
            what should be hardly faster.
            `replayed_n_max`, `replayed_p_min` and so on are what the rule takes when
            it may choose predicted settings too, from the log of `replayed_run`; null
            where it takes a measured one. `replayed_advised` is false where no
            speculation is still expected to be better.
        """
        real = runs[~runs["synthetic"]]
        if self.baseline is not None:
            real = real[(real["id"] == self.baseline) | (real["draft_tokens"] != 0).fillna(True)]
        stated = ("spec_type", "n_max", "p_min")
        known = {
            run: dict(zip(stated, cells, strict=True))
            for run, *cells in zip(real["id"], *(real[name] for name in stated), strict=True)
        }
        groups: list[tuple[str | None, str, pd.DataFrame]] = [
            (None, "decode_speedup", real.rename(columns={"id": "run"}))
        ]
        measured = workloads[workloads["run"].isin(real["id"])]
        for workload, group in measured.groupby("workload", sort=False):
            groups.append((str(workload), "speedup", group))
        beside = predicted or {}
        chosen: list[dict[str, Any]] = []
        for name, ratio, group in groups:
            of_all = chosen[0] if chosen and chosen[0]["workload"] is None else {}
            usual = (of_all["run"] or self.baseline, of_all["closest"]) if of_all else (None, None)
            row = self._choose(
                _rates(group, ratio), known, settings.get(name), beside.get(name), usual
            )
            chosen += [] if row is None else [{"workload": name, **row}]
        floats = [name for name in COLUMNS if name.startswith("replayed_")][2:-1]
        types = {"n_max": "Int64", "replayed_n_max": "Int64", "replayed_advised": "boolean"}
        return pd.DataFrame(chosen, columns=list(COLUMNS)).astype(
            {**types, **dict.fromkeys(("p_min", *floats), "float64")}
        )

    def _choose(
        self,
        rated: dict[str, dict[str, Any]],
        known: Mapping[str, Mapping[str, Any]],
        settings: Settings | None,
        predicted: Predicted | None,
        usual: tuple[str | None, str | None],
    ) -> dict[str, object] | None:
        plain = None if self.baseline is None else rated.get(self.baseline)
        if plain is not None:
            rated = {run: row for run, row in rated.items() if not pd.isna(row["ratio"])}
        if not rated or settings is None:
            return None
        among = settings.among(rated)
        if not among.runs:
            return None
        rates = {name: rated[name]["decode_tps"] for name in among.runs}
        decided = self._decide(among, rates, usual[0])
        run = among.runs[decided.chosen]
        off = run == self.baseline
        drafting = among.among(set(among.runs) - {self.baseline})
        closest = None
        if drafting.runs:
            near = self._decide(drafting, rates, usual[1])
            closest = drafting.runs[near.chosen]
        row = rated[run]
        speedup = None if plain is None else row["decode_tps"] / plain["decode_tps"]
        low, high = _interval(row, None if off else speedup)
        fastest = max(rates, key=rates.__getitem__)
        basis = _basis(decided, off=off, usual=run == (usual[0] or self.baseline))
        return {
            "run": None if off else run,
            "spec_type": "none" if off else known[run]["spec_type"],
            "n_max": None if off else known[run]["n_max"],
            "p_min": None if off else known[run]["p_min"],
            "decode_tps": row["decode_tps"],
            "expected_speedup": speedup,
            "low": low,
            "high": high,
            "reason": _reason(rates, among, decided, basis, off=off),
            "closest": closest,
            "fastest": fastest,
            "basis": basis,
            **({} if predicted is None else self._beside(among, predicted)),
        }

    def _decide(self, among: Settings, rates: Mapping[str, float], usual: str | None) -> Decided:
        """On a workload, where there is a usual setting, that or else the fastest as good."""
        fastest_first = sorted(among.runs, key=rates.__getitem__, reverse=True)
        wanted = [] if usual is None else [usual, *fastest_first]
        places = [among.runs.index(run) for run in wanted if run in among.runs]
        return decide(among.rates, self._sizes(among), self.bound, preferred=places)

    def _sizes(self, among: Settings) -> list[int]:
        return [NONE if run == self.baseline else MEASURED for run in among.runs]

    def _beside(self, among: Settings, predicted: Predicted) -> dict[str, object]:
        """What the same rule takes of these settings and the predicted ones; empty for a run."""
        told = predicted.among([at for at, run in enumerate(predicted.runs) if run in among.runs])
        if not told.runs:
            return {}
        for measured in (among, among.among(set(among.runs) - {str(self.baseline)})):
            chosen = decide(
                np.hstack([measured.rates, told.rates]),
                [*self._sizes(measured), *told.sizes],
                self.bound,
            ).chosen - len(measured.runs)
            if chosen >= 0:
                break
        else:
            return {}
        rates = told.rates[:, chosen]
        found: dict[str, object] = {
            "replayed_run": told.runs[chosen],
            "replayed_n_max": told.depths[chosen],
            "replayed_p_min": told.thresholds[chosen],
            "replayed_tps": float(np.median(rates)),
            "replayed_advised": measured is among,
        }
        if self.baseline in among.runs:
            ratios = rates / among.rates[:, among.runs.index(str(self.baseline))]
            low, high = np.quantile(ratios, _TAILS)
            found |= {"replayed_speedup": float(np.median(ratios)), "replayed_low": low}
            found["replayed_high"] = high
        return found


def _rates(group: pd.DataFrame, ratio: str) -> dict[str, dict[str, Any]]:
    """Rate, speedup and its interval of the runs that have a rate, by id."""
    columns = [group["decode_tps"], group[ratio]]
    columns += [group.get(f"{ratio}_{end}", group["run"].map({})) for end in ("low", "high")]
    names = ("decode_tps", "ratio", "low", "high")
    return {
        run: dict(zip(names, cells, strict=True))
        for run, *cells in zip(group["run"], *columns, strict=True)
        if not pd.isna(cells[0])
    }


def _basis(decided: Decided, *, off: bool, usual: bool) -> str:
    if decided.chosen == decided.best:
        return "expected"
    if off and decided.given_up <= BOUND:
        return "off"
    return "usual" if usual else "fastest"


def _interval(
    row: Mapping[str, Any], speedup: float | None
) -> tuple[float, float] | tuple[None, None]:
    """The interval that its frame has of a speedup, around the one on the ranked tasks."""
    low, high = row["low"], row["high"]
    if speedup is None or pd.isna(low) or pd.isna(high):
        return None, None
    return speedup * low / row["ratio"], speedup * high / row["ratio"]


def _reason(
    rates: Mapping[str, float], among: Settings, decided: Decided, basis: str, *, off: bool
) -> str:
    run, best = among.runs[decided.chosen], among.runs[decided.best]
    rate = f"{rates[run]:.1f} tok/s decode"
    if len(rates) == 1:
        return f"the only configuration measured: {rate}"
    rival = max((name for name in rates if name != run), key=rates.__getitem__)
    said = f"{rates[rival]:.1f} tok/s of {rival}"
    if basis in ("off", "usual"):
        name = "no speculation" if off else run
        said = "" if basis == "off" else "as for all prompts, "
        return (
            f"{said}{name}, {rate}, is expected to lose {_share(decided.given_up)} to {best} with "
            f"{rates[best]:.1f} tok/s, and up to {_share(BOUND if basis == 'off' else ALIKE)} is "
            "allowed for"
        )
    if rates[rival] > rates[run]:
        known = "all depths read together" if any(among.modelled) else "noise taken into account"
        return (
            f"{rate}; {said} is higher, but with {known} this is expected to lose "
            f"{_share(decided.loss[decided.chosen])} against the best and that "
            f"{_share(decided.loss[among.runs.index(rival)])}"
        )
    if off:
        return f"no configuration beats no speculation: {rate} against {said}"
    return f"fastest of {len(rates)} configurations: {rate} against {said}"


def _share(loss: float) -> str:
    return f"{loss:.1%}"
