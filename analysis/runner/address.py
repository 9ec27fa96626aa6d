"""Where is a server, what is sent to it with every request, and through which proxy?"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpcore

from analysis.runner.deadline import ExchangeError

__all__ = ["Address", "proxy_for"]


@dataclass(frozen=True)
class Address:
    """Where a server is, and what is sent to it with every request.

    Attributes
    ----------
    scheme, host, port, path
        Of its base address; the path without a slash at its end.
    headers
        Its key among them, if it has one.
    direct
        Whether proxies of the environment are passed by, as for our own servers.
    """

    scheme: str
    host: str
    port: int
    path: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    direct: bool = True

    @classmethod
    def read(cls, text: str, key: str | None = None, direct: bool = False) -> Address:
        """Take an address apart.

        Parameters
        ----------
        text
            ``http://…`` or ``https://…``, perhaps with ``user:password@``.
        key
            The server's key, or null.
        direct
            See the class.

        Raises
        ------
        ValueError
            It is no address.
        """
        parts = urlsplit(text)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query:
            raise ValueError("this is no address of a server")
        host = parts.hostname.encode("idna").decode() if not parts.hostname.isascii() else None
        headers = {}
        if parts.username is not None:
            pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
        if key:
            headers["Authorization"] = f"Bearer {key}"
        return cls(
            parts.scheme,
            host or parts.hostname,
            parts.port or (443 if parts.scheme == "https" else 80),
            parts.path.rstrip("/"),
            headers,
            direct,
        )

    @property
    def origin(self) -> tuple[str, str, int]:
        """What two addresses of one server share, whatever their path."""
        return self.scheme, self.host, self.port

    @property
    def named(self) -> str:
        """Host and port as a request's head has them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        usual = self.port == (443 if self.scheme == "https" else 80)
        return host if usual else f"{host}:{self.port}"

    @property
    def shown(self) -> str:
        """The address without whatever is secret in it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}{self.path}"


def proxy_for(address: Address) -> httpcore.Proxy | None:
    """The proxy that the environment names for an address; null without one.

    Raises
    ------
    ExchangeError
        What it names is none.
    """
    if address.direct:
        return None
    named = getproxies().get(address.scheme)
    if not named or proxy_bypass(f"{address.host}:{address.port}"):
        return None
    try:
        parts = urlsplit(named if "://" in named else f"http://{named}")
        auth = None
        if parts.username is not None:
            auth = (unquote(parts.username), unquote(parts.password or ""))
        bare = re.sub(r"^[^/@]*@", "", parts.netloc)
        return httpcore.Proxy(f"{parts.scheme}://{bare}", auth=auth)
    except (ValueError, RuntimeError) as error:
        raise ExchangeError(
            "connection", f"the proxy of the environment is none: {error}"
        ) from None
