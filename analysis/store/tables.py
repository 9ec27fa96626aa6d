"""Which tables does a store have, and which columns has each?

The schema is fixed, so that a column in which one campaign knows nothing has
the same type as in all others. docs/store.md tells it to readers; a change
that breaks them counts `SCHEMA_VERSION` up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pyarrow as pa

from analysis.statistics import columns as of
from analysis.statistics.columns import Column
from analysis.statistics.conclusions import FindingRow
from analysis.statistics.rows import RoundRow, RunRow, TaskRow

__all__ = ["SCHEMA_VERSION", "TABLES", "columns", "described", "schema"]

SCHEMA_VERSION = 1

_TYPES = {
    "text": pa.string(),
    "integer": pa.int64(),
    "float": pa.float64(),
    "boolean": pa.bool_(),
}


def _named(name: str, meaning: str, kind: of.Kind = "text", *, nullable: bool = False) -> Column:
    return Column(meaning, name=name, kind=kind, nullable=nullable)


_CAMPAIGN = _named("campaign", "slug of the campaign")
_ID, *_OF_RUN = of.columns(RunRow, "store")
_RUN, *_OF_TASK = of.columns(TaskRow, "store")
_TASK = next(column for column in _OF_TASK if column.name == "task")
_REQUEST = _named("request", "number of the task's row within its run, from 1", "integer")

_COLUMNS: Mapping[str, tuple[Column, ...]] = {
    "runs": (
        _CAMPAIGN,
        _named("title", "title of the campaign"),
        _named("target", "target model", nullable=True),
        _named("conditions", "JSON object: what is known of hardware, build and sampler"),
        replace(_ID, name="run"),
        *_OF_RUN,
    ),
    "tasks": (_CAMPAIGN, _RUN, _REQUEST, *_OF_TASK),
    "rounds": (_CAMPAIGN, _RUN, _REQUEST, _TASK, *of.columns(RoundRow)),
    "findings": (_CAMPAIGN, *of.columns(FindingRow)),
}

TABLES = tuple(_COLUMNS)
"""Names of the tables; each is a folder of a store."""


def described(table: str) -> tuple[Column, ...]:
    """A table's columns in order."""
    return _COLUMNS[table]


def columns(table: str) -> tuple[str, ...]:
    """Their names."""
    return tuple(column.name for column in _COLUMNS[table])


def schema(table: str, inputs: str = "") -> pa.Schema:
    """Columns of a table with what they mean, as Parquet keeps them.

    Parameters
    ----------
    table
        One of `TABLES`.
    inputs
        Fingerprint of what the rows were made from.
    """
    fields = [
        pa.field(
            column.name,
            _TYPES[column.kind],
            metadata={"description": column.meaning, "unit": column.unit},
        )
        for column in _COLUMNS[table]
    ]
    about = {"schema_version": str(SCHEMA_VERSION), "table": table, "inputs": inputs}
    return pa.schema(fields, {f"mtpbench.{key}": value for key, value in about.items()})
