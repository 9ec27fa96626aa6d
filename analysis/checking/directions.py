"""Which quantity has a word of relation of its own, and which way does it point?"""

from __future__ import annotations

from analysis.checking.quantities import QUANTITIES
from analysis.checking.tokens import Token

__all__ = ["better", "direction"]

_SIGNS = (("better", 2), ("worse", -2), ("+", 1), ("-", -1))


def direction(relation: Token) -> tuple[str, int]:
    """Quantity and direction that a word of relation has; 2 is better, -2 worse."""
    said = str(relation.value)
    if said == "gap":
        return "", 0
    for word, sign in _SIGNS:
        if relation.kind != "equals" and said.endswith(word):
            return said.removesuffix(word), sign
    return "", 1


def better(sign: int, quantity: str) -> int:
    """What better and worse come to: more or less of a quantity."""
    less = "less" in QUANTITIES[quantity].flags
    return sign if abs(sign) < 2 else sign // 2 * (-1 if less else 1)
