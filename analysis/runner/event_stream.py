r"""Which events does a stream of bytes hold? The rules are those of server-sent events.

Lines end at ``\n``, ``\r\n`` or ``\r`` and nowhere else: llama.cpp sends other
separators of Unicode (U+2028, U+2029, U+0085) raw inside its JSON. An event
ends at an empty line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from analysis.runner.deadline import ExchangeError

__all__ = ["LONGEST", "events", "lines"]

LONGEST = 2**20
"""Bytes in one event; a chunk of llama.cpp's has some hundred."""

_END = re.compile(rb"\r\n|\n|\r")
_BOM = b"\xef\xbb\xbf"


def lines(pieces: Iterable[bytes], longest: int = LONGEST) -> Iterator[bytes]:
    """Cut a stream into lines, however it was cut into pieces; a last one without end is left out.

    Raises
    ------
    ExchangeError
        A line is longer than `longest`.
    """
    held = bytearray()
    after_return = False
    for piece in pieces:
        data = piece[1:] if after_return and piece.startswith(b"\n") else piece
        if piece:
            after_return = data.endswith(b"\r")
        first, *others = _END.split(data)
        held += first
        for other in others:
            yield bytes(held)
            held = bytearray(other)
        if len(held) > longest:
            message = f"a line of the answer is longer than {longest / 2**20:.3g} MiB"
            raise ExchangeError("malformed", message)


def events(pieces: Iterable[bytes], longest: int = LONGEST) -> Iterator[tuple[str, bytes]]:
    """The events with data in a stream.

    Parameters
    ----------
    pieces
        The body of an answer.
    longest
        Bytes that one of them may have.

    Yields
    ------
    tuple of str and bytes
        ``data`` and its lines, joined; or ``error``, a field of older builds of
        llama.cpp, and its value. Comments and other fields are passed over.

    Raises
    ------
    ExchangeError
        One is longer than `longest`.
    """
    data: list[bytes] = []
    first = True
    for raw in lines(pieces, longest):
        line = raw.removeprefix(_BOM) if first else raw
        first = False
        if not line:
            if data:
                yield "data", b"\n".join(data)
            data = []
            continue
        name, _, value = line.partition(b":")
        if name == b"data":
            data.append(value.removeprefix(b" "))
            if sum(map(len, data)) > longest:
                message = f"an event of the answer is longer than {longest / 2**20:.3g} MiB"
                raise ExchangeError("malformed", message)
        elif name == b"error":
            yield "error", value.strip()
    if data == [b"[DONE]"]:
        yield "data", data[0]
