"""What does a running server say it is, and is it still the same?

Read before the first request of every server and after its last one. A server
of somebody else's may be restarted with another build or model meanwhile.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from analysis.errors import encodable, printable
from analysis.parsers.llama_server.setup import Started, setup_mark
from analysis.runner.address import Address
from analysis.runner.deadline import Deadline
from analysis.runner.redaction import redacted
from analysis.runner.transport import get_json

__all__ = ["changes", "read_identity"]

ASK_S = 5.0
"""For all that is asked."""

_LONGEST = 100
_SAMPLERS = (
    "temperature",
    "dynatemp_range",
    "top_k",
    "top_p",
    "min_p",
    "top_n_sigma",
    "xtc_probability",
    "typical_p",
    "repeat_penalty",
    "presence_penalty",
    "frequency_penalty",
    "dry_multiplier",
    "mirostat",
    "samplers",
)
_FACTS = ("n_params", "size", "n_vocab", "n_ctx_train")


def read_identity(at: Address) -> dict[str, Any] | None:
    """Ask a server what it is.

    Returns
    -------
    dict or None
        Plain data; what a server does not say is null in it. ``build``; ``model``:
        its file's name; ``model_facts``: ``n_params``, ``size`` (bytes), ``n_vocab`` and
        ``n_ctx_train``; ``context_tokens`` and ``slots``; ``speculative``: whether it
        drafts; ``samplers``: its defaults, which hold for what a request does not
        set; ``chat_template``: ``sha256:…``. Null for a server that says nothing.
    """
    deadline = Deadline(ASK_S)
    properties = _table(get_json(at, "/props", deadline))
    if not properties:
        return None
    listed = _table(get_json(at, "/v1/models", deadline)).get("data")
    model = _table(listed[0]) if isinstance(listed, list) and listed else {}
    slots = get_json(at, "/slots", deadline)
    slot = _table(slots[0]) if isinstance(slots, list) and slots else {}
    settings = _table(properties.get("default_generation_settings"))
    template = properties.get("chat_template")
    found = {
        "build": _build(properties),
        "model": _file_name(properties.get("model_path")),
        "model_facts": _plain(_table(model.get("meta")), _FACTS) or None,
        "context_tokens": _number(settings.get("n_ctx")),
        "slots": _number(properties.get("total_slots")),
        "speculative": slot["speculative"] if type(slot.get("speculative")) is bool else None,
        "samplers": _plain(_table(settings.get("params")), _SAMPLERS) or None,
        "chat_template": None
        if not isinstance(template, str)
        else f"sha256:{hashlib.sha256(encodable(template).encode()).hexdigest()}",
    }
    return redacted(found, at.headers.values())


def changes(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> list[str]:
    """What two identities say otherwise, as phrases; what either does not say is no change."""
    if before is None or after is None:
        return []
    return [
        f"its {name.replace('_', ' ')} was {_short(before[name])} and is {_short(after[name])}"
        for name in before
        if before[name] is not None and after.get(name) is not None and before[name] != after[name]
    ]


def _short(value: Any) -> str:
    text = printable(value)
    return text if len(text) <= 80 else text[:79] + "…"


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _file_name(path: Any) -> str | None:
    if not isinstance(path, str):
        return None
    return printable(re.split(r"[/\\]", path)[-1])[:_LONGEST] or None


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if -(2**53) < value < 2**53 else None


def _plain(table: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Numbers, and lists of short words, under these names."""
    found: dict[str, Any] = {}
    for name in names:
        value = table.get(name)
        if isinstance(value, list) and all(isinstance(word, str) for word in value):
            found[name] = [printable(word)[:_LONGEST] for word in value[:32]]
        elif (number := _number(value)) is not None:
            # As llama.cpp holds them, 0.95 of its command line is 0.949999988.
            found[name] = number if type(number) is int else float(f"{number:.6g}")
    return found


def _build(properties: Mapping[str, Any]) -> str | None:
    """llama.cpp's build in its ``/props``, as logs are read: the commit where it has no number."""
    stated = properties.get("build_info")
    if not isinstance(stated, str):
        return None
    said = setup_mark(f"build_info: {stated[:_LONGEST]}")
    return said.build if isinstance(said, Started) else printable(stated)[:_LONGEST]
