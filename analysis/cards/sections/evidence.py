"""Evidence: what the folded parts below hold, and where the rest is."""

from __future__ import annotations

from analysis.cards.escaping import Markdown
from analysis.cards.facts import Facts
from analysis.cards.section import Figures, Section

HEADING = "All figures"
LINK = (
    "Every figure here is computed from the raw log, which is below. "
    "[What stands behind the advice](RESULTS.md) has each workload, each depth, how far drafts are "
    "accepted, and configurations side by side."
)


def write(facts: Facts, figures: Figures) -> Section | None:  # noqa: ARG001
    """One paragraph; only in a card that has a second file."""
    return Section(HEADING, Markdown(LINK))
