"""What a trap is, and what is looked at to find one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from analysis.campaigns.model_roles import ModelRoles, cast
from analysis.parsers.text.command import CommandSettings, settings
from analysis.summary import Summary

__all__ = ["Publication", "Rule", "Trap"]

_CONTINUED = re.compile(r"[\\`^]\r?\n[ \t>]*+")
_COMMAND = re.compile(r"\bllama-(?:server|cli|speculative[\w-]*)\b[^\n]*")


@dataclass(frozen=True)
class Trap:
    """One reason why a reader will not get what the card promises.

    Attributes
    ----------
    code
        Stable name.
    problem, remedy
        What is wrong, and what to do.
    """

    code: str
    problem: str
    remedy: str

    def __str__(self) -> str:
        return f"trap: {self.problem}; {self.remedy} [{self.code}]"


@dataclass(frozen=True, eq=False)
class Publication:
    """What is about to be public.

    Attributes
    ----------
    summary
        The campaign's figures.
    text
        The README as readers will see it.
    paths
        Files that will lie beside it, from the root; empty where that is not known.
    repository
        ``OWNER/NAME`` on the Hub, or null.
    """

    summary: Summary
    text: str
    paths: Sequence[str] = ()
    repository: str | None = None

    @cached_property
    def commands(self) -> tuple[CommandSettings, ...]:
        """What each command line of the README says, those on several lines joined."""
        joined = _CONTINUED.sub(" ", self.text)
        return tuple(settings(found[0].rstrip("`")) for found in _COMMAND.finditer(joined))

    @cached_property
    def models(self) -> tuple[str, ...]:
        """The GGUF files among `paths`."""
        return tuple(path for path in self.paths if path.lower().endswith(".gguf"))

    @cached_property
    def roles(self) -> ModelRoles:
        """The model files that were given, by role."""
        campaign = self.summary.campaign
        return cast(campaign.files, campaign.card)

    @cached_property
    def draft_file(self) -> str | None:
        """Name of the card's own draft, where it is known."""
        stated = self.summary.campaign.card.get("draft_file")
        if isinstance(stated, str):
            return stated
        return self.roles.draft.file if self.roles.draft else None


@dataclass(frozen=True)
class Rule:
    """How one kind of trap is found.

    Parameters
    ----------
    code
        Stable name.
    remedy
        What to do, in the imperative.
    look
        What is wrong, once for each place.
    """

    code: str
    remedy: str
    look: Callable[[Publication], Iterator[str]]

    def __call__(self, publication: Publication) -> Iterator[Trap]:
        """Every trap of this kind, each said once."""
        for problem in dict.fromkeys(self.look(publication)):
            yield Trap(self.code, problem, self.remedy)
