"""A server that speaks to a bare socket, so that it can do wrong whatever HTTP forbids.

It is right in everything except for what a test puts into ``Faulty.answers``: a
function by path, called with the :class:`Talk` of a request. A chat's is kept
for the measured request; the warm-up before it is answered well.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
PIECE = b"x" * 2**16
CHAT = "/v1/chat/completions"
PROPERTIES = {
    "build_info": "b7-abcdef0",
    "model_path": "/home/somebody/models/there.gguf",
    "total_slots": 1,
    "default_generation_settings": {
        "n_ctx": 4096,
        "params": {"temperature": 0.8, "top_k": 40, "top_p": 0.949999988079071},
    },
    "chat_template": "{{ messages }}",
}


class GoneError(Exception):
    """The client does not want more, or the test is over."""


@dataclass
class Talk:
    """One request, and the socket to answer on."""

    server: Faulty
    connection: socket.socket
    head: bytes
    body: dict[str, Any]

    @property
    def path(self) -> str:
        return self.head.split(b" ")[1].decode().removeprefix(self.server.prefix)

    def send(self, data: bytes) -> None:
        try:
            self.connection.sendall(data)
        except OSError as error:
            raise GoneError from error
        self.server.sent += len(data)

    def drip(self, data: bytes, every_s: float = 0.02) -> None:
        """One byte at a time, for ever: the last one again and again."""
        at = 0
        while not self.server.over.wait(every_s):
            self.send(data[at : at + 1])
            at = min(at + 1, len(data) - 1)
        raise GoneError

    def hang(self) -> None:
        self.server.over.wait()
        raise GoneError

    def flood(self, count: int, piece: bytes = PIECE) -> None:
        for _ in range(count // len(piece)):
            self.send(piece)

    def json(self, data: Any, status: str = "200 OK") -> None:
        self.whole(json.dumps(data).encode(), status)

    def whole(self, body: bytes, status: str = "200 OK", kind: str = "application/json") -> None:
        length = f"Content-Length: {len(body)}"
        head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{length}\r\nConnection: close\r\n\r\n"
        self.send(head.encode() + body)

    # ---- a right answer, in parts

    def chunks(self, text: str = "one two", **timings: Any) -> list[bytes]:
        """The events of a whole answer, without the lines' ends between them."""
        first = {"choices": [{"delta": {"content": text}}]}
        last = {"choices": [{"delta": {}, "finish_reason": "length"}]}
        end = {"choices": [], "timings": {**self.timings(), **timings}}
        made = [json.dumps(one, ensure_ascii=False).encode() for one in (first, last, end)]
        return [*(b"data: " + one for one in made), b"data: [DONE]"]

    def timings(self) -> dict[str, Any]:
        tokens = int(self.body.get("max_tokens", 8))
        return {
            "cache_n": 0,
            "prompt_n": 7,
            # No two answers take the same time.
            "prompt_ms": 0.001 * next(self.server.clock),
            "predicted_n": tokens,
            "predicted_ms": 0.01 * (tokens - 1),
            "predicted_per_second": 100_000.0,
        }

    def right(self, text: str = "one two", **timings: Any) -> None:
        self.send(HEAD + b"".join(one + b"\n\n" for one in self.chunks(text, **timings)))


Answer = Callable[[Talk], object]


@dataclass
class Faulty:
    """The server; its address is there while :func:`serving` runs."""

    answers: dict[str, Answer] = field(default_factory=dict)
    port: int = 0
    prefix: str = ""
    sent: int = 0
    chats: int = 0
    heads: list[bytes] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)
    clock: Iterator[int] = field(default_factory=lambda: iter(range(1, 10**6)))

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def answer(self, talk: Talk) -> None:
        own = self.answers.get(talk.path)
        if talk.path == CHAT:
            self.chats += 1
            own = own if self.chats > 1 else None
            (own or Talk.right)(talk)
        elif own is not None:
            own(talk)
        elif talk.path == "/health":
            talk.json({"status": "ok"})
        elif talk.path == "/props":
            talk.json(PROPERTIES)
        elif talk.path == "/tokenize":
            talk.json({"tokens": [1, 2]})
        else:
            talk.json({"error": {"message": "not here"}}, "404 Not Found")

    def serve(self, listening: socket.socket) -> None:
        while not self.over.is_set():
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        with connection, suppress(GoneError, OSError):
            if "connect" in self.answers:
                self.answers["connect"](Talk(self, connection, b"", {}))
                return
            data = b""
            while b"\r\n\r\n" not in data:
                if not (more := connection.recv(2**16)):
                    return
                data += more
            head, _, body = data.partition(b"\r\n\r\n")
            length = 0
            for line in head.lower().split(b"\r\n"):
                if line.startswith(b"content-length:"):
                    length = int(line.partition(b":")[2])
            while len(body) < length:
                body += connection.recv(2**16)
            self.heads.append(head)
            self.answer(Talk(self, connection, head, json.loads(body or b"{}")))
            # An answer that is done is read before the connection is closed.
            with suppress(OSError):
                connection.shutdown(socket.SHUT_WR)
                connection.settimeout(5)
                while connection.recv(2**16):
                    pass


@contextmanager
def serving(**answers: Answer) -> Iterator[Faulty]:
    """``serving(chat=…, health=…)``: a server, while the block lasts."""
    names = {"chat": CHAT, "connect": "connect", "models": "/v1/models"}
    server = Faulty({names.get(name, f"/{name}"): answer for name, answer in answers.items()})
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server.port = listening.getsockname()[1]
        thread = threading.Thread(target=server.serve, args=(listening,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.over.set()
            listening.shutdown(socket.SHUT_RDWR)
    thread.join(5)


def elapsed(begins: float) -> float:
    return time.monotonic() - begins
