"""What the notebooks call to take their parameters and to show things.

A notebook asks questions; each answer, its sentences, its table and its chart,
is made here or in an earlier room.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from IPython.display import Image, Markdown, display

from analysis.answers.side_by_side import matches_text, runs_side_by_side
from analysis.charts import DrawnChart
from analysis.notebooks.answer import Answer
from analysis.notebooks.comparison import what_changed, what_differs
from analysis.notebooks.conditions import (
    points_table,
    what_twice_as_many_give,
    where_context_stops_it,
    where_requests_stop_it,
)
from analysis.notebooks.data import Data, frames
from analysis.notebooks.depths import (
    how_far_drafts_survive,
    how_sure_the_draft_is,
    what_a_better_policy_gains,
    what_a_threshold_brings,
    what_each_depth_costs,
    which_depth,
)
from analysis.notebooks.drafts import (
    what_a_forward_costs,
    what_becomes_of_drafts,
    who_breaks_even,
)
from analysis.notebooks.findings import what_the_audit_says
from analysis.notebooks.settings import CompareSettings, LiveRunSettings, ReportSettings
from analysis.notebooks.speeds import how_even, how_fast, which_task
from analysis.notebooks.tables import (
    acceptance_table,
    belief_table,
    best_depths_table,
    confidence_verdicts,
    depths_table,
    lossless_table,
    positions_table,
    replay_table,
    runs_table,
    tasks_table,
)
from analysis.notebooks.texts import what_text_stays

__all__ = [
    "Answer",
    "CompareSettings",
    "Data",
    "LiveRunSettings",
    "ReportSettings",
    "acceptance_table",
    "belief_table",
    "best_depths_table",
    "confidence_verdicts",
    "depths_table",
    "frames",
    "how_even",
    "how_far_drafts_survive",
    "how_fast",
    "how_sure_the_draft_is",
    "lossless_table",
    "matches_text",
    "points_table",
    "positions_table",
    "replay_table",
    "runs_side_by_side",
    "runs_table",
    "show",
    "tasks_table",
    "what_a_better_policy_gains",
    "what_a_forward_costs",
    "what_a_threshold_brings",
    "what_becomes_of_drafts",
    "what_changed",
    "what_differs",
    "what_each_depth_costs",
    "what_text_stays",
    "what_the_audit_says",
    "what_twice_as_many_give",
    "where_context_stops_it",
    "where_requests_stop_it",
    "which_depth",
    "which_task",
    "who_breaks_even",
]


_WIDTH = 640
"""Pixels that a chart is shown at, as in a card."""


def show(
    figures: Mapping[str, DrawnChart],
    folder: Path,
    names: Iterable[str] = (),
    besides: Iterable[str] = (),
) -> None:
    """Display drawn charts with their captions: those named, or all but those in `besides`."""
    for name in names or figures:
        if name in figures and name not in set(besides):
            chart = figures[name]
            path = str(folder / chart.light)
            picture = Image(path, alt=chart.alt, width=_WIDTH)  # type: ignore[no-untyped-call]
            display(picture)  # type: ignore[no-untyped-call]
            display(Markdown(f"*{chart.caption}*"))  # type: ignore[no-untyped-call]
