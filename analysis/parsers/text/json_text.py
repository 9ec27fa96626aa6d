"""JSON whose values know where they stand.

The standard decoder checks the text and reads the values; it says where a value
ends, which is all that is needed to walk an object or a list member by member.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from analysis.errors import LogError
from analysis.parsers.text.document import Document

__all__ = ["JsonValue", "decode", "items", "members", "objects", "value_at", "values_in"]

_LONGEST_INTEGER = 25
_SPACE = re.compile(r"[ \t\n\r,]*")
_DEEPEST = 6
# Where JSON may begin inside of other text.
_OPENS = re.compile(r'^[ \t]*+(?=[\[{])|"timings"[ ]*+:[ ]*+(?=\{)', re.MULTILINE)
_MOST_FAILURES = 100


def _integer(text: str) -> int | float:
    # int() refuses thousands of digits with an error of its own; as an infinite
    # float such a number is turned down where the figure is read.
    return int(text) if len(text) <= _LONGEST_INTEGER else float(text)


_DECODER = json.JSONDecoder(parse_int=_integer)


@dataclass(frozen=True)
class JsonValue:
    """A JSON value and the characters, `start` up to `end`, that it takes."""

    data: object
    start: int
    end: int


def decode(document: Document) -> list[JsonValue]:
    """Read a document that is one JSON value, or several one after the other.

    Raises
    ------
    LogError
        When it is not, with the line of the mistake.
    """
    values: list[JsonValue] = []
    at = _skip(document.text, 0)
    while at < len(document.text) or not values:
        values.append(_decode_at(document, at, first=not values))
        at = _skip(document.text, values[-1].end)
    return values


def _decode_at(document: Document, start: int, *, first: bool) -> JsonValue:
    text = document.text
    try:
        data, end = _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        if not first and text[start] not in "{[":
            line = text.count("\n", 0, start) + 1
            problem = "there is more text after the JSON"
            raise LogError(problem, "keep only the JSON", document.name, line) from None
        ends = not text[error.pos :].strip()
        problem = "the JSON stops in the middle" if ends else f"this is not JSON ({error.msg})"
        remedy = "save the whole file again" if ends else "mend it here or save it again"
        line = text.count("\n", 0, len(text.rstrip()) if ends else error.pos) + 1
        raise LogError(problem, remedy, document.name, line) from None
    except (RecursionError, ValueError):
        problem = "the JSON nests too deep to be a benchmark's"
        raise LogError(problem, "name the file that the script wrote", document.name, 1) from None
    return JsonValue(data, start, end)


def value_at(text: str, start: int) -> JsonValue | None:
    """The JSON value that begins at `start` of some other text, or null."""
    try:
        data, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return JsonValue(data, start, end)


def values_in(text: str) -> Iterator[JsonValue]:
    """The objects and lists that stand in other text: JSON lines, or what somebody pasted.

    Those that begin a line, and ``"timings"`` objects of responses that were cut.
    """
    at, failed = 0, 0
    while failed < _MOST_FAILURES and (found := _OPENS.search(text, at)):
        value = value_at(text, found.end())
        if value is None:
            failed += 1
            at = found.end() + 1
        else:
            at = value.end
            yield value


def members(text: str, value: JsonValue) -> Iterator[tuple[str, JsonValue]]:
    """Walk the members of an object that :func:`decode` has checked."""
    at = _skip(text, value.start + 1)
    while text[at] != "}":
        key, at = _DECODER.raw_decode(text, at)
        at = _skip(text, text.index(":", at) + 1)
        data, end = _DECODER.raw_decode(text, at)
        yield key, JsonValue(data, at, end)
        at = _skip(text, end)


def items(text: str, value: JsonValue) -> Iterator[JsonValue]:
    """Walk the items of a list that :func:`decode` has checked."""
    at = _skip(text, value.start + 1)
    while text[at] != "]":
        data, end = _DECODER.raw_decode(text, at)
        yield JsonValue(data, at, end)
        at = _skip(text, end)


def objects(text: str, value: JsonValue, depth: int = 0) -> Iterator[JsonValue]:
    """Walk an object and all objects inside it, outermost first, some levels deep."""
    if isinstance(value.data, dict):
        yield value
        inner = [inner for _, inner in members(text, value)]
    elif isinstance(value.data, list):
        inner = list(items(text, value))
    else:
        return
    if depth < _DEEPEST:
        for one in inner:
            if isinstance(one.data, dict | list):
                yield from objects(text, one, depth + 1)


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at
