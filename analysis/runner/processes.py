"""How is a server process started so that nothing of it outlives us?

Every server runs under ``guard.py`` in a process group of its own. An orderly
end kills the group; if we crash, are killed or lose our terminal, the guard
notices that its standard input ended and does it; if the guard is killed, the
kernel does it where it can (Linux).
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from analysis.errors import LiveError

__all__ = ["ServerProcess"]

GUARD = Path(__file__).with_name("guard.py")
GRACE_S = 3.0
"""How long a server may take to end by itself."""


class ServerProcess:
    """A running command with its log.

    Parameters
    ----------
    command
        Program and arguments; no shell is involved.
    log
        File that its output is appended to.
    environment
        The whole of its environment.

    Raises
    ------
    LiveError
        The log can't be written or no process can be started.
    """

    def __init__(self, command: Sequence[str], log: Path, environment: Mapping[str, str]) -> None:
        self.log = log
        try:
            log.parent.mkdir(parents=True, exist_ok=True)
            with log.open("ab") as output:
                self._guard = subprocess.Popen(  # noqa: S603 - a list of words, and no shell
                    [sys.executable, "-I", "-S", str(GUARD), *command],
                    stdin=subprocess.PIPE,
                    stdout=output,
                    stderr=output,
                    env=dict(environment),
                    start_new_session=True,
                )
        except OSError as error:
            raise LiveError(
                f"the server can't be started: {error.strerror or error}",
                "make room for its log and its process",
                file=log,
            ) from error

    @property
    def pid(self) -> int:
        """Id of the guard, which is also its process group's."""
        return self._guard.pid

    @property
    def exit_code(self) -> int | None:
        """Null while it runs; 128 + n where signal n ended it."""
        code = self._guard.poll()
        return None if code is None else (128 - code if code < 0 else code)

    def stop(self) -> None:
        """End it and everything that it started; does nothing the second time."""
        family = _descendants(self.pid)
        try:
            for process in family:
                with suppress(psutil.Error):
                    process.terminate()
            psutil.wait_procs(family, GRACE_S)
        finally:
            # An impatient second Ctrl-C ends here too.
            self._kill(family)

    def _kill(self, family: Sequence[psutil.Process]) -> None:
        if hasattr(os, "killpg"):
            # A group lives as long as any of its members, whoever of them ended first.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        for process in family:
            with suppress(psutil.Error):
                process.kill()
        if self._guard.stdin is not None:
            with suppress(OSError):
                self._guard.stdin.close()
        self._guard.kill()
        self._guard.wait()


def _descendants(pid: int) -> list[psutil.Process]:
    with suppress(psutil.Error):
        return list(psutil.Process(pid).children(recursive=True))
    return []
