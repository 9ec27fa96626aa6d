"""The journal's promise, under kills at any moment: see docs/measuring.md.

50 kills for each of four seeds, and 50 more where three requests are sent at once.
What a run said that it has measured is in its records, once; nothing of it is left
running, and no file of it lies around.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from analysis.campaigns.campaign import load
from tests.runner.conftest import LIVE, records
from tests.runner.test_session import TASKS

KILLS = 50
ONE_BY_ONE = (LIVE, ("plain", "drafted"), (1, 2))
AT_ONCE = (
    LIVE.replace("repeats = 2", "repeats = 1\nparallel = [1, 3]"),
    ("plain", "drafted", "plain-np3", "drafted-np3"),
    (1,),
)
SAID = re.compile(r"^\[\d+/\d+\] ([\w-]+), repeat (\d+), (\w+): (?!failed)", re.MULTILINE)

Write = Callable[..., Path]


class Forker:
    """See ``forker.py``."""

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.runner.forker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "TMPDIR": str(scratch)},
        )

    def start(self, said: Path, *words: str) -> psutil.Process:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps([str(said), *words]) + "\n")
        self.process.stdin.flush()
        return psutil.Process(int(self.process.stdout.readline()))

    def code(self) -> int:
        assert self.process.stdout is not None
        return int(self.process.stdout.readline())


@pytest.fixture
def forker(tmp_path: Path) -> Iterator[Forker]:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    made = Forker(scratch)
    yield made
    made.process.kill()
    made.process.communicate()


def answers(folder: Path) -> Counter[tuple[str, int, str]]:
    found: Counter[tuple[str, int, str]] = Counter()
    for path in (folder / "live").glob("*.jsonl"):
        found.update(
            (path.stem, record["repeat"], record["task"])
            for record in records(folder, path.stem)
            if record["record"] == "request"
        )
    return found


def whole_lines(folder: Path) -> dict[str, bytes]:
    found = {path.name: path.read_bytes() for path in (folder / "live").glob("*.jsonl")}
    return {name: data[: data.rfind(b"\n") + 1] for name, data in found.items()}


def left_running(folder: Path, within_s: float = 10.0) -> list[str]:
    """The processes that serve this campaign, once they had time to end."""
    until = time.monotonic() + within_s
    while True:
        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                words = process.cmdline()
                if any(str(folder) in word for word in words) and "-m" in words[1:]:
                    found.append(" ".join(words))
        if not found or time.monotonic() > until:
            return found
        time.sleep(0.02)


def strike(chance: random.Random, runner: psutil.Process) -> None:
    """End the runner, its guard or its server, in one of the ways in which that happens."""
    with suppress(psutil.Error):
        family = runner.children(recursive=True)
        if family and chance.random() < 0.25:
            chance.choice(family).kill()
            return
        number = chance.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
        runner.send_signal(number)
        if number != signal.SIGKILL and chance.random() < 0.2:
            # Somebody impatient.
            time.sleep(chance.random() * 0.02)
            runner.send_signal(number)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="runs are forked")
@pytest.mark.parametrize(
    ("seed", "measured"),
    [*((seed, ONE_BY_ONE) for seed in range(4)), (4, AT_ONCE)],
    ids=["0", "1", "2", "3", "at-once"],
)
def test_nothing_answered_is_lost_or_measured_twice(
    tmp_path: Path,
    fake_server: Path,
    live_campaign: Write,
    knobs: Callable[..., None],
    forker: Forker,
    seed: int,
    measured: tuple[str, tuple[str, ...], tuple[int, ...]],
) -> None:
    settings, ids, repeats = measured
    everything = Counter((id, repeat, task) for id in ids for repeat in repeats for task in TASKS)
    chance = random.Random(seed)
    knobs(pace=0.01)
    first = live_campaign(settings)
    said = tmp_path / "said.txt"
    begins = time.monotonic()
    forker.start(said, "run", str(first), "--trust")
    assert forker.code() == 0, said.read_text()
    takes_s = time.monotonic() - begins
    kills = campaigns = 0
    while kills < KILLS:
        campaigns += 1
        folder = tmp_path / f"campaign-{campaigns}" / "made"
        folder.parent.mkdir()
        first.rename(folder)
        first = folder
        for path in sorted((folder / "live").rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        before = whole_lines(folder)
        while answers(folder) != everything:
            resumes = ["--resume"] if any((folder / "live").glob("*.jsonl")) else []
            runner = forker.start(said, "run", str(folder), "--trust", *resumes)
            # Each run goes on where the last one ended, so that every moment has its turn.
            ended = psutil.wait_procs([runner], chance.random() * takes_s / 2)[0]
            if not ended:
                strike(chance, runner)
                kills += 1
            code = forker.code()
            assert code in (0, 1, 130, -signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT), code
            text = said.read_text()
            assert "Traceback" not in text
            after = whole_lines(folder)
            assert all(after[name].startswith(data) for name, data in before.items())
            before = after
            there = answers(folder)
            assert max(there.values(), default=1) == 1
            told = {(run, int(repeat), task) for run, repeat, task in SAID.findall(text)}
            assert told <= set(there)
            assert left_running(folder) == []
            assert list(forker.scratch.iterdir()) == []
        # A kill may leave what was written at that moment beside its place, until the next run.
        kept = {path.name for path in (folder / "live").iterdir()}
        assert kept == {"plan.json", "logs", ".lock", *(f"{id}.jsonl" for id in ids)}
        assert {run.id for run in load(folder).runs} == set(ids)
