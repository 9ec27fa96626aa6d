"""A chart's figures as a table, for who can't see it or wants the numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

__all__ = ["MISSING", "Values", "values_grid"]

MISSING = "–"


@dataclass(frozen=True)
class Values:
    """What a chart draws.

    Attributes
    ----------
    headers
        Of the columns; the first names what a row is.
    rows
        Plain text, which may hold strangers' words: escape it for wherever it goes.
    """

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        if any(len(row) != len(self.headers) for row in self.rows):
            message = "a row has not one cell per header"
            raise ValueError(message)

    @classmethod
    def of(cls, headers: Iterable[str], rows: Iterable[Sequence[str]]) -> Values:
        """Build from any sequences."""
        return cls(tuple(headers), tuple(tuple(row) for row in rows))


def values_grid(corner: str, names: Sequence[str], texts: pd.DataFrame) -> Values:
    """A table of texts with its rows called `names`; what is null is a dash."""
    shown = texts.astype("object").where(texts.notna(), MISSING)
    rows = ((name, *map(str, row)) for name, row in zip(names, shown.to_numpy(), strict=True))
    return Values.of((corner, *map(str, texts.columns)), rows)
