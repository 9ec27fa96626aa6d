"""In which order are configurations measured, so that slow drift meets all of them alike?

A machine that warms up or slows down steadily adds the same to every place in
the order, so configurations with equal mean places can be compared. Two repeats
are balanced by running the second one backwards; three by a Kotzig array, three
orders in which everybody's places add up to the same; any other number by
those.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

__all__ = ["imbalance", "orders"]


def orders(count: int, repeats: int, seed: int) -> list[list[int]]:
    """One order for each repeat.

    Parameters
    ----------
    count
        Configurations.
    repeats
        How often each is measured.
    seed
        Of the shuffles; the same seed gives the same orders.

    Returns
    -------
    list of list of int
        Numbers from 0. Mean places are equal; with an odd number of repeats of an
        even number of configurations they can't be, and differ by one place over the
        number of repeats. A single repeat balances nothing.

    Examples
    --------
    >>> places = [[order.index(one) for order in orders(3, 3, 0)] for one in range(3)]
    >>> [sum(three) for three in places]
    [3, 3, 3]
    """
    chance = random.Random(seed)  # noqa: S311 - an order, and no secret
    found = _three(count, chance) if repeats % 2 and repeats > 1 else []
    while len(found) < repeats:
        one = list(range(count))
        chance.shuffle(one)
        found += [one, one[::-1]]
    return found[:repeats]


def _three(count: int, chance: random.Random) -> list[list[int]]:
    """Kotzig's array of three rows; each row says who has which place."""
    first = list(range(count))
    second = [count - 1 - at // 2 if at % 2 else (count - 1) // 2 - at // 2 for at in first]
    third = [count // 2 - 1 - at // 2 if at % 2 else count - 1 - at // 2 for at in first]
    names = list(range(count))
    chance.shuffle(names)
    rows = [first, second, third]
    chance.shuffle(rows)
    return [[names[row.index(place)] for place in range(count)] for row in rows]


def imbalance(ids: Sequence[str]) -> float:
    """By how many places the mean places of the ids in an order differ at most.

    Examples
    --------
    >>> imbalance(["a", "b", "b", "a"]), imbalance(["a", "b"])
    (0.0, 1.0)
    """
    places: dict[str, list[int]] = {}
    for place, id in enumerate(ids):
        places.setdefault(id, []).append(place)
    means = [sum(own) / len(own) for own in places.values()]
    return max(means) - min(means)
