"""What does campaign.toml say, and on which line?

Only its own shape is judged here: tables, keys, types. What its ``[[runs]]`` say is
``run_entries.py``; which logs it names, and whether they fit, is ``campaign.py``; what
``[live]`` asks for is ``runner/settings.py``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.errors import CampaignError, likely_meant, one_of

__all__ = ["CONDITIONS", "NUMBER", "SETTINGS_FILE", "TEXT", "SettingsFile"]

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
_KINDS: Mapping[type, str] = {
    str: "a text in quotes",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list in [brackets]",
    dict: "a table",
}
TEXT = (str,)
NUMBER = (int, float)
_SECTIONS: Mapping[str, Mapping[str, tuple[type, ...]] | None] = {
    # None: free keys.
    "campaign": {"title": TEXT, "target": TEXT, "baseline": TEXT},
    "conditions": None,
    "card": None,
    "workloads": None,
    "live": None,
}


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
