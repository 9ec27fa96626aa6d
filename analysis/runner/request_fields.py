"""Which fields of a request may a campaign set, and what do they make of it?

Every field of llama.cpp's chat completions, except those that a measurement sets
itself. ``system`` is not one of theirs: its text is sent as the first message.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from analysis.errors import CampaignError, encodable

__all__ = ["SAMPLERS", "SYSTEM", "check_fields", "messages", "sampler"]

SYSTEM = "system"

SAMPLERS = (
    "temperature",
    "dynatemp_range",
    "dynatemp_exponent",
    "top_k",
    "top_p",
    "min_p",
    "top_n_sigma",
    "xtc_probability",
    "xtc_threshold",
    "typical_p",
    "repeat_last_n",
    "repeat_penalty",
    "presence_penalty",
    "frequency_penalty",
    "dry_multiplier",
    "mirostat",
    "samplers",
)
"""Fields that say how a token is chosen."""

_KEYS = "[live] has a key for it"
_FIXED: Mapping[str, str] = {
    "messages": "prompts have their own messages",
    "prompt": "prompts have their own file",
    "max_tokens": _KEYS,
    "max_completion_tokens": "[live] has max_tokens for it",
    "n_predict": "[live] has max_tokens for it",
    "seed": _KEYS,
    "stream": "answers are streamed, to be timed",
    "stream_options": "answers are streamed, to be timed",
    "timings_per_token": "answers are streamed, to be timed",
    "return_progress": "answers are streamed, to be timed",
    "cache_prompt": "every prompt is processed whole",
    "n_cache_reuse": "every prompt is processed whole",
    "n": "one request has one answer",
    "id_slot": "slots are given out by the runner",
}
_LONGEST = 100_000

Refuse = Callable[[str, str, str], CampaignError]
"""From a field, a problem and a remedy to the error that points at it."""


def check_fields(fields: Mapping[str, Any], refuse: Refuse) -> None:
    """Refuse fields that a measurement sets itself, and values that JSON does not have.

    Raises
    ------
    CampaignError
        With the line of the field.
    """
    for name, value in fields.items():
        if name in _FIXED:
            raise refuse(name, f"{name} can't be set: {_FIXED[name]}", "remove it")
        if name.startswith("speculative"):
            problem = f"{name} does nothing: llama.cpp takes no such field of a request"
            raise refuse(name, problem, "use spec_type, n_max and p_min of [[runs]]")
        try:
            text = json.dumps(value, allow_nan=False)
        except (ValueError, TypeError, RecursionError):
            problem = f"{name} has a value that can't be sent"
            raise refuse(name, problem, "use texts, numbers, lists and tables") from None
        if len(text) > _LONGEST:
            raise refuse(name, f"{name} is longer than {_LONGEST} characters", "shorten it")
        if name == SYSTEM and not (isinstance(value, str) and value.strip()):
            raise refuse(name, "system is not a text", "write the system prompt, or remove it")
        if name == "temperature" and not _is_temperature(value):
            raise refuse(name, f"temperature is {value!r}", "use 0 or more")


def _is_temperature(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 100


def sampler(fields: Mapping[str, Any], temperature: float, seed: int) -> dict[str, Any]:
    """How a request's tokens are chosen, as far as the request says it.

    Examples
    --------
    >>> sampler({"top_k": 40, "system": "Be brief."}, 0.7, 42)
    {'temperature': 0.7, 'seed': 42, 'top_k': 40}
    """
    said = {name: fields[name] for name in SAMPLERS if name in fields}
    return {"temperature": temperature, "seed": seed} | said


def messages(
    turns: tuple[tuple[str, str], ...], fields: Mapping[str, Any], before: str = ""
) -> list[dict[str, str]]:
    r"""The messages of a request.

    Parameters
    ----------
    turns
        Role and text of each message.
    fields
        Of the request; `system` becomes the first message.
    before
        Stands before the first message that is the user's.

    Examples
    --------
    >>> messages((("user", "Go on."),), {"system": "Be brief."}, "Once upon a time.")[1]
    {'role': 'user', 'content': 'Once upon a time.\n\nGo on.'}
    """
    found = [{"role": role, "content": encodable(text)} for role, text in turns]
    if before:
        first = next(one for one in found if one["role"] == "user")
        first["content"] = f"{before}\n\n{first['content']}"
    system = fields.get(SYSTEM)
    return [*([{"role": "system", "content": encodable(system)}] if system else []), *found]
