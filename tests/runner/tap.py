"""An independent clock: stands between a client and a server, and notes when tokens pass.

Run as a program with the server's port and a file. It listens on a port of its own,
whose number is the first line of the file; each further line is a time on
``time.perf_counter`` and how many tokens passed at it.
"""

from __future__ import annotations

import socket
import sys
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from subprocess import Popen
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterator

TOKEN = b'"content":"'
"""In each event with a token; the one that names the speaker has null there."""


def copy(source: socket.socket, to: socket.socket, notes: BinaryIO | None) -> None:
    tail = b""
    with suppress(OSError):
        while piece := source.recv(65536):
            now = time.perf_counter()
            to.sendall(piece)
            # What is cut in two counts with its second half.
            text = (tail + piece).replace(b'": "', b'":"')
            if notes is not None and (count := text.count(TOKEN)):
                notes.write(f"{now!r} {count}\n".encode())
            tail = text[-len(TOKEN) + 1 :]
        to.shutdown(socket.SHUT_WR)


def serve(port: int, notes: BinaryIO) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        notes.write(f"{listener.getsockname()[1]}\n".encode())
        while True:
            client, _ = listener.accept()
            server = socket.create_connection(("127.0.0.1", port))
            for words in ((client, server, None), (server, client, notes)):
                threading.Thread(target=copy, args=words, daemon=True).start()


class Tap:
    """A tap that runs."""

    def __init__(self, notes: Path) -> None:
        self._notes = notes

    def _lines(self) -> list[str]:
        return self._notes.read_text().split("\n")[:-1]

    @property
    def port(self) -> int:
        deadline = time.monotonic() + 20
        while not (lines := self._lines()):
            assert time.monotonic() < deadline
            threading.Event().wait(0.01)
        return int(lines[0])

    def tokens(self, begin: float, end: float) -> int:
        """How many passed after `begin`, until `end`."""
        pairs = [line.split() for line in self._lines()[1:]]
        return sum(int(count) for at, count in pairs if begin < float(at) <= end)


@contextmanager
def tapped(port: int, notes: Path) -> Iterator[Tap]:
    """A tap before the server at `port`, in a process of its own."""
    notes.touch()
    process = Popen([sys.executable, "-I", "-S", __file__, str(port), str(notes)])
    try:
        yield Tap(notes)
    finally:
        process.terminate()
        process.wait(20)


if __name__ == "__main__":
    with Path(sys.argv[2]).open("wb", buffering=0) as file:
        serve(int(sys.argv[1]), file)
