"""A campaign as it is loaded: which files and which settings make it up?

`load` is the only way from a folder to a :class:`Campaign`; it reads the
settings, checks them, and has ``parsers`` read the logs that they name.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis import parsers
from analysis.campaigns.campaign_file import SETTINGS_FILE, SettingsFile
from analysis.campaigns.run_entries import RunEntry, run_entries
from analysis.errors import CampaignError, LogError, one_of
from analysis.hub.terms import problems
from analysis.parsers import live_jsonl
from analysis.parsers.text.published import readable
from analysis.privacy import public, public_model, public_values
from analysis.records import Run

if TYPE_CHECKING:
    # For annotations only: few campaigns come with model files.
    from analysis.models.model_files import ModelFile

__all__ = ["LIVE_FOLDER", "PROJECT_ROOT", "SETTINGS_FILE", "Campaign", "find", "load"]


def _clone() -> Path | None:
    """The clone that this package lies in; null where it is installed without one."""
    root = Path(__file__).resolve().parents[2]
    own = root / "pyproject.toml", root / "notebooks" / "model_card.ipynb"
    return root if all(path.is_file() for path in own) else None


PROJECT_ROOT = _clone()
LIVE_FOLDER = "live"
"""Folder of a campaign that holds what was measured by ``mtpbench run``."""

_STATED = (
    "label",
    "spec_type",
    "n_max",
    "p_min",
    "build",
    "temperature",
    "concurrency",
    "max_tokens",
    "context_tokens",
    "prompt_set",
)


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
        What is known of hardware, build and sampler: what live runs recorded,
        and the author's words, which win.
    card
        Facts and front matter for the card.
    runs
        In the order of the settings; runs that share an id are repeats.
    logged
        Runs with their drafts' confidences, for replays: logging them takes
        time, so that nothing else is told by them.
    files
        What the model files state, when any were given: see ``model_roles``.
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
    logged: tuple[Run, ...] = ()
    files: tuple[ModelFile, ...] = ()

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
        working directory, then from the clone that this package lies in, if
        any, so that notebooks and papermill find it wherever they run.

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
    places = [Path.cwd() / given]
    if PROJECT_ROOT and not given.is_absolute():
        places.append(PROJECT_ROOT / given)
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
    settings = SettingsFile.read(folder / SETTINGS_FILE)
    entries = run_entries(settings)
    head = settings.table("campaign")
    found = [(entry, _run_of(entry, settings, folder)) for entry in entries]
    runs = tuple(run for entry, run in found if run is not None and not entry.logged)
    loaded = Campaign(
        slug=folder.name,
        folder=folder,
        title=readable(public(str(head.get("title", "")))) or folder.name,
        target=public_model(head["target"]) if "target" in head else None,
        baseline=_baseline(head.get("baseline"), entries),
        conditions={
            **_recorded_conditions(runs),
            **public_values(
                {key: str(value) for key, value in settings.table("conditions").items()}
            ),
        },
        card=public_values(settings.table("card")),
        workloads={
            public(key): public(str(value)) for key, value in settings.table("workloads").items()
        },
        live=settings.table("live") or None,
        runs=runs,
        logged=tuple(run for entry, run in found if run is not None and entry.logged),
    )
    _check_baseline(loaded, settings, [entry.keys["id"] for entry in entries])
    _check_workloads(loaded, settings)
    _check_pairs(loaded, settings)
    for key, problem, remedy in problems(loaded.card):
        raise settings.error(problem, remedy, ("card", key))
    return loaded


def _baseline(named: str | None, entries: Sequence[RunEntry]) -> str | None:
    """The baseline's id; of a table that stands for several runs, that of the first."""
    if any(entry.keys["id"] == named for entry in entries):
        return named
    return next((entry.keys["id"] for entry in entries if entry.table == named), named)


def _check_baseline(campaign: Campaign, settings: SettingsFile, ids: Sequence[str]) -> None:
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


def _check_workloads(campaign: Campaign, settings: SettingsFile) -> None:
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


def _check_pairs(campaign: Campaign, settings: SettingsFile) -> None:
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


def _run_of(entry: RunEntry, settings: SettingsFile, folder: Path) -> Run | None:
    """What was measured for an entry; null for a live run that has not been measured yet."""
    if "log" in entry.keys:
        return _measured_run(entry, settings, folder)
    name = f"{LIVE_FOLDER}/{entry.keys['id']}.jsonl"
    path = folder / name
    if not path.is_file() or not _stays_in(path, folder):
        return None
    return _live_run(entry, path, name)


def _live_run(entry: RunEntry, path: Path, name: str) -> Run | None:
    keys = entry.keys
    try:
        found = parsers.read(path, format=live_jsonl.FORMAT, name=name)
    except LogError as error:
        raise LogError(error.problem, error.remedy, file=path, line=error.line) from error
    run = next((run for run in found if run.id == keys["id"]), None)
    if run is None:
        raise LogError(f"this file has no run {keys['id']!r}", "restore it from a copy", file=path)
    if not run.tasks:
        return None
    # The record says what was in effect, campaign.toml what was asked for. Of a server that
    # ran already nobody knows better than the author.
    unknown = [key for key in ("n_max", "p_min") if getattr(run, key) is None]
    stated = {key: keys[key] for key in unknown if key in keys}
    if "label" in keys:
        stated["label"] = readable(public(keys["label"]))
    synthetic = run.synthetic or keys.get("synthetic", False) or "synthetic_rates" in keys
    return replace(run, synthetic=synthetic, **stated)


def _recorded_conditions(runs: Sequence[Run]) -> dict[str, str]:
    """What all live runs recorded alike."""
    live = [run.conditions for run in runs if run.format == live_jsonl.FORMAT]
    if not live:
        return {}
    return {
        key: value
        for key, value in live[0].items()
        if all(conditions.get(key) == value for conditions in live)
    }


def _measured_run(entry: RunEntry, settings: SettingsFile, folder: Path) -> Run:
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
    stated = {key: public_values(keys[key]) for key in _STATED if key in keys}
    if "label" in keys:
        stated["label"] = readable(stated["label"])
    if "draft" in keys:
        stated["draft"] = public_model(keys["draft"])
    if "repeat" in keys:
        stated["tasks"] = tuple(replace(task, repeat=keys["repeat"]) for task in run.tasks)
    synthetic = run.synthetic or keys.get("synthetic", False) or "synthetic_rates" in keys
    return replace(run, id=keys["id"], synthetic=synthetic, **stated)


def _stays_in(path: Path, folder: Path) -> bool:
    """Whether a path leads to a place inside the folder; links are followed."""
    try:
        return path.resolve().is_relative_to(folder)
    except (OSError, RuntimeError, ValueError):
        # A link to itself, or a name that no file can have: nothing can be read there.
        return True
