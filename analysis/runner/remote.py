"""A server that runs already: which one is it, is it ready, and may it have the user's key?"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from analysis.errors import LiveError, printable
from analysis.runner.address import Address
from analysis.runner.deadline import Deadline, ExchangeError
from analysis.runner.identity import read_identity
from analysis.runner.redaction import redacted
from analysis.runner.running import Running, is_healthy

__all__ = ["KEY_VARIABLE", "SERVER_VARIABLE", "Remote"]

_HEALTH_S = 10.0
_LONGEST = 80

KEY_VARIABLE = "LLAMA_API_KEY"
"""Where the key of a server that runs already is looked for; it is never written down."""

SERVER_VARIABLE = "LLAMA_SERVER"
"""A program's path, or the address of the server that the key is for."""


@dataclass(frozen=True)
class Remote:
    """See ``servers.Engine``; it is measured as it is."""

    at: Address
    said: Mapping[str, Any] = field(default_factory=dict)
    kind: str = field(default="remote", init=False)
    extra: tuple[str, ...] = field(default=(), init=False)
    plain: tuple[str, ...] = field(default=(), init=False)

    @classmethod
    def named(cls, address: str, named_by_user: bool) -> Remote:
        """Read an address.

        Raises
        ------
        LiveError
            It is none.
        """
        try:
            at = Address.read(address)
        except ValueError as error:
            shown = printable(redacted(address, homes=False)[:_LONGEST])
            problem = f"no server answers at {shown}: {printable(error)}"
            raise LiveError(problem, "correct the address") from error
        if named_by_user or _is_named_in_environment(at):
            at = Address.read(address, os.environ.get(KEY_VARIABLE))
        return cls(at)

    def asked(self) -> Remote:
        """See ``servers.Engine``; asks whether it is ready, and what it is."""
        try:
            problem = is_healthy(self.at, Deadline(_HEALTH_S))
        except ExchangeError as error:
            said = printable(redacted(error.message, self.at.headers.values()))
            raise LiveError(
                f"no server answers at {self.at.shown}: {said}",
                "start it, or correct the address",
            ) from error
        if problem is not None:
            raise LiveError(
                f"the server at {self.at.shown} is not ready: {problem}",
                "wait until it is" if problem != "HTTP 401" else _how_to_give_a_key(self.at),
            )
        return replace(self, said=read_identity(self.at) or {})

    @property
    def name(self) -> str:
        """What little is known."""
        build = self.said.get("build")
        return f"llama-server {build}" if build else "a server that ran already"

    @property
    def identity(self) -> Mapping[str, str]:
        """Address, which may be private and is kept as a hash, build and model."""
        return {
            "address": hashlib.sha256(self.at.shown.encode()).hexdigest(),
            "build": self.said.get("build") or "",
            "model": self.said.get("model") or "",
        }

    def start(self, arguments: Sequence[str], log: Path, timeout_s: float) -> Running:  # noqa: ARG002
        """See ``servers.Engine``; asks again, for time may have passed."""
        again = self.asked()
        return Running(again.at, build=again.said.get("build"), identity=again.said or None)


def _is_named_in_environment(at: Address) -> bool:
    """Whether the user names this server, by its address in ``LLAMA_SERVER``."""
    try:
        return Address.read(os.environ.get(SERVER_VARIABLE, "")).origin == at.origin
    except ValueError:
        return False


def _how_to_give_a_key(at: Address) -> str:
    if os.environ.get(KEY_VARIABLE) and not at.headers:
        return f"to send it your key, name it yourself: --server {at.shown}"
    return f"its key goes into {KEY_VARIABLE}"
