"""What does campaign.toml say, and on which line?

Only its own shape is judged here: tables, keys, types, ranges. Which logs it
names, and whether they fit, is ``campaign.py``; what ``[live]`` asks for is
``runner/settings.py``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

from analysis.campaigns import axes
from analysis.campaigns.axes import Point
from analysis.errors import CampaignError, likely_meant, one_of
from analysis.records import LOGGED, SPEC_TYPES

__all__ = ["CONDITIONS", "SETTINGS_FILE", "RunEntry", "SettingsFile"]

SETTINGS_FILE = "campaign.toml"
CONDITIONS = (
    "gpu",
    "driver",
    "cpu",
    "ram",
    "os",
    "build",
    "flags",
    "sampler",
    "temperature",
    "target_file",
    "draft_file",
    "date",
)
"""Conditions that have a place of their own; any other key is shown as it is written."""
_PRINTING = frozenset({"draft-simple", "draft-eagle3", "draft-mtp", "draft-dflash", "draft-dspark"})
"""Drafters that print how sure they are of each token."""

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_KINDS: Mapping[type, str] = {
    str: "a text in quotes",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list in [brackets]",
    dict: "a table",
}
_TEXT = (str,)
_NUMBER = (int, float)
_SECTIONS: Mapping[str, Mapping[str, tuple[type, ...]] | None] = {
    # None: free keys.
    "campaign": {"title": _TEXT, "target": _TEXT, "baseline": _TEXT},
    "conditions": None,
    "card": None,
    "workloads": None,
    "live": None,
}
_RUN_KEYS: Mapping[str, tuple[type, ...]] = {
    "id": _TEXT,
    "label": _TEXT,
    "log": _TEXT,
    "block": (int,),
    "format": _TEXT,
    "spec_type": _TEXT,
    "n_max": (int,),
    "p_min": _NUMBER,
    "draft": _TEXT,
    "repeat": (int,),
    "synthetic": (bool,),
    "synthetic_rates": (list,),
    "server_args": (list,),
    "server": _TEXT,
    "request": (dict,),
    "build": _TEXT,
    "temperature": _NUMBER,
    "concurrency": (int,),
    "max_tokens": (int,),
    "context_tokens": (int,),
    "prompt_set": _TEXT,
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


@dataclass(frozen=True)
class SettingsFile:
    """The parsed campaign.toml with the line of each of its tables and keys."""

    path: Path
    data: Mapping[str, Any]
    lines: Mapping[tuple[str, ...], int]

    @classmethod
    def read(cls, path: Path) -> SettingsFile:
        """Read and check a campaign.toml.

        Raises
        ------
        CampaignError
            It can't be read, is no TOML, or has a table, key or type of no meaning.
        """
        try:
            text = path.read_bytes().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise CampaignError("this file is not UTF-8", "save it as UTF-8", file=path) from error
        except OSError as error:
            reason = error.strerror or "it can't be read"
            raise CampaignError(
                f"this file can't be read: {reason}", "make it readable", file=path
            ) from error
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            said = re.search(r"at line (\d+)", str(error))
            raise CampaignError(
                f"this is not valid TOML: {error}",
                "correct it; strings need quotes, tables need [brackets]",
                file=path,
                line=int(said[1]) if said else text.rstrip("\n").count("\n") + 1,
            ) from error
        except (RecursionError, ValueError) as error:
            # Lists without end and numbers of thousands of digits have no error of their own.
            raise CampaignError(
                f"this is not valid TOML: {error}",
                "correct it; no setting nests deep or has a number that long",
                file=path,
            ) from error
        settings = cls(path, data, _places(text))
        settings._check_shape()
        return settings

    def error(self, problem: str, remedy: str, place: tuple[str, ...]) -> CampaignError:
        """Make the error that points at a table or key, or at what is around it."""
        while place and place not in self.lines:
            place = place[:-1]
        return CampaignError(problem, remedy, file=self.path, line=self.lines.get(place, 1))

    def table(self, name: str) -> Mapping[str, Any]:
        """The keys of a table; none when the file has no such table."""
        table: Mapping[str, Any] = self.data.get(name, {})
        return table

    def _check_shape(self) -> None:
        for name, value in self.data.items():
            if name not in (*_SECTIONS, "runs"):
                place = (name,) if (name,) in self.lines else (name, "0")
                raise self.error(*one_of("this table", name, [*_SECTIONS, "runs"]), place)
            if name != "runs":
                if not isinstance(value, dict):
                    raise self.error(f"{name} is not a table", f"write [{name}]", (name,))
                allowed = _SECTIONS[name]
                if allowed is not None:
                    self.check_keys(value, allowed, (name,))
        for key, value in self.table("conditions").items():
            meant = likely_meant(key, CONDITIONS)
            if meant:
                raise self.error(
                    f"condition {key} looks like a slip of {meant}",
                    f"write {meant}, or another name if it is something else",
                    ("conditions", key),
                )
            if not isinstance(value, str | int | float):
                raise self.error(
                    f"condition {key} is not a text or a number",
                    "write it as one text",
                    ("conditions", key),
                )
        for task, value in self.table("workloads").items():
            if not isinstance(value, str) or not value:
                raise self.error(
                    f"the workload of {task} is not a name",
                    'write e.g. "code"',
                    ("workloads", task),
                )

    def check_keys(
        self,
        table: Mapping[str, Any],
        allowed: Mapping[str, tuple[type, ...]],
        place: tuple[str, ...],
    ) -> None:
        """Refuse keys that a table does not have, and values of another type."""
        for key, value in table.items():
            if key not in allowed:
                raise self.error(*one_of("this key", key, allowed), (*place, key))
            wanted = allowed[key]
            if not isinstance(value, wanted) or (isinstance(value, bool) and bool not in wanted):
                raise self.error(
                    f"{key} is {value!r}",
                    f"write {' or '.join(_KINDS[kind] for kind in wanted)}",
                    (*place, key),
                )

    def runs(self) -> tuple[RunEntry, ...]:
        """Every ``[[runs]]`` table, checked.

        Raises
        ------
        CampaignError
            There is none, or one that says something impossible.
        """
        tables = self.data.get("runs", [])
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            raise self.error(
                "runs is not a list of tables", "write [[runs]] for each run", ("runs",)
            )
        if not tables:
            raise self.error("this campaign has no runs", "add a [[runs]] table for each", ())
        entries = [
            RunEntry(keys, place, table=table.get("id"))
            for index, table in enumerate(tables)
            for place in (("runs", str(index)),)
            for keys in axes.listed(table, place, self.error)
        ]
        for entry in entries:
            self._check_run(entry)
        points = axes.points(self.table("live"), self.error)
        logged = list(self._logged(entries))
        entries = [one for entry in entries for one in _under(entry, points)]
        by_id: dict[str, list[RunEntry]] = {}
        for entry in entries:
            by_id.setdefault(entry.keys["id"], []).append(entry)
        for same in by_id.values():
            self._check_repeats(same)
        return (*_numbered(entries, by_id), *logged)

    def _logged(self, entries: Sequence[RunEntry]) -> Iterator[RunEntry]:
        """With ``[live] confidence = true``, the deepest run of each draft once more."""
        if self.table("live").get("confidence") is not True:
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
                raise self.error(problem, "give it another id", (*entry.place, "id"))
            yield RunEntry({**entry.keys, "id": name}, entry.place, logged=True)

    def _check_repeats(self, same: Sequence[RunEntry]) -> None:
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
                raise self.error(
                    f"there are two runs with the id {entry.keys['id']!r}",
                    "give each its own id, or number all repeats with repeat = 1, 2, …",
                    (*entry.place, "id"),
                )
            for key in _SAME_IN_REPEATS:
                if number is None and entry.keys.get(key) != first.get(key):
                    values = (
                        f"{first.get(key, 'not stated')} and {entry.keys.get(key, 'not stated')}"
                    )
                    raise self.error(
                        f"two runs with the id {entry.keys['id']!r} differ in {key} ({values})",
                        "give each its own id, or the same settings if they are repeats",
                        (*entry.place, key if key in entry.keys else "id"),
                    )
            if number is not None:
                seen.add(number)

    def _check_run(self, entry: RunEntry) -> None:
        keys, place = entry.keys, entry.place
        self.check_keys(keys, _RUN_KEYS, place)
        if "log" not in keys and "live" not in self.data:
            raise self.error("this run has no log", 'add log = "FILE"', place)
        if not _ID.fullmatch(str(keys.get("id", ""))):
            raise self.error(
                f"this run's id is {keys.get('id', '')!r}",
                'add id = "NAME" of letters, digits, dot, dash and underscore',
                (*place, "id"),
            )
        for word in str(keys.get("spec_type", "none")).split(","):
            if word not in SPEC_TYPES:
                raise self.error(*one_of("spec_type", word, SPEC_TYPES), (*place, "spec_type"))
        if not 0 <= keys.get("n_max", 0) <= 1024:
            raise self.error(
                f"n_max is {keys['n_max']}", "use a depth from 0 to 1024", (*place, "n_max")
            )
        if keys.get("repeat", 1) < 1:
            raise self.error(f"repeat is {keys['repeat']}", "count from 1", (*place, "repeat"))
        for key, least in (("concurrency", 1), ("max_tokens", 1), ("context_tokens", 0)):
            if keys.get(key, least) < least:
                raise self.error(f"{key} is {keys[key]}", f"use {least} or more", (*place, key))
        if not 0 <= keys.get("p_min", 0) <= 1:
            raise self.error(
                f"p_min is {keys['p_min']}", "use a probability from 0 to 1", (*place, "p_min")
            )


def _under(entry: RunEntry, points: Sequence[Point]) -> list[RunEntry]:
    """A live run under each of the conditions; a run with a log is what it was."""
    if "log" in entry.keys:
        return [entry]
    return [replace(entry, keys=axes.at(entry.keys, one), point=one) for one in points]


def _numbered(
    entries: Sequence[RunEntry], by_id: Mapping[str, Sequence[RunEntry]]
) -> Iterator[RunEntry]:
    """The entries; the repeat of one is its place among those of its id, where none says it."""
    places = {run: count(1) for run in by_id}
    for entry in entries:
        run = entry.keys["id"]
        place = next(places[run])
        stated = len(by_id[run]) == 1 or "repeat" in entry.keys
        yield entry if stated else replace(entry, keys={**entry.keys, "repeat": place})


_HEADER = re.compile(r"\s*(\[\[?)\s*([A-Za-z0-9_.\"'-]+)\s*\]\]?")
_KEY = re.compile(r"\s*([A-Za-z0-9_-]+|\"[^\"]*\"|'[^']*')\s*=")


def _places(text: str) -> dict[tuple[str, ...], int]:
    """Line of each table and key, found by its look: good enough to point at a mistake."""
    lines: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    counts: dict[str, int] = {}
    # Not splitlines: to an editor, and to TOML, only a line feed ends a line.
    for number, line in enumerate(text.split("\n"), start=1):
        if header := _HEADER.match(line):
            name = header[2].strip("\"'")
            table = (name,)
            if header[1] == "[[":
                table = (name, str(counts.get(name, 0)))
                counts[name] = counts.get(name, 0) + 1
            lines.setdefault(table, number)
        elif key := _KEY.match(line):
            lines.setdefault((*table, key[1].strip("\"'")), number)
    return lines
