"""Does a report say anything else than the one that stands in its place, and is that one ours?

Processors differ in the last digits of a float. A report that says the same as the standing one
keeps its bytes, so that nothing seems to have changed where nothing has.
"""

from __future__ import annotations

import difflib
import json
import math
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from analysis.files.fingerprint import STAMP, stamped_names

__all__ = ["COMMITTED", "differences", "keep", "problem"]

COMMITTED = ("README.md", "RESULTS.md", "preset.ini", "results.json")
"""What is published of a report, beside its figures."""

# What systems and editors leave in every folder that is looked at.
_LITTER = re.compile(r"(?:.*/)?(?:\.DS_Store|Thumbs\.db|desktop\.ini|\.ipynb_checkpoints/.*)")

_RELATIVE = 1.1e-5
"""One unit of the sixth significant digit, which is the last one of results.json."""
_ABSOLUTE = 1e-12
_NUMBER = re.compile(r"(?<![\d,])\d[\d,]*+\.\d++|(?<!\d)\d++(?= ?%)")
_ROUNDED_OTHERWISE = 3
"""How many printed figures of a file may differ by one unit of their last digit."""
_LEVELS = 8
"""Levels of 255 by which a pixel may differ: antialiasing."""
_PIXELS = 3e-4
"""Share of a picture's pixels that may differ by more: a digit or two of its labels."""


def problem(folder: Path) -> str | None:
    """Why a folder must not be replaced by a report, or null."""
    names = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_symlink() or not path.is_dir()
    }
    there = {name for name in names if not _LITTER.fullmatch(name)}
    if not there:
        return None
    ours: set[str] | None = None
    if STAMP in there:
        ours = stamped_names((folder / STAMP).read_bytes())
    if ours is None and "results.json" in there and _is_ours(folder / "results.json"):
        # As it comes out of a repository, which has no stamps.
        ours = set(_every_name())
    if ours is None:
        return "this folder is not empty, and no earlier report"
    # A report has no links: what one leads to is somebody's.
    others = sorted(
        name for name in there if name not in {*ours, STAMP} or (folder / name).is_symlink()
    )
    return f"this report's folder also holds what is not of it: {others[0]!r}" if others else None


def _every_name() -> Iterator[str]:
    """Names of all files that a report can have."""
    from analysis.charts import CHARTS

    yield from (*COMMITTED, "report.html", "report.ipynb")
    for chart in CHARTS:
        yield from (f"figures/{chart.__name__}{theme}.png" for theme in ("", "-dark"))


def _is_ours(results: Path) -> bool:
    try:
        data = json.loads(results.read_bytes())
        return bool(data["schema_version"] and data["campaign"]["slug"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return False


def keep(folder: Path, staging: Path) -> None:
    """Give a new report the bytes of the standing one, if it says the same."""
    if not (folder / "results.json").is_file() or any(differences(folder, staging)):
        return
    for name in _said(staging):
        shutil.copyfile(folder / name, staging / name)


def differences(standing: Path, fresh: Path) -> Iterator[str]:
    """Each thing that two reports say differently, beyond what processors and rounding do.

    Figures of results.json may differ by one unit of the sixth significant digit. Of those that
    README.md or preset.ini print, at most three may differ by one unit of their last digit. Of a
    picture's pixels, 3 in 10,000 may differ visibly.
    """
    old, new = _said(standing), _said(fresh)
    for name in sorted(old ^ new):
        yield f"{name} is only in {standing if name in old else fresh}"
    for name in sorted(old & new):
        before, after = (standing / name).read_bytes(), (fresh / name).read_bytes()
        if before == after:
            continue
        if name == "results.json":
            for place in _values(json.loads(before), json.loads(after)):
                yield f"{name}{place}"
        elif name.endswith(".png"):
            if not _same_picture(standing / name, fresh / name):
                yield f"{name} is another picture"
        elif not _same_text(before.decode(), after.decode()):
            was, now = (text.decode().splitlines(keepends=True) for text in (before, after))
            yield "".join(difflib.unified_diff(was, now, f"{standing}/{name}", f"{fresh}/{name}"))


def _said(folder: Path) -> set[str]:
    found = {name for name in COMMITTED if (folder / name).is_file()}
    return found | {path.relative_to(folder).as_posix() for path in folder.glob("figures/*.png")}


def _values(before: Any, after: Any, where: str = "") -> Iterator[str]:
    """Name every place in which two JSON values differ beyond the tolerance."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted(before.keys() | after.keys()):
            if key in before and key in after:
                yield from _values(before[key], after[key], f"{where}.{key}")
            else:
                yield f"{where}.{key} is only in the {'standing' if key in before else 'new'} one"
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, pair in enumerate(zip(before, after, strict=True)):
            yield from _values(*pair, f"{where}[{index}]")
    elif isinstance(before, float) and isinstance(after, float):
        if not math.isclose(before, after, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE):
            yield f"{where}: {before!r} became {after!r}"
    elif isinstance(before, str) and isinstance(after, str):
        if not _same_text(before, after):
            yield f"{where}: {before!r} became {after!r}"
    elif before != after or isinstance(before, bool) != isinstance(after, bool):
        yield f"{where}: {before!r} became {after!r}"


def _same_text(before: str, after: str) -> bool:
    """Whether two texts are equal but for a few figures at the edge of rounding."""
    if _NUMBER.sub("0", before) != _NUMBER.sub("0", after):
        return False
    pairs = zip(_NUMBER.findall(before), _NUMBER.findall(after), strict=True)
    other = [pair for pair in pairs if pair[0] != pair[1]]
    return len(other) <= _ROUNDED_OTHERWISE and all(_one_unit_apart(*pair) for pair in other)


def _one_unit_apart(before: str, after: str) -> bool:
    decimals = {len(number.partition(".")[2]) for number in (before, after)}
    units = [int(re.sub("[.,]", "", number)) for number in (before, after)]
    return len(decimals) == 1 and abs(units[0] - units[1]) <= 1


def _same_picture(before: Path, after: Path) -> bool:
    import numpy as np
    from PIL import Image

    old, new = (np.asarray(Image.open(path).convert("RGB"), dtype=int) for path in (before, after))
    if old.shape != new.shape:
        return False
    return float((np.abs(old - new).max(axis=-1) > _LEVELS).mean()) <= _PIXELS
