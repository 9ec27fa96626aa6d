"""Draft and target of different vocabularies."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.publishing.traps.trap import Publication, Rule

__all__ = ["RULE"]


def _look(publication: Publication) -> Iterator[str]:
    for finding in publication.summary.findings:
        if finding.code == "vocabulary-differs":
            yield finding.message


RULE = Rule(
    "vocabularies-differ",
    "name the target that the draft was made for, or convert both with one tokenizer",
    _look,
)
