"""What a log driver put before every line, taken away from all of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from analysis.parsers.text.document import Numbered

__all__ = ["is_log_prefix", "without_prefixes"]

_PART = re.compile(r"\d+|[ ]+|[^\d ]+")
_LONGEST = 120
_STAMP = re.compile(
    r"[\W_]*(?:\d{4}-\d\d-\d\d[T ]?|[A-Z][a-z]{2} {1,2}\d{1,2} )?\d\d:\d\d:\d\d\S*"
    r"(?: [\w.-]+)?(?: [\w./@-]+(?:\[\d+\])?)?[\W_]*"
)


def without_prefixes(numbered: Numbered, rows: Iterable[int]) -> Numbered:
    """Take from all lines what stands before two rows at least.

    Parameters
    ----------
    numbered
        A text.
    rows
        Offsets at which recognised rows begin.

    Returns
    -------
    Numbered
        The same lines. Of a prefix, digits may differ from line to line, as
        times do; spaces at its end may be missing. Without a prefix that two
        lines share, the text as it is.
    """
    text = numbered.text
    first: dict[int, int] = {}
    for at in rows:
        first.setdefault(text.rfind("\n", 0, at) + 1, at)
    befores = [text[line:at].rstrip(" ") for line, at in first.items() if text[line:at].strip()]
    seen = Counter(_shape(before) for before in befores if _may_be_put_there(before))
    shapes = [shape for shape, times in seen.items() if times > 1]
    if not shapes:
        return numbered
    # The longer first: one may begin like another.
    shapes.sort(key=len, reverse=True)
    prefix = re.compile(rf"^[ ]*+(?:{'|'.join(shapes)})(?:[ ]|$)")
    return Numbered((number, prefix.sub("", line, count=1)) for number, line in numbered.pairs())


def _may_be_put_there(before: str) -> bool:
    """Whether no sentence or label ends like this."""
    return len(before) <= _LONGEST and (not before[-1].isalnum() or is_log_prefix(before))


def _shape(before: str) -> str:
    """A pattern of the lines that begin alike, digits aside."""
    parts = []
    for part in _PART.findall(before.lstrip(" ")):
        if part[0].isdigit():
            parts.append(r"\d++")
        else:
            parts.append("[ ]++" if part[0] == " " else re.escape(part))
    return "".join(parts)


def is_log_prefix(text: str) -> bool:
    """Whether a text is a time, and a host and process perhaps, and nothing else.

    Examples
    --------
    >>> is_log_prefix("2026-01-01T10:00:00 bench[123]:"), is_log_prefix("max 2")
    (True, False)
    """
    return len(text) <= _LONGEST and _STAMP.fullmatch(text.strip()) is not None
