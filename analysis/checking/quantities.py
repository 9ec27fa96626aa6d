"""Which quantities can be claimed, where are they in the data, and how may a figure state them?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from analysis.checking.figures import Figure
from analysis.checking.positions import MOST, survival
from analysis.checking.vocabulary import vocabulary

__all__ = ["QUANTITIES", "SPEED", "SURVIVALS", "Quantity", "carries", "meant_by"]

SPEED = ("throughput", "effective", "decode", "pace")
SURVIVALS = ("measured survival", "inferred survival", "conditional survival")
_OF_UNIT = {"rate": "throughput", "s": "time", "ms": "forward_ms"}


@dataclass(frozen=True)
class Quantity:
    """What its words may mean of a whole run and of a task or class, the likeliest first."""

    unit: str
    columns: list[str]
    parts: list[str]
    flags: list[str]


QUANTITIES = {
    name: Quantity(unit, *(words.split() for words in fields))
    for name, (unit, *fields) in vocabulary()["columns"].items()
}
QUANTITIES |= {
    survival(at): Quantity("share", columns, columns, ["drafts"])
    for at in range(1, MOST + 1)
    for columns in [[f"{name} to position {at}" for name in SURVIVALS]]
}
_STATED = {
    "rate": ("rate",),
    "s": ("s",),
    "ms": ("ms",),
    "times": ("times", ""),
    "number": ("",),
}


def meant_by(words: Iterable[str], figure: Figure | None, *, timed: bool = False) -> str:
    """The one quantity that some words mean with a figure; empty where that is open.

    `timed` says that time is among them as a noun: a verb such as *takes* means what follows.
    """
    said, unit = set(words), "" if figure is None else figure.unit
    if unit in ("rate", "ms") and not timed:
        said -= {"time"}
    if unit == "rate":
        said -= {"predicted"}
    if not said:
        return _OF_UNIT.get(unit, "")
    share = unit in ("percent", "points") or (
        figure is not None and bool(figure.decimals) and 0 <= figure.value <= 1
    )
    for key, (one, needed, beside) in vocabulary()["together"].items():
        fits = said & {*needed.split()} and said <= {*needed.split(), *beside.split()}
        if fits and (share or not key.startswith("share")):
            return one
    return said.pop() if len(said) == 1 else ""


def carries(quantity: str, figure: Figure) -> bool:
    """Whether a quantity is stated in the figure's unit."""
    kind = QUANTITIES[quantity].unit if quantity else ""
    if not kind or figure.unit == "points":
        return False
    if kind == "share":
        bare = not figure.unit and figure.decimals > 0 and 0 <= figure.value <= 1
        return figure.unit == "percent" or bare
    if kind == "count":
        return not figure.unit and not figure.decimals
    if kind == "rate" and not figure.unit:
        return figure.decimals > 0
    return figure.unit in _STATED.get(kind, ())
