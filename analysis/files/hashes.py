"""SHA-256 of files: what is it, without reading one again that has not changed?

A model file takes minutes to read. Its digest is kept in the user's cache
folder under its path, size and time of change; `CACHE_VARIABLE` names another
folder. An entry that can't be kept costs time the next time, and nothing else.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

import platformdirs

from analysis.errors import ModelFileError, MtpbenchError
from analysis.files.storage import write_text

__all__ = ["CACHE_VARIABLE", "cache_folder", "sha256"]

CACHE_VARIABLE = "MTPBENCH_CACHE"

_DIGEST = re.compile(r"[0-9a-f]{64}")


def cache_folder() -> Path:
    """Where digests are kept: ``$MTPBENCH_CACHE``, or the platform's place for caches."""
    given = os.environ.get(CACHE_VARIABLE)
    return Path(given) if given else platformdirs.user_cache_path("mtpbench", appauthor=False)


def sha256(path: str | Path, keep: bool = True) -> str:
    """The SHA-256 of a file's bytes, as 64 hexadecimal digits.

    Parameters
    ----------
    path
        A regular file.
    keep
        Whether to put it into the cache.

    Returns
    -------
    str
        From the cache where path, size and time of change (ns) are those of an
        earlier call.

    Raises
    ------
    ModelFileError
        The file can't be read, or changed while it was.
    """
    file = Path(path)
    try:
        before = _state(file)
        entry = cache_folder() / "sha256" / hashlib.sha256(before.encode()).hexdigest()
        if (kept := _kept(entry)) is not None:
            return kept
        with file.open("rb") as opened:
            digest = hashlib.file_digest(opened, "sha256").hexdigest()
        if _state(file) != before:
            raise ModelFileError(
                "this file changed while it was read", "try again when it is whole", file=file
            )
    except OSError as error:
        raise ModelFileError(
            f"this file can't be read: {error.strerror or error}", "make it readable", file=file
        ) from error
    if keep:
        _keep(entry, digest)
    return digest


def _state(file: Path) -> str:
    status = file.stat()
    return f"{os.fsencode(file.resolve())!r} {status.st_size} {status.st_mtime_ns}"


def _kept(entry: Path) -> str | None:
    try:
        text = entry.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return None
    return text if _DIGEST.fullmatch(text) else None


def _keep(entry: Path, digest: str) -> None:
    try:
        entry.parent.mkdir(parents=True, exist_ok=True)
        write_text(entry, digest + "\n")
    except (OSError, MtpbenchError):
        return
