"""Which quantity do a table's words mean? One line per quantity that a card may state."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from analysis.statistics.columns import DERIVED, Column, RunRow, columns

__all__ = ["QUANTITIES", "Quantity", "quantities_of"]


@dataclass(frozen=True)
class Quantity:
    """A column of the campaign's frames and the words that mean it.

    Attributes
    ----------
    column
        Name in the frames.
    words
        Pattern of a header, a row label or a title; matched as a whole phrase.
    share
        Whether a percentage or a fraction states it.
    units
        Units that a figure of it may carry; empty is a bare number.
    """

    column: str
    words: str
    share: bool = False
    units: tuple[str, ...] = field(default=("",))

    def named_in(self, text: str) -> bool:
        """Whether the text has the quantity's words."""
        return re.search(rf"(?<![\w-])(?:{self.words})(?![\w-])", text, re.IGNORECASE) is not None


_UNITS: Mapping[str, tuple[str, ...]] = {
    "share": ("percent", ""),
    "ratio": ("times", ""),
    "tokens/s": ("rate", ""),
    "s": ("s", ""),
    "ms": ("ms", ""),
}
"""Units that a figure may carry, by the unit of its column; empty is a bare number."""


def _quantity(column: Column) -> Quantity:
    # Time saved is a share of a time: a bare number would be taken for seconds.
    units = ("percent",) if column.name == "time_saved" else _UNITS.get(column.unit, ("",))
    return Quantity(column.name, column.header, column.unit == "share", units)


QUANTITIES = tuple(
    # The first that matches wins; what is made of others, and has their words, stands behind them.
    _quantity(column)
    for column in reversed((*columns(RunRow), *DERIVED))
    if column.header
)
BROADER = {
    # What else a short header may mean over a whole run.
    "speedup": ("speedup", "decode_speedup"),
    "decode_tps": ("decode_tps", "effective_tps"),
}


def quantities_of(text: str, unit: str = "") -> Sequence[Quantity]:
    """What a header may mean for a figure with this unit, the likeliest first.

    Examples
    --------
    >>> [q.column for q in quantities_of("Accept Rate")]
    ['acceptance_rate']
    >>> [q.column for q in quantities_of("tok/s", "rate")]
    ['decode_tps', 'effective_tps']
    """
    found = next((item for item in QUANTITIES if item.named_in(text)), None)
    if found is None or unit not in found.units:
        return ()
    if found.column == "decode_tps" and re.search(r"decode|per-task", text, re.IGNORECASE):
        return (found,)
    columns = BROADER.get(found.column, (found.column,))
    return [item for name in columns for item in QUANTITIES if item.column == name]
