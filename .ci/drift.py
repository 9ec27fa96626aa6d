"""Fail when reports rendered now say anything else than the committed ones.

Usage: python .ci/drift.py COMMITTED FRESH

`analysis/reports/standing.py` says what counts as a difference, for `make report` too.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from analysis.reports.standing import differences


def drift(committed: Path, fresh: Path) -> Iterator[str]:
    """Say every difference between two folders of reports."""
    old, new = (
        {path.parent.name for path in folder.glob("*/results.json")}
        for folder in (committed, fresh)
    )
    for name in sorted(old ^ new):
        yield f"{name} is only in {committed if name in old else fresh}"
    for name in sorted(old & new):
        yield from (f"{name}: {said}" for said in differences(committed / name, fresh / name))


def main() -> int:
    """Print the differences; 1 when there are any or when nothing was compared."""
    committed, fresh = map(Path, sys.argv[1:])
    if not list(committed.glob("*/results.json")):
        print(f"error: {committed} holds no reports; run `make report` and commit them")
        return 1
    found = list(drift(committed, fresh))
    print(*found, sep="\n") if found else print("reports: as committed")
    if found:
        print("error: reports drifted; run `make report`, read the difference and commit it")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
