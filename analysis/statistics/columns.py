"""A column: what does a figure of a run, a task or a depth mean, and in which unit?

One class per kind of row, one field per column, in ``rows.py`` and
``conclusions.py``. Frames take their types from them, results.json and the
store their columns, the card its records, ``check`` the words by which it
knows a figure, and notebooks the digits that they show; docs/results.md and
docs/store.md are held against them by a test.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any, Literal, get_args, get_type_hints

__all__ = [
    "Column",
    "column",
    "columns",
    "dtypes",
    "names",
]

Kind = Literal["text", "integer", "float", "boolean"]
Reach = Literal["results", "store", "frame"]

_KINDS: Mapping[type, Kind] = {str: "text", int: "integer", float: "float", bool: "boolean"}
_DTYPES: Mapping[tuple[Kind, bool], str] = {
    ("text", True): "object",
    ("text", False): "object",
    ("integer", True): "Int64",
    ("integer", False): "int64",
    ("float", True): "float64",
    ("float", False): "float64",
    ("boolean", True): "boolean",
    ("boolean", False): "bool",
}


@dataclass(frozen=True)
class Column:
    """What a column holds.

    Attributes
    ----------
    meaning
        For a reader of the data.
    unit
        ``s``, ``ms``, ``tokens``, ``tokens/s``, ``J/token``, ``ratio``, ``share`` (0 to 1),
        or empty.
    reach
        How far it goes: ``results`` is in results.json, the store and frames,
        ``store`` in the last two, ``frame`` in frames alone.
    recorded
        Whether it comes from the records, not from other columns.
    words
        What a sentence calls it; empty where that is its name.
    header
        Pattern of the words that mean it in a card's table or title; empty
        where no card states it.
    digits
        Digits behind the point in tables for readers.
    name, kind, nullable
        As its field in the row says.
    """

    meaning: str
    unit: str = ""
    reach: Reach = "results"
    recorded: bool = False
    words: str = ""
    header: str = ""
    digits: int = 0
    name: str = ""
    kind: Kind = "text"
    nullable: bool = True

    @property
    def spoken(self) -> str:
        """What a sentence calls it."""
        return self.words or self.name.replace("_", " ")

    @property
    def dtype(self) -> str:
        """Its type in a frame."""
        return _DTYPES[self.kind, self.nullable]

    def shown(self, value: float) -> str:
        """A value with the digits of tables for readers."""
        return f"{value:.{self.digits}f}"


def column(meaning: str, unit: str = "", **settings: Any) -> Any:
    """A field of a row, null unless given."""
    return field(default=None, metadata={"column": Column(meaning, unit, **settings)})


@cache
def columns(row: type, reach: Reach = "frame") -> tuple[Column, ...]:
    """Columns of a kind of row that go at least this far, in the order of its fields.

    Examples
    --------
    >>> from analysis.statistics.rows import RunRow
    >>> [(one.name, one.kind, one.nullable) for one in columns(RunRow, "results")[:4]]
    [('id', 'text', False), ('label', 'text', False), ('spec_type', 'text', True), \
('n_max', 'integer', True)]
    """
    order = get_args(Reach)
    hints = get_type_hints(row)
    found = []
    for one in fields(row):
        known = get_args(hints[one.name]) or (hints[one.name],)
        kind = next(_KINDS[item] for item in known if item is not types.NoneType)
        stated: Column = one.metadata["column"]
        if order.index(stated.reach) <= order.index(reach):
            nullable = types.NoneType in known
            found.append(replace(stated, name=one.name, kind=kind, nullable=nullable))
    return tuple(found)


def names(row: type, reach: Reach = "frame") -> tuple[str, ...]:
    """Names of these columns."""
    return tuple(one.name for one in columns(row, reach))


def dtypes(row: type) -> dict[str, str]:
    """Name to pandas type of the columns that come from the records."""
    return {one.name: one.dtype for one in columns(row) if one.recorded}
