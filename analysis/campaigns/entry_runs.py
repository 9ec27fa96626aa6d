"""What was measured for an entry of campaign.toml: a log of the author's, or a live record?"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from analysis import parsers
from analysis.campaigns.campaign_file import SettingsFile
from analysis.campaigns.run_entries import RunEntry
from analysis.errors import LogError
from analysis.files.inside import leads_out
from analysis.parsers import live_jsonl
from analysis.parsers.text.published import readable
from analysis.privacy import public, public_model, public_values
from analysis.records import Run

__all__ = ["LIVE_FOLDER", "recorded_conditions", "run_of"]

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


def run_of(entry: RunEntry, settings: SettingsFile, folder: Path) -> Run | None:
    """What was measured for an entry; null for a live run that has not been measured yet."""
    if "log" in entry.keys:
        return _measured_run(entry, settings, folder)
    name = f"{LIVE_FOLDER}/{entry.keys['id']}.jsonl"
    path = folder / name
    if not path.is_file() or leads_out(path, folder):
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


def recorded_conditions(runs: Sequence[Run]) -> dict[str, str]:
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
    if Path(name).is_absolute() or leads_out(path, folder):
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
