"""Which reports are to be made, and what became of each?"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from analysis.campaign import find
from analysis.errors import MtpbenchError, ReportError
from analysis.reports import pool
from analysis.reports.fingerprint import fingerprint, is_current
from analysis.reports.render import CARD_NOTEBOOK, Job, public_name
from analysis.storage import sweep

if TYPE_CHECKING:
    from analysis.model_files import ModelFile

__all__ = ["TIMEOUT_S", "Outcome", "report"]

TIMEOUT_S = 600.0
"""Seconds that one cell of a notebook may take by default."""


@dataclass(frozen=True)
class Outcome:
    """What became of one campaign: its report folder, or the error.

    `unchanged` says that the report was current and was left as it is.
    """

    campaign: str
    folder: Path | None = None
    error: str | None = None
    unchanged: bool = False


def report(
    campaigns: Sequence[str | Path],
    out: str | Path,
    jobs: int = 1,
    files: Sequence[ModelFile] = (),
    *,
    force: bool = False,
    timeout_s: float | None = TIMEOUT_S,
    warm: bool = pool.CAN_FORK,
    done: Callable[[Outcome], None] | None = None,
) -> Generator[Outcome]:
    """Render campaigns by executing the card notebook for each.

    Parameters
    ----------
    campaigns
        Campaign folders.
    out
        Folder that the report folders go into, one per campaign.
    jobs
        How many are rendered at once.
    files
        What the model files of the campaigns state, see ``model_roles.read_files``.
    force
        Whether a report is made anew though nothing that it depends on has changed.
    timeout_s
        Seconds that one cell may take; null for any.
    warm
        Whether kernels are forked from a process that has the imports done.
    done
        Called with each outcome as soon as there is one, in any order.

    Yields
    ------
    Outcome
        In the order of `campaigns`. A failing campaign leaves its former
        report as it was and does not stop the others. A folder that holds
        anything but a report is never replaced.
    """
    place = Path(out)
    # As plain data: it goes through a notebook's parameters, which are JSON.
    parameters = {"files": [file.as_dict() for file in files]} if files else {}
    outcomes: dict[int, Outcome] = {}
    todo: dict[int, Job] = {}
    names = []
    for number, (campaign, clash) in enumerate(_clashing(campaigns)):
        try:
            if clash is not None:
                raise ReportError(
                    f"its report would take the place of the one of {clash}",
                    "rename its folder, or name it once",
                    file=campaign,
                )
            source = find(campaign)
            names.append(source.name)
            name = public_name(source)
            inputs = fingerprint(source, CARD_NOTEBOOK, name, parameters)
        except MtpbenchError as error:
            outcomes[number] = Outcome(str(campaign), error=str(error))
            continue
        folder = place / source.name
        if not force and is_current(folder, inputs):
            outcomes[number] = Outcome(str(campaign), folder, unchanged=True)
            continue
        todo[number] = Job(
            str(source), str(folder.absolute()), inputs, parameters, timeout_s
        )
    sweep(place, names)
    if done:
        for outcome in outcomes.values():
            done(outcome)
    made = (pool.warm if warm else pool.cold)(list(todo.values()), max(jobs, 1))
    numbers = list(todo)
    try:
        for number in range(len(campaigns)):
            while number not in outcomes:
                index, problem = next(made)
                which = numbers[index]
                folder = place / Path(todo[which].folder).name
                outcome = Outcome(str(campaigns[which]), folder)
                if problem is not None:
                    outcome = replace(outcome, folder=None, error=problem)
                outcomes[which] = outcome
                if done:
                    done(outcome)
            yield outcomes.pop(number)
    finally:
        # Ends what is still being made, which leaves its staging folders.
        made.close()
        sweep(place, names)


def _clashing(campaigns: Sequence[str | Path]) -> Iterator[tuple[str | Path, str | None]]:
    """Each campaign, with an earlier one whose report would lie in the same folder."""
    taken: dict[str, str] = {}
    for campaign in campaigns:
        try:
            name = find(campaign).name
        except MtpbenchError:
            # It is said when its turn comes.
            yield campaign, None
            continue
        yield campaign, taken.get(name)
        taken.setdefault(name, str(campaign))
