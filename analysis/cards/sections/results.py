"""Results: the opening of the second file, and how its tables are read."""

from __future__ import annotations

from analysis.cards.escaping import Markdown, say
from analysis.cards.facts import Facts
from analysis.cards.markdown import paragraphs
from analysis.cards.section import Figures, Section

FILE = "RESULTS.md"
CARD = "README.md"
TITLE = "# What stands behind the advice"
OF = "The figures behind the card of [{title}](README.md), computed from the same raw log."
READING = (
    "*Effective* is whole requests, prompt included; *decode* is generation only, after the "
    "prompt. *Speedup* is over no speculation: above 1.00× is faster. A *forward* is one run of "
    "the target model after the prompt; its tokens are the accepted drafts and one of its own."
)
INTERVALS = (
    "Brackets hold 90 % intervals; ~ marks what can't be told from no speculation. What they "
    "rest on is among the [limits](README.md#limits)."
)


def write(facts: Facts, figures: Figures) -> Section | None:  # noqa: ARG001
    """Title and reading; only where there is something to read."""
    intervals = any(run.decode_speedup_low is not None for run in facts.real)
    return Section(
        None,
        paragraphs(
            Markdown(TITLE),
            say(OF, title=facts.summary.campaign.title),
            Markdown(READING),
            Markdown(INTERVALS) if intervals else None,
        ),
    )
