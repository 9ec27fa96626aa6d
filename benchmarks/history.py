"""Ratios of earlier measurements: one line of JSON each, oldest first."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from timing import ROOT, Ratio, row

HISTORY = Path(__file__).parent / "history.jsonl"


@dataclass(frozen=True)
class Entry:
    """One measurement.

    `commit` is null outside of a clone, and `changed` says whether the code differed from it.
    """

    date: str
    commit: str | None
    changed: bool
    machine: Mapping[str, Any]
    ratios: tuple[Mapping[str, Any], ...]

    @property
    def hardware(self) -> tuple[Any, ...]:
        """What must be equal for two measurements to be on one machine, as far as is known."""
        return tuple(self.machine.get(key) for key in ("cpu", "threads", "ram", "architecture"))


@dataclass(frozen=True)
class Version:
    """Which code is measured; `commit` and `changed` as an entry has them."""

    commit: str | None
    changed: bool


def version(root: Path = ROOT) -> Version:
    """What is in `root` now: to be asked before measuring, which takes minutes."""
    commit = git(root, "rev-parse", "--short=10", "HEAD")
    if commit is None:
        return Version(None, False)
    # What a measurement itself leaves behind does not make its code another one.
    code = ("analysis", "notebooks", "raw", "benchmarks/*.py")
    return Version(commit, bool(git(root, "status", "--porcelain", "--", *code)))


def entry(ratios: Iterable[Ratio], machine: Mapping[str, Any], code: Version) -> Entry:
    """A measurement that ends now."""
    date = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Entry(date, code.commit, code.changed, machine, tuple(row(ratio) for ratio in ratios))


def git(root: Path, *words: str) -> str | None:
    """What git says, or null where there is no git or no clone."""
    try:
        done = subprocess.run(
            ["git", *words], cwd=root, capture_output=True, text=True, check=True
        )  # fmt: skip
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def append(new: Entry, path: Path = HISTORY) -> None:
    """Add a measurement; a line that was cut off before is not joined to it."""
    before = path.read_text("utf-8") if path.exists() else ""
    with path.open("a", encoding="utf-8", newline="\n") as file:
        if before and not before.endswith("\n"):
            file.write("\n")
        file.write(json.dumps(asdict(new), sort_keys=True) + "\n")


def read(path: Path = HISTORY) -> list[Entry]:
    """All measurements, oldest first; exits with the line that is none."""
    entries = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        try:
            found = json.loads(line)
            entries.append(Entry(**{**found, "ratios": tuple(found["ratios"])}))
        except (ValueError, TypeError, KeyError):
            raise SystemExit(f"error: {path}:{number}: no measurement; delete the line") from None
    return sorted(entries, key=lambda one: one.date)
