"""One request: sent, streamed and timed.

Figures are llama.cpp's own ``timings`` from the last chunk, and this client's
monotonic clock around them. Chunks are not tokens: with speculation one may
hold several, and none comes while a character is incomplete. Each chunk says
how many tokens there are by then, and how long ago the first one was.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from analysis.errors import encodable, printable
from analysis.runner.running import Running

__all__ = ["Answer", "Failure", "Question", "ask", "tokens_of"]

CHAT = "/v1/chat/completions"
_DATA = "data:"
_LONGEST_MESSAGE = 300


@dataclass(frozen=True)
class Question:
    """What is asked, and how."""

    text: str
    max_tokens: int
    temperature: float
    seed: int
    timeout_s: float


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
        llama.cpp's own object, as it was sent: milliseconds and tokens.
    text
        What was generated, reasoning included.
    finish_reason
        ``stop``, ``length``, or whatever the server says.
    """

    wall_s: float
    first_token_s: float | None
    timings: Mapping[str, Any]
    text: str
    finish_reason: str | None

    @property
    def output_hash(self) -> str:
        """``sha256:…`` of the text as UTF-8."""
        return f"sha256:{hashlib.sha256(encodable(self.text).encode()).hexdigest()}"


@dataclass(frozen=True)
class Failure:
    """A request without an answer that could be used; see the runner's records for `kind`."""

    kind: str
    message: str
    wall_s: float


class _UnusableError(Exception):
    """What came is no answer: kind and message."""


def ask(server: Running, question: Question) -> Answer | Failure:
    """Send one request and wait for its end.

    Parameters
    ----------
    server
        A ready server.
    question
        The request; the prompt cache is off for it.

    Returns
    -------
    Answer or Failure
        Never an exception: whatever goes wrong is a result of its own.
    """
    # A connection of its own: after a streamed answer the server may close the old one.
    with httpx.Client(
        base_url=server.address,
        timeout=httpx.Timeout(question.timeout_s, connect=min(10.0, question.timeout_s)),
        trust_env=server.process is None,
        headers=dict(server.headers or {}),
    ) as client:
        # Not before: setting up a client reads certificates, which is none of the server's time.
        begins = time.perf_counter()
        try:
            return _stream(client, question, begins)
        except httpx.TimeoutException:
            kind, message = "timeout", f"no answer within {question.timeout_s:g} s"
        except httpx.HTTPError as error:
            kind, message = "connection", f"{type(error).__name__}: {error}"
        except _UnusableError as error:
            kind, message = error.args
        wall_s = time.perf_counter() - begins
    return Failure(kind, printable(message)[:_LONGEST_MESSAGE], wall_s)


def _stream(client: httpx.Client, question: Question, begins: float) -> Answer:
    body = {
        "messages": [{"role": "user", "content": question.text}],
        "max_tokens": question.max_tokens,
        "temperature": question.temperature,
        "seed": question.seed,
        "stream": True,
        "stream_options": {"include_usage": True},
        "timings_per_token": True,
        "cache_prompt": False,
    }
    pieces: list[str] = []
    timings: Mapping[str, Any] | None = None
    first_token_s: float | None = None
    finish_reason: str | None = None
    with client.stream("POST", CHAT, json=body) as response:
        if response.status_code != httpx.codes.OK:
            response.read()
            raise _UnusableError("http", f"HTTP {response.status_code}: {_said(response.text)}")
        for chunk in _chunks(response, begins + question.timeout_s, question.timeout_s):
            arrived = time.perf_counter() - begins
            text, reason = _of_choice(chunk)
            if isinstance(chunk.get("timings"), dict):
                timings = chunk["timings"]
            if first_token_s is None:
                first_token_s = _first_token(arrived, chunk, text)
            pieces.append(text)
            finish_reason = reason or finish_reason
    wall_s = time.perf_counter() - begins
    if timings is None:
        raise _UnusableError("malformed", "the answer has no timings: is this llama.cpp's server?")
    _check(timings)
    return Answer(wall_s, first_token_s, timings, "".join(pieces), finish_reason)


def _chunks(
    response: httpx.Response, deadline: float, timeout_s: float
) -> Iterator[Mapping[str, Any]]:
    done = False
    for line in response.iter_lines():
        if time.perf_counter() > deadline:
            raise _UnusableError("timeout", f"no end of the answer within {timeout_s:g} s")
        if not line.startswith((_DATA, "error:")):
            continue
        data = line.partition(":")[2].strip()
        if data == "[DONE]":
            done = True
            continue
        try:
            chunk = json.loads(data)
        except ValueError:
            raise _UnusableError("malformed", f"a chunk is not JSON: {data}") from None
        if not isinstance(chunk, dict):
            raise _UnusableError("malformed", f"a chunk is no object: {data}")
        if "error" in chunk or line.startswith("error:"):
            raise _UnusableError("server-error", _said(data))
        yield chunk
    if not done:
        raise _UnusableError("connection", "the answer stopped in the middle")


def _of_choice(chunk: Mapping[str, Any]) -> tuple[str, str | None]:
    """Text and finish reason of a chunk; the last one has neither."""
    choices = chunk.get("choices") or [{}]
    try:
        delta = choices[0].get("delta") or {}
        parts = [delta.get(key) or "" for key in ("reasoning_content", "content")]
        reason = choices[0].get("finish_reason")
        return "".join(parts), reason if isinstance(reason, str) else None
    except (AttributeError, KeyError, TypeError):
        raise _UnusableError("malformed", "a chunk is no chat completion's") from None


def _first_token(arrived: float, chunk: Mapping[str, Any], text: str) -> float | None:
    """When the first token was there, told from the first chunk that comes after it.

    The chunk's own ``predicted_ms`` counts from the first token, so a chunk
    that had to wait for the rest of a character does not make it late. A
    server that sends no timings with its chunks is taken at its first text.
    """
    timings = chunk.get("timings")
    since = timings.get("predicted_ms") if isinstance(timings, dict) else None
    if isinstance(since, int | float) and timings.get("predicted_n"):  # type: ignore[union-attr]
        return max(arrived - since / 1000, 0.0)
    return arrived if text else None


def _check(timings: Mapping[str, Any]) -> None:
    for key in ("prompt_n", "prompt_ms", "predicted_n", "predicted_ms"):
        value = timings.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
            raise _UnusableError("malformed", f"the answer's timings have {key} = {value!r}")


def _said(text: str) -> str:
    """The server's message in an error's body, or the body."""
    try:
        error = json.loads(text)
        error = error.get("error", error)
        return str(error["message"] if isinstance(error, dict) else error)
    except (ValueError, KeyError, AttributeError, TypeError):
        return text


def tokens_of(server: Running, text: str, timeout_s: float = 30.0) -> list[int] | None:
    """The ids of a text's tokens, by the server's own tokenizer; null where it has none."""
    try:
        with httpx.Client(
            base_url=server.address,
            timeout=timeout_s,
            trust_env=server.process is None,
            headers=dict(server.headers or {}),
        ) as client:
            answer = client.post("/tokenize", json={"content": text, "add_special": False})
            found = answer.json().get("tokens") if answer.status_code == httpx.codes.OK else None
    except (httpx.HTTPError, ValueError, AttributeError):
        return None
    whole = isinstance(found, list) and all(isinstance(token, int) for token in found)
    return found if whole else None
