"""Which figures does a notebook show as a table, with how many digits?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

import pandas as pd

from analysis.campaigns.campaign import Campaign
from analysis.cards.numbers import chance
from analysis.charts.chart import Chart, Frames
from analysis.depths.depth import known_from
from analysis.replaying.verdict import worth_a_threshold
from analysis.statistics.columns import columns
from analysis.statistics.lossless import Lossless
from analysis.statistics.points import points
from analysis.statistics.rows import RunRow
from analysis.summary import Summary

__all__ = [
    "acceptance_table",
    "best_depths_table",
    "confidence_verdicts",
    "depths_table",
    "labelled",
    "lossless_table",
    "positions_table",
    "replay_table",
    "runs_table",
    "tasks_table",
    "values_table",
]

_Format = Callable[[float], str]


def _fixed(digits: int) -> _Format:
    return lambda value: f"{value:.{digits}f}"


_OF_RUNS: Mapping[str, _Format] = {column.name: column.shown for column in columns(RunRow)}
_THROUGHPUT = (
    "n_requests",
    "predicted_tokens",
    "wall_s",
    "effective_tps",
    "decode_tps",
    "speedup",
    "decode_speedup",
    "geomean_task_speedup",
)
_ACCEPTANCE = (
    "n_max",
    "draft_tokens",
    "accepted_tokens",
    "acceptance_rate",
    "forwards",
    "mean_accepted_length",
    "ms_per_forward",
    "step_cost_ratio",
    "break_even_acceptance",
)


def runs_table(summary: Summary) -> pd.DataFrame:
    """How fast each configuration is: one row per run, `–` for what is not known."""
    return _of_runs(summary, _THROUGHPUT)


def values_table(chart: Chart | None) -> pd.DataFrame:
    """What a chart draws, its first column as names of the rows; no rows without a chart."""
    shown = None if chart is None else chart.values  # noqa: PD011 - a chart is no frame
    if shown is None:
        return pd.DataFrame()
    rows = [row[1:] for row in shown.rows]
    return pd.DataFrame(rows, index=[row[0] for row in shown.rows], columns=[*shown.headers[1:]])


def labelled(table: pd.DataFrame, frames: Frames) -> pd.DataFrame:
    """A table of runs in the words of the charts: labels for ids, words for column names."""
    words = {column.name: column.spoken for column in columns(RunRow)}
    return table.rename(index=frames.labels, columns=words)


def acceptance_table(summary: Summary) -> pd.DataFrame:
    """What became of the drafts: one row per run."""
    return _of_runs(summary, _ACCEPTANCE)


def _of_runs(summary: Summary, names: Iterable[str]) -> pd.DataFrame:
    return _shown(summary.runs.set_index("id"), {name: _OF_RUNS[name] for name in names})


def lossless_table(campaign: Campaign) -> pd.DataFrame:
    """Greedy outputs against the baseline's, one row per run and task; `–` for no difference."""
    elsewhere = points(campaign.runs, campaign.baseline).elsewhere
    runs = [run for run in campaign.runs if run.id not in elsewhere]
    table = Lossless(campaign.baseline)(runs).set_index(["run", "task"])
    places = ("first_difference", "baseline_first_difference")
    shown = {name: _places(table[name]) for name in places}
    return table.assign(**shown)


def _places(tokens: pd.Series) -> list[str]:
    return ["–" if pd.isna(token) else str(token) for token in tokens]


def tasks_table(summary: Summary, column: str = "decode_tps", digits: int = 1) -> pd.DataFrame:
    """One figure per task (rows) and configuration (columns); repeats are averaged."""
    grid = summary.tasks.pivot_table(
        index="task", columns="run", values=column, aggfunc="mean", sort=False
    )
    return _shown(grid, dict.fromkeys(map(str, grid.columns), _fixed(digits)))


def positions_table(summary: Summary) -> pd.DataFrame:
    """Survival by position of each method, all tasks together."""
    rows = summary.positions
    pooled = rows[rows["workload"].isna() & rows["task"].isna()]
    formats = {"position": _fixed(0), **dict.fromkeys(("survival", "low", "high"), _fixed(3))}
    return _named(pooled, formats, ["source"])


def depths_table(summary: Summary) -> pd.DataFrame:
    """Cost, gain and throughput of every depth of each method, all tasks together."""
    rows = summary.depths[summary.depths["workload"].isna()]
    formats = {
        "n_max": _fixed(0),
        "ms_per_forward": _fixed(2),
        "mean_accepted_length": _fixed(2),
        "position_gain": _fixed(2),
        "position_break_even": _fixed(2),
        **dict.fromkeys(("decode_tps", "low", "high"), _fixed(1)),
    }
    return _named(_fitted(rows), formats, ["source"])


