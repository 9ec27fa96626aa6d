"""What was found out about one claim, and about a whole README."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

__all__ = ["LISTED", "CheckResult", "Kind", "Status", "Verdict", "shown"]

Status = Literal["verified", "differs", "untied"]
Kind = Literal["sentence", "table", "quote", "section", "front matter"]
SHOWN, LISTED = 160, 12


def shown(text: str) -> str:
    """As much of a text as a line of a report has place for."""
    words = " ".join(text.split())
    return words if len(words) <= SHOWN else f"{words[: SHOWN - 1]}…"


@dataclass(frozen=True)
class Verdict:
    """One claim of a README, or a place in a generated section.

    It is ``verified``, ``differs``, or is ``untied`` where the data does not say, or the words are
    not understood. `says` is what it was understood as, or why it was not; `recomputed` what the
    data gives, in the unit of the figure, or the words of a fresh rendering; `source` are files
    and lines of the raw records.
    """

    line: int
    text: str
    status: Status
    kind: Kind
    says: str = ""
    figures: tuple[str, ...] = ()
    recomputed: str | None = None
    source: str | None = None


@dataclass(frozen=True)
class CheckResult:
    """Every claim of a README with its verdict, in order; `campaign` is a slug."""

    file: str
    campaign: str
    verdicts: tuple[Verdict, ...]

    def those(self, status: Status) -> list[Verdict]:
        """The verdicts of one status."""
        return [one for one in self.verdicts if one.status == status]

    @property
    def agrees(self) -> bool:
        """Whether no claim differs."""
        return not self.those("differs")

    def as_dict(self) -> dict[str, Any]:
        """JSON-able, with the number of claims per status."""
        counts = {status: len(self.those(status)) for status in get_args(Status)}
        claims = [asdict(one) for one in self.verdicts]
        return {"file": self.file, "campaign": self.campaign, **counts, "claims": claims}
