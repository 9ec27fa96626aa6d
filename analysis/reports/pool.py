"""How are many reports made at once, and one that fails kept from the others?"""

from __future__ import annotations

import itertools
import json
import os
import selectors
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from types import TracebackType

from analysis.campaigns.campaign import load
from analysis.errors import MtpbenchError
from analysis.reports.render import Job, render

__all__ = ["CAN_FORK", "Nursery", "cold", "error_of", "warm"]

CAN_FORK = sys.platform == "linux"
"""Whether kernels can be forked here; see ``waiting.py``."""

_STOP_S = 10.0


def warm(jobs: Iterable[tuple[int, Job]], workers: int) -> Generator[tuple[int, str | None]]:
    """Make reports in processes forked from a :class:`Nursery`.

    Parameters
    ----------
    jobs
        What to make, each with a number of its own; taken as they are needed.
    workers
        How many at once.

    Yields
    ------
    tuple of int and str or None
        Number and error of each job, as they are finished. Ending the
        iteration early ends what is being made.
    """
    coming = iter(jobs)
    waiting = deque(itertools.islice(coming, workers + 1))
    rehearse, single = len(waiting) > workers, len(waiting) == 1
    if single and (mistake := _mistake(waiting[0][1])):
        yield waiting[0][0], mistake
        return
    while waiting:
        with Nursery(rehearse=rehearse, single=single) as nursery:
            begun: dict[int, Job] = {}
            while waiting or begun:
                while waiting and len(begun) < workers:
                    number, job = waiting.popleft()
                    begun[number] = job
                    nursery.submit(number, job)
                    waiting.extend(itertools.islice(coming, 1))
                reply = nursery.reply()
                if reply is None:
                    # It was killed. What it had begun is not tried again: that may be the reason.
                    yield from ((number, _killed(job)) for number, job in begun.items())
                    break
                del begun[reply[0]]
                yield reply


def cold(jobs: Iterable[tuple[int, Job]], workers: int) -> Generator[tuple[int, str | None]]:
    """The same where nothing can be forked: kernels start in the ordinary way."""
    if workers <= 1:
        yield from ((number, error_of(job)) for number, job in jobs)
        return
    executor = ProcessPoolExecutor(max_workers=workers, mp_context=get_context("spawn"))
    coming = iter(jobs)
    try:
        begun: dict[Future[str | None], tuple[int, Job]] = {}
        while True:
            for number, job in itertools.islice(coming, workers - len(begun)):
                begun[executor.submit(error_of, job)] = number, job
            if not begun:
                return
            for future in wait(begun, return_when=FIRST_COMPLETED).done:
                number, job = begun.pop(future)
                try:
                    yield number, future.result()
                except BrokenProcessPool:
                    yield number, _killed(job)
                    executor.shutdown()
                    executor = ProcessPoolExecutor(workers, get_context("spawn"))
    finally:
        executor.shutdown(cancel_futures=True)


def _mistake(job: Job) -> str | None:
    """What is wrong with a campaign's own files: heard at once, before any process starts."""
    try:
        load(Path(job.source))
    except MtpbenchError as error:
        return str(error)
    return None


def error_of(job: Job) -> str | None:
    """Make one report here; the error, or null."""
    try:
        render(job)
    except MtpbenchError as error:
        return str(error)
    return None


def _killed(job: Job) -> str:
    return f"{job.source}: the process that rendered it was killed; render it again with --jobs 1"


class Nursery:
    """The other end of ``nursery.py``: a context manager, for one thread.

    Parameters
    ----------
    rehearse
        Whether one report is made in advance, which pays for several.
    single
        Whether there will be one job, whose processes then import side by side.
    """

    def __init__(self, *, rehearse: bool = False, single: bool = False) -> None:
        words = [sys.executable, "-m", "analysis.reports.nursery"]
        self.process = subprocess.Popen(
            words + ["--rehearse"] * rehearse + ["--single"] * single,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # An interrupt from the terminal is for us, who end it.
            start_new_session=True,
            bufsize=0,
        )
        self._heard = b""

    def submit(self, number: int, job: Job) -> None:
        """Have a report made; the reply carries the number."""
        line = json.dumps({"number": number, "job": asdict(job)}).encode() + b"\n"
        assert self.process.stdin is not None  # noqa: S101 - for the type checker
        # That it has died is told by its reply.
        with suppress(BrokenPipeError):
            while line:
                line = line[self.process.stdin.write(line) or 0 :]

    def reply(self) -> tuple[int, str | None] | None:
        """Wait for the next report: its number and error; null when the nursery has died."""
        while b"\n" not in self._heard:
            data = self._read()
            if not data:
                return None
            self._heard += data
        line, _, self._heard = self._heard.partition(b"\n")
        said = json.loads(line)
        return int(said["number"]), said["error"]

    def _read(self) -> bytes:
        assert self.process.stdout is not None  # noqa: S101 - for the type checker
        return os.read(self.process.stdout.fileno(), 65536)

    def stop(self) -> None:
        """End it and all that it forked, and wait until they have ended."""
        if self.process.stdin is None or self.process.stdin.closed:
            return
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.stdin.close()
        self.process.wait()
        # Kernels have sessions of their own, and die with whom they were forked by. All hold
        # the pipe: when nothing more comes out of it, nobody is left that could write a file.
        assert self.process.stdout is not None  # noqa: S101 - for the type checker
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while selector.select(_STOP_S) and self._read():
                pass
        self.process.stdout.close()

    def __enter__(self) -> Nursery:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
