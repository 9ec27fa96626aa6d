"""What was found out about one figure, and about a whole README."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

__all__ = ["CheckResult", "Status", "Verdict"]

Status = Literal["verified", "differs", "untied"]


@dataclass(frozen=True)
class Verdict:
    """One figure of a README.

    Attributes
    ----------
    line
        Where it stands.
    stated
        As it is written.
    context
        The words around it.
    status
        ``verified``; ``differs``; or ``untied`` where nothing in the data says
        what it is.
    quantity
        What it was understood as; null where it was not.
    recomputed
        What the data gives, in the figure's own unit; null without a quantity.
    source
        Files and lines of the raw records.
    evidence
        By what it was tied: ``raw line``, ``table``, ``sentence``, ``name``,
        ``rendering``, several joined by `` + ``; empty where it was not.
    """

    line: int
    stated: str
    context: str
    status: Status
    quantity: str | None = None
    recomputed: str | None = None
    source: str | None = None
    evidence: str = ""


@dataclass(frozen=True)
class CheckResult:
    """Every figure of a README with its verdict, in order.

    Attributes
    ----------
    file
        The README as it was named.
    campaign
        The campaign's slug.
    verdicts
        One per figure; none is left out.
    """

    file: str
    campaign: str
    verdicts: tuple[Verdict, ...]

    def those(self, status: Status) -> Sequence[Verdict]:
        """The verdicts of one status."""
        return [one for one in self.verdicts if one.status == status]

    @property
    def agrees(self) -> bool:
        """Whether no figure differs."""
        return not self.those("differs")

    def as_dict(self) -> dict[str, Any]:
        """JSON-able, with the number of figures per status."""
        return {
            "file": self.file,
            "campaign": self.campaign,
            "verified": len(self.those("verified")),
            "differs": len(self.those("differs")),
            "untied": len(self.those("untied")),
            "figures": [asdict(one) for one in self.verdicts],
        }
