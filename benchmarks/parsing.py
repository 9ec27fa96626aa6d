"""What reading a large server log costs over a pass over its lines, and the memory it takes."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from timing import ROOT, Ratio, main, medians

MEGABYTES, FEW_MEGABYTES = 300, 30
SLOWEST_MB_S = 60
MOST_MB = 200

# Seconds are those of the processor: others on the machine do not count, and imports do not either.
MEASURED = """\
import json, resource, sys, time
{imports}
start = time.process_time()
{work}
taken = time.process_time() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * {unit}
if sys.platform == "linux":  # where that is also what the parent had when it started this one
    status = open("/proc/self/status").read()
    peak = int(status.partition("VmHWM:")[2].split()[0]) * 1024
print(json.dumps([taken, peak]))
"""
READ = MEASURED.format(
    imports="from analysis import parsers; from analysis.parsers.llama_server import reader",
    work="runs = parsers.read(sys.argv[1])\nassert sum(len(run.tasks) for run in runs) > 1000",
    unit=1 if sys.platform == "darwin" else 1024,
)
PASS = MEASURED.format(
    imports="", work="for line in open(sys.argv[1], 'rb'): pass", unit=1
)  # fmt: skip


def requests(seed: int) -> Iterator[str]:
    """Requests as llama-server logs them with LLAMA_TRACE: one line for each round."""
    chance = random.Random(seed)
    at_us, task = 3_000_000, 0

    def line(name: str, text: str) -> str:
        clock = (
            f"{at_us // 60_000_000}.{at_us // 1_000_000 % 60:02d}"
            f".{at_us // 1000 % 1000:03d}.{at_us % 1000:03d}"
        )
        return f"{clock} I slot {name:>12}: id  0 | task {task} | {text}\n"

    while True:
        rounds = chance.randint(60, 300)
        lines = [line("launch_slot_", "processing task, is_child = 0")]
        accepted = 0
        for _ in range(rounds):
            at_us += chance.randint(16_500, 18_500)
            kept = chance.randint(0, 4)
            accepted += kept
            lines.append(line("operator()", f"accepted {kept:2d}/ 4 draft tokens"))
        tokens = accepted + rounds + 1
        ms, each = rounds * 17.5, rounds * 17.5 / (tokens - 1)
        lines += [
            line("print_timing", text)
            for text in (
                "prompt eval time =     276.98 ms /    44 tokens "
                "(    6.30 ms per token,   158.86 tokens per second)",
                f"       eval time = {ms:10.2f} ms / {tokens:5d} tokens "
                f"({each:8.2f} ms per token, {1000 / each:8.2f} tokens per second)",
                f"      total time = {ms + 276.98:10.2f} ms / {tokens + 44:5d} tokens",
                f"draft acceptance = {accepted / rounds / 4:.5f} ({accepted:5d} accepted / "
                f"{rounds * 4:5d} generated), mean len = {1 + accepted / rounds:5.2f}",
            )
        ]
        lines.append(line("release", "stop processing: n_tokens = 267, truncated = 0"))
        yield "".join(lines)
        task += rounds


def write_log(path: Path, megabytes: int) -> None:
    left = megabytes * 1_000_000
    with path.open("w", encoding="ascii") as file:
        for text in requests(seed=1):
            file.write(text)
            left -= len(text)
            if left <= 0:
                break


def measured(code: str, log: Path) -> tuple[float, float]:
    """Processor seconds and peak memory, in bytes, of a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", code, str(log)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"error: reading ended with {done.returncode}:\n{done.stderr[-2000:]}")
    taken, peak = json.loads(done.stdout)
    return taken, peak


def measure(runs: int, quick: bool = False) -> list[Ratio]:
    megabytes = FEW_MEGABYTES if quick else MEGABYTES
    peaks: list[float] = []

    def read() -> float:
        taken, peak = measured(READ, log)
        peaks.append(peak)
        return taken

    with tempfile.TemporaryDirectory() as scratch:
        log = Path(scratch) / "server.log"
        write_log(log, megabytes)
        size = log.stat().st_size
        subject_s, floor_s = medians(read, lambda: measured(PASS, log)[0], runs)
    speed, most = size / subject_s / 1e6, max(peaks) / 1e6
    return [
        Ratio(
            "parsing",
            f"reading {megabytes} MB of server log",
            "a pass over its lines",
            subject_s,
            floor_s,
            20.0,
            runs,
            note=f"{speed:.0f} MB/s (at least {SLOWEST_MB_S}), {most:.0f} MB (at most {MOST_MB})",
            holds=speed >= SLOWEST_MB_S and most <= MOST_MB,
        )
    ]


if __name__ == "__main__":
    sys.exit(main(measure))
