"""What of a stranger's text may be public?

The one place that knows what is private: folders, of which only the name of a
model file is left, keys and passwords, e-mail addresses, and the names of users
and machines. It looks at the text alone, never at the machine that it runs on,
so that the same log gives the same report everywhere. Figures, dates, rates and
names like ``OWNER/NAME`` are no part of it.

Every pattern takes time in proportion to the text: what repeats is possessive,
and begins only where something else ends.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from analysis.privacy.hidden import HIDDEN, hidden
from analysis.privacy.keys import VALUE, is_plain, without_assigned, without_keys
from analysis.privacy.names import without_credentials, without_names
from analysis.privacy.paths import BEGIN, FILE_URL, MODEL, SEPARATOR, without_folders

__all__ = [
    "HIDDEN",
    "public",
    "public_model",
    "public_path",
    "public_values",
    "without_credentials",
]
_LONGEST_KEPT = 1000
_WORTH_A_LOOK = re.compile(
    r"[/\\](?=\S)|@|hf_|sk-|eyJ|gh[opsur]_|github_pat_|glpat-|xox[abprs]-|AKIA|AIza|nvapi-|bearer"
    r"|g(?:sk|oc)[_s]|r8_|rpa_|tgp_v1|ya29\.|private key|cookie|linux \S|machine: "
    r"|-(?:key|token|secret|password|passwd|auth|hft)\\?[ \t\"']"
    r"|(?:key|id|token|secret|pass\w{0,6}|hft|credentials?|auth\w{0,12}|user\w{0,8}|login|\wname|e?mail)"
    r"(?:\\?[\"']{1,2})?[ \t]{0,8}[=:]"
    r"|(?<!\d)(?:10|172|192)\.\d|[a-z]{3} [ \d]\d \d\d:|\dT\d\d:\d\d:",
    re.IGNORECASE,
)
_FLAG = re.compile(
    r"(?<![\w-])(--?[A-Za-z][\w-]*+)"
    # Beside it, on the next line of a command, or the next in a list.
    r"(=|[ \t]{1,8}(?:[\\`^](?:\r?\n[ \t>]{0,40}|[ \t]{1,40}))?"
    r"|\\?[\"']{1,2},[ \t]{0,4}(?=\\?[\"']))"
    rf"(?!-)({VALUE})",
    re.ASCII,
)
_SECRET_FLAG = re.compile(r"(?:^|[-_])(?:key|token|secret|password|passwd|auth|hft)(?:$|[-_])")
_PATH_FLAG = re.compile(
    r"(?:^|[-_])(?:file|path|dir|directory|folder|lora|scaled|mmproj|grammar|vector|out|output"
    r"|config|cache-static|cache-dynamic)(?:$|[-_])"
)
_MODEL_FLAGS = frozenset(("-m", "--model", "-md", "--model-draft", "--spec-draft-model"))


def public(text: str) -> str:
    r"""A text without what is private in it.

    Parameters
    ----------
    text
        Of any length, one line or many.

    Returns
    -------
    str
        Equal to `text` where nothing in it is private; applying this again changes
        nothing.

    Examples
    --------
    >>> print(public("llama-server -m /home/ada/a.gguf --api-key sk-1 --temp 0 -np 1"))
    llama-server -m a.gguf --api-key *** --temp 0 -np 1
    >>> public(r'can not open "E:\My Models\ada.txt": 85.3 tok/s with org/Name-GGUF:Q4_K_M')
    'can not open "***": 85.3 tok/s with org/Name-GGUF:Q4_K_M'
    """
    if len(text) <= _LONGEST_KEPT:
        return _kept(text)
    return _public(text)


def public_model(name: str) -> str:
    r"""How a model is called in public: its repository, or its file without folders.

    Examples
    --------
    >>> public_model("org/Name:Q4_K_M"), public_model(r"D:\ada\Model"), public_model("a/b.gguf")
    ('org/Name:Q4_K_M', 'Model', 'b.gguf')
    """
    begins = re.match(BEGIN, name) or FILE_URL.match(name)
    if not begins:
        return public(name)
    return public(SEPARATOR.split(name.rstrip("\\/"))[-1])


def public_path(path: str | Path, below: str | Path | None = None) -> str:
    """How a file is called in public: relative to a folder that it lies in, or by its name.

    Parameters
    ----------
    path
        The file.
    below
        The folder; by default the one that the process works in.
    """
    place = Path(os.path.abspath(path))  # noqa: PTH100 - resolving would follow links
    folder = Path(os.path.abspath(below or Path.cwd()))  # noqa: PTH100
    if place.is_relative_to(folder) and place != folder:
        return str(place.relative_to(folder))
    return place.name


def public_values(value: Any) -> Any:
    """Plain data, as TOML and JSON have it, with all texts in it made public."""
    if isinstance(value, str):
        return public(value)
    if isinstance(value, Mapping):
        return {public_values(key): public_values(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [public_values(item) for item in value]
    return value


@lru_cache(maxsize=8192)
def _kept(text: str) -> str:
    return _public(text)


def _public(text: str) -> str:
    if not _WORTH_A_LOOK.search(text):
        return text
    text = without_assigned(_FLAG.sub(_flag, without_keys(text)))
    return without_folders(without_names(text))


def _flag(found: re.Match[str]) -> str:
    if found[1] in _MODEL_FLAGS:
        value = found[3].strip("\"'")
        model = public_model(value) if re.match(BEGIN, value) else value
        return found[0][: found.start(3) - found.start()] + found[3].replace(value, model)
    name = found[1].lstrip("-").lower()
    if _PATH_FLAG.search(name) and SEPARATOR.search(found[3]) and "://" not in found[3]:
        bare = found[3].strip("\"'\\")
        file = SEPARATOR.split(bare.rstrip("\\/"))[-1]
        shown = file if MODEL.fullmatch(file) else HIDDEN
        return found[0][: found.start(3) - found.start()] + found[3].replace(bare, shown)
    if not _SECRET_FLAG.search(name) or is_plain(found[3]):
        return found[0]
    return f"{found[1]}{found[2]}{hidden(found[3])}"
