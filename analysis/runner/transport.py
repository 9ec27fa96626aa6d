"""How is a server asked so that no answer takes longer, or more memory, than it may?

A deadline is wall time from its making to the last byte. httpcore looks at its
timeouts for each operation on a socket, so a server that sends a byte now and
then holds them off for ever: here every operation gets what is left of the
whole. Answers are read in pieces and counted; a compressed one is refused,
because it may be any size once it is unpacked.
"""

from __future__ import annotations

import base64
import ipaddress
import json
import queue
import re
import socket
import ssl
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import certifi
import httpcore

__all__ = [
    "Address",
    "Deadline",
    "ExchangeError",
    "Response",
    "exchange",
    "get_json",
    "read_json",
]

PIECE = 64 * 1024
MOST_BYTES = 8 * 2**20
"""Of an answer that is no stream: the longest that llama.cpp gives are a few hundred kilobytes."""


class ExchangeError(Exception):
    """Nothing usable came: `kind` as in the runner's error records, and one line on why."""

    def __init__(self, kind: str, message: str) -> None:
        self.kind = kind
        self.message = message
        super().__init__(kind, message)


class Deadline:
    """A number of seconds that begins now, on a clock that nobody sets back."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._begins = time.perf_counter()

    @property
    def spent(self) -> float:
        """Seconds since its making."""
        return time.perf_counter() - self._begins

    @property
    def left(self) -> float:
        """Seconds left, more than 0.

        Raises
        ------
        ExchangeError
            There are none.
        """
        left = self.seconds - self.spent
        if left <= 0:
            raise self.missed
        return left

    @property
    def missed(self) -> ExchangeError:
        """What is said when it has passed."""
        return ExchangeError("timeout", f"no answer within {self.seconds:g} s")


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
    def shown(self) -> str:
        """The address without whatever is secret in it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}{self.path}"


@dataclass
class Response:
    """The head of an answer, and a body that is read once.

    Attributes
    ----------
    status
        HTTP's.
    headers
        By name in lower case; of a name that comes twice, the last.
    """

    status: int
    headers: Mapping[str, str]
    _pieces: Iterable[bytes]

    def pieces(self) -> Iterator[bytes]:
        """The body as it comes.

        Raises
        ------
        ExchangeError
            It is compressed.
        """
        coding = self.headers.get("content-encoding", "identity").strip().lower()
        if coding not in ("", "identity"):
            message = f"the answer is compressed ({coding}), which nobody asked for"
            raise ExchangeError("malformed", message)
        yield from self._pieces

    def beginning(self, most: int = PIECE) -> bytes:
        """The body's first bytes, or as many of them as came in time: what follows is not read."""
        found = bytearray()
        with suppress(ExchangeError, httpcore.TimeoutException):
            for piece in self.pieces():
                found += piece
                if len(found) >= most:
                    break
        return bytes(found[:most])


@contextmanager
def exchange(
    address: Address,
    method: str,
    path: str,
    deadline: Deadline,
    *,
    body: bytes | None = None,
    most_bytes: int = MOST_BYTES,
) -> Iterator[Response]:
    """Send one request on a connection of its own, and give its answer as it comes.

    Parameters
    ----------
    address
        Whom to ask.
    method, path, body
        What; a body is JSON. `path` begins with a slash.
    deadline
        For all of it.
    most_bytes
        That may come, head included.

    Yields
    ------
    Response
        Redirects are not followed.

    Raises
    ------
    ExchangeError
        Nobody is there, it took too long, was too much, or is no HTTP.
    """
    headers = {
        "Host": _host(address),
        "Accept-Encoding": "identity",
        "Connection": "close",
        **({} if body is None else {"Content-Type": "application/json"}),
        **address.headers,
    }
    url = httpcore.URL(
        scheme=address.scheme.encode(),
        host=address.host.encode(),
        port=address.port,
        target=(address.path + path).encode(),
    )
    try:
        with (
            httpcore.ConnectionPool(
                ssl_context=_certificates() if address.scheme == "https" else None,
                proxy=None if address.direct else _proxy(address),
                network_backend=_Network(deadline, most_bytes),
            ) as pool,
            pool.stream(method, url, headers=list(headers.items()), content=body) as response,
        ):
            yield Response(
                response.status,
                {
                    name.decode("latin-1").lower(): value.decode("latin-1")
                    for name, value in response.headers
                },
                response.iter_stream(),
            )
    except httpcore.TimeoutException:
        raise deadline.missed from None
    except (httpcore.ProtocolError, httpcore.UnsupportedProtocol) as error:
        raise ExchangeError("malformed", f"what came is no whole HTTP answer: {error}") from None
    except (httpcore.NetworkError, httpcore.ProxyError, OSError) as error:
        raise ExchangeError("connection", str(error) or type(error).__name__) from None


