"""The one family of errors that a user's mistake may become."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

from analysis.privacy import public

__all__ = [
    "INTERRUPTED",
    "CampaignError",
    "CardError",
    "HubError",
    "LiveError",
    "LogError",
    "ModelFileError",
    "MtpbenchError",
    "ReportError",
    "encodable",
    "likely_meant",
    "one_of",
    "printable",
    "said",
    "visible",
]

_ALIKE = 0.8
"""How alike two words are of which one is a slip of the other, by ``difflib``."""

INTERRUPTED = 130
"""Exit code of a command that was interrupted: 128 and the number of the signal."""


class MtpbenchError(Exception):
    """A mistake of the user's, said as what is wrong, where, and what to do.

    Parameters
    ----------
    problem
        What is wrong, as a sentence without its full stop.
    remedy
        What the user can do about it, in the imperative.
    file, line
        Where it is wrong. `line` counts from 1 and needs `file`.
    """

    def __init__(
        self,
        problem: str,
        remedy: str,
        file: str | Path | None = None,
        line: int | None = None,
    ) -> None:
        self.problem = problem
        self.remedy = remedy
        self.file = None if file is None else str(file)
        self.line = line
        super().__init__(problem, remedy, self.file, line)

    @property
    def where(self) -> str:
        """``FILE:LINE``, ``FILE`` or an empty text."""
        if self.file is None:
            return ""
        return self.file if self.line is None else f"{self.file}:{self.line}"

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        return f"{place}{self.problem}; {self.remedy}"


class LiveError(MtpbenchError):
    """A live run that can't start, or can't go on."""


class LogError(MtpbenchError):
    """A log that can't be read, or in which nothing was recognised."""


class CampaignError(MtpbenchError):
    """A campaign.toml, or a folder, that does not describe a campaign."""


class CardError(MtpbenchError):
    """A README into which no section can be put, or that can't be checked."""


class HubError(MtpbenchError):
    """The Hub refuses something, or can't be reached."""


class ModelFileError(MtpbenchError):
    """A model file that can't be read, or is none."""


class ReportError(MtpbenchError):
    """A report that can't be executed or written."""


def one_of(name: str, given: object, allowed: object) -> tuple[str, str]:
    """Problem and remedy for a value outside a closed list, with the one that was likely meant.

    Returns
    -------
    tuple of str
        The first two arguments of :class:`MtpbenchError`.

    Examples
    --------
    >>> one_of("level", "fatal", ["error", "note"])
    ("level is 'fatal'", 'use one of: error, note')
    >>> one_of("level", "errro", ["error", "note"])
    ("level is 'errro'", "use one of: error, note; did you mean 'error'?")
    """
    words = [str(word) for word in allowed]  # type: ignore[attr-defined]
    meant = likely_meant(str(given), words)
    asked = f"; did you mean {meant!r}?" if meant else ""
    return f"{name} is {given!r}", f"use one of: {', '.join(words)}{asked}"


def likely_meant(given: str, known: Sequence[str]) -> str | None:
    """The known word that one is a slip of; null where none is close, or it is one.

    Examples
    --------
    >>> likely_meant("reprot", ["report", "run"]), likely_meant("nonsense", ["report", "run"])
    ('report', None)
    """
    if given in known:
        return None
    near = get_close_matches(given.lower(), known, 1, _ALIKE)
    return near[0] if near else None


def encodable(text: str) -> str:
    r"""A text that every file can hold: half characters become their escapes.

    File names that are not Unicode have some, and so may a JSON log.

    Examples
    --------
    >>> print(encodable("a\udcff.log"))
    a\udcff.log
    """
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def printable(text: object) -> str:
    r"""A stranger's text as one line, without what a terminal would obey.

    Examples
    --------
    >>> printable("a\x1b[31mb\nc")
    'a?[31mb?c'
    """
    said = str(text)
    if said.isprintable():
        return said
    return "".join(sign if sign.isprintable() else "?" for sign in said)


_OBEYED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\r(?!\n)")


def visible(text: str) -> str:
    r"""Lines of a stranger's text with what a terminal would obey written out.

    Examples
    --------
    >>> print(visible("a\x1b[31mb"))
    a\x1b[31mb
    """
    return encodable(_OBEYED.sub(lambda found: f"\\x{ord(found[0]):02x}", text))


def said(error: MtpbenchError | str) -> str:
    """The line that a user's mistake becomes, with paths as short as they can be read here."""
    text = printable(_public(error))
    for folder, short in ((Path.cwd(), ""), (Path.home(), "~/")):
        # Only where a path begins, not in the middle of another.
        text = re.sub(rf"(?<![^\s'\"]){re.escape(str(folder))}/", short, text)
    return f"error: {text}"


def _public(error: MtpbenchError | str) -> object:
    """An error without what is private in it, but for where it is, which the user must find.

    What a live run would start, or whom it would ask, stays as it is: it needs consent.
    """
    if isinstance(error, str | LiveError):
        return error
    place = f"{error.where}: " if error.where else ""
    return place + public(f"{error.problem}; {error.remedy}")
