"""Where do campaigns and reports lie, when not on this disk?

A place is a path, or the URL of a file system that fsspec knows (``s3://…``,
``memory://…``, ``file://…``). A remote campaign is fetched whole, and a report
is put there whole: beside its place first, then moved.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from analysis.campaigns.campaign_file import SETTINGS_FILE
from analysis.errors import CampaignError, MtpbenchError, ReportError
from analysis.files.fingerprint import STAMP, stamped_sizes
from analysis.files.leftovers import OLD, PART, claim, is_dead, name_of
from analysis.reports import standing

__all__ = ["fetched", "is_current", "is_url", "join", "last_name", "publish", "remove_leftovers"]

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(?:::|://)")


def is_url(place: object) -> bool:
    """Whether a place is a URL.

    Examples
    --------
    >>> is_url("s3://bucket/raw"), is_url("raw/a"), is_url("C:/raw")
    (True, False, False)
    """
    return isinstance(place, str) and _URL.match(place) is not None


def last_name(url: str) -> str:
    """Name of the campaign that a URL leads to.

    Raises
    ------
    CampaignError
        It ends in no name that a folder can have.
    """
    path = PurePosixPath(url.rstrip("/"))
    name = path.parent.name if path.name == SETTINGS_FILE else path.name
    if not name or name in {".", ".."} or name.startswith(".") or ":" in name:
        raise CampaignError(
            "this URL does not end in a campaign's name", "end it like …/raw/my-campaign", file=url
        )
    return name


def join(url: str, name: str) -> str:
    """The URL of something in a folder."""
    return f"{url.rstrip('/')}/{name}"


@contextmanager
def fetched(url: str) -> Iterator[Path]:
    """A copy of a remote campaign folder on this disk, removed afterwards.

    Raises
    ------
    CampaignError
        There is none, or it can't be read.
    """
    name = last_name(url)
    if url.rstrip("/").endswith(f"/{SETTINGS_FILE}"):
        url = url.rstrip("/").removesuffix(f"/{SETTINGS_FILE}")
    with TemporaryDirectory(prefix="mtpbench-") as scratch:
        folder = Path(scratch) / name
        remedy = "look at the URL and at what its file system needs to be reached"
        with _said(CampaignError, "fetched", remedy, url):
            files, path = _file_system(url)
            if not files.exists(join(path, SETTINGS_FILE)):
                raise CampaignError(
                    f"there is no {SETTINGS_FILE} in this folder",
                    "give the URL of a campaign folder",
                    file=url,
                )
            for remote in files.find(path):
                inner = PurePosixPath(remote).relative_to(PurePosixPath(path))
                # A store's keys are strangers' words: none leads out of the folder.
                if ".." in inner.parts or any(part.startswith(".") for part in inner.parts):
                    continue
                local = folder.joinpath(*inner.parts)
                local.parent.mkdir(parents=True, exist_ok=True)
                files.get_file(remote, str(local))
        yield folder


def is_current(url: str, inputs: str) -> bool:
    """Whether a remote report was made from these inputs; its files are told by their sizes."""
    with suppress(Exception):
        files, path = _file_system(url)
        stated = stamped_sizes(files.cat_file(join(path, STAMP)), inputs)
        if stated is None:
            return False
        there = {
            PurePosixPath(name).relative_to(PurePosixPath(path)).as_posix(): about["size"]
            for name, about in files.find(path, detail=True).items()
        }
        there.pop(STAMP, None)
        return there == stated
    # A place that can't be read says so when it is written.
    return False


def publish(folder: Path, url: str) -> None:
    """Put a report folder in a remote place: beside it, then moved there.

    Stores without folders move file by file, so a reader may meet a report of
    old and new files for that moment; `is_current` tells it from a whole one.

    Raises
    ------
    ReportError
        The place can't be written, or holds something that is no report.
    """
    with _said(ReportError, "written", "choose another place with --out", url):
        files, path = _file_system(url)
        head, _, name = path.rpartition("/")
        beside = f"{head}/{claim(name)}{uuid.uuid4().hex[:8]}"
        staging, old = f"{beside}{PART}", f"{beside}{OLD}"
        there = (
            {name[len(path) + 1 :] for name in files.find(path)} if files.exists(path) else set()
        )
        if problem := standing.foreign(there, lambda name: bytes(files.cat_file(join(path, name)))):
            raise ReportError(problem, "move it elsewhere, or choose another --out", file=url)
        try:
            for local in sorted(folder.rglob("*")):
                if local.is_file():
                    remote = join(staging, local.relative_to(folder).as_posix())
                    files.makedirs(remote.rpartition("/")[0], exist_ok=True)
                    files.put_file(str(local), remote)
            if there:
                files.mv(path, old, recursive=True)
            files.mv(staging, path, recursive=True)
        except BaseException:
            if files.exists(old) and not files.exists(path):
                files.mv(old, path, recursive=True)
            raise
        finally:
            for left in (staging, old):
                if files.exists(left):
                    files.rm(left, recursive=True)


def remove_leftovers(url: str) -> None:
    """Remove what killed processes of this machine left in a remote place."""
    with suppress(Exception):
        files, path = _file_system(url)
        for remote in files.ls(path, detail=False):
            place, _, temporary = remote.rstrip("/").rpartition("/")
            name = name_of(temporary)
            if name is None or not is_dead(temporary):
                continue
            if temporary.endswith(OLD) and not files.exists(f"{place}/{name}"):
                files.mv(remote, f"{place}/{name}", recursive=True)
            else:
                files.rm(remote, recursive=True)


def _file_system(url: str) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise ReportError(
            "URLs need fsspec, which is not installed",
            "run pip install 'mtpbench[cluster]'",
            file=url,
        ) from error
    files, path = url_to_fs(url)
    files.invalidate_cache()
    return files, str(path).rstrip("/")


@contextmanager
def _said(kind: type[MtpbenchError], done: str, remedy: str, url: str) -> Iterator[None]:
    """Say as our own error whatever a file system makes of a place that it can't reach."""
    try:
        yield
    except MtpbenchError:
        raise
    except Exception as error:
        raise kind(f"this can't be {done}: {_reason(error)}", remedy, file=url) from error


def _reason(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