def get_json(address: Address, path: str, deadline: Deadline) -> Any:
    """The JSON at a path; null where there is none, whatever the reason."""
    try:
        with exchange(address, "GET", path, deadline) as response:
            if response.status != 200:
                return None
            return read_json(b"".join(response.pieces()))
    except (ExchangeError, ValueError):
        return None


def read_json(data: bytes) -> Any:
    """Read a JSON text in UTF-8; numbers in it may still be none.

    Raises
    ------
    ValueError
        It is none, or nested deeper than can be read.
    """
    try:
        return json.loads(data.decode("utf-8"))
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def _host(address: Address) -> str:
    host = f"[{address.host}]" if ":" in address.host else address.host
    usual = address.port == (443 if address.scheme == "https" else 80)
    return host if usual else f"{host}:{address.port}"


@cache
def _certificates() -> ssl.SSLContext:
    """The machine's own, which may name a company's authority, and those that everybody has."""
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context


def _proxy(address: Address) -> httpcore.Proxy | None:
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


class _Network(httpcore.NetworkBackend):
    """Connections that share a deadline and a number of bytes.

    The timeouts that httpcore hands on are those of single operations, and are passed over.
    """

    def __init__(self, deadline: Deadline, most_bytes: int) -> None:
        self._network = httpcore.SyncBackend()
        self.deadline = deadline
        self.most_bytes = most_bytes
        self.left_bytes = most_bytes

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002 - see the class
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        *others, last = _addresses(host, port, self.deadline)
        for one in others:
            with suppress(httpcore.ConnectError):
                return self._connected(one, port, local_address, socket_options)
        return self._connected(last, port, local_address, socket_options)

    def _connected(self, host: str, port: int, *others: Any) -> _Stream:
        return _Stream(self._network.connect_tcp(host, port, self.deadline.left, *others), self)

    def take(self, count: int) -> None:
        self.left_bytes -= count
        if self.left_bytes < 0:
            message = f"the answer is longer than {self.most_bytes / 2**20:.3g} MiB"
            raise ExchangeError("malformed", message)


class _Stream(httpcore.NetworkStream):
    """One connection of such a network."""

    def __init__(self, inner: httpcore.NetworkStream, network: _Network) -> None:
        self._inner = inner
        self._network = network

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002
        data = self._inner.read(max_bytes, self._network.deadline.left)
        self._network.take(len(data))
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002
        connection = self._inner.get_extra_info("socket")
        left = memoryview(buffer)
        try:
            while left:
                connection.settimeout(self._network.deadline.left)
                left = left[connection.send(left) :]
        except TimeoutError as error:
            raise httpcore.WriteTimeout from error
        except OSError as error:
            raise httpcore.WriteError(error) from error

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002
    ) -> httpcore.NetworkStream:
        left = self._network.deadline.left
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, left), self._network)

    def close(self) -> None:
        self._inner.close()

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


def _addresses(host: str, port: int, deadline: Deadline) -> list[str]:
    """The numbers behind a name, asked from a thread: the system's resolver knows no deadline."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        pass
    else:
        return [host]
    answer: queue.SimpleQueue[list[Any] | OSError] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answer.put(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except OSError as error:
            answer.put(error)

    threading.Thread(target=ask, daemon=True).start()
    try:
        found = answer.get(timeout=deadline.left)
    except queue.Empty:
        raise deadline.missed from None
    if isinstance(found, OSError):
        raise httpcore.ConnectError(found) from found
    return [str(entry[4][0]) for entry in found]
