"""What people's labels say about speculation: ``MTP n=3``, ``No MTP``, ``dflash-n4``."""

from __future__ import annotations

import re

from analysis.records import SPEC_TYPES

__all__ = ["drafted_depth", "mined", "names_a_repeat", "residual"]

_OFF = re.compile(
    r"\b(?:baseline|vanilla|none|(?:no|non|without|w/o)[ _-]*(?:mtp|spec\w*|draft\w*|eagle\w*|"
    r"dflash|dspark|ngram)|spec\w*[ _-]*off|mtp[ _-]*off)\b"
)
_EXACT = re.compile(rf"\b(?:{'|'.join(sorted(SPEC_TYPES[1:], key=len, reverse=True))})\b")
_METHODS = (
    (re.compile(r"dspark"), "draft-dspark"),
    (re.compile(r"dflash"), "draft-dflash"),
    (re.compile(r"eagle"), "draft-eagle3"),
    (re.compile(r"\bmtp|mtp\b|nextn"), "draft-mtp"),
)
_DEPTH = re.compile(
    r"\bn[ _-]?max[ ]*[=:]?[ ]*(\d{1,3})\b|\bmax[ ]*[=:]?[ ]*(\d{1,3})\b"
    r"|\b(?:n|k|depth|num_speculative_tokens)[ \"']*[=:][ ]*(\d{1,3})\b"
    r"|(?:mtp|dspark|dflash\d?|eagle\d?|draft|depth)[ _-]+n?(\d{1,3})\b"
    r"|(?:^|[ _(-])n(\d{1,3})\b"
)
# The tool's own name is no method.
_TOOL = re.compile(r"\bmtp[-_ ]*bench(?:\.py)?")
# Word processors and forums set these in place of the hyphen.
_HYPHEN = re.compile("[\u2010\u2011\u2012\u2013\u2212]")
_LONGEST = 200


def drafted_depth(rounds: int | None, drafted: int | None) -> int | None:
    """Tokens of a draft, of an engine that drafts as many in every round; null where it does not.

    Examples
    --------
    >>> drafted_depth(11043, 88344), drafted_depth(3, 10), drafted_depth(None, 4)
    (8, None, None)
    """
    return drafted // rounds if rounds and drafted and drafted % rounds == 0 else None


def mined(label: str) -> tuple[str | None, int | None]:
    r"""Return the spec type and the depth that a label names.

    Examples
    --------
    >>> mined("MTP n=3"), mined("mtp-2"), mined("HIP Q5_K_M baseline")
    (('draft-mtp', 3), ('draft-mtp', 2), ('none', None))
    >>> mined("n/a - no mtp"), mined("DFlash2 Q4 n_max=5"), mined("max 2"), mined("CPU sampling")
    (('none', None), ('draft-dflash', 5), (None, 2), (None, None))
    >>> mined("Non\u2011MTP"), mined("w/o MTP")
    (('none', None), ('none', None))
    >>> mined("mtp-bench results")
    (None, None)
    """
    text = _TOOL.sub("", _HYPHEN.sub("-", label[:_LONGEST].lower()))
    if _OFF.search(text) or text.strip() == "off":
        return "none", None
    exact = _EXACT.search(text)
    spec_type = exact[0] if exact else None
    if spec_type is None:
        spec_type = next((name for word, name in _METHODS if word.search(text)), None)
    depth = _DEPTH.search(text)
    number = next((int(group) for group in depth.groups() if group), None) if depth else None
    return spec_type, number


_REPEAT = re.compile(
    r"\b(?:run|rep|repeat|repetition|pass|round|try|trial|attempt|take)s?[ ]*#?[ ]*\d{1,3}\b"
    r"(?:[ ]*(?:/|of)[ ]*\d{1,3}\b)?"
    r"|\b\d{1,2}(?:st|nd|rd|th)[ ]+(?:run|pass|try)\b|#\d{1,3}\b|\(\d{1,3}\)"
)


def residual(label: str) -> str:
    """What a label says beside the method, the depth and the number of a repeat.

    Examples
    --------
    >>> residual("DSpark n_max 4, run 2"), residual("No MTP (Q8)"), residual("Baseline")
    ('', 'q8', '')
    """
    text = _TOOL.sub("", _HYPHEN.sub("-", label[:_LONGEST].lower()))
    for pattern in (_REPEAT, _OFF, _DEPTH, _EXACT, *(word for word, _ in _METHODS)):
        text = pattern.sub(" ", text)
    return " ".join(re.findall(r"[^\W_]+", text))


def names_a_repeat(label: str) -> bool:
    """Whether a label says which repeat this is, and nothing of what was repeated.

    Examples
    --------
    >>> names_a_repeat("run 2 of 3"), names_a_repeat("#2"), names_a_repeat("n4, run 2")
    (True, True, False)
    """
    text = label[:_LONGEST].lower()
    return bool(_REPEAT.search(text)) and mined(label) == (None, None) and not residual(label)
