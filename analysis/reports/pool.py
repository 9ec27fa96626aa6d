"""How are many reports made at once, and one that fails kept from the others?"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
from collections.abc import Generator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from types import TracebackType

from analysis.campaign import load
from analysis.errors import MtpbenchError
from analysis.reports.render import Job, render

__all__ = ["CAN_FORK", "Nursery", "cold", "warm"]

CAN_FORK = sys.platform == "linux"
"""Whether kernels can be forked here; see ``warm.py``."""

_STOP_S = 10.0


def warm(jobs: Sequence[Job], workers: int) -> Generator[tuple[int, str | None]]:
    """Make reports in processes forked from a :class:`Nursery`.

    Parameters
    ----------
    jobs
        What to make.
    workers
        How many at once.

    Yields
    ------
    tuple of int and str or None
        Index in `jobs` and the error, as they are finished. Ending the
        iteration early ends what is being made.
    """
    if len(jobs) == 1 and (mistake := _mistake(jobs[0])):
        yield 0, mistake
        return
    waiting = list(enumerate(jobs))[::-1]
    rehearse = len(jobs) > workers
    while waiting:
        with Nursery(rehearse=rehearse) as nursery:
            begun: set[int] = set()
            while waiting or begun:
                while waiting and len(begun) < workers:
                    number, job = waiting.pop()
                    begun.add(number)
                    nursery.submit(number, job)
                reply = nursery.reply()
                if reply is None:
                    # It was killed. What it had begun is not tried again: that may be the reason.
                    for number in sorted(begun):
                        yield number, _killed(jobs[number])
                    break
                begun.remove(reply[0])
                yield reply


def cold(jobs: Sequence[Job], workers: int) -> Generator[tuple[int, str | None]]:
    """The same where nothing can be forked: kernels start in the ordinary way."""
    if workers <= 1:
        yield from ((number, _error_of(job)) for number, job in enumerate(jobs))
        return
    executor = ProcessPoolExecutor(max_workers=workers, mp_context=get_context("spawn"))
    try:
        futures = {executor.submit(_error_of, job): number for number, job in enumerate(jobs)}
        for future in as_completed(futures):
            number = futures[future]
            try:
                yield number, future.result()
            except BrokenProcessPool:
                yield number, _killed(jobs[number])
    finally:
        executor.shutdown(cancel_futures=True)


def _mistake(job: Job) -> str | None:
    """What is wrong with a campaign's own files: heard at once, before any process starts."""
    try:
        load(Path(job.source))
    except MtpbenchError as error:
        return str(error)
    return None


def _error_of(job: Job) -> str | None:
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
    """

    def __init__(self, *, rehearse: bool = False) -> None:
        words = [sys.executable, "-m", "analysis.reports.nursery"]
        self.process = subprocess.Popen(
            words + ["--rehearse"] * rehearse,
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
