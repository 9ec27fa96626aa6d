"""Does a path stay in its folder, and what is in the file?

Who packs a folder decides where its links lead: to a file of its reader, which
would be read, published or overwritten with what belongs to the folder.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

__all__ = ["bytes_inside", "leads_out", "links_out"]


def leads_out(path: Path, folder: Path) -> bool:
    """Whether a path leads to a place outside of a folder; links are followed.

    False where nothing can be read: for a link to itself, or a name that no file can have.
    """
    try:
        return not path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):
        return False


def links_out(folder: Path) -> list[Path]:
    """The folder itself and all links below it that lead out of the folder that it lies in."""
    found = [folder, *sorted(path for path in folder.rglob("*") if path.is_symlink())]
    return [path for path in found if leads_out(path, folder.parent)]


def bytes_inside(path: Path, folder: Path) -> bytes | None:
    """What is in a regular file of a folder; null where it can't be read or leads out of it."""
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            # Asked of the file that is open: its name may lead elsewhere a moment later.
            opened, real = os.fstat(file.fileno()), path.resolve(strict=True)
            if not stat.S_ISREG(opened.st_mode) or leads_out(real, folder):
                return None
            return file.read() if os.path.samestat(opened, real.stat()) else None
    except (OSError, RuntimeError, ValueError):
        return None


def _without_waiting(path: str, flags: int) -> int:
    """Open a pipe, too, without waiting for somebody who writes into it."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
