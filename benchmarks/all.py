"""All ratios of the project with the machine's facts, added to the history and its chart.

`--quick` looks at smaller subjects, and what it sees is not kept.
"""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Sequence

import history
import history_chart
from timing import Ratio, arguments, machine, show

# The quick ones first, and the batch, which takes minutes, last. What has no ratio, like the load
# test, is run on its own.
SUBJECTS = ("report", "depth", "store", "live", "at_once", "parsing", "batch")


def measured(names: Sequence[str], runs: int, *, quick: bool) -> tuple[list[Ratio], list[str]]:
    """Ratios of these subjects, and the names of those that could not be measured."""
    ratios: list[Ratio] = []
    failed: list[str] = []
    for name in names:
        start = time.perf_counter()
        try:
            ratios += importlib.import_module(name).measure(runs, quick)
        # One that breaks is named, and takes no other's figures with it.
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever it is
            failed.append(name)
            print(f"error: {name}: {error}", file=sys.stderr)
        else:
            print(f"{name}: {time.perf_counter() - start:.0f} s", file=sys.stderr)
    return ratios, failed


def main(words: Sequence[str] | None = None) -> int:
    parser = arguments(runs=5)
    parser.add_argument(
        "--only", nargs="+", choices=SUBJECTS, default=SUBJECTS, help="these subjects"
    )
    parser.add_argument("--no-history", action="store_true", help="keep nothing")
    given = parser.parse_args(words)
    facts, code = machine(), history.version()
    ratios, failed = measured(given.only, 1 if given.quick else given.runs, quick=given.quick)
    missed = show(ratios, as_json=given.json, facts=facts)
    if ratios and not given.quick and not given.no_history:
        history.append(history.entry(ratios, facts, code))
        history_chart.draw()
    return 1 if failed else missed


if __name__ == "__main__":
    sys.exit(main())
