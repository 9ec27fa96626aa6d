"""From a campaign's figures to the rows of each table."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

from analysis.errors import encodable
from analysis.results import rows
from analysis.store.tables import TABLES, columns, schema
from analysis.summary import Summary

__all__ = ["tables"]


def tables(summary: Summary, inputs: str = "") -> dict[str, pa.Table]:
    """The tables of one campaign.

    Parameters
    ----------
    summary
        Its figures.
    inputs
        Fingerprint of what they were made from.

    Returns
    -------
    dict of str to pyarrow.Table
        By name; each has its schema also where it has no rows.
    """
    made = {"runs": _runs(summary), "tasks": _tasks(summary), "findings": _findings(summary)}
    out = {"rounds": pa.Table.from_pydict(_rounds(summary), schema=schema("rounds", inputs))}
    for name, of_table in made.items():
        for row in of_table:
            row["campaign"] = encodable(summary.campaign.slug)
        out[name] = pa.Table.from_pylist(of_table, schema=schema(name, inputs))
    return {name: out[name] for name in TABLES}


def _runs(summary: Summary) -> list[dict[str, Any]]:
    campaign = summary.campaign
    conditions = json.dumps(dict(campaign.conditions), sort_keys=True, ensure_ascii=False)
    of_all = {
        "title": encodable(campaign.title),
        "target": campaign.target,
        "conditions": encodable(conditions),
    }
    own = [key for key in columns("runs") if key not in {"campaign", "run", *of_all}]
    made = rows(summary.every_run, ["id", *own])
    return [{"run": row.pop("id"), **of_all, **row} for row in made]


def _tasks(summary: Summary) -> list[dict[str, Any]]:
    own = [key for key in columns("tasks") if key not in {"campaign", "request"}]
    made = rows(summary.every_task, own)
    seen: dict[str, int] = {}
    for row in made:
        row["request"] = seen[row["run"]] = seen.get(row["run"], 0) + 1
    return made


def _rounds(summary: Summary) -> dict[str, Any]:
    """Columns, not rows: a trace has hundreds of thousands."""
    out: dict[str, list[Any]] = {name: [] for name in columns("rounds")}
    seen: dict[str, int] = {}
    for run in summary.campaign.runs:
        for result in run.tasks:
            request = seen[run.id] = seen.get(run.id, 0) + 1
            if result.rounds is None:
                continue
            count = len(result.rounds.drafted)
            times = result.rounds.at_s
            out["campaign"] += [encodable(summary.campaign.slug)] * count
            out["run"] += [encodable(run.id)] * count
            out["request"] += [request] * count
            out["task"] += [encodable(result.task)] * count
            out["round"] += range(1, count + 1)
            out["drafted"] += result.rounds.drafted.tolist()
            out["accepted"] += result.rounds.accepted.tolist()
            out["at_s"] += [None] * count if times is None else times.tolist()
    return out


def _findings(summary: Summary) -> list[dict[str, Any]]:
    return [
        {
            "level": found.level,
            "code": found.code,
            "where": encodable(found.where),
            "message": encodable(found.message),
        }
        for found in summary.findings
    ]
