"""Figures that are part of a name: models, files, builds, settings, links, positions."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from analysis.campaigns.campaign import SETTINGS_FILE
from analysis.cards.commands import flags
from analysis.checking.context import Context
from analysis.checking.figures import Figure
from analysis.records import Source

__all__ = ["Known", "named_run"]


def named_run(context: Context, text: str, figure: Figure) -> tuple[bool, str | None]:
    """Whether a figure is part of a run's, a task's or a class's name, and whose.

    Returns
    -------
    inside : bool
        It is part of such a name.
    says : str or None
        What is named; null where the campaign has no such run.
    """
    for one in context.mentions(text):
        if one.start <= figure.start and figure.end <= one.end:
            if not one.ids:
                return True, None
            facts = context.book.facts
            shown = [facts.by_id[run].label if one.kind == "run" else run for run in one.ids]
            return True, f"name of {', '.join(shown)}"
    return False, None


@dataclass(frozen=True, eq=False)
class Known:
    """The words of a campaign's settings, in which a name must be found."""

    context: Context

    @cached_property
    def _texts(self) -> tuple[str, ...]:
        campaign = self.context.book.facts.summary.campaign
        found = [campaign.title, campaign.target or "", campaign.slug]
        found += [f"{key} {value}" for key, value in campaign.conditions.items()]
        found += list(_flat(campaign.card))
        for run in campaign.runs:
            stated = (run.label, run.id, run.draft, run.target, run.build, run.spec_type)
            found += [str(value) for value in (*stated, run.prompt_set) if value]
            found += [run.source.file, *(result.task for result in run.tasks)]
            found += _identity(campaign.folder, run.source)
        for facts in self.context.book.facts.runs:
            found += [f"--{flag} {value}" for flag, value in flags(facts).items()]
        positions = self.context.book.facts.summary.positions
        if len(positions):
            found += [f"P{position}" for position in positions["position"].dropna().unique()]
        return tuple(dict.fromkeys(" ".join(text.split()).lower() for text in found if text))

    def says(self, text: str, figure: Figure) -> str | None:
        """In which of the campaign's words the figure's name stands; null in none.

        A figure inside a word needs the whole word; one that stands alone needs
        the word before or behind it too, as in ``RTX 5070``.
        """
        for words in _phrases(text, figure):
            for known in self._texts:
                if re.search(rf"(?<![\w.]){re.escape(words)}(?![\w])", known):
                    return f"{SETTINGS_FILE}: {known if len(known) <= 80 else known[:79] + '…'}"
        return None


def _identity(folder: Path, source: Source) -> list[str]:
    """What tells a file of records from any other: its place, size and SHA-256, read anew."""
    path = folder / source.file
    try:
        data = path.read_bytes() if path.resolve().is_relative_to(folder.resolve()) else b""
    except (OSError, ValueError):
        data = b""
    return [str(source), f"{len(data)} bytes", hashlib.sha256(data).hexdigest()]


def _flat(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for item in value.values():
            yield from _flat(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _flat(item)
    else:
        yield str(value)


def _phrases(text: str, figure: Figure) -> Iterator[str]:
    if figure.token:
        word = figure.token.lower()
        yield word
        for address in ("https://huggingface.co/", "http://", "https://"):
            if word.startswith(address):
                yield word.removeprefix(address)
        for separator in ("=", "huggingface.co/"):
            if separator in word:
                yield word.rpartition(separator)[2]
        return
    before = re.search(r"(\S+)\s+$", text[: figure.start])
    behind = re.match(r"\s+([^\s|,.;:]+)", text[figure.end :])
    numeral = text[figure.start : figure.end]
    if before and not before[1][-1:].isdigit() and re.search(r"[A-Za-z]", before[1]):
        yield f"{before[1].strip('(`*')} {numeral}".lower()
    if behind and re.search(r"[A-Z]", behind[1][:1]):
        yield f"{numeral} {behind[1]}".lower()
