"""One request: sent, streamed and timed.

Figures are llama.cpp's own ``timings`` from the last chunk, and this client's
monotonic clock around them. Chunks are not tokens: with speculation one may
hold several, and none comes while a character is incomplete. Each chunk says
how many tokens there are by then, and how long ago the first one was.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from analysis.errors import encodable, printable
from analysis.runner.answer_stream import (
    FIRST_BYTES,
    chunks,
    first_token_s,
    refusal,
    text_of_chunk,
)
from analysis.runner.deadline import Deadline, ExchangeError
from analysis.runner.redaction import redacted
from analysis.runner.request_fields import SYSTEM
from analysis.runner.running import Running
from analysis.runner.timings import Timings, read_timings
from analysis.runner.transport import Response, exchange

__all__ = ["CANCELLED", "Completion", "Failure", "Follow", "Question", "ask"]

CHAT = "/v1/chat/completions"
CANCELLED = "cancelled"
"""Kind of a failure that is none: nobody wanted the rest of the answer."""

_LONGEST_MESSAGE = 300
_OK = 200

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
class Completion:
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


def ask(server: Running, question: Question, follow: Follow | None = None) -> Completion | Failure:
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
        said = redacted(error.message[:FIRST_BYTES], server.secrets)
        shown = printable(said)[:_LONGEST_MESSAGE]
        return Failure(error.kind, shown, deadline.spent, error.asked)


def _answer(
    response: Response, question: Question, deadline: Deadline, follow: Follow | None
) -> Completion:
    if response.status != _OK:
        raise ExchangeError("http", refusal(response))
    pieces: list[str] = []
    most = TEXT_BESIDE + TEXT_PER_TOKEN * question.max_tokens
    timings: Mapping[str, Any] | None = None
    first_token: float | None = None
    finish_reason: str | None = None
    for chunk in chunks(response):
        arrived = deadline.spent
        text, reason = text_of_chunk(chunk)
        if isinstance(chunk.get("timings"), dict):
            timings = chunk["timings"]
        if first_token is None:
            first_token = first_token_s(arrived, chunk, text)
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
    return Completion(wall_s, first_token, checked, "".join(pieces), finish_reason)
