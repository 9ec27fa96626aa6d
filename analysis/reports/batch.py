"""Which reports are to be made, and what became of each?"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import TYPE_CHECKING

from analysis.campaigns.campaign import find
from analysis.errors import MtpbenchError, ReportError
from analysis.files.storage import remove_leftovers
from analysis.reports.kernels import Kernels
from analysis.reports.work import Rendered, Work

if TYPE_CHECKING:
    from analysis.models.model_files import ModelFile

__all__ = ["TIMEOUT_S", "Rendered", "report"]

TIMEOUT_S = 600.0
"""Seconds that one cell of a notebook may take by default."""


def report(
    campaigns: Sequence[str | Path],
    out: str | Path,
    jobs: int = 1,
    files: Sequence[ModelFile] = (),
    *,
    force: bool = False,
    timeout_s: float | None = TIMEOUT_S,
    scheduler: str | None = None,
    done: Callable[[Rendered], None] | None = None,
) -> Generator[Rendered]:
    """Render campaigns by executing the card notebook for each.

    Parameters
    ----------
    campaigns
        Campaign folders.
    out
        Folder that the report folders go into, one per campaign.
    jobs
        How many are rendered at once, from 1 on.
    files
        What the model files of the campaigns state, see ``model_roles.read_files``.
    force
        Whether a report is made anew though nothing that it depends on has
        changed, and keeps no byte of one that says the same.
    timeout_s
        Seconds that one cell may take; null for any.
    scheduler
        Address of a Dask scheduler, whose workers render in place of this
        machine; paths must lead to the same folders for them.
    done
        Called with each outcome as soon as there is one, in any order.

    Yields
    ------
    Rendered
        In the order of `campaigns`. A failing campaign leaves its former
        report as it was and does not stop the others. A folder is replaced
        only if all in it is of an earlier report.
    """
    # As plain data: it goes through a notebook's parameters, which are JSON.
    parameters = {"files": [file.as_dict() for file in files]} if files else {}
    outcomes: dict[int, Rendered] = {}
    works: dict[int, Work] = {}
    place = Path(out).absolute()
    for number, (campaign, found) in enumerate(_found(campaigns)):
        if isinstance(found, MtpbenchError):
            outcomes[number] = Rendered(campaign, error=str(found))
            continue
        works[number] = Work(
            campaign, str(found), str(place), str(out), parameters, force, timeout_s
        )
    told = set[int]()
    making = _on_machines(works, scheduler) if scheduler else _here(works, jobs)
    try:
        for number in range(len(campaigns)):
            while number not in outcomes:
                which, outcome = next(making)
                outcomes[which] = outcome
                if done:
                    done(outcome)
                    told.add(which)
            outcome = outcomes.pop(number)
            if done and number not in told:
                done(outcome)
            yield outcome
    finally:
        # Ends what is still being made, which leaves its staging folders.
        making.close()
        remove_leftovers(place, [work.name for work in works.values()])


def _here(works: Mapping[int, Work], jobs: int) -> Generator[tuple[int, Rendered]]:
    """Outcomes of works on this machine, by number, as they come."""
    if not works:
        return
    with Kernels() as kernels, ThreadPoolExecutor(min(jobs, len(works))) as threads:
        futures = {threads.submit(work.done, kernels): number for number, work in works.items()}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            # Before the threads are waited for: each waits for its kernel.
            threads.shutdown(wait=False, cancel_futures=True)
            kernels.stop()


def _on_machines(works: Mapping[int, Work], scheduler: str) -> Generator[tuple[int, Rendered]]:
    from analysis.reports import cluster

    yield from cluster.outcomes(works, scheduler)


def _found(campaigns: Sequence[str | Path]) -> Iterator[tuple[str, Path | MtpbenchError]]:
    """Each campaign with its folder, or with why there will be no report."""
    taken: dict[str, str] = {}
    for campaign in map(str, campaigns):
        try:
            folder = find(campaign)
            if folder.name in taken:
                raise ReportError(
                    f"its report would take the place of the one of {taken[folder.name]}",
                    "rename its folder, or name it once",
                    file=campaign,
                )
        except MtpbenchError as error:
            yield campaign, error
            continue
        taken[folder.name] = campaign
        yield campaign, folder
