"""What does the record at a server's start say of the run, the machine and the requests?"""

from __future__ import annotations

import json
from collections.abc import Container, Mapping
from typing import Any

from analysis.parsers.live_jsonl.fields import LONGEST_NAME, name_in, text_in
from analysis.parsers.text.command import server_flags
from analysis.parsers.text.grammar import as_count

__all__ = ["conditions", "file_name", "identity", "request_fields"]

_CONDITIONS = ("gpu", "driver", "cpu", "ram", "os")
_OTHER_SAMPLERS = ("top_k", "top_p", "min_p", "repeat_penalty")


def identity(header: Mapping[str, Any]) -> dict[str, Any]:
    """What says which server and model answer, under the names of a message."""
    said = header.get("identity")
    said = said if isinstance(said, dict) else {}
    return {
        "build": name_in(header, "build"),
        "model": name_in(said, "model"),
        "context": as_count(said.get("context_tokens")),
        "chat template": name_in(said, "chat_template"),
    }


def conditions(header: Mapping[str, Any], sampler: Mapping[str, Any]) -> dict[str, str]:
    """What the header says of the machine and of the sampler, under a campaign's names."""
    machine = header.get("machine")
    machine = machine if isinstance(machine, dict) else {}
    found = {key: name_in(machine, key) for key in _CONDITIONS}
    started = name_in(header, "started")
    found["date"] = started[:10] if started else None
    said = header.get("identity")
    given = said.get("samplers") if isinstance(said, dict) else None
    defaults = given if isinstance(given, dict) else {}
    # The greedy choice is the same whatever the others are.
    others = _OTHER_SAMPLERS if sampler.get("temperature") else ()
    sampler = {**{key: defaults[key] for key in others if key in defaults}, **sampler}
    own = [key for key in sampler if key not in ("temperature", "seed")]
    named = dict.fromkeys(("temperature", "seed", *others, *own))
    known = [f"{key} {sampler[key]}" for key in named if key in sampler]
    found["sampler"] = ", ".join(known)[:LONGEST_NAME] or None
    found["request"] = request_fields(header.get("request"), sampler)
    found["flags"] = server_flags(text_in(header, "command") or "")
    return {key: value for key, value in found.items() if value}


def request_fields(fields: object, told_elsewhere: Container[str]) -> str | None:
    """Fields of the requests beside those that are told elsewhere; null where there are none."""
    if not isinstance(fields, dict):
        return None
    told = {name: value for name, value in sorted(fields.items()) if name not in told_elsewhere}
    said = [f"{name} {json.dumps(value, ensure_ascii=False)}" for name, value in told.items()]
    return ", ".join(said)[:LONGEST_NAME] or None


def file_name(model: object) -> str | None:
    """The name of a model's file, the first of several."""
    parts = model.get("parts") if isinstance(model, dict) else None
    first = parts[0] if isinstance(parts, list) and parts else None
    return name_in(first, "name") if isinstance(first, dict) else None
