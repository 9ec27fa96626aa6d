"""What something put before every line, told by looking at the lines together.

Where the beginning of some lines is known by what they say, what stands before
it is no message: a time, a host, a pod, a line number, a bullet. Nothing here
knows which programs put what.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from analysis.parsers.text.document import Numbered

__all__ = ["Prefixes", "is_log_prefix", "without_prefixes"]

_PART = re.compile(r"\d+|[ ]+|[^\d ]+")
_LONGEST = 120
_STAMP = re.compile(
    r"[\W_]*(?:\d{4}-\d\d-\d\d[T ]?|[A-Z][a-z]{2} {1,2}\d{1,2} )?\d\d:\d\d:\d\d\S*"
    r"(?: [\w.-]+)?(?: [\w./@-]+(?:\[\d+\])?)?[\W_]*"
)

_WORD = r"[\w.@/+~-]"
_PARTS = re.compile(rf"(?P<word>{_WORD}+)|(?P<space>\s+)|.", re.DOTALL)
_FAR = 200
_LETTER = re.compile(r"[^\W\d_]")
# Three words and more without a digit, and nothing but a colon behind them, are somebody speaking.
_SENTENCE = re.compile(r"\W*(?:[^\W\d_]+[,;:]?\s+){2,40}[^\W\d_]+\W{0,3}")
_WORDS = re.compile(r"[^\W\d_]+(?:\s+[^\W\d_]+){0,3}\s*")
# A key of a structured log whose value is the line: msg="…", "MESSAGE" : "…".
_KEY = re.compile(
    r"(?:^|\W)(?:msg|log|message|line)[\"']?\s{0,3}(?:=>?|:)\s{0,3}[\"']\s*$", re.IGNORECASE
)
_FEW = 10
"""What stands before one line of so many is no prefix: something in the log begins like one."""
_MOST = 20


class Prefixes:
    """The prefixes of a text, learned from the lines whose beginning is known."""

    def __init__(self) -> None:
        self._times: Counter[str] = Counter()
        self._bare = 0
        self._shared: re.Pattern[str] | None = None

    def learn(self, befores: Iterable[str]) -> None:
        """Take what stands before lines whose beginning is known."""
        for before in befores:
            if not _says(before):
                self._bare += 1
            elif len(before) <= _FAR and not _SENTENCE.fullmatch(before) and not _opens(before):
                self._times[_shape(before)] += 1
        shapes = [
            shape
            for shape, times in self._times.items()
            if times > 1 and times * _FEW >= self._bare
        ]
        # The longer first: one may begin like another.
        longest = sorted(shapes, key=len, reverse=True)[:_MOST]
        self._shared = re.compile(rf"\s*+(?:{'|'.join(longest)})\s*+") if longest else None

    def allows(self, before: str, *, sure: bool) -> bool:
        """Whether this is a prefix, and no sentence or request that quotes a line.

        Parameters
        ----------
        before
            What stands before a line's known beginning.
        sure
            Whether that beginning is one that nobody writes in a sentence.
        """
        if not _says(before):
            return True
        key = _KEY.search(before)
        if len(before) > _FAR or (_opens(before) and not key) or _SENTENCE.fullmatch(before):
            return False
        if not sure and _WORDS.fullmatch(before):
            return False
        if self._shared is not None and self._shared.fullmatch(before):
            return True
        if self._bare > _FEW:
            return False
        alone = not before.rstrip()[-1].isalnum() and not set(before) & set("\"'")
        return key is not None or not _LETTER.search(before) or (sure and alone)

    def without(self, line: str) -> str | None:
        """A line without the prefix that it shares with others; null where it has none."""
        found = self._shared.match(line) if self._shared else None
        return line[found.end() :] if found else None


def _opens(before: str) -> bool:
    """Whether the line stands inside of an object; labels in braces stand before it."""
    return before.count("{") > before.count("}")


def _says(before: str) -> bool:
    """Whether this is more than a bullet, a quote or a frame."""
    return any(map(str.isalnum, before))


def _shape(before: str) -> str:
    """A pattern of the lines that begin alike, whatever their words and numbers are."""
    parts = []
    for part in _PARTS.finditer(before.strip()):
        if part["word"] and any(map(str.isalnum, part[0])):
            parts.append(f"{_WORD}++")
        else:
            parts.append(r"\s++" if part["space"] else re.escape(part[0]))
    return "".join(parts)


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
    seen = Counter(_exact_shape(before) for before in befores if len(before) <= _LONGEST)
    ends = {_exact_shape(before): before for before in befores}
    shapes = [
        shape
        for shape, times in seen.items()
        if times > 1 and (_may_be_put_there(ends[shape]) or _before_json(shape, text))
    ]
    if not shapes:
        return numbered
    # The longer first: one may begin like another.
    shapes.sort(key=len, reverse=True)
    prefix = re.compile(rf"^[ ]*+(?:{'|'.join(shapes)})(?:[ ]|$|(?<=[:|>]))")
    return Numbered((number, prefix.sub("", line, count=1)) for number, line in numbered.pairs())


def _may_be_put_there(before: str) -> bool:
    """Whether no sentence or label ends like this."""
    return not before[-1].isalnum() or is_log_prefix(before)


def _before_json(shape: str, text: str) -> bool:
    """Whether the aggregate's lines have it too, before which nobody writes a label."""
    return re.search(rf"^[ ]*+{shape}[ ]++\"\w", text, re.MULTILINE) is not None


def _exact_shape(before: str) -> str:
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
