"""Recommendations: what should a user run, for which workload?"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from analysis.statistics.uncertainty import RatioInterval, paired, significance

__all__ = ["TIE", "FastestPerWorkload", "Routing", "routed"]

TIE = 0.01
"""Decode rates closer than this share count as equal when nothing says how much they scatter."""

COLUMNS = (
    "workload",
    "run",
    "spec_type",
    "n_max",
    "decode_tps",
    "expected_speedup",
    "low",
    "high",
    "reason",
)


@dataclass(frozen=True)
class FastestPerWorkload:
    """The fastest measured configuration overall and per workload, or speculation off.

    Parameters
    ----------
    baseline
        Run id of the run without speculation. ``None``: the fastest of the
        configurations is named, without a speedup.
    tie
        Share within which the smaller depth, and in the end no speculation, is preferred.
    """

    baseline: str | None
    tie: float = TIE

    def __call__(
        self, runs: pd.DataFrame, workloads: pd.DataFrame, tasks: pd.DataFrame | None = None
    ) -> pd.DataFrame:
        """Choose by decode throughput on pooled tasks.

        Parameters
        ----------
        runs, workloads
            Frames of a ``summary.Summary``. Synthetic runs are never chosen.
        tasks
            Its task frame: where requests were repeated, `low` and `high` are
            the 90 % interval of the speedup, and settings that are not
            significantly slower than the fastest count as equal to it.

        Returns
        -------
        pandas.DataFrame
            One row overall (`workload` null) and one per workload: `run` (null
            = leave speculation off), `spec_type`, `n_max`, `decode_tps`,
            `expected_speedup`, `low`, `high`, `reason`.
        """
        real = runs[~runs["synthetic"]]
        whole = real.rename(columns={"id": "run"}).assign(workload=None)
        repeated = tasks if tasks is not None else pd.DataFrame(columns=["workload", "repeat"])
        rows = [self._choose(None, whole, real, repeated)]
        for workload, group in workloads.groupby("workload", sort=False):
            measured = group[group["run"].isin(real["id"])]
            among = repeated[repeated["workload"] == workload]
            rows.append(self._choose(str(workload), measured, real, among))
        chosen = [row for row in rows if row is not None]
        return pd.DataFrame(chosen, columns=list(COLUMNS)).astype({"n_max": "Int64"})

    def _choose(
        self, workload: str | None, group: pd.DataFrame, runs: pd.DataFrame, tasks: pd.DataFrame
    ) -> dict[str, object] | None:
        group = group[group["decode_tps"].notna()].copy()
        if group.empty:
            return None
        settings = runs.set_index("id")
        group["depth"] = group["run"].map(settings["n_max"]).astype("float64").fillna(0)
        group.loc[group["run"] == self.baseline, "depth"] = -1
        top = group["decode_tps"].max()
        fastest = str(group["run"].iloc[int(group["decode_tps"].argmax())])
        rates = zip(group["run"], group["decode_tps"], strict=True)
        enough = [
            rate >= top * (1 - self.tie) or not_slower(tasks, str(run), fastest, rate / top)
            for run, rate in rates
        ]
        best = group[enough].sort_values("depth", kind="stable").iloc[0]
        run = str(best["run"])
        off = run == self.baseline
        plain = group.loc[group["run"] == self.baseline, "decode_tps"]
        speedup = None if plain.empty else float(best["decode_tps"] / plain.iloc[0])
        low, high = (
            (None, None)
            if off or speedup is None or self.baseline is None
            else interval(tasks, run, self.baseline, speedup)
        )
        return {
            "workload": workload,
            "run": None if off else run,
            "spec_type": "none" if off else settings.at[run, "spec_type"],
            "n_max": None if off else settings.at[run, "n_max"],
            "decode_tps": float(best["decode_tps"]),
            "expected_speedup": speedup,
            "low": low,
            "high": high,
            "reason": _reason(group, best, off=off),
        }


def interval(
    tasks: pd.DataFrame, run: str, other: str, ratio: float
) -> tuple[float, float] | tuple[None, None]:
    """90 % interval of a ratio of decode throughputs, nulls without repeats.

    Parameters
    ----------
    tasks
        A task frame.
    run, other
        Run ids; the ratio is the first over the second.
    ratio
        What was measured.
    """
    cells = paired(tasks, run, other, "decode_s")
    margin = None if cells is None else RatioInterval()(*cells)
    return (None, None) if margin is None else (ratio / margin, ratio * margin)


def not_slower(tasks: pd.DataFrame, run: str, fastest: str, ratio: float) -> bool:
    """Whether repeats leave open that a run is as fast as the fastest."""
    if run == fastest:
        return True
    return significance(*interval(tasks, run, fastest, ratio)) == "not significant"


def _reason(group: pd.DataFrame, best: pd.Series, *, off: bool) -> str:
    rate = f"{best['decode_tps']:.1f} tok/s decode"
    if len(group) == 1:
        return f"the only configuration measured: {rate}"
    others = group[group["run"] != best["run"]].sort_values("decode_tps", ascending=False)
    next_best = others.iloc[0]
    said = f"{next_best['decode_tps']:.1f} tok/s of {next_best['run']}"
    # Above the tie only repeats can have made two settings equal.
    noise = next_best["decode_tps"] * (1 - TIE) > best["decode_tps"]
    if off:
        margin = f" by {TIE:.0%}" if next_best["decode_tps"] > best["decode_tps"] else ""
        margin = " significantly" if noise else margin
        return f"no configuration beats no speculation{margin}: {rate} against {said}"
    if next_best["decode_tps"] > best["decode_tps"]:
        equal = "noise" if noise else f"{TIE:.0%}"
        return f"as fast as {next_best['run']} within {equal} at the smaller depth: {rate}"
    return f"fastest of {len(group)} configurations: {rate} against {said}"


@dataclass(frozen=True)
class Routing:
    """What choosing per workload gains over one setting, in decode tok/s.

    Attributes
    ----------
    fixed_run, fixed_tps
        The best single configuration.
    routed_tps
        Each workload on its own fastest configuration.
    baseline_tps
        Without speculation; null without a baseline.
    """

    fixed_run: str
    fixed_tps: float
    routed_tps: float
    baseline_tps: float | None


def routed(runs: pd.DataFrame, workloads: pd.DataFrame, baseline: str | None) -> Routing | None:
    """Throughput with the best setting per workload.

    Parameters
    ----------
    runs, workloads
        Frames of a ``summary.Summary``.
    baseline
        Run id, or null.

    Returns
    -------
    Routing or None
        Routed throughput is total timed tokens over total decode time of
        the chosen runs' tasks. Null when no run has decode times.
    """
    real = runs[~runs["synthetic"] & runs["decode_tps"].notna()]
    usable = workloads[workloads["run"].isin(real["id"]) & workloads["decode_tps"].notna()]
    if real.empty or usable.empty:
        return None
    best = usable.loc[usable.groupby("workload", sort=False)["decode_tps"].idxmax()]
    fixed = real.sort_values("decode_tps", ascending=False, kind="stable").iloc[0]
    plain = real.loc[real["id"] == baseline, "decode_tps"]
    return Routing(
        fixed_run=str(fixed["id"]),
        fixed_tps=float(fixed["decode_tps"]),
        routed_tps=float(best["timed_tokens"].sum() / best["decode_s"].sum()),
        baseline_tps=None if plain.empty else float(plain.iloc[0]),
    )
