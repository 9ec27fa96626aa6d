"""The process that has the imports done, and forks one process for each campaign.

It is started by ``pool.Nursery`` and speaks lines of JSON: in come jobs, each
with a number; out go the same numbers, each with the error or null. A campaign
has two processes of its own: one that runs papermill and writes the report,
and its kernel. All of them end when whoever started this process has gone.

For a single campaign nothing is imported here: its two processes import what
they need side by side.
"""

from __future__ import annotations

import builtins
import gc
import json
import os
import selectors
import signal
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

__all__ = ["main"]

_ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
_INLINE = "module://matplotlib_inline.backend_inline"


def main() -> None:
    """Serve until the requests end.

    ``--rehearse`` makes one report in advance, ``--single`` says that there will be one only.
    """
    requests, replies = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.close(nothing)
    # `python -m` put the working directory there, which a kernel doesn't have.
    del sys.path[0]
    # What a kernel sets before a notebook imports matplotlib.
    os.environ.setdefault("MPLBACKEND", _INLINE)
    single = "--single" in sys.argv[1:]
    if not single:
        _import_for_kernels()
        _import_for_papermill()
    if "--rehearse" in sys.argv[1:]:
        _rehearse()
    _freeze()
    _Server(requests, replies, single=single).serve()


def _import_for_kernels() -> None:
    """Do once what every campaign's kernel would have to do."""
    with _as_in_a_kernel():
        import ipykernel.ipkernel
        import ipykernel.kernelapp
        import ipykernel.zmqshell
        import seaborn

        import analysis.notebooks
        import analysis.pipeline


def _import_for_papermill() -> None:
    """The same for the process that runs a campaign's notebook."""
    with _as_in_a_kernel():
        import analysis.reports.execution
        import analysis.reports.render


def _freeze() -> None:
    """What is there now is shared by all that are forked: collecting it would copy it."""
    gc.collect()
    gc.freeze()


@contextmanager
def _as_in_a_kernel() -> Iterator[None]:
    """Let libraries find what they find when a notebook imports them."""
    # A process with threads can't be forked safely; nothing here is large enough to need them.
    former = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update(dict.fromkeys(_ONE_THREAD, "1"))
    # pandas asks for it when it is imported, and shows wide tables otherwise without.
    builtins.get_ipython = _ImportedInAKernel  # type: ignore[attr-defined]
    yield
    del builtins.get_ipython  # type: ignore[attr-defined]
    for name, value in former.items():
        if value is None:
            del os.environ[name]
        else:
            os.environ[name] = value


class _ImportedInAKernel:
    """What a library takes for the shell of a kernel."""

    kernel = None


def _rehearse() -> None:
    """Fill the caches of fonts, formats and parsers with a report that nobody sees."""
    from analysis import pipeline
    from analysis.audit import audit
    from analysis.campaigns.campaign import Campaign
    from analysis.records import Run, Source, TaskResult
    from analysis.summary import summarise

    def run(name: str, spec_type: str, drafted: int) -> Run:
        results = tuple(
            TaskResult(task, Source(f"{name}.log", 1), 1, 100, drafted, drafted // 2, decode_tps=90.0)
            for task in ("code_python", "qa_factual", "translation")
        )
        n_max = 2 if drafted else None
        return Run(
            Source(f"{name}.log", 1), "mtp-bench", results, id=name, spec_type=spec_type, n_max=n_max
        )

    runs = (run("plain", "none", 0), run("fast", "draft-mtp", 80))
    made = Campaign("rehearsal", Path("rehearsal"), "Rehearsal", baseline="plain", runs=runs)
    with tempfile.TemporaryDirectory(prefix="mtpbench-") as folder:
        summary = summarise(made, audit(made))
        pipeline.write(summary, pipeline.draw(summary, Path(folder)), Path(folder))


@dataclass
class _Child:
    """A process that renders one campaign, and what it has said so far."""

    pid: int
    number: int
    source: str
    said: bytearray = field(default_factory=bytearray)


class _Server:
    def __init__(self, requests: int, replies: int, *, single: bool) -> None:
        self.requests = requests
        self.replies = replies
        self.single = single
        self.selector = selectors.DefaultSelector()
        # By the pipe that a process writes its reply to.
        self.children: dict[int, _Child] = {}

    def serve(self) -> None:
        pending = b""
        self.selector.register(self.requests, selectors.EVENT_READ)
        while True:
            for key, _ in self.selector.select():
                if key.fd != self.requests:
                    self._hear(key.fd)
                    continue
                data = os.read(self.requests, 65536)
                if not data:
                    self._stop()
                *lines, pending = (pending + data).split(b"\n")
                for line in lines:
                    self._fork(**json.loads(line))

    def _fork(self, number: int, job: dict[str, Any]) -> None:
        read, write = os.pipe()
        with warnings.catch_warnings():
            # Libraries have threads of their own that wait for work and hold nothing.
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
            if pid == 0:
                self._be_a_child(write, job)
        os.close(write)
        self.children[read] = _Child(pid, number, job["source"])
        self.selector.register(read, selectors.EVENT_READ)

    def _be_a_child(self, reply: int, job: dict[str, Any]) -> NoReturn:
        try:
            from analysis.reports.waiting import WaitingKernel, die_with_parent

            die_with_parent()
            # Not `replies`: whoever waits for the last of us to end listens to that.
            os.close(self.requests)
            for pipe in self.children:
                os.close(pipe)
            # Before anything here has a thread, a socket or an event loop.
            kernel = WaitingKernel.fork(reply, first=self._ready_a_kernel)
            error = _error_of(job, kernel)
            kernel.end()
            with os.fdopen(reply, "wb") as file:
                file.write(json.dumps({"error": error}).encode())
        finally:
            os._exit(0)

    def _ready_a_kernel(self) -> None:
        if self.single:
            _import_for_kernels()
            _freeze()

    def _hear(self, pipe: int) -> None:
        data = os.read(pipe, 65536)
        child = self.children[pipe]
        child.said += data
        if data:
            return
        self.selector.unregister(pipe)
        os.close(pipe)
        del self.children[pipe]
        _, status = os.waitpid(child.pid, 0)
        reply = {"error": _died(child.source, os.waitstatus_to_exitcode(status))}
        if child.said:
            reply = json.loads(child.said)
        os.write(self.replies, json.dumps({"number": child.number, **reply}).encode() + b"\n")

    def _stop(self) -> NoReturn:
        for child in self.children.values():
            os.kill(child.pid, signal.SIGKILL)
        sys.exit(0)


def _error_of(job: dict[str, Any], kernel: Any) -> str | None:
    from analysis.errors import MtpbenchError
    from analysis.reports.render import Job, render

    try:
        render(Job(**job), kernel)
    except MtpbenchError as error:
        return str(error)
    except Exception as error:  # noqa: BLE001 - one campaign's surprise must not stop the others
        return f"{job['source']}: {type(error).__name__}: {error}; report this as an issue"
    return None


def _died(source: str, code: int) -> str:
    return f"{source}: the process that rendered it ended with {code}; render it alone to see why"


if __name__ == "__main__":
    main()
