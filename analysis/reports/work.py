"""One campaign of a batch, from its place to its report's place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis.campaigns.campaign import find
from analysis.errors import MtpbenchError
from analysis.files.fingerprint import fingerprint, is_current
from analysis.files.storage import remove_leftovers
from analysis.reports.render import CARD_NOTEBOOK, public_name, render

if TYPE_CHECKING:
    from analysis.reports.kernels import Kernels

__all__ = ["Rendered", "Work"]


@dataclass(frozen=True)
class Rendered:
    """What became of one campaign: its report's folder, or the error.

    `unchanged` says that the report was current and was left as it is.
    """

    campaign: str
    folder: Path | None = None
    error: str | None = None
    unchanged: bool = False


@dataclass(frozen=True)
class Work:
    """One campaign, as plain data that any machine can be handed.

    Attributes
    ----------
    campaign
        As the user named it.
    source
        Its folder, absolute.
    out
        Where the report folder goes, absolute.
    shown
        `out` as the user named it.
    """

    campaign: str
    source: str
    out: str
    shown: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    force: bool = False
    timeout_s: float | None = None

    @property
    def name(self) -> str:
        """Name of the report folder."""
        return Path(self.source).name

    def done(self, kernels: Kernels | None) -> Rendered:
        """Render it, unless its report is current."""
        try:
            return self._done(kernels)
        except MtpbenchError as error:
            return Rendered(self.campaign, error=str(error))
        except Exception as error:  # noqa: BLE001 - one's surprise must not stop the others
            said = f"{self.campaign}: {type(error).__name__}: {error}; report this as an issue"
            return Rendered(self.campaign, error=said)

    def _done(self, kernels: Kernels | None) -> Rendered:
        # Asked again where it is done: a worker's disk may show another folder there, or none.
        source = find(self.source)
        folder, shown = Path(self.out, source.name), Path(self.shown, source.name)
        inputs = fingerprint(source, CARD_NOTEBOOK, public_name(source), self.parameters)
        remove_leftovers(folder.parent, [folder.name])
        if not self.force and is_current(folder, inputs):
            return Rendered(self.campaign, shown, unchanged=True)
        render(
            source,
            folder,
            inputs,
            parameters=self.parameters,
            timeout_s=self.timeout_s,
            kernels=kernels,
            force=self.force,
        )
        return Rendered(self.campaign, shown)
