"""Ratios of whole-process times, taken alternately so that a busy machine disturbs both sides."""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = Path(sys.executable).parent


@dataclass(frozen=True)
class Ratio:
    """Median seconds of a subject over those of a floor, to stay at or below `target`.

    `note` says what else was measured, and `holds` whether that is as it should be.
    """

    name: str
    subject: str
    floor: str
    subject_s: float
    floor_s: float
    target: float
    runs: int
    note: str = ""
    holds: bool = True

    @property
    def value(self) -> float:
        return self.subject_s / self.floor_s

    @property
    def met(self) -> bool:
        return self.value <= self.target and self.holds


def seconds(command: Sequence[str | Path]) -> float:
    """Wall time of a command that must succeed."""
    start = time.perf_counter()
    done = subprocess.run(
        [str(word) for word in command],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    taken = time.perf_counter() - start
    if done.returncode:
        sys.exit(f"error: {command} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return taken


def medians(
    subject: Callable[[], float], floor: Callable[[], float], runs: int, *, warm_up: bool = True
) -> tuple[float, float]:
    """Median seconds of both sides, each run `runs` times in turn after one warm-up each.

    Who goes first changes from pair to pair.
    """
    for side in (subject, floor) if warm_up else ():
        side()
    taken: dict[Callable[[], float], list[float]] = {subject: [], floor: []}
    for pair in range(runs):
        for side in (subject, floor) if pair % 2 == 0 else (floor, subject):
            taken[side].append(side())
    return statistics.median(taken[subject]), statistics.median(taken[floor])


def show(ratios: Iterable[Ratio], *, as_json: bool) -> int:
    """Print ratios with the machine they were taken on; 1 when one misses its target."""
    ratios = list(ratios)
    machine = {
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "system": platform.system(),
    }
    if as_json:
        rows = [{**asdict(ratio), "value": ratio.value, "met": ratio.met} for ratio in ratios]
        print(json.dumps({"machine": machine, "ratios": rows}, indent=2, sort_keys=True))
    else:
        print(", ".join(f"{key} {value}" for key, value in machine.items()))
        width = max((len(ratio.name) for ratio in ratios), default=0)
        for ratio in ratios:
            print(
                f"{ratio.name:<{width}}  {ratio.value:6.2f} (target {ratio.target:g}, "
                f"{'met' if ratio.met else 'MISSED'})  {ratio.subject}: {ratio.subject_s:.3f} s, "
                f"{ratio.floor}: {ratio.floor_s:.3f} s, {ratio.runs} runs"
                f"{', ' if ratio.note else ''}{ratio.note}"
            )
    return 0 if all(ratio.met for ratio in ratios) else 1


def main(*measures: Callable[[int], list[Ratio]]) -> int:
    """Command line of every benchmark: `--runs N`, `--json`."""
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
    parser.add_argument("--runs", type=int, default=7, help="runs of each side (default 7)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    given = parser.parse_args()
    ratios = [ratio for measure in measures for ratio in measure(given.runs)]
    return show(ratios, as_json=given.json)
