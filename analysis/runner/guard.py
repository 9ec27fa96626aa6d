"""Who ends a server when the runner can't?

This program stands between the two. It starts the command that it is given,
and when its standard input ends, which happens however the runner ends, it
kills everything in its process group. It imports only what Python has, and it
is run by path: until it has started, it protects nothing, so it must start fast.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable

PR_SET_PDEATHSIG = 1


def main(command: list[str]) -> int:
    """Run `command` until it ends or the runner does.

    Returns
    -------
    int
        The command's exit code; 128 + n where signal n ended it, and 127 where
        it can't be run.
    """
    try:
        child = subprocess.Popen(  # noqa: S603 - the runner's own words, and no shell
            command,
            stdin=subprocess.DEVNULL,
            # Safe: no other thread runs yet.
            preexec_fn=_dies_with_parent(),  # noqa: PLW1509
        )
    except OSError as error:
        sys.stderr.write(f"error: {command[0]} can't be run: {error.strerror or error}\n")
        return 127
    # A terminal's Ctrl-C, and a polite end, are for the runner and for the server.
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    threading.Thread(target=_watch, args=(child,), daemon=True).start()
    code = child.wait()
    return 128 - code if code < 0 else code


def _watch(child: subprocess.Popen[bytes]) -> None:
    """Wait for the runner's end of the pipe to close; nothing is ever written to it."""
    while os.read(0, 1):
        pass
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    child.kill()


def _dies_with_parent() -> Callable[[], None] | None:
    """On Linux: have the kernel kill the server should this guard be killed itself."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        prctl = ctypes.CDLL(None).prctl
    except (OSError, AttributeError):
        return None

    def ask() -> None:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)

    return ask


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
