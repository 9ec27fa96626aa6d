"""Connections that are over in time are closed, wherever the time ends."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator

import httpcore
import pytest

from analysis.runner.deadline import Deadline, ExchangeError
from analysis.runner.network import Network


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as made:
        yield made


@pytest.mark.parametrize("act", ["read", "write", "start_tls"])
def test_nothing_is_done_behind_the_deadline(listening: socket.socket, act: str) -> None:
    network = Network(Deadline(60), 100)
    stream = network.connect_tcp("127.0.0.1", listening.getsockname()[1])
    network.deadline = Deadline(0)
    argument = {"read": 1, "write": b"x", "start_tls": ssl.create_default_context()}[act]
    with pytest.raises(ExchangeError, match="no answer within 0 s"):
        getattr(stream, act)(argument)
    if act == "start_tls":
        assert stream.get_extra_info("socket").fileno() == -1
    stream.close()


def test_a_name_has_several_addresses(
    listening: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = listening.getsockname()[1]
    asked = socket.getaddrinfo
    found = ["127.0.0.2", "127.0.0.1"]

    def resolve(host: str, *words: object, **more: object) -> list:
        if host != "there.example":
            return asked(host, *words, **more)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port)) for one in found]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    stream = Network(Deadline(60), 100).connect_tcp("there.example", port)
    assert stream.get_extra_info("server_addr")[0] == "127.0.0.1"
    stream.close()
    del found[1]
    with pytest.raises(httpcore.ConnectError):
        Network(Deadline(60), 100).connect_tcp("there.example", port)


def test_a_resolver_that_does_not_answer_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *words, **more: over.wait() and [])
    with pytest.raises(ExchangeError, match=r"no answer within 0\.05 s"):
        Network(Deadline(0.05), 100).connect_tcp("there.example", 1)
    over.set()
