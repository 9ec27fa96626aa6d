"""One request: sent, streamed and timed.

Figures are llama.cpp's own ``timings`` from the last chunk, and this client's
monotonic clock around them. Chunks are not tokens: with speculation one may
hold several, and none comes while a character is incomplete. Each chunk says
how many tokens there are by then, and how long ago the first one was.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from analysis.errors import encodable, printable
from analysis.runner.deadline import Deadline, ExchangeError
from analysis.runner.event_stream import events
from analysis.runner.redaction import redacted
from analysis.runner.request_fields import SYSTEM
from analysis.runner.running import Running
from analysis.runner.timings import Timings, read_timings, since_first_token
from analysis.runner.transport import Response, exchange, read_json

__all__ = ["CANCELLED", "Answer", "Failure", "Follow", "Question", "ask", "text_of", "tokens_of"]

CHAT = "/v1/chat/completions"
CANCELLED = "cancelled"
"""Kind of a failure that is none: nobody wanted the rest of the answer."""

_LONGEST_MESSAGE = 300
_FIRST_BYTES = 4096
_OK = 200
_STREAM = "text/event-stream"

BYTES_PER_TOKEN, BYTES_BESIDE = 16 * 2**10, 4 * 2**20
"""What a stream may have: a chunk of llama.cpp's takes half a kilobyte a token."""

TEXT_PER_TOKEN, TEXT_BESIDE = 256, 64 * 2**10
"""Characters that an answer may have: tokens of more than a hundred are runs of blanks."""


@dataclass(frozen=True)
class Question:
    """What is asked, and how.

    Attributes
    ----------
    messages
        Of the chat.
    fields
        More fields of the request, as a campaign says them.
    slot
        Which of the server's slots is to serve it; null leaves that to the server.
    """

    messages: Sequence[Mapping[str, str]]
    max_tokens: int
    temperature: float
    seed: int
    timeout_s: float
    fields: Mapping[str, Any] = field(default_factory=dict)
    slot: int | None = None


@dataclass
class Follow:
    """Looks on while an answer comes, and may end it.

    Attributes
    ----------
    over
        When it is set, what comes next of the answer is not waited for.
    began
        Set when the first token was there.
    tokens_s
        When each token was there, in s from the request on, as the client saw it.
    """

    over: threading.Event = field(default_factory=threading.Event)
    began: threading.Event = field(default_factory=threading.Event)
    tokens_s: list[float] = field(default_factory=list)

    def chunk(self, chunk: Mapping[str, Any], arrived_s: float, most: int) -> None:
        """Note how many tokens there are by now, as the chunk's own timings say."""
        timings = chunk.get("timings")
        count = timings.get("predicted_n") if isinstance(timings, dict) else None
        if type(count) is int and len(self.tokens_s) < count <= most:
            self.tokens_s += [arrived_s] * (count - len(self.tokens_s))
            self.began.set()
        if self.over.is_set():
            raise ExchangeError(CANCELLED, "nobody waits for it any more")


@dataclass(frozen=True)
class Answer:
    """A request that was answered whole.

    Attributes
    ----------
    wall_s
        From before the connection was opened until the last byte.
    first_token_s
        Until the first generated token existed, as far as the client can see.
    timings
        llama.cpp's own, checked.
    text
        What was generated, reasoning included.
    finish_reason
        ``stop``, ``length``, or whatever the server says.
    """

    wall_s: float
    first_token_s: float | None
    timings: Timings
    text: str
    finish_reason: str | None

    @property
    def output_hash(self) -> str:
        """``sha256:…`` of the text as UTF-8."""
        return f"sha256:{hashlib.sha256(encodable(self.text).encode()).hexdigest()}"


@dataclass(frozen=True)
class Failure:
    """A request without an answer that could be used; see the runner's records for `kind`.

    `asked` is false where nobody took the connection.
    """

    kind: str
    message: str
    wall_s: float
    asked: bool = True


def ask(server: Running, question: Question, follow: Follow | None = None) -> Answer | Failure:
    """Send one request and wait for its end.

    Parameters
    ----------
    server
        A ready server.
    question
        The request; the prompt cache is off for it.
    follow
        Looks on, for whoever wants to.

    Returns
    -------
    Answer or Failure
        Never an exception: whatever goes wrong is a result of its own, and comes
        within the request's time.
    """
    body = json.dumps(
        {
            "temperature": question.temperature,
            **{name: value for name, value in question.fields.items() if name != SYSTEM},
            "messages": list(question.messages),
            "max_tokens": question.max_tokens,
            "seed": question.seed,
            "stream": True,
            "stream_options": {"include_usage": True},
            "timings_per_token": True,
            "cache_prompt": False,
            **({} if question.slot is None else {"id_slot": question.slot}),
        }
    ).encode()
    most = BYTES_BESIDE + BYTES_PER_TOKEN * question.max_tokens
    deadline = Deadline(question.timeout_s)
    try:
        with exchange(server.at, "POST", CHAT, deadline, body=body, most_bytes=most) as response:
            return _answer(response, question, deadline, follow)
    except ExchangeError as error:
        # Cut first: a message may be as long as an answer.
        said = redacted(error.message[:_FIRST_BYTES], server.secrets)
        shown = printable(said)[:_LONGEST_MESSAGE]
        return Failure(error.kind, shown, deadline.spent, error.asked)


