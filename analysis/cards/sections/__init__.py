"""The sections of a card, one file each, in the order in which they are read.

A section's file holds its words as templates at the top and one function
``write`` that chooses among them by the data. To add one: write its file and
add its line to `SECTIONS`.
"""

from __future__ import annotations

from analysis.cards.section import Write
from analysis.cards.sections import (
    acceptance,
    baseline,
    conditions,
    confidence,
    conversion,
    credits,
    depth,
    limits,
    model_files,
    overall,
    pairs,
    per_task,
    policy,
    positions,
    raw,
    recommendation,
    summary,
    turns,
    usage,
    workloads,
)

__all__ = ["SECTIONS"]

SECTIONS: tuple[tuple[str, Write], ...] = (
    ("summary", summary.write),
    ("usage", usage.write),
    ("recommendation", recommendation.write),
    ("overall", overall.write),
    ("baseline", baseline.write),
    ("workloads", workloads.write),
    ("turns", turns.write),
    ("per-task", per_task.write),
    ("pairs", pairs.write),
    ("acceptance", acceptance.write),
    ("positions", positions.write),
    ("depth", depth.write),
    ("policy", policy.write),
    ("confidence", confidence.write),
    ("limits", limits.write),
    ("conditions", conditions.write),
    ("files", model_files.write),
    ("conversion", conversion.write),
    ("raw", raw.write),
    ("credits", credits.write),
)
