"""Which files and which settings make up this campaign?

`load` is the only way from a folder to a :class:`Campaign`; it reads the
settings, checks them, and has ``parsers`` read the logs that they name.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from analysis import parsers
from analysis.errors import CampaignError, LogError, one_of
from analysis.records import SPEC_TYPES, Run

__all__ = ["PROJECT_ROOT", "SETTINGS_FILE", "Campaign", "find", "load"]

PROJECT_ROOT = Path(__file__).resolve().parent.parent
SETTINGS_FILE = "campaign.toml"

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
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
    "build": _TEXT,
    "temperature": _NUMBER,
    "concurrency": (int,),
    "prompt_set": _TEXT,
}
_STATED = ("label", "spec_type", "n_max", "p_min", "draft", "build", "temperature", "concurrency")


@dataclass(frozen=True)
class Campaign:
    """One comparison: its settings and everything measured for it.

    Attributes
    ----------
    slug
        Name of the folder; also the name of the report.
    folder
        Where the raw data is.
    baseline
        Id of the run without speculation, or null: then there are no speedups.
    conditions
        What is known of hardware, build and sampler, in the author's words.
    card
        Facts and front matter for the card.
    runs
        In the order of the settings; runs that share an id are repeats.
    """

    slug: str
    folder: Path
    title: str
    target: str | None = None
    baseline: str | None = None
    conditions: Mapping[str, str] = field(default_factory=dict)
    card: Mapping[str, Any] = field(default_factory=dict)
    workloads: Mapping[str, str] = field(default_factory=dict)
    live: Mapping[str, Any] | None = None
    runs: tuple[Run, ...] = ()

    @property
    def run_ids(self) -> tuple[str, ...]:
        """Distinct run ids in order."""
        return tuple(dict.fromkeys(run.id for run in self.runs))


def find(campaign: str | Path) -> Path:
    """The folder of a campaign named by path.

    Parameters
    ----------
    campaign
        A folder or its campaign.toml; a relative one is looked for from the
        working directory, then from the project root, so that notebooks and
        papermill find it wherever they run.

    Returns
    -------
    pathlib.Path
        The folder, resolved.

    Raises
    ------
    CampaignError
        There is no such folder, or no campaign.toml in it.
    """
    given = Path(campaign).expanduser()
    places = [given] if given.is_absolute() else [Path.cwd() / given, PROJECT_ROOT / given]
    for place in places:
        folder = place.parent if place.name == SETTINGS_FILE else place
        if (folder / SETTINGS_FILE).is_file():
            return folder.resolve()
    problem = f"there is no {SETTINGS_FILE} in this folder"
    if not any(place.exists() for place in places):
        problem = "there is no such campaign"
    raise CampaignError(problem, "give a folder like raw/qwen3.6-35b-a3b-dspark", file=given)


def load(campaign: str | Path) -> Campaign:
    """Read a campaign: its settings and every log they name.

    Parameters
    ----------
    campaign
        See :func:`find`.

    Returns
    -------
    Campaign
        With sources named relative to its folder.

    Raises
    ------
    CampaignError
        campaign.toml can't be read or says something impossible.
    LogError
        A log can't be read.
    """
    folder = find(campaign)
    settings = _Settings.read(folder / SETTINGS_FILE)
    entries = settings.runs()
    head = settings.table("campaign")
    runs = tuple(_measured_run(entry, settings, folder) for entry in entries if "log" in entry.keys)
    loaded = Campaign(
        slug=folder.name,
        folder=folder,
        title=str(head.get("title", folder.name)),
        target=head.get("target"),
        baseline=head.get("baseline"),
        conditions={key: str(value) for key, value in settings.table("conditions").items()},
        card=settings.table("card"),
        workloads={key: str(value) for key, value in settings.table("workloads").items()},
        live=settings.table("live") or None,
        runs=runs,
    )
    _check_baseline(loaded, settings, [entry.keys["id"] for entry in entries])
    _check_workloads(loaded, settings)
    _check_pairs(loaded, settings)
    return loaded


def _check_baseline(campaign: Campaign, settings: _Settings, ids: Sequence[str]) -> None:
    plain = [run for run in campaign.runs if run.spec_type == "none" and not run.synthetic]
    if len({run.id for run in plain}) > 1 and campaign.baseline is None:
        names = ", ".join(dict.fromkeys(run.id for run in plain))
        raise settings.error(
            f"there are two baselines ({names})",
            'say which one counts with baseline = "ID" under [campaign]',
            ("campaign",),
        )
    if campaign.baseline is None:
        return
    place = ("campaign", "baseline")
    if campaign.baseline not in ids:
        raise settings.error(*one_of("baseline", campaign.baseline, ids), place)
    chosen = [run for run in campaign.runs if run.id == campaign.baseline]
    if any(run.spec_type not in (None, "none") for run in chosen):
        raise settings.error(
            f"baseline {campaign.baseline!r} is a run with speculation ({chosen[0].spec_type})",
            'name a run with spec_type = "none", or leave baseline out',
            place,
        )


def _check_workloads(campaign: Campaign, settings: _Settings) -> None:
    known = {result.task for run in campaign.runs for result in run.tasks}
    if not known:
        return
    for task in campaign.workloads:
        if task not in known:
            raise settings.error(
                f"no log has a task {task!r}",
                f"use one of: {', '.join(sorted(known))}",
                ("workloads", task),
            )


def _check_pairs(campaign: Campaign, settings: _Settings) -> None:
    pairs = campaign.card.get("pairs", [])
    place = ("card", "pairs")
    shaped = isinstance(pairs, list) and all(
        isinstance(pair, list) and len(pair) == 2 and pair[0] != pair[1] for pair in pairs
    )
    if not shaped:
        problem = "pairs is not a list of pairs of two runs"
        raise settings.error(problem, 'write e.g. pairs = [["ID", "ID"]]', place)
    for run in (run for pair in pairs for run in pair):
        if run not in campaign.run_ids:
            raise settings.error(*one_of("a run of pairs", run, campaign.run_ids), place)


def _measured_run(entry: _Entry, settings: _Settings, folder: Path) -> Run:
    keys = entry.keys
    name = keys["log"]
    path = folder / name
    if Path(name).is_absolute() or not _stays_in(path, folder):
        raise settings.error(
            f"log {name!r} is outside the campaign folder",
            "copy it into the folder and name it relative to campaign.toml",
            (*entry.place, "log"),
        )
    # Not Path.exists, which raises for a name that no file can have.
    if not os.path.exists(path):  # noqa: PTH110
        raise settings.error(
            f"there is no log {name!r}", "correct the name or add the file", (*entry.place, "log")
        )
    if not path.is_file() and not path.is_dir():
        raise settings.error(
            f"log {name!r} is not a regular file", "save the log as a file", (*entry.place, "log")
        )
    try:
        blocks = parsers.read(path, format=keys.get("format"), name=name)
    except LogError as error:
        raise LogError(error.problem, error.remedy, file=path, line=error.line) from error
    block = keys.get("block")
    if block is None and len(blocks) > 1:
        raise settings.error(
            f"{name} holds {len(blocks)} runs",
            f"say which one with block = 1 … {len(blocks)}",
            (*entry.place, "log"),
        )
    if block is not None and not 1 <= block <= len(blocks):
        raise settings.error(
            f"{name} has no block {block}: it holds {len(blocks)}",
            f"use block = 1 … {len(blocks)}",
            (*entry.place, "block"),
        )
    run = blocks[(block or 1) - 1]
    stated = {key: keys[key] for key in _STATED if key in keys}
    if "prompt_set" in keys:
        stated["prompt_set"] = keys["prompt_set"]
    if "repeat" in keys:
        stated["tasks"] = tuple(replace(task, repeat=keys["repeat"]) for task in run.tasks)
    synthetic = run.synthetic or keys.get("synthetic", False) or "synthetic_rates" in keys
    return replace(run, id=keys["id"], synthetic=synthetic, **stated)


def _stays_in(path: Path, folder: Path) -> bool:
    """Whether a path leads to a place inside the folder; links are followed."""
    try:
        return path.resolve().is_relative_to(folder)
    except (OSError, RuntimeError, ValueError):
        # A link to itself, or a name that no file can have: there is nothing to read.
        return True


@dataclass(frozen=True)
class _Entry:
    """One ``[[runs]]`` table and where it stands."""

    keys: Mapping[str, Any]
    place: tuple[str, ...]


@dataclass(frozen=True)
class _Settings:
    """The parsed campaign.toml with the line of each of its tables and keys."""

    path: Path
    data: Mapping[str, Any]
    lines: Mapping[tuple[str, ...], int]

    @classmethod
    def read(cls, path: Path) -> _Settings:
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
        while place and place not in self.lines:
            place = place[:-1]
        return CampaignError(problem, remedy, file=self.path, line=self.lines.get(place, 1))

    def table(self, name: str) -> Mapping[str, Any]:
        table: Mapping[str, Any] = self.data.get(name, {})
        return table

    def _check_shape(self) -> None:
        for name, value in self.data.items():
            if name not in (*_SECTIONS, "runs"):
                raise self.error(*one_of("this table", name, [*_SECTIONS, "runs"]), (name,))
            if name != "runs":
                if not isinstance(value, dict):
                    raise self.error(f"{name} is not a table", f"write [{name}]", (name,))
                allowed = _SECTIONS[name]
                if allowed is not None:
                    self._check_keys(value, allowed, (name,))
        for key, value in self.table("conditions").items():
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

    def _check_keys(
        self,
        table: Mapping[str, Any],
        allowed: Mapping[str, tuple[type, ...]],
        place: tuple[str, ...],
    ) -> None:
        for key, value in table.items():
            if key not in allowed:
                raise self.error(*one_of("this key", key, allowed), (*place, key))
            wanted = allowed[key]
            if not isinstance(value, wanted) or (isinstance(value, bool) and bool not in wanted):
                raise self.error(
                    f"{key} is {value!r}",
                    f"write a {' or '.join(kind.__name__ for kind in wanted)}",
                    (*place, key),
                )

    def runs(self) -> tuple[_Entry, ...]:
        tables = self.data.get("runs", [])
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            raise self.error(
                "runs is not a list of tables", "write [[runs]] for each run", ("runs",)
            )
        if not tables:
            raise self.error("this campaign has no runs", "add a [[runs]] table for each", ())
        entries = tuple(_Entry(table, ("runs", str(index))) for index, table in enumerate(tables))
        seen: set[tuple[str, int | None]] = set()
        for entry in entries:
            self._check_run(entry)
            identity = (entry.keys["id"], entry.keys.get("repeat"))
            same = {number for name, number in seen if name == identity[0]}
            if identity in seen or (same and None in {*same, identity[1]}):
                raise self.error(
                    f"there are two runs with the id {identity[0]!r}",
                    "give each its own id, or number repeats with repeat = 1, 2, …",
                    (*entry.place, "id"),
                )
            seen.add(identity)
        return entries

    def _check_run(self, entry: _Entry) -> None:
        keys, place = entry.keys, entry.place
        self._check_keys(keys, _RUN_KEYS, place)
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
        if not 0 <= keys.get("p_min", 0) <= 1:
            raise self.error(
                f"p_min is {keys['p_min']}", "use a probability from 0 to 1", (*place, "p_min")
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
