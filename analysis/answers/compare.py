"""Comparison of campaigns: how do they differ in hardware, build, quantisation, drafter?

Runs are joined on what is equal (method, depth, threshold) and compared task
by task. What is the same everywhere is said once; only what differs is a
column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.answers.two_runs import Comparable, ratio_between
from analysis.errors import CampaignError
from analysis.pipeline import summary_of
from analysis.statistics.conditions import CONDITIONS, differing
from analysis.summary import Summary

__all__ = ["MATCH_COLUMNS", "PROPERTIES", "Comparison", "compare", "compared"]

PROPERTIES = (
    "target",
    "gpu",
    "driver",
    "cpu",
    "os",
    "build",
    "quantization",
    "draft",
    "spec_type",
    "n_max",
    "p_min",
    "temperature",
    "concurrency",
    "max_tokens",
    "context_tokens",
    "prompt_set",
    "definition",
)
"""What a run is measured under; the first six come from the campaign where a run does not say."""

FIGURES = (
    "effective_tps",
    "decode_tps",
    "speedup",
    "speedup_low",
    "speedup_high",
    "acceptance_rate",
)
MATCH_COLUMNS = (
    "first_campaign",
    "first_run",
    "second_campaign",
    "second_run",
    "spec_type",
    "n_max",
    "n_tasks",
    "ratio",
    "low",
    "high",
    "significance",
    "differs",
    "note",
)

UNKNOWN = "not recorded"
UNLIKE = "not compared: {differences}"
OTHER_TARGET = "not compared: another target model"
UNKNOWN_PROMPTS = "prompt set not recorded: compared on tasks of the same name"
OTHER_DEFINITION = "acceptance counts something else: only times are compared"
NO_TASKS = "not compared: no task in common"

_JOINED = ("spec_type", "n_max", "p_min")


@dataclass(frozen=True, eq=False)
class Comparison:
    """Campaigns side by side.

    Attributes
    ----------
    runs
        One row per run: `campaign`, `id`, `label`, `synthetic`, `PROPERTIES` as text
        and `FIGURES`.
    shared
        The properties that are the same in all rows, with their value.
    differing
        The others, in the order of `PROPERTIES`.
    matches
        Columns `MATCH_COLUMNS`: every two runs of two campaigns that are equal
        in method, depth and threshold. `ratio` is second over first in decode
        throughput, geometric mean over the common tasks, with its 90 %
        interval, which carries the noise of requests, of runs and of campaigns;
        null, with a note, where the two can't be compared.
    """

    runs: pd.DataFrame
    shared: Mapping[str, str]
    differing: tuple[str, ...]
    matches: pd.DataFrame

    @property
    def regressions(self) -> pd.DataFrame:
        """Matches that differ in the build alone and became significantly slower."""
        rows = self.matches
        return rows[(rows["differs"] == "build") & (rows["significance"] == "slower")]


def compare(campaigns: Sequence[str | Path]) -> Comparison:
    """Load and compare campaigns.

    Parameters
    ----------
    campaigns
        Two folders or more, see ``campaign.find``.

    Returns
    -------
    Comparison
        In the order given.

    Raises
    ------
    CampaignError
        There are fewer than two, or one is named twice or can't be loaded.
    """
    if len(campaigns) < 2:
        raise CampaignError("there is only one campaign to compare", "name two or more")
    summaries = [summary_of(campaign) for campaign in campaigns]
    folders = [summary.campaign.folder for summary in summaries]
    for folder in folders:
        if folders.count(folder) > 1:
            raise CampaignError("this campaign is named twice", "name it once", file=folder)
    return compared(summaries)


def compared(summaries: Sequence[Summary]) -> Comparison:
    """Compare campaigns that are loaded already; see :func:`compare`."""
    names = _names(summaries)
    frames = [_rows(name, summary) for name, summary in zip(names, summaries, strict=True)]
    runs = pd.concat(frames, ignore_index=True)
    shared = {
        name: str(runs[name].iloc[0])
        for name in PROPERTIES
        if len(set(runs[name])) == 1 and runs[name].iloc[0] != UNKNOWN
    }
    differing = tuple(name for name in PROPERTIES if len(set(runs[name])) > 1)
    measured = {
        name: Comparable.of(summary) for name, summary in zip(names, summaries, strict=True)
    }
    matches = [
        _match(one, other, measured)
        for first, second in combinations(frames, 2)
        for one in first.to_dict("records")
        for other in second.to_dict("records")
        if _joined(one, other)
    ]
    table = pd.DataFrame(matches, columns=list(MATCH_COLUMNS))
    numbers = dict.fromkeys(("ratio", "low", "high"), "float64")
    return Comparison(runs, shared, differing, table.astype({**numbers, "n_tasks": "int64"}))


def _names(summaries: Sequence[Summary]) -> list[str]:
    """Folder names, with their parents' where two are the same."""
    slugs = [summary.campaign.slug for summary in summaries]
    return [
        slug if slugs.count(slug) == 1 else f"{summary.campaign.folder.parent.name}/{slug}"
        for slug, summary in zip(slugs, summaries, strict=True)
    ]


