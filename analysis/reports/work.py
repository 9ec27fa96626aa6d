"""One campaign of a batch, from its place to its report's place."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from analysis.campaigns.campaign import find
from analysis.errors import MtpbenchError
from analysis.files.fingerprint import fingerprint, is_current
from analysis.files.storage import remove_leftovers
from analysis.reports import places
from analysis.reports.render import CARD_NOTEBOOK, public_name, render

if TYPE_CHECKING:
    from analysis.reports.kernels import Kernels

__all__ = ["Rendered", "Work"]


@dataclass(frozen=True)
class Rendered:
    """What became of one campaign: its report's folder, or the error.

    `folder` is text where the place is a URL. `unchanged` says that the report
    was current and was left as it is.
    """

    campaign: str
    folder: Path | str | None = None
    error: str | None = None
    unchanged: bool = False


@dataclass(frozen=True)
class Work:
    """One campaign, as plain data that any machine can be handed.

    Attributes
    ----------
    campaign
        As the user named it.
    place
        Its folder: an absolute path, or a URL.
    out
        Where the report folder goes: an absolute path, or a URL.
    shown
        `out` as the user named it.
    """

    campaign: str
    place: str
    out: str
    shown: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    force: bool = False
    timeout_s: float | None = None

    @property
    def name(self) -> str:
        """Name of the report folder."""
        return places.last_name(self.place) if places.is_url(self.place) else Path(self.place).name

    def done(self, kernels: Kernels | None) -> Rendered:
        """Render it, unless its report is current."""
        try:
            with ExitStack() as kept:
                return self._done(kernels, kept)
        except MtpbenchError as error:
            return Rendered(self.campaign, error=str(error))
        except Exception as error:  # noqa: BLE001 - one's surprise must not stop the others
            said = f"{self.campaign}: {type(error).__name__}: {error}; report this as an issue"
            return Rendered(self.campaign, error=said)

    def _done(self, kernels: Kernels | None, kept: ExitStack) -> Rendered:
        fetched = places.is_url(self.place)
        source = kept.enter_context(places.fetched(self.place)) if fetched else find(self.place)
        # Of a fetched one only the name is known to others: where it was put is this machine's.
        called = source.name if fetched else public_name(source)
        inputs = fingerprint(source, CARD_NOTEBOOK, called, self.parameters)
        if away := places.is_url(self.out):
            shown: Path | str = places.join(self.out, source.name)
            current = not self.force and places.is_current(str(shown), inputs)
            folder = Path(kept.enter_context(TemporaryDirectory(prefix="mtpbench-")), source.name)
        else:
            shown, folder = Path(self.shown, source.name), Path(self.out, source.name)
            current = not self.force and is_current(folder, inputs)
            remove_leftovers(folder.parent, [folder.name])
        if current:
            return Rendered(self.campaign, shown, unchanged=True)
        try:
            render(
                source,
                folder,
                inputs,
                parameters=self.parameters,
                timeout_s=self.timeout_s,
                kernels=kernels,
                force=self.force,
            )
        except MtpbenchError as error:
            # Where it was fetched to is of no use to anybody.
            return Rendered(self.campaign, error=str(error).replace(str(source), self.place))
        if away:
            places.publish(folder, str(shown))
        return Rendered(self.campaign, shown)
