"""Names in commands that no file has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from analysis.publishing.traps.trap import Publication, Rule

__all__ = ["RULE"]

_PLACEHOLDER = re.compile(
    r"(?:[A-Z0-9-]+-)?DRAFT\.gguf|TARGET\.gguf|MODEL\.gguf|OWNER/NAME.*|<[^<>]+>|"
    r".*path[/\\]to[/\\].*|.*\byour[-_ ]\w+.*",
    re.IGNORECASE,
)


def _look(publication: Publication) -> Iterator[str]:
    for command in publication.commands:
        for name in (command.target, command.draft):
            if name and _PLACEHOLDER.fullmatch(name):
                yield f"a command loads {name}, which is a placeholder"


RULE = Rule(
    "placeholder-left",
    "add target_repo and draft_repo, or target_file and draft_file, under [card] in campaign.toml",
    _look,
)
