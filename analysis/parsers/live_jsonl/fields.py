"""Words and lists in a record of ``mtpbench run``; null or nothing for what is none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["LONGEST_NAME", "listed", "name_in", "text_in"]

LONGEST_NAME = 200


def name_in(record: Mapping[str, Any], key: str) -> str | None:
    """A short text of a record."""
    value = text_in(record, key)
    return value[:LONGEST_NAME] if value else None


def text_in(record: Mapping[str, Any], key: str) -> str | None:
    """A text of a record, however long."""
    value = record.get(key)
    return value or None if isinstance(value, str) else None


def listed(value: object) -> list[Any]:
    """The items of a value; none where it is no list."""
    return value if isinstance(value, list) else []
