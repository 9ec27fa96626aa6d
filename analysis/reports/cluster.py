"""How does a batch go to the workers of a Dask scheduler?

A worker renders as this machine would, into a staging folder that takes the
report's place when it is whole. A campaign whose worker dies is given to
another; if both finish it, they write the same bytes.
"""

from __future__ import annotations

import functools
import uuid
from collections.abc import Generator, Mapping
from contextlib import suppress
from typing import Any

from analysis.errors import ReportError
from analysis.reports.kernels import Kernels
from analysis.reports.work import Rendered, Work

__all__ = ["outcomes"]

_CONNECT_S = 10.0


def outcomes(works: Mapping[int, Work], scheduler: str) -> Generator[tuple[int, Rendered]]:
    """Have works done by a scheduler's workers.

    Parameters
    ----------
    works
        What is to be done, by number.
    scheduler
        Its address, e.g. ``tcp://10.0.0.1:8786``.

    Yields
    ------
    tuple of int and Rendered
        As they come. Ending the iteration early cancels what has not begun.

    Raises
    ------
    ReportError
        No scheduler answers.
    """
    try:
        from distributed import Client, as_completed
    except ImportError as error:
        raise ReportError(
            "--scheduler needs Dask, which is not installed", "run pip install 'mtpbench[cluster]'"
        ) from error
    try:
        client: Any = Client(scheduler, timeout=_CONNECT_S, set_as_default=False)
    except Exception as error:  # a protocol that lacks something here fails as it likes
        raise ReportError(
            f"no Dask scheduler answers at {scheduler!r}",
            "start one with `dask scheduler`, and give its address",
        ) from error
    batch = uuid.uuid4().hex
    futures = {}
    try:
        for number, work in works.items():
            key = f"mtpbench-{batch}-{number}"
            futures[client.submit(_done, work, key=key, pure=False)] = number
        for future in as_completed(futures, loop=client.loop):
            number = futures[future]
            try:
                outcome = future.result()
            except Exception as lost:  # noqa: BLE001 - whatever Dask says of a worker or of itself
                campaign = works[number].campaign
                why = " ".join(f"{type(lost).__name__}: {lost}".split())
                said = f"{campaign}: no worker could render it: {why}; look at the workers' logs"
                outcome = Rendered(campaign, error=said)
            yield number, outcome
            future.release()
    finally:
        with suppress(OSError, TimeoutError):
            client.cancel(list(futures), force=True)
            client.close(timeout=_CONNECT_S)


def _done(work: Work) -> Rendered:
    """What a worker does."""
    return work.done(_kernels())


@functools.cache
def _kernels() -> Kernels:
    """Of all threads of a worker, for all that they are given; they end with it."""
    return Kernels()
