"""results.json: the figures of a report for other programs.

The keys are the contract (schema_version 1): the columns of
``statistics/columns.py``, filled by the frame columns of the same names. Floats
have six significant digits, null is "not known", NaN never appears.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from analysis.errors import encodable
from analysis.records import Finding
from analysis.statistics.columns import names
from analysis.statistics.conclusions import (
    DepthRow,
    FindingRow,
    PointRow,
    PositionRow,
    PredictedRow,
    RecommendationRow,
    TurnRow,
)
from analysis.statistics.rows import RunRow, TaskRow

if TYPE_CHECKING:  # `ingest` has figures to write without any of a report's statistics
    from analysis.summary import Summary

__all__ = ["SCHEMA_VERSION", "as_json", "measured", "results", "rounded"]

SCHEMA_VERSION = 1


def results(summary: Summary) -> dict[str, Any]:
    """The whole of results.json as plain data.

    Parameters
    ----------
    summary
        A campaign's figures.

    Returns
    -------
    dict
        JSON-able, with null for what is not known.
    """
    campaign = summary.campaign
    positions = summary.positions
    # A workload's pooled rows have no key of their own in the contract.
    of_tasks = positions["task"].notna() | positions["workload"].isna()
    return {
        "schema_version": SCHEMA_VERSION,
        "campaign": {
            "slug": campaign.slug,
            "title": campaign.title,
            "target": campaign.target,
            "conditions": dict(campaign.conditions),
        },
        **measured(summary.every_run, summary.every_task, summary.findings),
        "positions": rows(positions[of_tasks], names(PositionRow)),
        "depth": rows(summary.depths, names(DepthRow)),
        "recommendations": rows(summary.recommendations, names(RecommendationRow, "results")),
        **_conditions(summary),
    }


def _conditions(summary: Summary) -> dict[str, list[dict[str, Any]]]:
    """What requests at once, context and temperature change; no keys where none was varied."""
    axes = summary.axes
    if not axes:
        return {}
    return {
        "points": rows(axes.points, names(PointRow)),
        "turns": rows(axes.turns, names(TurnRow)),
        "predicted": rows(axes.predicted, names(PredictedRow)),
    }


def measured(
    runs: pd.DataFrame, tasks: pd.DataFrame, findings: Sequence[Finding]
) -> dict[str, list[dict[str, Any]]]:
    """The parts that need no campaign: `runs`, `tasks`, `findings`."""
    task_rows = rows(tasks, names(TaskRow, "results"))
    for row, error in zip(task_rows, tasks["error"], strict=True):
        if not pd.isna(error):
            row["error"] = str(error)
    return {
        "runs": rows(runs, names(RunRow, "results")),
        "tasks": task_rows,
        "findings": [
            {name: getattr(finding, name) for name in names(FindingRow)} for finding in findings
        ],
    }


def rows(frame: pd.DataFrame, keys: Sequence[str]) -> list[dict[str, Any]]:
    """A frame's rows as dicts with exactly these keys; a column it lacks is null."""
    nulls = [None] * len(frame)
    columns = [
        [_plain(value) for value in frame[key]] if key in frame.columns else nulls for key in keys
    ]
    return [dict(zip(keys, cells, strict=True)) for cells in zip(*columns, strict=True)]


def _plain(value: Any) -> Any:
    """A JSON value: numpy and pandas scalars unpacked, nulls and non-finite numbers null."""
    if hasattr(value, "item"):
        value = value.item()
    if value is None or value is pd.NA:
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def rounded(data: Any) -> Any:
    """JSON-able data with floats of six significant digits: in the last ones processors differ."""
    if isinstance(data, float):
        return float(f"{data:.6g}")
    if isinstance(data, dict):
        return {key: rounded(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [rounded(value) for value in data]
    return data


def as_json(data: Any) -> str:
    """JSON text of rounded data with sorted keys, one way only, with a final newline."""
    data = rounded(data)
    text = json.dumps(data, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False)
    # File names need not be Unicode: what no encoding can write stays an escape of JSON's.
    return encodable(text) + "\n"