def best_depths_table(summary: Summary) -> pd.DataFrame:
    """The depth to use of each method, overall and per workload; 0 is no speculation."""
    rows = summary.best_depths.assign(
        workload=summary.best_depths["workload"].fillna("all prompts")
    )
    formats = {
        "n_max": _fixed(0),
        **dict.fromkeys(("decode_tps", "low", "high"), _fixed(1)),
        **dict.fromkeys(("speedup", "speedup_low", "speedup_high"), _fixed(2)),
        "probability": chance,
        "untried": _fixed(0),
        "untried_gain": _fixed(3),
    }
    return _named(rows, formats, ["workload"])


def _named(
    rows: pd.DataFrame, formats: Mapping[str, _Format], texts: Iterable[str]
) -> pd.DataFrame:
    """Rows of several methods, the method as index."""
    shown = _shown(rows.set_index("method"), formats)
    for name in texts:
        shown[name] = rows[name].tolist()
    return shown


def _fitted(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows whose `source` says "fitted" where there is a run: the values are the model's."""
    return rows.assign(source=rows["source"].map(known_from))


def replay_table(summary: Summary) -> pd.DataFrame:
    """Replayed settings of each run with confidences: fixed depths, then thresholds."""
    rows = summary.replays.table
    rows = rows[rows["workload"].isna() & (rows["n_min"] == 0)]
    fixed = rows[rows["policy"] == "fixed"]
    deepest = fixed.groupby("run")["n_max"].max()
    cut = rows[(rows["policy"] == "threshold") & (rows["n_max"] == rows["run"].map(deepest))]
    chosen = pd.concat([fixed, cut]).sort_values("run", kind="stable")
    formats = {
        "n_max": _fixed(0),
        "p_min": _fixed(2),
        **dict.fromkeys(("draft_tokens", "accepted_tokens", "forwards"), _fixed(0)),
        **dict.fromkeys(("mean_accepted_length", "low", "high"), _fixed(2)),
        "decode_tps": _fixed(1),
    }
    shown = _shown(chosen.set_index("run"), formats)
    shown.insert(0, "policy", chosen["policy"].tolist())
    return shown


def confidence_verdicts(summary: Summary) -> pd.DataFrame:
    """What the confidence of each logged run is worth, in a sentence."""
    replays = summary.replays
    rows = [
        (
            run,
            worth_a_threshold(
                replays.table[replays.table["run"] == run],
                replays.scores[replays.scores["run"] == run],
            ),
        )
        for run in dict.fromkeys(replays.table["run"])
    ]
    return pd.DataFrame(rows, columns=["run", "verdict"]).set_index("run")


def belief_table(beliefs: pd.DataFrame) -> pd.DataFrame:
    """Decode throughput of each setting that matters, as believed after each step.

    Parameters
    ----------
    beliefs
        Of ``tuning.path.path_of``, or of ``decisions.json``.

    Returns
    -------
    pandas.DataFrame
        A row per setting that ran, or that may be the fastest; tok/s with 90 % intervals.
    """
    matters = (beliefs["starts"] > 0) | (beliefs["probability_best"] >= 0.01)
    rows = beliefs[beliefs["setting"].isin(beliefs.loc[matters, "setting"])]
    values = rows[["decode_tps", "low", "high"]].to_numpy("float64").tolist()
    said = [
        "–" if math.isnan(tps) else f"{tps:.1f} ({low:.1f} to {high:.1f})"
        for tps, low, high in values
    ]
    steps = "after " + rows["step"].astype(str)
    table = pd.DataFrame({"setting": rows["setting"], "step": steps, "tok/s": said})
    order = dict.fromkeys(rows["setting"]), dict.fromkeys(steps)
    wide = table.pivot_table("tok/s", "setting", "step", aggfunc="first")
    return wide.reindex(index=list(order[0]), columns=list(order[1])).rename_axis(columns=None)


def _shown(frame: pd.DataFrame, formats: Mapping[str, _Format]) -> pd.DataFrame:
    columns = {
        name: ["–" if pd.isna(value) else form(float(value)) for value in frame[name].tolist()]
        for name, form in formats.items()
    }
    return pd.DataFrame(columns, index=frame.index.rename(None))
