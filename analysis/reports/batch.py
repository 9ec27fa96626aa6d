"""Which reports are to be made, and what became of each?"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING

from analysis.campaigns.campaign import find
from analysis.errors import MtpbenchError, ReportError
from analysis.files.storage import remove_leftovers
from analysis.reports import places
from analysis.reports.kernels import Kernels
from analysis.reports.work import Rendered, Work

if TYPE_CHECKING:
    from analysis.models.model_files import ModelFile

__all__ = ["TIMEOUT_S", "Rendered", "report"]

TIMEOUT_S = 600.0
"""Seconds that one cell of a notebook may take by default."""
_STOP_S = 10.0


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
        Campaign folders: paths, or URLs that fsspec knows.
    out
        Folder that the report folders go into, one per campaign: a path or a URL.
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
    place = str(out) if places.is_url(out) else str(Path(out).absolute())
    for number, (campaign, found) in enumerate(_found(campaigns)):
        if isinstance(found, MtpbenchError):
            outcomes[number] = Rendered(campaign, error=str(found))
            continue
        works[number] = Work(campaign, found, place, str(out), parameters, force, timeout_s)
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
        names = [work.name for work in works.values()]
        places.remove_leftovers(place) if places.is_url(place) else remove_leftovers(
            Path(place), names
        )


def _here(works: Mapping[int, Work], jobs: int) -> Generator[tuple[int, Rendered]]:
    """Outcomes of works on this machine, by number, as they come."""
    kernels = Kernels()
    todo, taking = iter(works.items()), threading.Lock()
    ended: SimpleQueue[tuple[int, Rendered]] = SimpleQueue()
    stopped = threading.Event()

    def work() -> None:
        while not stopped.is_set():
            with taking:
                number, one = next(todo, (None, None))
            if number is None or one is None:
                return
            ended.put((number, one.done(kernels)))

    threads = [threading.Thread(target=work, daemon=True) for _ in range(min(jobs, len(works)))]
    try:
        for thread in threads:
            thread.start()
        for _ in works:
            yield ended.get()
    finally:
        stopped.set()
        kernels.stop()
        # One that waits for a far machine is not waited for.
        for thread in threads:
            thread.join(_STOP_S)


def _on_machines(works: Mapping[int, Work], scheduler: str) -> Generator[tuple[int, Rendered]]:
    from analysis.reports import cluster

    yield from cluster.outcomes(works, scheduler)


def _found(
    campaigns: Sequence[str | Path],
) -> Iterator[tuple[str, str | MtpbenchError]]:
    """Each campaign with its place, or with why there will be no report."""
    taken: dict[str, str] = {}
    for campaign in map(str, campaigns):
        try:
            if places.is_url(campaign):
                found, name = campaign, places.last_name(campaign)
            else:
                folder = find(campaign)
                found, name = str(folder), folder.name
            if name in taken:
                raise ReportError(
                    f"its report would take the place of the one of {taken[name]}",
                    "rename its folder, or name it once",
                    file=campaign,
                )
        except MtpbenchError as error:
            yield campaign, error
            continue
        taken[name] = campaign
        yield campaign, found
