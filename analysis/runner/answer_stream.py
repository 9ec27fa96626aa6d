"""What does a server's stream of events say of its answer, chunk after chunk, or of its failure?"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from typing import Any

from analysis.runner.deadline import ExchangeError
from analysis.runner.event_stream import events
from analysis.runner.timings import since_first_token
from analysis.runner.transport import Response, read_json

__all__ = ["FIRST_BYTES", "chunks", "first_token_s", "refusal", "text_of_chunk"]

FIRST_BYTES = 4096
"""What is kept of an answer that is no stream, to say what it is."""

_STREAM = "text/event-stream"


def chunks(response: Response) -> Iterator[Mapping[str, Any]]:
    """The events of an answer, each an object, up to its end.

    Raises
    ------
    ExchangeError
        It is something else, stops in the middle, or says that it failed.
    """
    head = _Head()
    done = False
    for name, data in events(head.watched(response.pieces())):
        if data == b"[DONE]":
            done = True
            continue
        if done:
            raise ExchangeError("malformed", "the answer goes on behind its end")
        if name == "error":
            raise ExchangeError("server-error", _said(data))
        try:
            chunk = read_json(data)
        except ValueError:
            raise ExchangeError("malformed", f"a chunk is not JSON: {_text(data)}") from None
        if not isinstance(chunk, dict):
            raise ExchangeError("malformed", f"a chunk is no object: {_text(data)}")
        if "error" in chunk:
            raise ExchangeError("server-error", _said(data))
        head.is_stream = True
        yield chunk
    if done:
        return
    kind = response.headers.get("content-type", "").partition(";")[0].strip() or "unknown"
    if head.is_stream or kind == _STREAM:
        raise ExchangeError("connection", "the answer stopped in the middle")
    said = _said(bytes(head.data)) or "empty"
    raise ExchangeError("malformed", f"the answer is no event stream but of type {kind}: {said}")


class _Head:
    """Keeps an answer's first bytes: if it is no stream of events, they say what it is."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.is_stream = False

    def watched(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            if len(self.data) < FIRST_BYTES:
                self.data += piece[: FIRST_BYTES - len(self.data)]
            yield piece


def refusal(response: Response) -> str:
    """What an answer that is none says."""
    target = response.headers.get("location")
    if 300 <= response.status < 400 and target:
        return (
            f"HTTP {response.status}: the server redirects to {target}, "
            "which is not followed: name that address"
        )
    return f"HTTP {response.status}: {_said(response.beginning(FIRST_BYTES))}"


def text_of_chunk(chunk: Mapping[str, Any]) -> tuple[str, str | None]:
    """Text and finish reason of a chunk; the last one has neither."""
    choices = chunk.get("choices") or [{}]
    try:
        delta = choices[0].get("delta") or {}
        parts = [delta.get(key) or "" for key in ("reasoning_content", "content")]
        reason = choices[0].get("finish_reason")
        return "".join(parts), reason[:40] if isinstance(reason, str) else None
    except (AttributeError, KeyError, TypeError):
        raise ExchangeError("malformed", "a chunk is no chat completion's") from None


def first_token_s(arrived: float, chunk: Mapping[str, Any], text: str) -> float | None:
    """When the first token was there, told from the first chunk that comes after it.

    The chunk's own ``predicted_ms`` counts from the first token, so a chunk
    that had to wait for the rest of a character does not make it late. A
    server that sends no timings with its chunks is taken at its first text.
    """
    since = since_first_token(chunk.get("timings"))
    if since is not None:
        return max(arrived - since, 0.0)
    return arrived if text else None


def _said(data: bytes) -> str:
    """The server's message in an error's body; of a page, its title and words; or the body."""
    text = _text(data)
    try:
        error = read_json(data)
        error = error.get("error", error)
        return str(error["message"] if isinstance(error, dict) else error)
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
        pass
    if re.match(r"\s*<(?:!doctype|html|head|body|\?xml)", text, re.IGNORECASE):
        text = html.unescape(re.sub(r"<[^<>]*>", " ", text))
    return " ".join(text.split())


def _text(data: bytes) -> str:
    return data[:FIRST_BYTES].decode("utf-8", "replace")
