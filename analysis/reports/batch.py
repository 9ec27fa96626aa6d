"""Which reports are to be made, and what became of each?"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, contextmanager
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

    def told(number: int, outcome: Rendered) -> None:
        outcomes[number] = outcome
        if done:
            done(outcome)

    for number, (campaign, found) in enumerate(_found(campaigns)):
        if isinstance(found, MtpbenchError):
            told(number, Rendered(campaign, error=str(found)))
            continue
        works[number] = Work(
            campaign, str(found), str(place), str(out), parameters, force, timeout_s
        )
    making = _outcomes(works, _machines(scheduler) if scheduler else _threads(jobs))
    try:
        for number in range(len(campaigns)):
            while number not in outcomes:
                told(*next(making))
            yield outcomes.pop(number)
    finally:
        # Ends what is still being made, which leaves its staging folders.
        making.close()
        remove_leftovers(place, [work.name for work in works.values()])


Hands = tuple[Executor, Callable[[Work], Rendered]]
"""Who does works, and what each is to do with one."""


@contextmanager
def _threads(jobs: int) -> Iterator[Hands]:
    """Threads of this machine, whose kernels end with them."""
    with Kernels() as kernels, ThreadPoolExecutor(jobs) as threads:
        try:
            yield threads, lambda work: work.done(kernels)
        finally:
            # Before the threads are waited for: each waits for its kernel.
            threads.shutdown(wait=False, cancel_futures=True)
            kernels.stop()


@contextmanager
def _machines(scheduler: str) -> Iterator[Hands]:
    from analysis.reports import cluster

    with cluster.workers(scheduler) as workers:
        yield workers, cluster.done


def _outcomes(
    works: Mapping[int, Work], hands: AbstractContextManager[Hands]
) -> Generator[tuple[int, Rendered]]:
    """Outcomes of works by number, as they come; ending it early cancels what has not begun."""
    with hands as (executor, does):
        futures = {executor.submit(does, work): number for number, work in works.items()}
        for future in as_completed(futures):
            number = futures[future]
            try:
                outcome = future.result()
            except Exception as lost:  # noqa: BLE001 - whatever Dask says of a worker or of itself
                campaign = works[number].campaign
                why = " ".join(f"{type(lost).__name__}: {lost}".split()).removesuffix(":")
                said = f"{campaign}: no worker could render it: {why}; look at the workers' logs"
                outcome = Rendered(campaign, error=said)
            yield number, outcome


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
