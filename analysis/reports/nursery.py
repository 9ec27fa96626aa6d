"""The process that has the imports done, and forks a kernel for each line that it reads.

``kernels.Kernels`` starts it. In comes a line of JSON for each kernel: the command that would start
it, its working directory and its environment. Out goes the number of the process that was forked.
This process has no threads, sockets or event loop, and ends when its requests do; all that it
forked is killed by the system when it has gone.
"""

from __future__ import annotations

import builtins
import ctypes
import gc
import json
import os
import signal
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import NoReturn

__all__ = ["IMPORTED", "main"]

IMPORTED = (
    "ipykernel.ipkernel",
    "ipykernel.kernelapp",
    "ipykernel.zmqshell",
    "seaborn",
    "analysis.notebooks",
    "analysis.pipeline",
)
"""What a kernel and the card's notebook import."""

_ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
_INLINE = "module://matplotlib_inline.backend_inline"
_KILLED_WITH_PARENT = 1  # PR_SET_PDEATHSIG


def main() -> None:
    """Serve until the requests end."""
    nursery = os.getpid()
    requests, replies = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.close(nothing)
    # `python -m` put the working directory there, which a kernel doesn't have.
    del sys.path[0]
    # What a kernel sets before a notebook imports matplotlib.
    os.environ.setdefault("MPLBACKEND", _INLINE)
    with _as_in_a_kernel():
        for module in IMPORTED:
            import_module(module)
    # What is there now is shared by all that are forked: collecting it would copy it.
    gc.collect()
    gc.freeze()
    # Nobody waits for a kernel here; the system forgets it when it ends.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with os.fdopen(requests, "rb") as lines:
        for line in lines:
            with warnings.catch_warnings():
                # Libraries have threads of their own that wait for work and hold nothing.
                warnings.simplefilter("ignore", DeprecationWarning)
                pid = os.fork()
            if pid == 0:
                _be_a_kernel(line, nursery, requests, replies)
            os.write(replies, f"{pid}\n".encode())


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


def _be_a_kernel(line: bytes, nursery: int, *not_its_own: int) -> NoReturn:
    """What the forked process does."""
    try:
        os.setsid()
        ctypes.CDLL(None).prctl(_KILLED_WITH_PARENT, signal.SIGKILL)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for descriptor in not_its_own:
            os.close(descriptor)
        # Else the nursery had gone before it was said that this one goes with it.
        if os.getppid() == nursery:
            _run_a_kernel(**json.loads(line))
    finally:
        # Not the way out of the process that was forked: its exit handlers are its own.
        os._exit(0)


def _run_a_kernel(command: Sequence[str], cwd: str, env: Mapping[str, str]) -> None:
    import numpy as np
    from ipykernel.kernelapp import IPKernelApp

    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    # Every fork would have the same state; a process of its own has one of its own.
    np.random.seed()  # noqa: NPY002
    # `python … -m MODULE WORDS…`
    module, *words = command[command.index("-m") + 1 :]
    found = find_spec(module)
    sys.argv = [found.origin if found and found.origin else module, *words]
    IPKernelApp.launch_instance(sys.argv[1:])


if __name__ == "__main__":
    main()
