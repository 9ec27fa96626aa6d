"""Fail when reports rendered now differ from the committed ones in anything a reader sees.

Usage: python .ci/drift.py COMMITTED FRESH

Texts must be equal byte for byte. Floats in results.json may differ in their last digits,
because processors do. Figures are compared by name only, since their pixels depend on the fonts
and the processor; their artists are tested elsewhere.
"""

from __future__ import annotations

import difflib
import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path

TEXTS = ("README.md", "preset.ini")
RELATIVE_TOLERANCE = 1e-9


def differing(committed: object, fresh: object, where: str = "") -> Iterator[str]:
    """Name every place in which two JSON values differ beyond the tolerance."""
    if isinstance(committed, dict) and isinstance(fresh, dict):
        for key in sorted(committed.keys() | fresh.keys()):
            if key in committed and key in fresh:
                yield from differing(committed[key], fresh[key], f"{where}.{key}")
            else:
                yield f"{where}.{key} is only in the {'committed' if key in committed else 'fresh'}"
    elif isinstance(committed, list) and isinstance(fresh, list) and len(committed) == len(fresh):
        for index, pair in enumerate(zip(committed, fresh, strict=True)):
            yield from differing(*pair, f"{where}[{index}]")
    elif isinstance(committed, float) and isinstance(fresh, float):
        if not math.isclose(committed, fresh, rel_tol=RELATIVE_TOLERANCE, abs_tol=1e-12):
            yield f"{where}: {committed!r} became {fresh!r}"
    elif committed != fresh:
        yield f"{where}: {committed!r} became {fresh!r}"


def files(folder: Path) -> set[str]:
    """Names of all files below a folder, relative to it; hidden ones are not for readers."""
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.startswith(".")
    }


def drift(committed: Path, fresh: Path) -> Iterator[str]:
    """Say every difference between two folders of reports."""
    old, new = files(committed), files(fresh)
    for name in sorted(old ^ new):
        yield f"{name} is only in {committed if name in old else fresh}"
    for name in sorted(old & new):
        if Path(name).name in TEXTS:
            before, after = (
                (folder / name).read_bytes().decode().splitlines(keepends=True)
                for folder in (committed, fresh)
            )
            if before != after:
                changed = difflib.unified_diff(
                    before, after, f"{committed}/{name}", f"{fresh}/{name}"
                )
                yield "".join(changed)
        elif Path(name).name == "results.json":
            before, after = (
                json.loads((folder / name).read_text(encoding="utf-8"))
                for folder in (committed, fresh)
            )
            yield from (f"{name}: {place}" for place in differing(before, after))


def main() -> int:
    """Print the differences; 1 when there are any or when nothing was compared."""
    committed, fresh = map(Path, sys.argv[1:])
    if not files(committed):
        print(f"error: {committed} holds no reports; run `make report` and commit them")
        return 1
    found = list(drift(committed, fresh))
    print(*found, sep="\n") if found else print("reports: as committed")
    if found:
        print("error: reports drifted; run `make report`, read the difference and commit it")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
