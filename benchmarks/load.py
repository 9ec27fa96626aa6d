"""Render very many small campaigns in one command, one in a hundred of them broken.

Checks that exactly the broken ones are reported, that all others have a whole report, that nothing
temporary is left, and that memory does not grow with their number. Prints time and peak memory.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil
from timing import SCRIPTS

SETTINGS = """\
[campaign]
title = "Small {number}"
baseline = "plain"

[[runs]]
id = "plain"
log = "plain.log"
spec_type = "none"

[[runs]]
id = "fast"
log = "fast.log"
spec_type = "draft-mtp"
n_max = 2
"""
TASKS = ("code_python", "qa_factual", "translation")
MIB = 2**20
GROWTH = 1.25
"""How much larger the second half's peak of memory may be than the first's."""


def log(drafted: int, accepted: int, tps: float) -> str:
    rate = f"{accepted / drafted:.3f}" if drafted else "n/a"
    row = f"pred= 100 draft={drafted:4d} acc={accepted:4d} rate={rate} tok/s={tps:.1f}"
    rows = [f"  {task:<18} {row}" for task in TASKS]
    total = {
        "n_requests": len(TASKS),
        "total_predicted": 100 * len(TASKS),
        "total_draft": drafted * len(TASKS),
        "total_draft_accepted": accepted * len(TASKS),
        "aggregate_accept_rate": round(accepted / drafted, 4) if drafted else None,
        "wall_s_total": round(100 * len(TASKS) / tps, 2),
    }
    return "\n".join([*rows, "", f"Aggregate: {json.dumps(total, indent=2)}", ""])


def write(folder: Path, number: int, *, broken: bool) -> Path:
    campaign = folder / f"small-{number:05}"
    campaign.mkdir(parents=True)
    (campaign / "campaign.toml").write_text(SETTINGS.format(number=number))
    (campaign / "plain.log").write_text(log(0, 0, 90.0 + number % 7))
    if not broken:
        (campaign / "fast.log").write_text(log(78, 60 - number % 5, 120.0 + number % 11))
    return campaign


def used(process: psutil.Process) -> int:
    """Memory of a process and all below it; what forks share is counted once."""
    total = 0
    for member in [process, *process.children(recursive=True)]:
        try:
            total += member.memory_full_info().pss
        except psutil.Error:
            continue
    return total


def watched(process: subprocess.Popen[str]) -> Iterator[int]:
    """Memory every half second until the process ends."""
    tick = threading.Event()
    while process.poll() is None:
        try:
            yield used(psutil.Process(process.pid))
        except psutil.Error:
            return
        tick.wait(0.5)


def complaints(
    process: subprocess.Popen[str], said: str, out: Path, good: Sequence[str], bad: Sequence[str]
) -> Iterator[str]:
    if process.returncode != (1 if bad else 0):
        yield f"exit code {process.returncode}"
    lines = said.splitlines()
    named = [name for name in bad if any(f"{name}/campaign.toml:" in line for line in lines)]
    if named != list(bad) or len(lines) != len(bad) + bool(bad):
        yield f"{len(lines)} lines on standard error, {len(named)} of {len(bad)} broken ones named"
    there = sorted(path.name for path in out.iterdir())
    if there != sorted(good):
        yield f"{len(there)} folders where {len(good)} reports should be"
    for name in good:
        data = json.loads((out / name / "results.json").read_text(encoding="utf-8"))
        if data["campaign"]["slug"] != name or not (out / name / "report.ipynb").exists():
            yield f"{name} is not whole"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--campaigns", type=int, default=1000)
    parser.add_argument("--broken-every", type=int, default=100, metavar="N")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        raw, out = Path(scratch, "raw"), Path(scratch, "out")
        numbers = range(1, given.campaigns + 1)
        bad = [f"small-{n:05}" for n in numbers if n % given.broken_every == 0]
        for number in numbers:
            write(raw, number, broken=number % given.broken_every == 0)
        good = [path.name for path in sorted(raw.iterdir()) if path.name not in bad]
        command = [SCRIPTS / "mtpbench", "report", *sorted(raw.iterdir()), "--out", out]
        start = time.perf_counter()
        with (Path(scratch) / "said").open("w+") as stderr:
            process = subprocess.Popen(
                [*map(str, command), "--jobs", str(given.jobs)],
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                env={**os.environ},
                text=True,
            )
            memory = list(watched(process))
            process.wait()
            taken = time.perf_counter() - start
            stderr.seek(0)
            found = list(complaints(process, stderr.read(), out, good, bad))
    half = len(memory) // 2
    first, second = max(memory[:half], default=1), max(memory[half:], default=1)
    if second > GROWTH * first:
        found.append(f"memory grew from {first / MIB:.0f} to {second / MIB:.0f} MiB")
    print(
        f"{len(good)} reports, {len(bad)} failures in {taken:.0f} s with {given.jobs} jobs "
        f"({taken / given.campaigns:.2f} s each); peak memory {max(first, second) / MIB:.0f} MiB "
        f"(first half {first / MIB:.0f}, second half {second / MIB:.0f})"
    )
    print(*(f"error: {complaint}" for complaint in found), sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
