"""How does a kernel start in no time? It is forked from a process that has the imports done.

A forked process that waits (:class:`WaitingKernel`) becomes an ordinary
ipykernel when papermill's engine here asks for one, so everything from the
first message on is what every kernel does. Each kernel runs one notebook and
is then killed: nothing that a notebook does can reach the next. Linux only;
elsewhere, and without a waiting kernel, the engine starts kernels as papermill
always does.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import sys
import tempfile
import uuid
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning.local_provisioner import LocalProvisioner
from papermill.engines import NBClientEngine, papermill_engines

__all__ = ["ENGINE", "WarmEngine", "WaitingKernel", "die_with_parent"]

ENGINE = "mtpbench"
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
    def fork(cls, *not_its_own: int) -> WaitingKernel:
        """Fork this process, which must have no threads, sockets or event loop yet.

        The file descriptors `not_its_own` stay with this process.
        """
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            for descriptor in (write, *not_its_own):
                os.close(descriptor)
            _wait_and_become_a_kernel(read)
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


def _wait_and_become_a_kernel(words: int) -> NoReturn:
    """What the forked process does."""
    code = 1
    try:
        os.setsid()
        die_with_parent()
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


class _Provisioner(LocalProvisioner):
    """Gives a kernel manager the waiting kernel for the process that it asks for."""

    waiting: WaitingKernel
    process: Any

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> Any:
        if cmd[0] != sys.executable or "ipykernel_launcher" not in cmd:
            # The notebook asks for another interpreter, or for another language.
            return await super().launch_kernel(cmd, **kwargs)
        env = {**kwargs.get("env", os.environ), "JPY_PARENT_PID": str(os.getpid())}
        self.cwd = kwargs.get("cwd") or Path.cwd()
        self.waiting.start(cmd, str(self.cwd), env)
        self.process = self.waiting
        self.pid = self.pgid = self.waiting.pid
        return self.connection_info


class _Manager(AsyncKernelManager):
    """Starts the one kernel that waits, and speaks to it without taking ports.

    Ports that many kernels choose at once can collide; names can't.
    """

    def __init__(self, waiting: WaitingKernel, folder: Path, **kwargs: Any) -> None:
        name = uuid.uuid4().hex
        super().__init__(
            transport="ipc",
            ip=f"@mtpbench-{name}",  # of the abstract kind, which is no file
            connection_file=str(folder / "connection.json"),
            **kwargs,
        )
        self.kernel_id = name
        self.provisioner = _Provisioner(
            kernel_id=name, kernel_spec=self.kernel_spec, parent=self
        )
        self.provisioner.waiting = waiting


class WarmEngine(NBClientEngine):  # type: ignore[misc]
    """papermill's own engine, with a kernel that is there already where one waits."""

    @classmethod
    def execute_managed_notebook(
        cls,
        nb_man: Any,
        kernel_name: str,
        kernel: WaitingKernel | None = None,
        **kwargs: Any,
    ) -> Any:
        """Execute; see the base class."""
        if kernel is None:
            return super().execute_managed_notebook(nb_man, kernel_name, **kwargs)
        # The folder that the kernel works in vanishes with a report that fails or is killed.
        folder = Path(tempfile.mkdtemp(prefix=".kernel.", dir=Path.cwd()))
        try:
            return super().execute_managed_notebook(
                nb_man,
                kernel_name,
                kernel_manager_class=_manager_class(kernel, folder),
                # All that it was to write is written, and exit handlers are the nursery's.
                shutdown_kernel="immediate",
                **kwargs,
            )
        finally:
            kernel.end()
            shutil.rmtree(folder, ignore_errors=True)


def _manager_class(kernel: WaitingKernel, folder: Path) -> type[AsyncKernelManager]:
    """nbclient takes a class and makes the manager itself."""

    class Manager(_Manager):
        def __init__(self, **kwargs: Any) -> None:
            super().__init__(kernel, folder, **kwargs)

    return Manager


papermill_engines.register(ENGINE, WarmEngine)
