"""Writing so that a reader never meets half a file: write beside, then rename.

What is written beside carries the name of the process that writes it, so that
the remains of one that was killed can be told from the work of one that lives.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from analysis.errors import ReportError
from analysis.files.leftovers import OLD, PART, claim, is_dead, recover, remove_leftovers

__all__ = ["remove_leftovers", "replaced_folder", "write_bytes", "write_text", "written_beside"]


def write_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all, as UTF-8 with its line ends as they are.

    Parameters
    ----------
    path
        Its folder must exist.
    text
        The content.

    Raises
    ------
    ReportError
        The place can't be written.
    """
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, data: bytes, mode: int = 0o644) -> None:
    """Write a file whole or not at all; see :func:`write_text`."""
    with written_beside(path, mode) as file:
        file.write(data)


@contextmanager
def written_beside(path: Path, mode: int = 0o644) -> Iterator[BinaryIO]:
    """An open file that takes the place of `path` when the block succeeds.

    Raises
    ------
    ReportError
        The place can't be written.
    """
    try:
        handle, beside = tempfile.mkstemp(prefix=claim(path.name), suffix=PART, dir=path.parent)
    except OSError as error:
        raise _unwritable(path, error) from error
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        Path(beside).chmod(mode)
        Path(beside).replace(path)
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        Path(beside).unlink(missing_ok=True)


@contextmanager
def replaced_folder(
    folder: Path, problem: Callable[[Path], str | None] | None = None
) -> Iterator[Path]:
    """A staging folder that takes the place of `folder` when the block succeeds.

    Parameters
    ----------
    folder
        The folder to replace; its parents are made. A link stays one, and the
        folder that it leads to is replaced.
    problem
        Says of a folder that is there why it must not be replaced, or null.

    Yields
    ------
    pathlib.Path
        An empty folder beside it. On any error or interrupt it is removed and
        `folder` stays as it was.

    Raises
    ------
    ReportError
        The place can't be written, or must not be replaced.
    """
    folder = folder.resolve()
    own = claim(folder.name)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        for old in _olds(folder):
            recover(old, folder)
        if folder.exists():
            _refuse(folder, problem)
        staging = Path(tempfile.mkdtemp(prefix=own, suffix=PART, dir=folder.parent))
        staging.chmod(0o755)
    except OSError as error:
        raise _unwritable(folder, error) from error
    old = staging.with_suffix(OLD)
    try:
        yield staging
        try:
            _put(staging, folder, old)
        except BaseException as error:
            # An interrupt between the renames, too, must not leave the place empty.
            recover(old, folder)
            if isinstance(error, OSError):
                raise _unwritable(folder, error) from error
            raise
        shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _put(staging: Path, folder: Path, old: Path) -> None:
    """Let a folder take another's place, also when somebody does the same at this moment."""
    while True:
        with suppress(FileNotFoundError):
            folder.rename(old)
        try:
            staging.rename(folder)
        except OSError as error:
            if error.errno not in {errno.ENOTEMPTY, errno.EEXIST}:
                raise
            # Another process put its folder there meanwhile: ours is newer and replaces it.
            shutil.rmtree(old, ignore_errors=True)
            continue
        return


def _olds(folder: Path) -> Iterator[Path]:
    """Former contents of a folder that a dead process had put aside."""
    for path in folder.parent.glob(f".*{OLD}"):
        if path.name.startswith(f".{folder.name}.") and is_dead(path.name):
            yield path


def _refuse(folder: Path, problem: Callable[[Path], str | None] | None) -> None:
    said = None
    if not folder.is_dir():
        said = "there is a file in this folder's place"
    elif problem:
        said = problem(folder)
    if said:
        raise ReportError(said, "move it elsewhere, or choose another --out", file=folder)


def _unwritable(path: Path, error: OSError) -> ReportError:
    return ReportError(
        f"this can't be written: {error.strerror or error}",
        "choose another place with --out, or make it writable",
        file=path,
    )
