"""What may nobody read in what a server says: keys, passwords and home folders.

A server repeats what it was sent, in an error for instance, and names its own
files. All that is recorded or shown of it goes through here.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

from analysis.privacy import HIDDEN, public, without_credentials

__all__ = ["environment_secrets", "is_secret_name", "redacted"]

T = TypeVar("T")

SHORTEST, SHORTEST_FOUND = 4, 12
"""Characters of a secret that is looked for, and of a variable's value: words are shorter."""

_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSW|AUTH|CREDENTIAL", re.IGNORECASE)


def is_secret_name(name: str) -> bool:
    """Whether a variable's name says that its value is nobody's business."""
    return _SECRET_NAME.search(name) is not None


def environment_secrets() -> tuple[str, ...]:
    """The values of our environment that are secret by their names."""
    return tuple(
        value
        for name, value in os.environ.items()
        if is_secret_name(name) and len(value) >= SHORTEST_FOUND and not value.startswith("/")
    )


def redacted(value: T, secrets: Iterable[str] = (), homes: bool = True) -> T:
    """Plain data without secrets and home folders.

    Parameters
    ----------
    value
        A text, or lists and dicts of texts, numbers, truth values and null.
    secrets
        Further texts to hide, beside those of the environment.
    homes
        Whether whatever looks private is hidden too, see ``privacy``, and not ours alone:
        not in generated text, where a folder is nobody's, nor where a user must see it.

    Examples
    --------
    >>> redacted({"message": "no /home/me/a.gguf for Bearer abcdefgh"})
    {'message': 'no a.gguf for Bearer ***'}
    """
    hidden = [
        form for secret in (*secrets, *environment_secrets()) for form in _forms(secret) if form
    ]
    found = sorted(set(hidden), key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, found))) if found else None
    hide = partial(_hide, secrets=pattern, home=str(Path.home()), homes=homes)
    return _everywhere(value, hide)  # type: ignore[return-value]


def _forms(secret: str) -> tuple[str, ...]:
    """A secret as it may come back: as it was, in a URL, in JSON, without `Bearer`."""
    bare = re.sub(r"^(?:Bearer|Basic)\s+", "", secret)
    if len(bare) < SHORTEST:
        return ()
    return bare, quote(bare), quote(bare, safe=""), json.dumps(bare)[1:-1]


def _hide(text: str, secrets: re.Pattern[str] | None, home: str, homes: bool) -> str:
    if secrets is not None:
        text = secrets.sub(HIDDEN, text)
    if len(home) > 1:
        text = re.sub(rf"{re.escape(home)}(?![\w.-])", "~", text)
    return public(text) if homes else without_credentials(text)


def _everywhere(value: object, hide: Callable[[str], str]) -> object:
    if isinstance(value, str):
        return hide(value)
    if isinstance(value, Mapping):
        return {hide(name): _everywhere(item, hide) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_everywhere(item, hide) for item in value]
    return value
