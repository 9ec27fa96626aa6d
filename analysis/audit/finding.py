"""What a check is: a code with its explanation and the function that looks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pandas as pd

from analysis.records import Finding, Level, Run

if TYPE_CHECKING:
    from analysis.depths.measured import MeasuredRuns
    from analysis.models.model_files import ModelFile

__all__ = ["Check", "Evidence", "Hit"]


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the checks look at.

    Attributes
    ----------
    measured
        The runs, and the frames made of them.
    is_campaign
        False for logs read on their own, where no baseline can be expected.
    build
        What the author says of the build of all runs that do not name one.
    card, files
        What the author says for the card, and what the model files say.
    whole
        The runs at all values of requests at once, context and temperature, where
        `measured` has those at one; null where there is nothing else.
    """

    measured: MeasuredRuns
    is_campaign: bool = True
    build: str | None = None
    card: Mapping[str, Any] = field(default_factory=dict)
    files: tuple[ModelFile, ...] = ()
    whole: MeasuredRuns | None = None

    @property
    def runs(self) -> tuple[Run, ...]:
        """The records, in order."""
        return self.measured.runs

    @property
    def tasks(self) -> pd.DataFrame:
        """Their task frame."""
        return self.measured.tasks

    @property
    def baseline(self) -> str | None:
        """Run id of the run without speculation, or null."""
        return self.measured.baseline


Hit = tuple[str, str]
"""Where, and what: the two things a check says of one occurrence."""


@dataclass(frozen=True)
class Check:
    """One thing that can be wrong, and how it is found.

    Parameters
    ----------
    code
        Stable name, e.g. ``"sum-mismatch"``.
    level
        ``"error"``: figures can't be true; ``"warning"``: they may mislead;
        ``"note"``: a reader should know.
    title, why, remedy
        For ``mtpbench explain CODE``: what it is, why it matters, what to do.
    look
        Evidence to occurrences. ``None`` for codes that parsers give themselves.
    """

    code: str
    level: Level
    title: str
    why: str
    remedy: str
    look: Callable[[Evidence], Iterator[Hit]] | None = None

    def __call__(self, evidence: Evidence) -> list[Finding]:
        """Findings of this check, in the order of the evidence."""
        if self.look is None:
            return []
        return [
            Finding(self.level, self.code, where, message) for where, message in self.look(evidence)
        ]
