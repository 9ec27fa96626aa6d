"""Figures that are part of a name in the campaign's settings: models, files, builds, hardware."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import pairwise
from typing import Any

from analysis.cards.commands import flags
from analysis.cards.facts import Facts
from analysis.checking.figures import Figure

__all__ = ["Known"]

_WORD = re.compile(r"[^\s,;()\"'`<>|]+")


class Known:
    """The words of a campaign's settings."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    @cached_property
    def _words(self) -> frozenset[str]:
        """Each word, what is behind its slashes, and each two words in a row."""
        found: set[str] = set()
        for text in self._texts():
            words = [word.strip(".:").lower() for word in _WORD.findall(text)]
            found.update(words)
            found.update(part for word in words for part in re.split(r"[/=#]", word))
            found.update(f"{first} {second}" for first, second in pairwise(words))
        return frozenset(found)

    def _texts(self) -> Iterator[str]:
        campaign = self.facts.summary.campaign
        yield from (campaign.title, campaign.target or "", campaign.slug)
        yield from (f"{key} {value}" for key, value in campaign.conditions.items())
        yield from _flat(campaign.card)
        for run in campaign.runs:
            stated = (run.label, run.id, run.draft, run.target, run.build, run.spec_type)
            yield from (str(value) for value in (*stated, run.prompt_set, run.source.file) if value)
            yield from (f"{result.task}" for result in run.tasks)
        for facts in self.facts.runs:
            yield from (f"--{flag} {value}" for flag, value in flags(facts).items())

    def says(self, text: str, figure: Figure) -> bool:
        """Whether the word that a figure is part of, or it and the word beside it, is in them."""
        if figure.token:
            word = figure.token.lower()
            return word in self._words or any(
                part in self._words for part in re.split(r"[/=]", word)[-1:]
            )
        before = re.search(r"(\S+)\s+$", text[max(0, figure.start - 40) : figure.start])
        numeral = text[figure.start : figure.end]
        return bool(before) and f"{before[1].strip('(`*').lower()} {numeral}" in self._words  # type: ignore[index]


def _flat(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for item in value.values():
            yield from _flat(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _flat(item)
    else:
        yield str(value)
