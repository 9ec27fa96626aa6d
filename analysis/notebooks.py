"""What the notebooks call to take their parameters and to show things.

A notebook shows a question, a table and a picture; whatever takes more than a
call is here or in an earlier room.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
from IPython.display import Image, Markdown, display

from analysis.answers.compare import Comparison, compare
from analysis.answers.side_by_side import matches_text, runs_side_by_side
from analysis.campaigns.campaign import Campaign, load
from analysis.campaigns.model_roles import with_files
from analysis.charts import DrawnChart
from analysis.depths.depth import known_from
from analysis.errors import ReportError
from analysis.models.model_files import ModelFile
from analysis.records import Finding
from analysis.replaying.verdict import worth_a_threshold
from analysis.statistics.columns import RunRow, columns
from analysis.statistics.lossless import Lossless
from analysis.statistics.points import points
from analysis.summary import Summary

__all__ = [
    "CompareSettings",
    "LiveRunSettings",
    "ReportSettings",
    "acceptance_table",
    "best_depths_table",
    "confidence_verdicts",
    "depths_table",
    "findings_table",
    "lossless_table",
    "matches_text",
    "positions_table",
    "replay_table",
    "runs_side_by_side",
    "runs_table",
    "show",
    "tasks_table",
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


@dataclass(frozen=True)
class ReportSettings:
    """The parameters of a notebook, checked.

    Parameters
    ----------
    campaign
        A campaign folder, relative to the working directory or to the project.
    out
        Folder for what the notebook writes; empty keeps it in a temporary one.
    files
        What model files state, as ``ModelFile.as_dict`` gives it.

    Raises
    ------
    ReportError
        A parameter is not a text.
    """

    campaign: str
    out: str = ""
    files: Sequence[Mapping[str, Any]] = ()

    def __post_init__(self) -> None:
        for name in ("campaign", "out"):
            value = getattr(self, name)
            if not isinstance(value, str):
                raise ReportError(f"{name} is {value!r}", "write it as a text in quotes")

    @cached_property
    def data(self) -> Campaign:
        """The loaded campaign, and what its model files say."""
        return with_files(load(self.campaign), [ModelFile.from_dict(data) for data in self.files])

    @cached_property
    def folder(self) -> Path:
        """Where figures and files go; made when first asked for."""
        if not self.out:
            return Path(tempfile.mkdtemp(prefix="mtpbench-"))
        folder = Path(self.out)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ReportError(
                f"this can't be written: {error.strerror}", "choose another folder", file=folder
            ) from error
        return folder


@dataclass(frozen=True)
class LiveRunSettings:
    """The parameters of the live notebook, checked.

    Parameters
    ----------
    campaign
        A campaign folder with ``[live]``.
    live
        Whether to measure now, in a copy; else what was recorded is shown.
    server
        ``embedded``, the path of a llama-server, or an address; empty takes
        campaign.toml's.
    into
        Where the copy is made; empty: a temporary folder.
    trust
        Whether to run what only the campaign names: its program, its flags, its address.

    Raises
    ------
    ReportError
        A parameter has the wrong type.
    """

    campaign: str
    live: bool = False
    server: str = ""
    into: str = ""
    trust: bool = False

    def __post_init__(self) -> None:
        for name in ("campaign", "server", "into"):
            value = getattr(self, name)
            if not isinstance(value, str):
                raise ReportError(f"{name} is {value!r}", "write it as a text in quotes")
        for name in ("live", "trust"):
            value = getattr(self, name)
            if not isinstance(value, bool):
                raise ReportError(f"{name} is {value!r}", "write True or False")

    @cached_property
    def data(self) -> Campaign:
        """The campaign with its records; measured when first asked for, if `live`."""
        if not self.live:
            return load(self.campaign)
        # Imported late: showing recorded results needs nothing of what measuring needs.
        from analysis.runner.copies import unmeasured_copy  # noqa: PLC0415
        from analysis.runner.session import problems, run  # noqa: PLC0415

        into = Path(self.into or tempfile.mkdtemp(prefix="mtpbench-"))
        copy = unmeasured_copy(self.campaign, into)
        outcome = run(copy, self.server or None, trust=self.trust)
        for problem in problems(outcome):
            raise problem
        return load(copy)


@dataclass(frozen=True)
class CompareSettings:
    """The parameters of the comparison notebook, checked.

    Raises
    ------
    ReportError
        `campaigns` is not a list of texts.
    """

    campaigns: Sequence[str]

    def __post_init__(self) -> None:
        given = self.campaigns
        if not isinstance(given, list | tuple) or not all(isinstance(one, str) for one in given):
            raise ReportError(f"campaigns is {given!r}", 'write it as ["FOLDER", "FOLDER"]')

    @cached_property
    def found(self) -> Comparison:
        """The campaigns side by side."""
        return compare(self.campaigns)


def runs_table(summary: Summary) -> pd.DataFrame:
    """How fast each configuration is: one row per run, `–` for what is not known."""
    return _of_runs(summary, _THROUGHPUT)


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
    rows = summary.best_depths.assign(workload=summary.best_depths["workload"].fillna("all tasks"))
    formats = {
        "n_max": _fixed(0),
        **dict.fromkeys(("decode_tps", "low", "high"), _fixed(1)),
        **dict.fromkeys(("speedup", "speedup_low", "speedup_high"), _fixed(2)),
        "probability": _fixed(2),
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


def findings_table(findings: Iterable[Finding]) -> pd.DataFrame:
    """What the audit says, one row per finding."""
    rows = [(found.level, found.code, found.where, found.message) for found in findings]
    return pd.DataFrame(rows, columns=["level", "code", "where", "message"])


def _shown(frame: pd.DataFrame, formats: Mapping[str, _Format]) -> pd.DataFrame:
    columns = {
        name: ["–" if pd.isna(value) else form(float(value)) for value in frame[name].tolist()]
        for name, form in formats.items()
    }
    return pd.DataFrame(columns, index=frame.index.rename(None))


def show(figures: Mapping[str, DrawnChart], folder: Path, names: Iterable[str] = ()) -> None:
    """Display drawn charts with their captions; all of them when none is named."""
    for name in names or figures:
        if name in figures:
            chart = figures[name]
            display(Image(filename=str(folder / chart.light), alt=chart.alt))  # type: ignore[no-untyped-call]
            display(Markdown(f"*{chart.caption}*"))  # type: ignore[no-untyped-call]