def _rows(name: str, summary: Summary) -> pd.DataFrame:
    campaign = summary.campaign
    stated: dict[str, Any] = {"target": campaign.target, **campaign.conditions}
    drafting = summary.runs.loc[summary.runs["spec_type"].ne("none"), "spec_type"].dropna()
    own_method = campaign.card.get("spec_type") or next(iter(drafting), None)
    # What the card says of its draft holds for the runs with that draft only.
    of_draft = {
        "quantization": campaign.card.get("quantization"),
        "draft": campaign.card.get("draft_file"),
    }
    own_draft = [
        own_method is not None and kind == own_method for kind in summary.runs["spec_type"]
    ]
    out = summary.runs[["id", "label", "synthetic", *FIGURES]].copy()
    for column in PROPERTIES:
        own = summary.runs[column] if column in summary.runs else pd.Series(pd.NA, out.index)
        default = None if column in _JOINED else stated.get(column)
        out[column] = [
            _text(value, of_draft.get(column) if is_own and column in of_draft else default)
            for value, is_own in zip(own, own_draft, strict=True)
        ]
    out.insert(0, "campaign", name)
    return out


def _text(value: object, default: object) -> str:
    if value is None or value is pd.NA or value != value:  # noqa: PLR0124 - only NaN differs
        return UNKNOWN if default is None else str(default)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _joined(one: Mapping[Any, Any], other: Mapping[Any, Any]) -> bool:
    if one["synthetic"] or other["synthetic"]:
        return False
    return one["spec_type"] != UNKNOWN and all(one[name] == other[name] for name in _JOINED)


def _match(
    one: Mapping[Any, Any], other: Mapping[Any, Any], measured: Mapping[str, Comparable]
) -> dict[str, object]:
    differs = [name for name in PROPERTIES if one[name] != other[name]]
    row: dict[str, object] = {
        "first_campaign": one["campaign"],
        "first_run": one["id"],
        "second_campaign": other["campaign"],
        "second_run": other["id"],
        "spec_type": one["spec_type"],
        "n_max": one["n_max"],
        "n_tasks": 0,
        "significance": "not known",
        "differs": ", ".join(differs),
        "note": "",
    }
    if "target" in differs and UNKNOWN not in (one["target"], other["target"]):
        return {**row, "note": OTHER_TARGET}
    sides = [(measured[run["campaign"]], str(run["id"])) for run in (one, other)]
    unlike = differing(*(side.conditions[run] for side, run in sides))
    if unlike:
        said = ", ".join(f"{CONDITIONS[name]} {values}" for name, values in unlike.items())
        return {**row, "note": UNLIKE.format(differences=said)}
    notes = [UNKNOWN_PROMPTS] if UNKNOWN in {one["prompt_set"], other["prompt_set"]} else []
    notes += [OTHER_DEFINITION] if "definition" in differs else []
    found = ratio_between(*sides)
    if found is None:
        return {**row, "note": NO_TASKS}
    return {**row, **found, "note": "; ".join(notes)}
