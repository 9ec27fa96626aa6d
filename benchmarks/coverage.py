"""Do 90 % intervals hold what is true in 90 % of campaigns? Prints the tables of docs/maths.md.

Simulated campaigns of known truth, by how they were measured and by what their times scatter:
`python benchmarks/coverage.py ratios|compare|depths [--campaigns N] [--repeats 1 2 3 5]`. Nothing
is timed. All rows of a table see the same random numbers, and a campaign of fewer repeats is the
beginning of one with more. 60 campaigns a row of `ratios` take about three minutes, as many of
`depths` five.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from timing import ROOT

sys.path.insert(0, str(ROOT))

from tests.known_truth import Scenario, outcome
from tests.noise_truth import KINDS, Cell, covered, told_apart
from tests.simulator import TRENDS

REPEATS = (1, 2, 3, 5)
REQUEST = (0.01, 0.03, 0.1)
RUN = (0.0, 0.01, 0.02, 0.03)


def ratios(repeats: Sequence[int], seeds: range) -> None:
    """Speedups: a row for each number of repeats and run noise, lowest to highest of requests'."""
    print(f"{len(seeds)} campaigns for each of the request noises {_list(REQUEST)}\n")
    _head("repeats", "run noise", *KINDS, "half width of decode")
    for number in repeats:
        for run in RUN:
            made = [covered(Cell(number, request, run), seeds) for request in REQUEST]
            _row(str(number), f"{run:.0%}", *_kinds(made), _widths(made))
    print()
    _head("repeats", "otherwise", *KINDS, "half width of decode")
    for number in repeats:
        for cell in _odd(number):
            made = [covered(cell, seeds)]
            _row(str(number), str(cell), *_kinds(made), _widths(made))


def _odd(repeats: int) -> list[Cell]:
    """What campaigns also are, at 2 % of request noise and 1 % of run noise."""
    usual = (repeats, 0.02, 0.01)
    cells = [Cell(*usual, sampled=True)]
    if repeats > 1:
        cells += [
            Cell(*usual, partial=True),
            Cell(*usual, drift=0.03),
            Cell(*usual, outlier=0.1),
            Cell(repeats, 0.02, 0.0, configurations=2),
            Cell(repeats, 0.02, 0.02, configurations=2),
        ]
    return cells


def compare(repeats: Sequence[int], seeds: range) -> None:
    """Campaigns that are equal, and campaigns of which one is 5 % faster."""
    print(f"{len(seeds)} pairs of campaigns, 2 % of request noise\n")
    _head("repeats", "run noise", "equal ones called different", "a true 5 % found")
    for number in repeats:
        for run in RUN:
            cell = Cell(number, 0.02, run)
            alarms, found = told_apart(cell, seeds), told_apart(cell, seeds, 0.05)
            _row(str(number), f"{run:.0%}", f"{alarms:.1%}", f"{found:.0%}")


def depths(repeats: Sequence[int], seeds: range) -> None:
    """Depth curves, the ceiling of truncation, and what advice loses."""
    print(f"{len(seeds) * len(TRENDS)} campaigns a row\n")
    _head(
        "repeats", "requests, runs", "decode at depths 1 to 8", "no speculation", "ceiling",
        "survival", "advice loses", "the highest rate loses",
    )  # fmt: skip
    for request, run, jump in (
        (0.02, 0.0, None), (0.02, 0.02, None), (0.1, 0.01, None), (0.02, 0.01, 4),
    ):  # fmt: skip
        for number in repeats:
            found = outcome(Scenario(number, request, run, jump=jump), seeds)
            at = (
                "" if jump is None else f", jump at {jump}: {found.covered[:, jump - 1].mean():.2f}"
            )
            _row(
                str(number),
                f"{request:.0%}, {run:.0%}{at}",
                *(f"{part.mean():.2f}" for part in (
                    found.covered, found.plain, found.ceiling, found.survival
                )),
                *(f"{part.mean():.2%}" for part in (found.regret, found.by_rate)),
            )  # fmt: skip


def _kinds(made: Sequence[object]) -> list[str]:
    out = []
    for kind in KINDS:
        shares = sorted(found[kind][0] for found in made)  # type: ignore[index]
        low, high = f"{shares[0]:.2f}", f"{shares[-1]:.2f}"
        out.append(low if low == high else f"{low}–{high}")
    return out


def _widths(made: Sequence[object]) -> str:
    widths = [f"{found['decode'][1] / 2:.1%}" for found in made]  # type: ignore[index]
    return widths[0] if len(widths) == 1 else f"{widths[0]}–{widths[-1]}"


def _list(shares: Sequence[float]) -> str:
    return ", ".join(f"{share:.0%}" for share in shares)


def _head(*cells: str) -> None:
    _row(*cells)
    print("|---|---|" + "---:|" * (len(cells) - 2))


def _row(*cells: str) -> None:
    print("| " + " | ".join(cells).replace("%", " %") + " |", flush=True)


PARTS = {"ratios": ratios, "compare": compare, "depths": depths}


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--campaigns", type=int, default=60)
    parser.add_argument("--repeats", type=int, nargs="+", choices=REPEATS, default=REPEATS)
    given = parser.parse_args(words)
    number = given.campaigns if given.part != "depths" else -(-given.campaigns // len(TRENDS))
    PARTS[given.part](given.repeats, range(number))
    return 0


if __name__ == "__main__":
    sys.exit(main())
