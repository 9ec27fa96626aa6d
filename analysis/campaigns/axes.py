"""Which runs do lists in campaign.toml stand for?

``n_max = [2, 3, 5]`` and ``p_min = [0, 0.5]`` of a ``[[runs]]`` table stand for a
run each. ``parallel = [1, 4]`` and ``context = [0, 2048]`` of ``[live]`` have every
live run measured under several conditions: one axis at a time, the other one at
its first value, or with ``grid = true`` all of them with each other. A run at one
request at once and without filler keeps its id, others have it with an ending.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from analysis.errors import CampaignError

__all__ = ["Point", "at", "listed", "points"]

Refuse = Callable[[str, str, tuple[str, ...]], CampaignError]

LISTS = ("n_max", "p_min")
"""Keys of ``[[runs]]`` that may be lists."""

ENDINGS: Mapping[str, str] = {"n_max": "n", "p_min": "p", "parallel": "np", "context": "ctx"}
"""What stands before a value in the id of a run that a list stands for."""

_WORDS: Mapping[str, str] = {
    "n_max": "n_max {:g}",
    "p_min": "p_min {:g}",
    "parallel": "{:g} at once",
    "context": "{:g} tokens before",
}
_MOST = {"parallel": 256, "context": 10_000_000}
_LEAST = {"parallel": 1, "context": 0}


@dataclass(frozen=True)
class Point:
    """Conditions of a live run; null is an axis that the campaign does not have.

    Attributes
    ----------
    parallel
        Requests at once.
    context
        Tokens of filler before the task.
    """

    parallel: int | None = None
    context: int | None = None


def listed(
    keys: Mapping[str, Any], place: tuple[str, ...], refuse: Refuse
) -> Iterator[Mapping[str, Any]]:
    """The runs that one ``[[runs]]`` table stands for, as tables without lists.

    Raises
    ------
    CampaignError
        A list is empty, names something twice, or stands where a log is.
    """
    found = [key for key in LISTS if isinstance(keys.get(key), list)]
    for key in found:
        if "log" in keys:
            problem = f"{key} is a list, but this run has a log"
            raise refuse(problem, "write a [[runs]] table for each log", (*place, key))
        _check(keys[key], key, (*place, key), refuse)
    for values in product(*(keys[key] for key in found)):
        chosen = dict(zip(found, values, strict=True))
        yield _named({**keys, **chosen}, chosen)


def points(live: Mapping[str, Any], refuse: Refuse) -> list[Point]:
    """The conditions that ``[live]`` asks for, the first values of all axes first.

    Raises
    ------
    CampaignError
        An axis is no list of whole numbers, or is out of range.
    """
    parallel, context = (_axis(live, key, refuse) for key in ("parallel", "context"))
    if live.get("grid") is True:
        return [Point(*both) for both in product(parallel, context)]
    first = Point(parallel[0], context[0])
    others = [Point(value, first.context) for value in parallel[1:]]
    return [first, *others, *(Point(first.parallel, value) for value in context[1:])]


def at(keys: Mapping[str, Any], point: Point) -> Mapping[str, Any]:
    """A run's table with the id and the label that it has under some conditions."""
    plain = {"parallel": 1, "context": 0}
    values = {"parallel": point.parallel, "context": point.context}
    return _named(
        keys,
        {key: value for key, value in values.items() if value not in (None, plain[key])},
    )


def _named(keys: Mapping[str, Any], values: Mapping[str, Any]) -> Mapping[str, Any]:
    """A table with an id, and a label where it has one, that say these values."""
    named = dict(keys)
    numbers = {key: value for key, value in values.items() if isinstance(value, int | float)}
    for key, value in numbers.items():
        named["id"] = f"{named.get('id', '')}-{ENDINGS[key]}{value:g}"
        if isinstance(named.get("label"), str):
            named["label"] += f", {_WORDS[key].format(value)}"
    return named


def _axis(live: Mapping[str, Any], key: str, refuse: Refuse) -> Sequence[int | None]:
    if key not in live:
        return [None]
    values = live[key] if isinstance(live[key], list) else [live[key]]
    place = ("live", key)
    _check(values, key, place, refuse)
    low, high = _LEAST[key], _MOST[key]
    for value in values:
        if type(value) is not int or not low <= value <= high:
            problem = f"{key} has {value!r}"
            raise refuse(problem, f"use whole numbers from {low} to {high}", place)
    return values


def _check(values: Sequence[Any], key: str, place: tuple[str, ...], refuse: Refuse) -> None:
    if not values:
        raise refuse(f"{key} is empty", "leave it out, or give it values", place)
    for number, value in enumerate(values):
        if value in values[:number]:
            raise refuse(f"{key} has {value!r} twice", "give each value once", place)
