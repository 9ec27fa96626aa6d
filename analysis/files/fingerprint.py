"""The fingerprint of a report: has anything changed that it depends on?

A report folder holds a stamp: a hash of all that went in (raw data, settings,
options, code, libraries), and one of each file that came out. A report is
current while both still hold; a file that was edited or lost makes it stale.
"""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b, file_digest
from importlib import metadata
from pathlib import Path
from typing import Any

import analysis
from analysis.errors import CampaignError
from analysis.files.inside import leads_out
from analysis.files.storage import write_text

__all__ = ["STAMP", "fingerprint", "is_current", "stamp", "stamped_names"]

STAMP = ".mtpbench.json"
"""File of a report folder that says what it was made from; not part of the report."""

_SCHEMA = 1
_LIBRARIES = (
    "gguf",
    "ipykernel",
    "ipython",
    "markdown-it-py",
    "matplotlib",
    "nbformat",
    "numpy",
    "pandas",
    "papermill",
    "pillow",
    "pyarrow",
    "PyYAML",
    "scipy",
)
"""Libraries of which another version can change a report."""


def fingerprint(
    source: Path, notebook: Path | None, name: str, parameters: Mapping[str, Any] | None = None
) -> str:
    """Hash of everything that a report depends on.

    Parameters
    ----------
    source
        The campaign folder; each of its files counts, hidden ones excepted.
    notebook
        What is executed; null where nothing is.
    name
        How the report calls the campaign.
    parameters
        What the notebook is given beside the campaign.

    Returns
    -------
    str
        Hexadecimal.

    Raises
    ------
    CampaignError
        A file can't be read.
    """
    whole = _hash(
        [_code(notebook), name.encode("utf-8", "surrogateescape"), _plain(parameters or {})]
    )
    try:
        for path in _files(source):
            whole.update(
                _hash([str(path.relative_to(source)).encode("utf-8", "surrogateescape")]).digest()
            )
            # What lies elsewhere is never read, of whatever size it is.
            away = leads_out(path, source)
            whole.update(os.fsencode(path.readlink()) if away else _digest(path))
    except OSError as error:
        raise CampaignError(
            f"this can't be read: {error.strerror or error}",
            "make it readable, or remove it",
            file=error.filename or source,
        ) from error
    return whole.hexdigest()


def stamp(folder: Path, inputs: str) -> None:
    """Note in a finished report folder what it was made from."""
    outputs = {
        path.relative_to(folder).as_posix(): [path.stat().st_size, _digest(path).hex()]
        for path in _files(folder)
    }
    data = {"schema_version": _SCHEMA, "inputs": inputs, "outputs": outputs}
    write_text(folder / STAMP, json.dumps(data, sort_keys=True, indent=1) + "\n")


def is_current(folder: Path, inputs: str) -> bool:
    """Whether a report folder was made from these inputs and is as it was made."""
    try:
        stated = _read((folder / STAMP).read_bytes(), inputs)
        if stated is None:
            return False
        there = {path.relative_to(folder).as_posix(): path for path in _files(folder)}
        return there.keys() == stated.keys() and all(
            path.stat().st_size == stated[name][0] and _digest(path).hex() == stated[name][1]
            for name, path in there.items()
        )
    except OSError:
        return False


def stamped_names(text: bytes) -> set[str] | None:
    """Names of the files that a stamp's text is of, whatever they were made from."""
    stated = _read(text, None)
    return None if stated is None else set(stated)


def _read(text: bytes, inputs: str | None) -> dict[str, tuple[int, str]] | None:
    try:
        data = json.loads(text)
        if data["schema_version"] != _SCHEMA or inputs not in (None, data["inputs"]):
            return None
        return {
            str(name): (int(size), str(hexes)) for name, (size, hexes) in data["outputs"].items()
        }
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        # Somebody else's, or damaged: the report is made anew.
        return None


@functools.cache
def _code(notebook: Path | None) -> bytes:
    package = Path(analysis.__file__).resolve().parent
    whole = _hash([sys.version.encode(), sys.platform.encode()])
    if notebook:
        whole.update(_hash([notebook.read_bytes()]).digest())
    for path in sorted(package.rglob("*")):
        # What a page or a template is made from counts as well.
        if path.is_file() and "__pycache__" not in path.parts:
            name = path.relative_to(package).as_posix()
            whole.update(_hash([name.encode(), path.read_bytes()]).digest())
    for library in _LIBRARIES:
        whole.update(f"{library} {_version(library)};".encode())
    return whole.digest()


def _version(library: str) -> str:
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return "none"


def _files(folder: Path) -> Iterator[Path]:
    """Files below a folder in one order; hidden ones, as editors leave them, are no data."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if path.is_dir() and not path.is_symlink():
            yield from _files(path)
        elif path.is_file():
            yield path


def _digest(path: Path) -> bytes:
    with path.open("rb") as file:
        return file_digest(file, _new).digest()


def _new() -> blake2b:
    return blake2b(digest_size=20)


def _hash(parts: Iterable[bytes]) -> blake2b:
    """Parts with their lengths, so that no two lists of parts look alike."""
    whole = _new()
    for part in parts:
        whole.update(len(part).to_bytes(8, "little"))
        whole.update(part)
    return whole


def _plain(parameters: Mapping[str, Any]) -> bytes:
    return json.dumps(parameters, sort_keys=True).encode()
