"""The sections of a card, one file each, in the order in which they are read.

A section's file holds its words as templates at the top and one function
``write`` that chooses among them by the data. To add one: write its file and
add its line to `SECTIONS`, which says where it stands: open in the card, folded
there, or in the second file, RESULTS.md. What a reader must know of it before
starting anything is its `first` sentence, which the first screen ends with.
"""

from __future__ import annotations

from analysis.cards.section import Entry, Place
from analysis.cards.sections import (
    acceptance,
    baseline,
    conditions,
    confidence,
    conversion,
    credits,
    depth,
    evidence,
    limits,
    model_files,
    overall,
    pairs,
    per_task,
    policy,
    positions,
    raw,
    recommendation,
    results,
    summary,
    turns,
    usage,
    workloads,
)

__all__ = ["SECTIONS"]

SECTIONS: tuple[Entry, ...] = (
    Entry("summary", summary.write, Place.OPEN),
    Entry("usage", usage.write, Place.OPEN),
    Entry("limits", limits.write, Place.OPEN),
    Entry("conditions", conditions.write, Place.OPEN),
    Entry("evidence", evidence.write, Place.OPEN),
    Entry("recommendation", recommendation.write, Place.FOLDED),
    Entry("overall", overall.write, Place.FOLDED),
    Entry("per-task", per_task.write, Place.FOLDED),
    Entry("raw", raw.write, Place.FOLDED),
    Entry("files", model_files.write, Place.OPEN),
    Entry("conversion", conversion.write, Place.OPEN),
    Entry("credits", credits.write, Place.OPEN),
    Entry("results", results.write, Place.RESULTS),
    Entry("workloads", workloads.write, Place.RESULTS),
    Entry("turns", turns.write, Place.RESULTS),
    Entry("baseline", baseline.write, Place.RESULTS),
    Entry("depth", depth.write, Place.RESULTS),
    Entry("acceptance", acceptance.write, Place.RESULTS),
    Entry("positions", positions.write, Place.RESULTS),
    Entry("policy", policy.write, Place.RESULTS),
    Entry("confidence", confidence.write, Place.RESULTS),
    Entry("pairs", pairs.write, Place.RESULTS),
)
