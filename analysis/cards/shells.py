"""How a shell must be told a word so that it passes it on unchanged."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["BASH", "POWERSHELL", "Shell", "quote_powershell"]


def quote_powershell(word: str) -> str:
    """A word that PowerShell passes on as it is.

    A single-quoted string is taken literally; PowerShell takes four typographic
    signs for its quote as well (about_Quoting_Rules), so each is doubled.

    Examples
    --------
    >>> print(quote_powershell("my model's $HOME.gguf"), quote_powershell("draft.gguf"))
    'my model''s $HOME.gguf' draft.gguf
    """
    if re.fullmatch(r"(?:--?)?[A-Za-z][A-Za-z0-9-]*|[A-Za-z0-9_][A-Za-z0-9_./\\:-]*", word):
        return word
    return "'" + re.sub("['\u2018\u2019\u201a\u201b]", r"\g<0>\g<0>", word) + "'"


@dataclass(frozen=True)
class Shell:
    """How a shell wants its words.

    Attributes
    ----------
    language
        Name of its code blocks.
    quote
        Makes a word that the shell passes on as it is.
    goes_on
        What ends a line that the next one continues.
    """

    language: str
    quote: Callable[[str], str]
    goes_on: str


BASH = Shell("bash", shlex.quote, "\\")
POWERSHELL = Shell("powershell", quote_powershell, "`")
