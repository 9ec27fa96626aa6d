"""How does a kernel start in no time? It is forked from a process that has the imports done.

A forked process that waits (``waiting.WaitingKernel``) becomes an ordinary
ipykernel when papermill's engine here asks for one, so everything from the
first message on is what every kernel does. Each kernel runs one notebook and
is then killed: nothing that a notebook does can reach the next. Linux only;
elsewhere, and without a waiting kernel, the engine starts kernels as papermill
always does.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import uuid
from pathlib import Path
from typing import Any

from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning.local_provisioner import LocalProvisioner
from papermill.engines import NBClientEngine, papermill_engines

from analysis.reports.waiting import WaitingKernel

__all__ = ["ENGINE", "WarmEngine"]

ENGINE = "mtpbench"


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
