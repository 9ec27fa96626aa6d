"""Is this server up, is it ours, and if not, why?"""

from __future__ import annotations

import secrets
import signal
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from analysis.errors import LiveError, printable
from analysis.parsers.llama_server.setup import Started, setup_mark
from analysis.runner.processes import ServerProcess
from analysis.runner.server_log import StartFacts, errors_in, read_start, tail_of

__all__ = ["Running", "build_in", "free_port", "get_json", "start"]

LOOPBACK = "127.0.0.1"
POLL_S = 0.05
PORT_ATTEMPTS = 3
_BIND = ("couldn't bind", "address already in use")


@dataclass(frozen=True)
class Running:
    """A server that answers.

    Attributes
    ----------
    address
        Without a slash at the end.
    log
        Its log, or null where it is somewhere else.
    facts
        What its log says of its start.
    build
        llama.cpp's build in its own words, or null.
    process
        Null for a server that somebody else started.
    headers
        To be sent with every request.
    """

    address: str
    log: Path | None = None
    facts: StartFacts = field(default_factory=StartFacts)
    build: str | None = None
    process: ServerProcess | None = None
    headers: Mapping[str, str] | None = None

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
    # Proxies of the environment have no business on the loopback interface.
    with httpx.Client(base_url=address, timeout=2.0, trust_env=False) as client:
        while time.monotonic() < deadline:
            if process.exit_code is not None:
                return None
            if _is_ready(client, name):
                return Running(
                    address,
                    process.log,
                    read_start(tail_of(process.log)),
                    build_in(get_json(client, "/props")),
                    process,
                )
            time.sleep(POLL_S)
    raise LiveError(
        f"the server was not ready after {timeout_s:g} s",
        "see its log, or give it longer with start_timeout_s",
        file=process.log,
    )


def _is_ready(client: httpx.Client, name: str) -> bool:
    try:
        if client.get("/health").status_code != httpx.codes.OK:
            return False
    except httpx.HTTPError:
        return False
    models = get_json(client, "/v1/models").get("data")
    ids = [model.get("id") for model in models if isinstance(model, dict)] if models else []
    return name in ids


def get_json(client: httpx.Client, path: str) -> dict[str, Any]:
    """The object at a path; an empty one when there is none."""
    try:
        answer = client.get(path)
        data = answer.json() if answer.status_code == httpx.codes.OK else {}
    except (httpx.HTTPError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}


def build_in(properties: Mapping[str, Any]) -> str | None:
    """llama.cpp's build in its ``/props``, as logs are read: the commit where it has no number."""
    stated = properties.get("build_info")
    if not isinstance(stated, str):
        return None
    said = setup_mark(f"build_info: {stated}")
    return said.build if isinstance(said, Started) else printable(stated)


def _since(log: Path, begins: int) -> str:
    try:
        with log.open("rb") as file:
            file.seek(begins)
            return file.read().decode("utf-8", "replace")
    except OSError:
        return ""


def _ended(process: ServerProcess, log: Path, said: str) -> LiveError:
    code = process.exit_code or 0
    words = errors_in(said)
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
