"""How do records get onto the disk so that nothing finished is ever lost?

Each record is one line, written whole and flushed to the disk before the next
request starts. A line without its end was cut off by whatever ended us; it is
passed over when reading, and removed before anything is added. One runner at a
time works on a campaign.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from analysis.errors import LiveError, encodable
from analysis.files.inside import links_out

__all__ = ["Journal", "locked", "read_records"]

Record = Mapping[str, Any]

_SEPARATORS = {ord(sign): f"\\u{ord(sign):04x}" for sign in "\u0085\u2028\u2029"}
"""JSON takes them as they are; some readers of lines end one there."""


class Journal:
    """The records of one configuration.

    Parameters
    ----------
    path
        Its file; made with its folder when the first record comes.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._left: tuple[int, int] | None = None

    def append(self, record: Record) -> None:
        """Add a record; it is on the disk when this returns.

        Raises
        ------
        LiveError
            It can't be written, for instance because the disk is full. What
            was there before is as it was. Or it was changed by somebody else.
        """
        self.check()
        text = json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(", ", ": "))
        line = (encodable(text).translate(_SEPARATORS) + "\n").encode()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            new = not self.path.exists()
            # Unbuffered: nothing of a record may linger in our memory.
            with self.path.open("ab", buffering=0) as file:
                _write_whole(file.fileno(), line)
                self._left = _state(os.fstat(file.fileno()))
            if new:
                _flush_folder(self.path.parent)
        except OSError as error:
            raise LiveError(
                f"this record can't be written: {error.strerror or error}",
                "make room, then go on with --resume: everything measured before is kept",
                file=self.path,
            ) from error

    def check(self) -> None:
        """Be sure that the file is as this journal left it.

        Raises
        ------
        LiveError
            It was removed, or changed by somebody else.
        """
        if self._left is None:
            return
        try:
            now = _state(self.path.stat())
        except OSError:
            now = None
        if now != self._left:
            what = "were removed" if now is None else "were changed by another program"
            raise LiveError(
                f"these records {what} while they were written",
                f"restore them from a copy, or move {self.path.parent.name}/ away and start anew",
                file=self.path,
            )

    def repair(self) -> None:
        """Remove a last line that was cut off in the middle.

        Raises
        ------
        LiveError
            The file can't be changed.
        """
        try:
            if not self.path.exists():
                return
            data = self.path.read_bytes()
            whole = data.rfind(b"\n") + 1
            if whole < len(data):
                os.truncate(self.path, whole)
        except OSError as error:
            raise LiveError(
                f"this file can't be mended: {error.strerror or error}",
                "make it writable",
                file=self.path,
            ) from error


def _state(status: os.stat_result) -> tuple[int, int]:
    """By which a file is known again: itself, and its size."""
    return status.st_ino, status.st_size


def _write_whole(descriptor: int, line: bytes) -> None:
    before = os.fstat(descriptor).st_size
    try:
        written = 0
        while written < len(line):
            written += os.write(descriptor, line[written:])
        os.fsync(descriptor)
    except OSError:
        # A full disk may have taken a part of the line: whole or not at all.
        with suppress(OSError):
            os.ftruncate(descriptor, before)
        raise


def _flush_folder(folder: Path) -> None:
    """Have the new file's name on the disk too, where folders can be flushed."""
    with suppress(OSError, AttributeError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def read_records(path: Path) -> list[dict[str, Any]]:
    """The records of a file, without a last line that was cut off.

    Raises
    ------
    LiveError
        It can't be read, or a line in it is no record.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise LiveError(
            f"this can't be read: {error.strerror or error}", "make it readable", file=path
        ) from error
    records = []
    *lines, _ = data.split(b"\n")
    for number, line in enumerate(lines, start=1):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            record = None
        if not isinstance(record, dict) or not isinstance(record.get("record"), str):
            raise LiveError(
                "this line is not a record", "restore the file from a copy", file=path, line=number
            )
        records.append(record)
    return records


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Be the only runner in a folder; the lock ends with the process, however that ends.

    Raises
    ------
    LiveError
        Another runner is at work there, the folder can't be written, or a link leads out of it.
    """
    path = folder / ".lock"
    if away := links_out(folder):
        raise LiveError(
            "this link leads out of the campaign's folder, and records would be written there",
            "remove it",
            file=away[0],
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = path.open("a+b")
    except OSError as error:
        raise LiveError(
            f"this can't be written: {error.strerror or error}", "make it writable", file=path
        ) from error
    with handle:
        if not _lock(handle.fileno()):
            raise LiveError(
                "another mtpbench run is at work on this campaign",
                "wait until it has ended, or end it",
                file=folder,
            )
        yield


def _lock(descriptor: int) -> bool:
    try:
        import fcntl  # noqa: PLC0415 - Windows has none
    except ImportError:
        return _lock_on_windows(descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _lock_on_windows(descriptor: int) -> bool:
    import msvcrt  # noqa: PLC0415 - only Windows has it

    try:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
    except OSError:
        return False
    return True
