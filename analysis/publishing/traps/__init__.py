"""Will a reader get what the card promises? What is known to go wrong, before it is public.

A trap is one file with a :class:`~analysis.publishing.traps.trap.Rule`, one line
in :data:`RULES` and one test. What llama.cpp does is that of b11549.
"""

from __future__ import annotations

from collections.abc import Sequence

from analysis.publishing.traps import (
    confidence_head,
    draft_name,
    linked_results,
    method_build,
    placeholders,
    preset_beside_models,
    trained_depth,
    vocabularies,
)
from analysis.publishing.traps.trap import Publication, Trap
from analysis.summary import Summary

__all__ = ["RULES", "Trap", "traps"]

RULES = (
    preset_beside_models.RULE,
    draft_name.RULE,
    vocabularies.RULE,
    trained_depth.RULE,
    confidence_head.RULE,
    method_build.RULE,
    placeholders.RULE,
    linked_results.RULE,
)


def traps(
    summary: Summary, text: str, paths: Sequence[str] = (), repository: str | None = None
) -> tuple[Trap, ...]:
    """Known traps in a card and the files around it.

    Parameters
    ----------
    summary
        The campaign's figures, with its model files if any were given.
    text
        The README.
    paths
        Files beside it, from its folder or the repository's root; empty if not known.
    repository
        ``OWNER/NAME`` where it will lie on the Hub, or null.

    Returns
    -------
    tuple of Trap
        Each with its remedy, in the order of :data:`RULES`.
    """
    publication = Publication(summary, text, paths, repository)
    return tuple(trap for rule in RULES for trap in rule(publication))
