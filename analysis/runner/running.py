"""Is this server up, is it ours, and if not, why?"""

from __future__ import annotations

import secrets
import signal
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any

from analysis.errors import LiveError
from analysis.runner.address import Address
from analysis.runner.deadline import Deadline, ExchangeError
from analysis.runner.identity import read_identity
from analysis.runner.processes import ServerProcess
from analysis.runner.redaction import redacted
from analysis.runner.server_log import (
    BEGINNING,
    StartFacts,
    errors_in,
    read_start,
    tail_of,
)
from analysis.runner.transport import exchange, get_json

__all__ = ["Running", "free_port", "is_healthy", "start"]

LOOPBACK = "127.0.0.1"
POLL_S = 0.05
_ASK_S = 2.0
"""For one question to a server that may not be ready yet."""

_MOST_LOG = 2**20
PORT_ATTEMPTS = 3
_BIND = ("couldn't bind", "address already in use")


@dataclass(frozen=True)
class Running:
    """A server that answers.

    Attributes
    ----------
    at
        Its address, with its key.
    log
        Its log, or null where it is somewhere else.
    facts
        What its log says of its start.
    build
        llama.cpp's build in its own words, or null.
    process
        Null for a server that somebody else started.
    identity
        What it said of itself when it was ready, see ``identity.read_identity``.
    """

    at: Address
    log: Path | None = None
    facts: StartFacts = field(default_factory=StartFacts)
    build: str | None = None
    process: ServerProcess | None = None
    identity: Mapping[str, Any] | None = None

    @property
    def secrets(self) -> tuple[str, ...]:
        """What it was sent and may repeat, and nobody may read."""
        return tuple(self.at.headers.values())

    @property
    def died(self) -> bool:
        """Whether a process of ours has ended."""
        return self.process is not None and self.process.exit_code is not None

    def stop(self) -> None:
        """End it and all that it started; a server of somebody else's is left alone."""
        if self.process is not None:
            self.process.stop()


def free_port() -> int:
    """A port of this machine that nobody listens on at the moment."""
    with socket.socket() as taken:
        taken.bind((LOOPBACK, 0))
        port: int = taken.getsockname()[1]
        return port


def start(
    command: Callable[[Sequence[str]], Sequence[str]],
    log: Path,
    environment: Mapping[str, str],
    timeout_s: float,
    port: Callable[[], int] = free_port,
) -> Running:
    """Start a server of ours and wait until it is ready.

    Parameters
    ----------
    command
        From the arguments for address and name to the whole command.
    log
        Where its output goes.
    environment
        The whole of its environment.
    timeout_s
        Longest wait.
    port
        Where a port comes from.

    Returns
    -------
    Running
        On a port that nobody else has, on the loopback interface only.

    Raises
    ------
    LiveError
        It ended before it was ready, with its own words, or it took too long.
    """
    for attempt in range(1, PORT_ATTEMPTS + 1):
        chosen = port()
        # The name proves that it is our server that answers at that port.
        name = f"mtpbench-{secrets.token_hex(8)}"
        words = ["--host", LOOPBACK, "--port", str(chosen), "--alias", name]
        begins = log.stat().st_size if log.exists() else 0
        process = ServerProcess(command(words), log, environment)
        try:
            ready = _wait(process, f"http://{LOOPBACK}:{chosen}", name, timeout_s)
        except BaseException:
            process.stop()
            raise
        if ready is not None:
            return ready
        process.stop()
        said = _since(log, begins)
        if attempt == PORT_ATTEMPTS or not any(words in said.lower() for words in _BIND):
            break
    raise _ended(process, log, said)


def _wait(process: ServerProcess, address: str, name: str, timeout_s: float) -> Running | None:
    """The server once it is ready, or null when it ended first."""
    deadline = time.monotonic() + timeout_s
    at = Address.read(address, direct=True)
    while (left := deadline - time.monotonic()) > 0:
        if process.exit_code is not None:
            return None
        if _is_ready(at, name, min(_ASK_S, left)):
            identity = read_identity(at)
            build = None if identity is None else identity["build"]
            return Running(
                at,
                process.log,
                read_start(tail_of(process.log, BEGINNING)),
                build,
                process,
                identity,
            )
        time.sleep(min(POLL_S, left))
    raise LiveError(
        f"the server was not ready after {timeout_s:g} s",
        "see its log, or give it longer with start_timeout_s",
        file=process.log,
    )


def _is_ready(at: Address, name: str, timeout_s: float) -> bool:
    deadline = Deadline(timeout_s)
    try:
        if is_healthy(at, deadline) is not None:
            return False
    except ExchangeError:
        return False
    found = get_json(at, "/v1/models", deadline)
    models = found.get("data") if isinstance(found, dict) else None
    models = models if isinstance(models, list) else []
    return name in [model.get("id") for model in models if isinstance(model, dict)]


def is_healthy(at: Address, deadline: Deadline) -> str | None:
    """Null when a server says that it is ready, else what it says instead.

    Raises
    ------
    ExchangeError
        It says nothing that could be understood.
    """
    with exchange(at, "GET", "/health", deadline) as response:
        if response.status == HTTPStatus.OK:
            # Whatever else it says, it has to come to an end with it.
            b"".join(response.pieces())
            return None
        return f"HTTP {response.status}"


def _since(log: Path, begins: int) -> str:
    try:
        with log.open("rb") as file:
            file.seek(begins)
            return file.read(_MOST_LOG).decode("utf-8", "replace")
    except OSError:
        return ""


def _ended(process: ServerProcess, log: Path, said: str) -> LiveError:
    code = process.exit_code or 0
    words = redacted(errors_in(said))
    ends = f": {words}" if words else ""
    if code > 128:
        return LiveError(*_by_signal(code - 128, ends), file=log)
    return LiveError(
        f"the server ended before it was ready (exit code {code}){ends}",
        "see its log, and correct what it complains of",
        file=log,
    )


def _by_signal(number: int, ends: str) -> tuple[str, str]:
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = f"signal {number}"
    if name == "SIGILL":
        return (
            "the server met an instruction that this CPU does not have (SIGILL)",
            "use a llama.cpp that was built for this CPU",
        )
    if name == "SIGKILL":
        return (
            f"the server was killed before it was ready{ends}",
            "see whether the machine ran out of memory",
        )
    return f"the server crashed before it was ready ({name}){ends}", "see its log"
