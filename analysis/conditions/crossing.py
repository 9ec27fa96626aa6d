"""Crossings: from which value on does speculation stop paying, and how sure is that?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from analysis.statistics.uncertainty import LEVEL

__all__ = ["Crossing", "Turn", "crossings"]

Floats = npt.NDArray[np.floating[Any]]
Turn = Literal["stops", "starts", "pays", "never"]

_EXACT = 1e-9
"""What a product of floats may be off."""


@dataclass(frozen=True)
class Crossing:
    """Where a curve of a speedup goes through 1, or that it does not.

    Attributes
    ----------
    turn
        ``stops``: it pays below `value` and not above; ``starts``: the other
        way round; ``pays`` or ``never``: all over what was measured.
    value
        On the axis; null where the curve does not cross within what was measured.
    low, high
        Ends of the 90 % interval; null where an end is not within what was measured.
        Beside a null `value` the one that is there says from where on, or up to
        where, a crossing can't be ruled out.
    """

    turn: Turn
    value: float | None = None
    low: float | None = None
    high: float | None = None


def crossings(draws: Floats, at: Floats) -> tuple[Crossing, ...]:
    """Every place where a curve goes through 1, in rising order, or that there is none.

    Parameters
    ----------
    draws
        Logarithm of the speedup, shape (n_draws, n).
    at
        Rising values of the axis, as the curve goes over it, shape (n,).

    Returns
    -------
    tuple of Crossing
        By the median of the draws. The interval of a crossing is that of the
        draws' nearest ones that turn the same way.
    """
    middle = np.median(draws, axis=0)
    pays = middle > 0
    changes = np.flatnonzero(pays[1:] != pays[:-1])
    if len(changes) == 0:
        turn: Turn = "pays" if pays[0] else "never"
        # What it would take to be otherwise: the end of the axis that comes closest.
        downward = bool(middle[0] >= middle[-1])
        low, high = _interval(draws, at, at[-1] if downward == pays[0] else at[0], downward)
        return (Crossing(turn, None, low, high),)
    return tuple(_crossing(draws, at, middle, int(place)) for place in changes)


def _crossing(draws: Floats, at: Floats, middle: Floats, place: int) -> Crossing:
    downward = bool(middle[place] > 0)
    value = float(_between(at, middle[None, :], np.array([place]))[0])
    low, high = _interval(draws, at, value, downward)
    return Crossing(
        "stops" if downward else "starts",
        value,
        low if low is None else min(low, value),
        high if high is None else max(high, value),
    )


def _interval(
    draws: Floats, at: Floats, near: float, downward: bool
) -> tuple[float | None, float | None]:
    """Where the draws cross, the nearest way, without what lies beyond both ends."""
    sign = draws > 0
    turned = (sign[:, :-1] & ~sign[:, 1:]) if downward else (~sign[:, :-1] & sign[:, 1:])
    steps = np.where(turned, _between(at, draws, None), np.inf)
    nearest = np.argmin(np.abs(steps - near), axis=1)
    found = steps[np.arange(len(draws)), nearest]
    # A draw that never turns this way does so above or below what was measured.
    beyond = sign[:, -1] if downward else ~sign[:, -1]
    found = np.where(np.isfinite(found), found, np.where(beyond, np.inf, -np.inf))
    ordered = np.sort(found)
    tail = (1 - LEVEL) / 2
    last = len(ordered) - 1
    ends = (
        ordered[int(np.floor(tail * last + _EXACT))],
        ordered[int(np.ceil((1 - tail) * last - _EXACT))],
    )
    low, high = (float(end) if np.isfinite(end) else None for end in ends)
    return low, high


def _between(at: Floats, curves: Floats, places: npt.NDArray[np.integer[Any]] | None) -> Floats:
    """Where lines from each value to the next go through zero, along the last axis."""
    left, right = curves[:, :-1], curves[:, 1:]
    step = left - right
    share = np.divide(left, step, out=np.full_like(step, 0.5), where=step != 0)
    found: Floats = at[:-1] + np.clip(share, 0.0, 1.0) * np.diff(at)
    return found if places is None else found[:, places][0]
