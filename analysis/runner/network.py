"""Which connections keep to a deadline and to a number of bytes, whatever drips through them?

httpcore looks at its timeouts for each operation on a socket, so a server that
sends a byte now and then holds them off for ever: here every operation gets
what is left of the whole.
"""

from __future__ import annotations

import ipaddress
import queue
import socket
import ssl
import threading
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import httpcore

from analysis.runner.deadline import Deadline, ExchangeError

__all__ = ["Network"]


class Network(httpcore.NetworkBackend):
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
        """A connection to the first of a name's addresses that takes one."""
        *others, last = _addresses(host, port, self.deadline)
        for one in others:
            with suppress(httpcore.ConnectError):
                return self._connected(one, port, local_address, socket_options)
        return self._connected(last, port, local_address, socket_options)

    def _connected(self, host: str, port: int, *others: Any) -> _Stream:
        return _Stream(self._network.connect_tcp(host, port, self.deadline.left, *others), self)

    def take(self, count: int) -> None:
        """Count bytes that came.

        Raises
        ------
        ExchangeError
            They are more than may come.
        """
        self.left_bytes -= count
        if self.left_bytes < 0:
            message = f"the answer is longer than {self.most_bytes / 2**20:.3g} MiB"
            raise ExchangeError("malformed", message)


class _Stream(httpcore.NetworkStream):
    """One connection of such a network."""

    def __init__(self, inner: httpcore.NetworkStream, network: Network) -> None:
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
        try:
            left = self._network.deadline.left
        except ExchangeError:
            # Whoever asks for TLS leaves a connection open that is refused it.
            self.close()
            raise
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
