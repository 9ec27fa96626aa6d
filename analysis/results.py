"""results.json: the figures of a report for other programs.

The keys are the contract (schema_version 1); a frame column of the same name
fills each. Floats are as computed, null is "not known", NaN never appears.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from analysis.errors import encodable
from analysis.records import Finding

if TYPE_CHECKING:  # `ingest` has figures to write without any of a report's statistics
    from analysis.summary import Summary

__all__ = ["SCHEMA_VERSION", "as_json", "measured", "results"]

SCHEMA_VERSION = 1

RUN_KEYS = (
    "id",
    "label",
    "spec_type",
    "n_max",
    "p_min",
    "baseline",
    "synthetic",
    "repeats",
    "n_requests",
    "predicted_tokens",
    "draft_tokens",
    "accepted_tokens",
    "acceptance_rate",
    "wall_s",
    "effective_tps",
    "decode_s",
    "decode_tps",
    "forwards",
    "mean_accepted_length",
    "ms_per_forward",
    "speedup",
    "speedup_low",
    "speedup_high",
    "decode_speedup",
    "geomean_task_speedup",
    "step_cost_ratio",
    "break_even_acceptance",
    "temperature",
    "concurrency",
    "prompt_set",
    "build",
    "source",
)
TASK_KEYS = (
    "run",
    "repeat",
    "task",
    "workload",
    "predicted_tokens",
    "draft_tokens",
    "accepted_tokens",
    "acceptance_rate",
    "decode_tps",
    "wall_s",
    "speedup",
    "forwards",
    "mean_accepted_length",
    "ms_per_forward",
)
POSITION_KEYS = (
    "method",
    "task",
    "position",
    "survival",
    "low",
    "high",
    "conditional",
    "source",
)
DEPTH_KEYS = (
    "method",
    "workload",
    "n_max",
    "ms_per_forward",
    "source",
    "step_cost_ratio",
    "break_even_acceptance",
    "mean_accepted_length",
    "decode_tps",
    "low",
    "high",
)
RECOMMENDATION_KEYS = (
    "workload",
    "run",
    "spec_type",
    "n_max",
    "expected_speedup",
    "low",
    "high",
    "reason",
)


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
        **measured(summary.runs, summary.tasks, summary.findings),
        "positions": rows(positions[of_tasks], POSITION_KEYS),
        "depth": rows(summary.depths, DEPTH_KEYS),
        "recommendations": rows(summary.recommendations, RECOMMENDATION_KEYS),
    }


def measured(
    runs: pd.DataFrame, tasks: pd.DataFrame, findings: Sequence[Finding]
) -> dict[str, list[dict[str, Any]]]:
    """The parts that need no campaign: `runs`, `tasks`, `findings`."""
    task_rows = rows(tasks, TASK_KEYS)
    for row, error in zip(task_rows, tasks["error"], strict=True):
        if not pd.isna(error):
            row["error"] = str(error)
    return {
        "runs": rows(runs, RUN_KEYS),
        "tasks": task_rows,
        "findings": [
            {
                "level": finding.level,
                "code": finding.code,
                "where": finding.where,
                "message": finding.message,
            }
            for finding in findings
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


def as_json(data: Any) -> str:
    """JSON text with sorted keys, one way only, with a final newline."""
    text = json.dumps(data, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False)
    # File names need not be Unicode: what no encoding can write stays an escape of JSON's.
    return encodable(text) + "\n"
