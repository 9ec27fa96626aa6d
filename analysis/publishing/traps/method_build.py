"""A build that is older than the method it is to run."""

from __future__ import annotations

import re
from collections.abc import Iterator

from analysis.cards.commands import FIRST_BUILDS
from analysis.cards.facts import Facts
from analysis.publishing.traps.trap import Publication, Rule

__all__ = ["RULE"]

_BUILD = re.compile(r"\bb(\d{4,6})\b")


def _look(publication: Publication) -> Iterator[str]:
    stated = publication.summary.campaign.conditions.get("build", "")
    facts = Facts(publication.summary)
    for run in facts.own:
        found = _BUILD.search(run.build or stated)
        for method in (run.spec_type or "").split(","):
            first = FIRST_BUILDS.get(method)
            if found and first is not None and int(found[1]) < first.number:
                before = first.number - 1
                yield f"the card names build b{found[1]}, and {method} came after b{before}"


RULE = Rule(
    "build-too-old", "name the build or branch that was measured, with its pull request", _look
)
