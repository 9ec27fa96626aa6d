"""A card that links to its second file, which is not there."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.cards import RESULTS
from analysis.publishing.traps.trap import Publication, Rule

__all__ = ["RULE"]


def _look(publication: Publication) -> Iterator[str]:
    linked = f"]({RESULTS})" in publication.text
    if linked and publication.paths and RESULTS not in publication.paths:
        yield f"the card links to {RESULTS}, which is not beside it"


RULE = Rule(
    "results-missing",
    f"put {RESULTS} of the report beside it, or remove the section evidence from the card",
    _look,
)
