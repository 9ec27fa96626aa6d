"""How does a kernel start in no time? It is forked from a process that has the imports done.

On Linux kernels are forked from one process, ``nursery.py``; elsewhere they start as they always
do, which is slower and gives the same. Each kernel runs one notebook and is then killed: nothing
that a notebook does can reach the next.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import uuid
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import psutil

from analysis.errors import ReportError

__all__ = ["CAN_FORK", "Kernels"]

CAN_FORK = sys.platform == "linux"
"""Whether kernels can be forked here."""


class Kernels:
    """Starts kernels for any number of threads, and ends them all.

    Parameters
    ----------
    fork
        Whether kernels are forked; else each is a new process.
    """

    def __init__(self, *, fork: bool = CAN_FORK) -> None:
        self._fork = fork
        self._lock = threading.Lock()
        self._nursery: subprocess.Popen[bytes] | None = None
        self._running: list[Any] = []
        self._stopped = False

    def warm_up(self) -> None:
        """Let the nursery begin with its imports, if there is to be one."""
        if self._fork:
            with self._lock:
                self._living_nursery()

    def options(self) -> dict[str, Any]:
        """What papermill is to be given, so that its kernel comes from here."""
        from jupyter_client.manager import AsyncKernelManager
        from jupyter_client.provisioning.local_provisioner import LocalProvisioner

        kernels = self

        class Provisioner(LocalProvisioner):
            process: Any

            async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> Any:
                # A notebook may ask for another interpreter, or for another language.
                ours = cmd[0] == sys.executable and "ipykernel_launcher" in cmd
                if not (kernels._fork and ours):
                    info = await super().launch_kernel(cmd, **kwargs)
                    kernels._note(self.process)
                    return info
                env = {**kwargs.get("env", os.environ), "JPY_PARENT_PID": str(os.getpid())}
                self.cwd = str(kwargs.get("cwd") or Path.cwd())
                self.process = kernels._forked(cmd, self.cwd, env)
                self.pid = self.pgid = self.process.pid
                return self.connection_info

        class Manager(AsyncKernelManager):
            def __init__(self, **kwargs: Any) -> None:
                super().__init__(**kwargs)
                self.kernel_id = uuid.uuid4().hex
                self.provisioner = Provisioner(
                    kernel_id=self.kernel_id, kernel_spec=self.kernel_spec, parent=self
                )

        # All that a kernel was to write is written by then.
        return {"kernel_manager_class": Manager, "shutdown_kernel": "immediate"}

    def stop(self) -> None:
        """Kill all kernels and the nursery; none can be started any more."""
        with self._lock:
            self._stopped = True
            for process in self._running:
                with suppress(OSError):
                    process.kill()
            if self._nursery is not None:
                _end(self._nursery)

    def _forked(self, command: list[str], cwd: str, env: dict[str, str]) -> _Forked:
        words = {"command": command, "cwd": cwd, "env": env}
        line = json.dumps(words).encode() + b"\n"
        with self._lock:
            for _ in range(2):
                nursery = self._living_nursery()
                assert nursery.stdin is not None  # noqa: S101 - for the type checker
                assert nursery.stdout is not None  # noqa: S101 - for the type checker
                with suppress(BrokenPipeError, psutil.NoSuchProcess):
                    nursery.stdin.write(line)
                    nursery.stdin.flush()
                    if pid := nursery.stdout.readline():
                        self._running.append(process := _Forked(int(pid)))
                        return process
                _end(nursery)
        raise ReportError("no kernel could be forked", "free some memory, then render it again")

    def _living_nursery(self) -> subprocess.Popen[bytes]:
        if self._stopped:
            raise ReportError("it was interrupted", "render it again")
        if self._nursery is not None and self._nursery.poll() is not None:
            _end(self._nursery)
            self._nursery = None
        if self._nursery is None:
            self._nursery = subprocess.Popen(
                [sys.executable, "-m", "analysis.reports.nursery"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                # An interrupt from the terminal is for us, who end it.
                start_new_session=True,
            )
        self._running = [process for process in self._running if process.poll() is None]
        return self._nursery

    def _note(self, process: Any) -> None:
        with self._lock:
            self._running = [one for one in self._running if one.poll() is None]
            self._running.append(process)
            if self._stopped:
                process.kill()

    def __enter__(self) -> Kernels:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


class _Forked(psutil.Process):
    """A process that is not our child, with what jupyter_client uses of ``subprocess.Popen``."""

    stdin = stdout = stderr = None

    def poll(self) -> int | None:
        """Null while it lives."""
        return None if self.is_running() else 0

    def send_signal(self, signum: int) -> None:
        """Send it a signal, unless it has ended."""
        with suppress(psutil.NoSuchProcess):
            super().send_signal(signum)

    def kill(self) -> None:
        """End it, with what it started."""
        if self.is_running():
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
        self.send_signal(signal.SIGKILL)

    terminate = kill


def _end(nursery: subprocess.Popen[bytes]) -> None:
    """Kill it; the kernels that it forked die with it."""
    nursery.kill()
    nursery.wait()
    for pipe in (nursery.stdin, nursery.stdout):
        if pipe is not None:
            with suppress(BrokenPipeError):
                pipe.close()
