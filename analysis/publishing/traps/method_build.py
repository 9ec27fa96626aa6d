"""A build that is older than the method it is to run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from analysis.cards.facts import Facts
from analysis.publishing.traps.trap import Publication, Rule

__all__ = ["RULE"]

# No earlier build has them. MTP came with ggml-org/llama.cpp#22673, released as b9180; DFlash with
# #22105, published as "b9831 or newer"; DSpark is #26275, and the list of methods of b10066 still
# lacks it.
_FIRST: Mapping[str, int] = {
    "draft-mtp": 9180,
    "draft-dflash": 9831,
    "draft-dspark": 10067,
}
_BUILD = re.compile(r"\bb(\d{4,6})\b")


def _look(publication: Publication) -> Iterator[str]:
    stated = publication.summary.campaign.conditions.get("build", "")
    facts = Facts(publication.summary)
    for run in facts.own:
        found = _BUILD.search(run.build or stated)
        for method in (run.spec_type or "").split(","):
            first = _FIRST.get(method)
            if found and first is not None and int(found[1]) < first:
                yield f"the card names build b{found[1]}, and {method} came after b{first - 1}"


RULE = Rule(
    "build-too-old", "name the build or branch that was measured, with its pull request", _look
)