def _answer(
    response: Response, question: Question, deadline: Deadline, follow: Follow | None
) -> Answer:
    if response.status != _OK:
        raise ExchangeError("http", _refusal(response))
    pieces: list[str] = []
    most = TEXT_BESIDE + TEXT_PER_TOKEN * question.max_tokens
    timings: Mapping[str, Any] | None = None
    first_token_s: float | None = None
    finish_reason: str | None = None
    for chunk in _chunks(response):
        arrived = deadline.spent
        text, reason = _of_choice(chunk)
        if isinstance(chunk.get("timings"), dict):
            timings = chunk["timings"]
        if first_token_s is None:
            first_token_s = _first_token(arrived, chunk, text)
        if follow is not None:
            follow.chunk(chunk, arrived, question.max_tokens)
        pieces.append(text)
        most -= len(text)
        if most < 0:
            message = f"the answer is far longer than {question.max_tokens} tokens can be"
            raise ExchangeError("implausible", message)
        finish_reason = reason or finish_reason
    wall_s = deadline.spent
    if timings is None:
        raise ExchangeError("malformed", "the answer has no timings: is this llama.cpp's server?")
    checked = read_timings(timings, question.max_tokens, wall_s)
    return Answer(wall_s, first_token_s, checked, "".join(pieces), finish_reason)


def _chunks(response: Response) -> Iterator[Mapping[str, Any]]:
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
            if len(self.data) < _FIRST_BYTES:
                self.data += piece[: _FIRST_BYTES - len(self.data)]
            yield piece


def _refusal(response: Response) -> str:
    """What an answer that is none says."""
    target = response.headers.get("location")
    if 300 <= response.status < 400 and target:
        return (
            f"HTTP {response.status}: the server redirects to {target}, "
            "which is not followed: name that address"
        )
    return f"HTTP {response.status}: {_said(response.beginning(_FIRST_BYTES))}"


def _of_choice(chunk: Mapping[str, Any]) -> tuple[str, str | None]:
    """Text and finish reason of a chunk; the last one has neither."""
    choices = chunk.get("choices") or [{}]
    try:
        delta = choices[0].get("delta") or {}
        parts = [delta.get(key) or "" for key in ("reasoning_content", "content")]
        reason = choices[0].get("finish_reason")
        return "".join(parts), reason[:40] if isinstance(reason, str) else None
    except (AttributeError, KeyError, TypeError):
        raise ExchangeError("malformed", "a chunk is no chat completion's") from None


def _first_token(arrived: float, chunk: Mapping[str, Any], text: str) -> float | None:
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
    return data[:_FIRST_BYTES].decode("utf-8", "replace")


def tokens_of(server: Running, text: str, timeout_s: float = 30.0) -> list[int] | None:
    """The ids of a text's tokens, by the server's own tokenizer; null where it has none."""
    body = json.dumps({"content": encodable(text), "add_special": False}).encode()
    # Ids of up to a dozen characters, for up to one token a byte.
    most = 2**20 + 16 * len(body)
    try:
        with exchange(
            server.at, "POST", "/tokenize", Deadline(timeout_s), body=body, most_bytes=most
        ) as response:
            if response.status != _OK:
                return None
            found = read_json(b"".join(response.pieces())).get("tokens")
    except (ExchangeError, ValueError, AttributeError):
        return None
    whole = isinstance(found, list) and all(type(token) is int for token in found)
    return found if whole else None


def text_of(server: Running, tokens: Sequence[int], timeout_s: float = 30.0) -> str | None:
    """The text of some tokens, by the server's own tokenizer; null where it has none."""
    body = json.dumps({"tokens": list(tokens)}).encode()
    try:
        with exchange(server.at, "POST", "/detokenize", Deadline(timeout_s), body=body) as response:
            if response.status != _OK:
                return None
            found = read_json(b"".join(response.pieces())).get("content")
    except (ExchangeError, ValueError, AttributeError):
        return None
    return found if isinstance(found, str) else None
