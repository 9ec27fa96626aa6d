"""Leftovers: whose is a temporary file beside a result, and may it be removed?

A name made by :func:`claim` reads ``.NAME.HOST+PID+START.`` with a random part
and a suffix behind it. `START` tells a process from a later one that got the
same number.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import socket
import time
from collections.abc import Iterable
from pathlib import Path

__all__ = ["OLD", "PART", "claim", "is_dead", "name_of", "recover", "remove_leftovers"]

PART = ".part"
"""Suffix of what is being written."""
OLD = ".old"
"""Suffix of what is being replaced."""

_SAME_START_MS = 2000
"""How far two readings of one start may differ: they depend on the system's clock."""
_ABROAD_S = 24 * 3600.0
"""Age at which the remains of another machine's process count as left."""
_CLAIMED = re.compile(
    r"\.(?P<name>.+)\.(?P<host>[\w-]+)\+(?P<pid>\d+)\+(?P<start>\d+)\.\w*\.(?:part|old)",
    re.DOTALL | re.ASCII,
)


def claim(name: str) -> str:
    """Prefix of a temporary name for `name` that belongs to this process."""
    return f".{name}.{_host()}+{os.getpid()}+{_started(os.getpid())}."


def name_of(temporary: str) -> str | None:
    """The name that a temporary name stands for; null where it is none of ours."""
    found = _CLAIMED.fullmatch(temporary)
    return found["name"] if found else None


def is_dead(temporary: str, changed_s: float | None = None) -> bool:
    """Whether the process that a temporary name belongs to has ended.

    Parameters
    ----------
    temporary
        The name.
    changed_s
        When it was last changed, in seconds since the epoch. Whether a process of
        another machine lives can't be seen from here: its file counts as left after a day.
    """
    found = _CLAIMED.fullmatch(temporary)
    if not found:
        return False
    if found["host"] != _host():
        return changed_s is not None and time.time() - changed_s > _ABROAD_S
    return abs(_started(int(found["pid"])) - int(found["start"])) > _SAME_START_MS


def recover(old: Path, folder: Path) -> None:
    """Undo a replacement that was cut off between its two renames, or finish it."""
    if old.exists():
        if folder.exists():
            shutil.rmtree(old)
        else:
            old.rename(folder)


def remove_leftovers(folder: Path, names: Iterable[str] | None = None) -> None:
    """Remove what killed processes left beside their results; live ones keep theirs.

    Parameters
    ----------
    folder
        Where the results are. What can't be removed is left.
    names
        Names of results to look after; by default all.
    """
    wanted = None if names is None else set(names)
    try:
        found = [path for path in folder.iterdir() if path.suffix in {PART, OLD}]
    except OSError:
        return
    for path in found:
        name = name_of(path.name)
        if name is None or (wanted is not None and name not in wanted):
            continue
        try:
            if not is_dead(path.name, path.stat().st_mtime):
                continue
            if path.suffix == OLD:
                recover(path, folder / name)
            elif path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
        except OSError:
            continue


@functools.cache
def _host() -> str:
    return re.sub(r"[^A-Za-z0-9-]", "-", socket.gethostname())[:32] or "localhost"


def _started(pid: int) -> int:
    """When a process started, in milliseconds; 0 where none of that number lives."""
    import psutil  # noqa: PLC0415 - most who import this write nothing

    try:
        process = psutil.Process(pid)
        # One that ended and was not waited for does nothing any more.
        if process.status() == psutil.STATUS_ZOMBIE:
            return 0
        return round(process.create_time() * 1000)
    except psutil.Error:
        return 0
