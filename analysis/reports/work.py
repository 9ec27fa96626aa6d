"""One campaign of a batch, from its place to its report's place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from analysis.campaigns.campaign import find
from analysis.errors import MtpbenchError, ReportError
from analysis.reports import places
from analysis.files.fingerprint import fingerprint, is_current
from analysis.reports.render import CARD_NOTEBOOK, Job, public_name
from analysis.files.storage import sweep

__all__ = ["Begun", "Outcome", "Work"]


@dataclass(frozen=True)
class Outcome:
    """What became of one campaign: its report's folder, or the error.

    `folder` is text where the place is a URL. `unchanged` says that the report
    was current and was left as it is.
    """

    campaign: str
    folder: Path | str | None = None
    error: str | None = None
    unchanged: bool = False


@dataclass(frozen=True)
class Begun:
    """What is to be rendered, and what is to be done then.

    Attributes
    ----------
    job
        The rendering.
    end
        Takes its error, or null, and gives the outcome; to be called once.
    """

    job: Job
    end: Callable[[str | None], Outcome]


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

    def done(self, render: Callable[[Job], str | None]) -> Outcome:
        """The whole of it, with what renders a job and gives its error."""
        begun = self.begin()
        return begun if isinstance(begun, Outcome) else begun.end(render(begun.job))

    def begin(self) -> Begun | Outcome:
        """Fetch what is far away; the outcome where nothing is to be rendered."""
        with ExitStack() as kept:
            try:
                return self._begun(kept)
            except MtpbenchError as error:
                return Outcome(self.campaign, error=str(error))

    def _begun(self, kept: ExitStack) -> Begun | Outcome:
        fetched = places.is_url(self.place)
        source = kept.enter_context(places.fetched(self.place)) if fetched else find(self.place)
        # The name of a fetched one is all that is not this machine's business.
        name = source.name if fetched else public_name(source)
        inputs = fingerprint(source, CARD_NOTEBOOK, name, self.parameters)
        if places.is_url(self.out):
            target = shown = places.join(self.out, source.name)
            current = not self.force and places.is_current(target, inputs)
            scratch = kept.enter_context(TemporaryDirectory(prefix="mtpbench-"))
            report = Path(scratch) / source.name
        else:
            report = Path(self.out) / source.name
            current = not self.force and is_current(report, inputs)
            sweep(report.parent, [report.name])
            target, shown = "", str(Path(self.shown) / source.name)
        folder = shown if target else Path(shown)
        if current:
            return Outcome(self.campaign, folder, unchanged=True)
        job = Job(str(source), str(report), inputs, self.parameters, self.timeout_s)
        # What was fetched is needed until the end.
        rest = kept.pop_all()

        def end(error: str | None) -> Outcome:
            with rest:
                if error is None and target:
                    try:
                        places.publish(report, target)
                    except ReportError as refused:
                        error = str(refused)
            if error is None:
                return Outcome(self.campaign, folder)
            # Where it was fetched to is of no use to anybody.
            return Outcome(self.campaign, error=error.replace(str(source), self.place))

        return Begun(job, end)
