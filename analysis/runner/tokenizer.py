"""Which tokens is a text, and which text are some tokens, by the server's own tokenizer?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from http import HTTPStatus

from analysis.errors import encodable
from analysis.runner.deadline import Deadline, ExchangeError
from analysis.runner.running import Running
from analysis.runner.transport import exchange, read_json

__all__ = ["text_of", "tokens_of"]


def tokens_of(server: Running, text: str, timeout_s: float = 30.0) -> list[int] | None:
    """The ids of a text's tokens, by the server's own tokenizer; null where it has none."""
    body = json.dumps({"content": encodable(text), "add_special": False}).encode()
    # Ids of up to a dozen characters, for up to one token a byte.
    most = 2**20 + 16 * len(body)
    try:
        with exchange(
            server.at, "POST", "/tokenize", Deadline(timeout_s), body=body, most_bytes=most
        ) as response:
            if response.status != HTTPStatus.OK:
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
            if response.status != HTTPStatus.OK:
                return None
            found = read_json(b"".join(response.pieces())).get("content")
    except (ExchangeError, ValueError, AttributeError):
        return None
    return found if isinstance(found, str) else None
