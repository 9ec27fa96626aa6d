"""How does a batch go to the workers of a Dask scheduler?

A worker renders as this machine would, into a staging folder that takes the
report's place when it is whole. A campaign whose worker dies is given to
another; if both finish it, they write the same bytes.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from typing import Any

from analysis.errors import ReportError
from analysis.reports.kernels import Kernels
from analysis.reports.work import Rendered, Work

__all__ = ["done", "workers"]

_CONNECT_S = 10.0


@contextmanager
def workers(scheduler: str) -> Iterator[Executor]:
    """The workers of a scheduler; at the end what has not begun is cancelled.

    Parameters
    ----------
    scheduler
        Its address, e.g. ``tcp://10.0.0.1:8786``.

    Raises
    ------
    ReportError
        No scheduler answers.
    """
    try:
        from distributed import Client
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
    executor: Executor = client.get_executor(pure=False)
    try:
        yield executor
    finally:
        with suppress(OSError, TimeoutError):
            executor.shutdown(wait=False)
            client.close(timeout=_CONNECT_S)


def done(work: Work) -> Rendered:
    """What a worker does."""
    return work.done(_kernels())


@functools.cache
def _kernels() -> Kernels:
    """Of all threads of a worker, for all that they are given; they end with it."""
    return Kernels()
