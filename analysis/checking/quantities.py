"""Which quantities can be claimed, where are they in the data, and how may a figure state them?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from analysis.checking.figures import Figure
from analysis.checking.tokens import Token
from analysis.checking.vocabulary import vocabulary

__all__ = ["QUANTITIES", "SPEED", "SURVIVALS", "Quantity", "better", "carries", "direction",
           "meant_by", "survival"]  # fmt: skip

SPEED = ("throughput", "effective", "decode", "pace")
SURVIVALS = ("measured survival", "inferred survival", "conditional survival")
_SIGNS = (("better", 2), ("worse", -2), ("+", 1), ("-", -1))
_OF_UNIT = {"rate": "throughput", "s": "time", "ms": "forward_ms"}


class Quantity(NamedTuple):
    """What its words may mean of a whole run and of a task or class, the likeliest first."""

    unit: str
    columns: list[str]
    parts: list[str]
    flags: list[str]


def survival(position: int) -> str:
    """The quantity that is the share of forwards whose draft is accepted up to a position."""
    return f"survival {position}"


QUANTITIES = {
    name: Quantity(unit, *(words.split() for words in fields))
    for name, (unit, *fields) in vocabulary()["columns"].items()
}
for _at in map(int, vocabulary()["cardinals"]):
    _columns = [f"{name} to position {_at}" for name in SURVIVALS]
    QUANTITIES[survival(_at)] = Quantity("share", _columns, _columns, ["drafts"])


def meant_by(words: Iterable[str], figure: Figure | None, *, timed: bool = False) -> str:
    """The one quantity that some words mean with a figure; empty where that is open.

    `timed` says that time is among them as a noun: a verb such as *takes* means what follows.
    """
    unit = "" if figure is None else figure.unit
    said = set(words) - ({"time"} if unit in ("rate", "ms") and not timed else set())
    said -= {"predicted"} if unit == "rate" else set()
    if not said:
        return _OF_UNIT.get(unit, "")
    share = unit == "points" or (figure is not None and carries("acceptance", figure))
    for key, (one, needed, beside) in vocabulary()["together"].items():
        fits = said & {*needed.split()} and said <= {*needed.split(), *beside.split()}
        if fits and (share or not key.startswith("share")):
            return one
    return said.pop() if len(said) == 1 else ""


def carries(quantity: str, figure: Figure) -> bool:
    """Whether a quantity is stated in the figure's unit."""
    kind = QUANTITIES[quantity].unit if quantity else ""
    if figure.unit:
        return figure.unit == ("percent" if kind == "share" else kind)
    if kind == "share":
        return figure.decimals > 0 and 0 <= figure.value <= 1
    return kind in ("times", "number", "rate" if figure.decimals else "count")


def direction(relation: Token) -> tuple[str, int]:
    """Quantity and direction that a word of relation has; 2 is better, -2 worse."""
    said = str(relation.value)
    for word, sign in _SIGNS:
        if said.endswith(word):
            return said.removesuffix(word), sign
    return "", 0 if said == "gap" else 1


def better(sign: int, quantity: str) -> int:
    """What better and worse come to: more or less of a quantity."""
    less = "less" in QUANTITIES[quantity].flags
    return sign if abs(sign) < 2 else sign // 2 * (-1 if less else 1)
