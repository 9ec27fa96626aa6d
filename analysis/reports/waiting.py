"""A forked process that waits until it is needed as a kernel.

Nothing here imports papermill or ipykernel: the process that is forked decides
what it has imported by then, see ``nursery.py``.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import NoReturn

__all__ = ["WaitingKernel", "die_with_parent"]

_KILLED_WITH_PARENT = 1  # PR_SET_PDEATHSIG


class WaitingKernel:
    """A process that waits to become a kernel; it ends when nobody needs it.

    It has the part of ``subprocess.Popen`` that jupyter_client uses.

    Attributes
    ----------
    pid
        Its number; also its process group and session.
    returncode
        As ``subprocess.Popen`` has it.
    """

    stdin = stdout = stderr = None

    def __init__(self, pid: int, words: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._words: int | None = words

    @classmethod
    def fork(
        cls, *not_its_own: int, first: Callable[[], object] | None = None
    ) -> WaitingKernel:
        """Fork this process, which must have no threads, sockets or event loop yet.

        The file descriptors `not_its_own` stay with this process. `first` is
        called in the new one before it waits.
        """
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            for descriptor in (write, *not_its_own):
                os.close(descriptor)
            _wait_and_become_a_kernel(read, first)
        os.close(read)
        return cls(pid, write)

    def start(self, command: Sequence[str], cwd: str, env: Mapping[str, str]) -> None:
        """Let it be the kernel that `command` would start."""
        if self._words is None:
            message = "this kernel was started already"
            raise RuntimeError(message)
        words = json.dumps({"command": list(command), "cwd": cwd, "env": dict(env)})
        with os.fdopen(self._words, "wb") as pipe:
            self._words = None
            pipe.write(words.encode())

    def end(self) -> None:
        """Kill it, with what it started."""
        if self._words is not None:
            os.close(self._words)
            self._words = None
        if self.poll() is None:
            self.kill()
            self.wait()

    def poll(self) -> int | None:
        """Its exit code, or null while it lives."""
        return self._reap(os.WNOHANG)

    def wait(self) -> int | None:
        """Its exit code, once it has ended."""
        return self._reap(0)

    def _reap(self, options: int) -> int | None:
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, options)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def send_signal(self, signum: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, signum)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self.send_signal(signal.SIGKILL)


def _wait_and_become_a_kernel(words: int, first: Callable[[], object] | None) -> NoReturn:
    """What the forked process does."""
    code = 1
    try:
        os.setsid()
        die_with_parent()
        if first:
            first()
        with os.fdopen(words, "rb") as pipe:
            text = pipe.read()
        if text:
            _become_a_kernel(**json.loads(text))
        code = 0
    finally:
        # Not the way out of the process that was forked: its exit handlers are its own.
        os._exit(code)


def _become_a_kernel(command: Sequence[str], cwd: str, env: Mapping[str, str]) -> None:
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


def die_with_parent() -> None:
    """Let the system kill this process when the one that forked it has gone."""
    ctypes.CDLL(None).prctl(_KILLED_WITH_PARENT, signal.SIGKILL)
