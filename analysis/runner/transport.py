"""How is a server asked so that no answer takes longer, or more memory, than it may?

A deadline is wall time from its making to the last byte. Answers are read in
pieces and counted; a compressed one is refused, because it may be any size once
it is unpacked.
"""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

import certifi
import httpcore

from analysis.runner.address import Address, proxy_for
from analysis.runner.deadline import Deadline, ExchangeError
from analysis.runner.network import Network

__all__ = ["Response", "exchange", "get_json", "read_json"]

PIECE = 64 * 1024
MOST_BYTES = 8 * 2**20
"""Of an answer that is no stream: the longest that llama.cpp gives are a few hundred kilobytes."""


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
        "Host": address.named,
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
                proxy=proxy_for(address),
                network_backend=Network(deadline, most_bytes),
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
        asked = not isinstance(error, httpcore.ConnectError)
        message = str(error) or type(error).__name__
        raise ExchangeError("connection", message, asked=asked) from None


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


@cache
def _certificates() -> ssl.SSLContext:
    """The machine's own, which may name a company's authority, and those that everybody has."""
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context
