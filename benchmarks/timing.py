"""Ratios of whole-process times, taken alternately so that a busy machine disturbs both sides."""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from analysis.runner.machine import machine_facts

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


Measure = Callable[[int, bool], list[Ratio]]
"""Takes the runs of each side, and whether a look at smaller subjects is enough."""


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


def machine() -> dict[str, Any]:
    """Facts to state beside ratios; `load` is the machine's at the moment of asking."""
    facts = machine_facts()
    kept = {key: facts[key] for key in ("cpu", "threads", "ram", "os", "load")}
    return {**kept, "architecture": platform.machine(), "python": platform.python_version()}


def row(ratio: Ratio) -> dict[str, Any]:
    """A ratio as JSON has it."""
    return {**asdict(ratio), "value": ratio.value, "met": ratio.met}


def show(ratios: Iterable[Ratio], *, as_json: bool, facts: Mapping[str, Any] | None = None) -> int:
    """Print ratios with the machine they were taken on; 1 when one misses its target."""
    ratios = list(ratios)
    facts = machine() if facts is None else facts
    if as_json:
        rows = [row(ratio) for ratio in ratios]
        print(json.dumps({"machine": facts, "ratios": rows}, indent=2, sort_keys=True))
    else:
        print(", ".join(f"{key} {value}" for key, value in facts.items()))
        width = max((len(ratio.name) for ratio in ratios), default=0)
        for ratio in ratios:
            print(
                f"{ratio.name:<{width}}  {ratio.value:7.3g} (target {ratio.target:g}, "
                f"{'met' if ratio.met else 'MISSED'})  {ratio.subject}: {ratio.subject_s:.3f} s, "
                f"{ratio.floor}: {ratio.floor_s:.3f} s, {ratio.runs} runs"
                f"{', ' if ratio.note else ''}{ratio.note}"
            )
    return 0 if all(ratio.met for ratio in ratios) else 1


def arguments(runs: int = 7) -> argparse.ArgumentParser:
    """What every benchmark understands: `--runs N`, `--quick`, `--json`."""
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
    parser.add_argument(
        "--runs", type=at_least_one, default=runs, help=f"runs of each side (default {runs})"
    )
    parser.add_argument(
        "--quick", action="store_true", help="one run each of smaller subjects: a look, no figure"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    return parser


def at_least_one(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not at least 1")
    return number


def main(measure: Measure) -> int:
    """Command line of one benchmark."""
    given = arguments().parse_args()
    return show(measure(1 if given.quick else given.runs, given.quick), as_json=given.json)
