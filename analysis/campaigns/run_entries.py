"""Which runs do the [[runs]] tables of a campaign.toml stand for?

A table with lists, or under several conditions of ``[live]``, stands for several. What is wrong
with one is said with its line; ``entry_runs.py`` says whether its log fits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from analysis.campaigns import axes
from analysis.campaigns.axes import Point
from analysis.campaigns.campaign_file import NUMBER, TEXT, SettingsFile
from analysis.errors import one_of
from analysis.records import LOGGED, SPEC_TYPES

__all__ = ["RunEntry", "run_entries"]

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_PRINTING = frozenset({"draft-simple", "draft-eagle3", "draft-mtp", "draft-dflash", "draft-dspark"})
"""Drafters that print how sure they are of each token."""

_RUN_KEYS: Mapping[str, tuple[type, ...]] = {
    "id": TEXT,
    "label": TEXT,
    "log": TEXT,
    "block": (int,),
    "format": TEXT,
    "spec_type": TEXT,
    "n_max": (int,),
    "p_min": NUMBER,
    "draft": TEXT,
    "repeat": (int,),
    "synthetic": (bool,),
    "synthetic_rates": (list,),
    "server_args": (list,),
    "server": TEXT,
    "request": (dict,),
    "build": TEXT,
    "temperature": NUMBER,
    "concurrency": (int,),
    "max_tokens": (int,),
    "context_tokens": (int,),
    "prompt_set": TEXT,
}
_SAME_IN_REPEATS = (
    "spec_type",
    "n_max",
    "p_min",
    "draft",
    "synthetic",
    "temperature",
    "concurrency",
    "max_tokens",
    "context_tokens",
    "prompt_set",
)


@dataclass(frozen=True)
class RunEntry:
    """One ``[[runs]]`` table and where it stands.

    Attributes
    ----------
    keys
        As written; of lists, this run's values.
    place
        Of the table.
    logged
        Whether it is the table's run once more, for its drafts' confidences alone.
    point
        Under which conditions it is measured, see ``axes``.
    table
        The id in the table itself, which stands for several runs where it has lists.
    """

    keys: Mapping[str, Any]
    place: tuple[str, ...]
    logged: bool = False
    point: Point = field(default_factory=Point)
    table: str | None = None


def run_entries(file: SettingsFile) -> tuple[RunEntry, ...]:
    """Every run that the ``[[runs]]`` tables of a campaign.toml stand for, checked.

    Raises
    ------
    CampaignError
        There is none, or one that says something impossible.
    """
    tables = file.data.get("runs", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise file.error("runs is not a list of tables", "write [[runs]] for each run", ("runs",))
    if not tables:
        raise file.error("this campaign has no runs", "add a [[runs]] table for each", ())
    entries = [
        RunEntry(keys, place, table=table.get("id"))
        for index, table in enumerate(tables)
        for place in (("runs", str(index)),)
        for keys in axes.listed(table, place, file.error)
    ]
    for entry in entries:
        _check_run(file, entry)
    points = axes.points(file.table("live"), file.error)
    logged = list(_logged(file, entries))
    entries = [one for entry in entries for one in _under(entry, points)]
    by_id: dict[str, list[RunEntry]] = {}
    for entry in entries:
        by_id.setdefault(entry.keys["id"], []).append(entry)
    for same in by_id.values():
        _check_repeats(file, same)
    return (*_numbered(entries, by_id), *logged)


def _logged(file: SettingsFile, entries: Sequence[RunEntry]) -> Iterator[RunEntry]:
    """With ``[live] confidence = true``, the deepest run of each draft once more."""
    if file.table("live").get("confidence") is not True:
        return
    deepest: dict[tuple[str, str | None], RunEntry] = {}
    for entry in entries:
        keys = entry.keys
        cut = keys.get("p_min") or keys.get("synthetic") or "synthetic_rates" in keys
        words = set(str(keys.get("spec_type", "none")).split(","))
        if "log" in keys or cut or not words & _PRINTING:
            continue
        method = (keys["spec_type"], keys.get("draft"))
        if method not in deepest or keys.get("n_max", 0) > deepest[method].keys.get("n_max", 0):
            deepest[method] = entry
    for entry in deepest.values():
        name = f"{entry.keys['id']}{LOGGED}"
        if any(other.keys["id"] == name for other in entries):
            problem = f"a run has the id {name!r}, which [live] confidence uses"
            raise file.error(problem, "give it another id", (*entry.place, "id"))
        yield RunEntry({**entry.keys, "id": name}, entry.place, logged=True)


def _check_repeats(file: SettingsFile, same: Sequence[RunEntry]) -> None:
    """Refuse entries of one id that are not repeats of one configuration."""
    seen: set[int] = set()
    first = same[0].keys
    for entry in same:
        number = entry.keys.get("repeat")
        if entry is not same[0] and (
            "log" not in entry.keys
            or "log" not in first
            or (number is None) is not (first.get("repeat") is None)
            or number in seen
        ):
            raise file.error(
                f"there are two runs with the id {entry.keys['id']!r}",
                "give each its own id, or number all repeats with repeat = 1, 2, …",
                (*entry.place, "id"),
            )
        for key in _SAME_IN_REPEATS:
            if number is None and entry.keys.get(key) != first.get(key):
                values = f"{first.get(key, 'not stated')} and {entry.keys.get(key, 'not stated')}"
                raise file.error(
                    f"two runs with the id {entry.keys['id']!r} differ in {key} ({values})",
                    "give each its own id, or the same settings if they are repeats",
                    (*entry.place, key if key in entry.keys else "id"),
                )
        if number is not None:
            seen.add(number)


def _check_run(file: SettingsFile, entry: RunEntry) -> None:
    keys, place = entry.keys, entry.place
    file.check_keys(keys, _RUN_KEYS, place)
    if "log" not in keys and "live" not in file.data:
        raise file.error("this run has no log", 'add log = "FILE"', place)
    if not _ID.fullmatch(str(keys.get("id", ""))):
        raise file.error(
            f"this run's id is {keys.get('id', '')!r}",
            'add id = "NAME" of letters, digits, dot, dash and underscore',
            (*place, "id"),
        )
    for word in str(keys.get("spec_type", "none")).split(","):
        if word not in SPEC_TYPES:
            raise file.error(*one_of("spec_type", word, SPEC_TYPES), (*place, "spec_type"))
    if not 0 <= keys.get("n_max", 0) <= 1024:
        raise file.error(
            f"n_max is {keys['n_max']}", "use a depth from 0 to 1024", (*place, "n_max")
        )
    if keys.get("repeat", 1) < 1:
        raise file.error(f"repeat is {keys['repeat']}", "count from 1", (*place, "repeat"))
    for key, least in (("concurrency", 1), ("max_tokens", 1), ("context_tokens", 0)):
        if keys.get(key, least) < least:
            raise file.error(f"{key} is {keys[key]}", f"use {least} or more", (*place, key))
    if not 0 <= keys.get("p_min", 0) <= 1:
        raise file.error(
            f"p_min is {keys['p_min']}", "use a probability from 0 to 1", (*place, "p_min")
        )


def _under(entry: RunEntry, points: Sequence[Point]) -> list[RunEntry]:
    """A live run under each of the conditions; a run with a log stays one."""
    if "log" in entry.keys:
        return [entry]
    return [replace(entry, keys=axes.at(entry.keys, one), point=one) for one in points]


def _numbered(
    entries: Sequence[RunEntry], by_id: Mapping[str, Sequence[RunEntry]]
) -> Iterator[RunEntry]:
    """The entries with their repeats: the place among those of one id where none says it."""
    places = {run: count(1) for run in by_id}
    for entry in entries:
        run = entry.keys["id"]
        place = next(places[run])
        stated = len(by_id[run]) == 1 or "repeat" in entry.keys
        yield entry if stated else replace(entry, keys={**entry.keys, "repeat": place})
