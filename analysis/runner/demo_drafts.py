"""Where does a draft for this target come from when nobody has trained one?

Three are made on the spot, so that a speculative configuration can be measured
with nothing but the target's own file:

``demo:self``
    The target with a few of its layers left out: an honest draft for
    ``draft-simple``, whose acceptance falls off with position as real ones do.
``demo:dflash``, ``demo:dspark``
    Drafts of llama.cpp's DFlash and DSpark architectures with random weights.
    They run at real cost and next to nothing of them is accepted, except by
    coin with ``synthetic_rates``.

A draft depends on its target's content and on nothing else, byte for byte, and
is kept in the cache folder under a hash of both.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

from gguf import GGUFWriter

from analysis.errors import one_of
from analysis.files.hashes import cache_folder, sha256
from analysis.files.leftovers import PART, claim, remove_leftovers
from analysis.models.gguf_header import read_header
from analysis.runner.draft_recipes import DemoDraftError, Target, dflash, dspark, self_draft

__all__ = ["DEMO_DRAFTS", "demo_draft"]

RECIPE = 1
"""Counts up whenever a recipe gives other bytes, so that no old draft is taken for a new."""


def demo_draft(name: str, target: Path, make: bool = True) -> Path:
    """The file of a demo draft, made on the first call for a target.

    Parameters
    ----------
    name
        A key of `DEMO_DRAFTS`, like ``"demo:self"``.
    target
        The target's GGUF file.
    make
        False: only say where it would be.

    Returns
    -------
    pathlib.Path
        A GGUF file below the cache folder.

    Raises
    ------
    DemoDraftError
        There is no such demo draft, the target's architecture has no place for
        it, or the file can't be written.
    ModelFileError
        The target can't be read or is no GGUF file.
    """
    if name not in DEMO_DRAFTS:
        raise DemoDraftError(*one_of("the demo draft", name, DEMO_DRAFTS))
    read_header(target)
    origin = hashlib.sha256(f"{sha256(target, keep=make)} {name} {RECIPE}".encode()).hexdigest()
    path = cache_folder() / "drafts" / origin[:16] / f"{name.replace(':', '-')}.gguf"
    if make and not path.is_file():
        _make(DEMO_DRAFTS[name], Target(target), path)
    return path


def _make(recipe: Callable[[Target, GGUFWriter], None], target: Target, path: Path) -> None:
    """Write a draft beside its place and move it there when it is whole."""
    beside = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        remove_leftovers(path.parent)
        handle, made = tempfile.mkstemp(PART, claim(path.name), path.parent)
        os.close(handle)
        beside = Path(made)
        with closing(GGUFWriter(beside, target.draft_architecture(recipe))) as writer:
            recipe(target, writer)
            writer.write_header_to_file()
            writer.write_kv_data_to_file()
            writer.write_tensors_to_file()
        beside.replace(path)
    except OSError as error:
        problem = f"this demo draft can't be written: {error.strerror or error}"
        remedy = "make room there, or name another folder in MTPBENCH_CACHE"
        raise DemoDraftError(problem, remedy, path) from error
    finally:
        if beside is not None:
            beside.unlink(missing_ok=True)


DEMO_DRAFTS: Mapping[str, Callable[[Target, GGUFWriter], None]] = {
    "demo:self": self_draft,
    "demo:dflash": dflash,
    "demo:dspark": dspark,
}
"""Name in campaign.toml to recipe."""
