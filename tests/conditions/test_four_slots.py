"""Four slots of a real server: its log and its answers against a client's own clock."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from analysis import parsers
from analysis.records import Run, Source, TaskResult
from analysis.statistics.frames import run_frame
from tests.runner.small_model import write_small_model

pytestmark = [pytest.mark.live, pytest.mark.slow, pytest.mark.timeout(1200)]

SLOTS, EACH, TOKENS = 4, 3, 64
DRAFTED = ("-md", "draft.gguf", "--spec-type", "draft-simple", "--spec-draft-n-max", "3")


@dataclass(frozen=True)
class Answer:
    """What a plain client knows of a request."""

    slot: int
    span: tuple[float, float]
    timings: dict[str, float]


def asked(folder: Path, speculation: Sequence[str]) -> tuple[list[Answer], Path]:
    """Three requests on each of four slots, all at once, and the server's log."""
    log = folder / f"server-{len(speculation)}.log"
    command = [
        sys.executable, "-m", "analysis.runner.embedded_server", "-m", "target.gguf", *speculation,
        "-t", "1", "-tb", "1", "-c", "2048", "-np", str(SLOTS), "-lv", "4", "--cache-ram", "0",
        "--port", "0",
    ]  # fmt: skip
    root = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "LLAMA_TRACE": "1", "PYTHONPATH": str(root)}
    with log.open("wb") as out:
        server = subprocess.Popen(command, stdout=out, stderr=out, env=environment, cwd=folder)
    try:
        deadline = time.monotonic() + 120
        while not (found := re.search(rb"serving at (http\S+)", log.read_bytes())):
            assert server.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.1)
        at = found[1].decode()
        _one(at, 0, "warm up")
        answers: list[Answer] = []
        threads = [threading.Thread(target=_client, args=(at, slot, answers))
                   for slot in range(SLOTS)]  # fmt: skip
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(answers) == SLOTS * EACH
        return answers, log
    finally:
        server.terminate()
        server.wait(30)


def _client(at: str, slot: int, answers: list[Answer]) -> None:
    prompts = (f"Count to {number + 10} and tell of slot {slot}." for number in range(EACH))
    answers.extend(_one(at, slot, prompt) for prompt in prompts)


def _one(at: str, slot: int, prompt: str) -> Answer:
    body = {"prompt": prompt, "n_predict": TOKENS, "temperature": 0.0, "seed": 1,
            "cache_prompt": False, "id_slot": slot, "ignore_eos": True}  # fmt: skip
    question = urllib.request.Request(
        f"{at}/completion", json.dumps(body).encode(), {"content-type": "application/json"}
    )
    begin = time.perf_counter()
    with urllib.request.urlopen(question, timeout=600) as answer:
        timings = json.load(answer)["timings"]
    return Answer(slot, (begin, time.perf_counter()), timings)


def aggregate(run: Run) -> float:
    return float(run_frame([replace(run, id="x")])["aggregate_tps"].iloc[0])


def by_client(answers: Sequence[Answer]) -> Run:
    """A run of the client's own times, as a parser would give it."""
    rows = tuple(
        TaskResult(
            f"request {place}",
            Source("client"),
            predicted_tokens=int(one.timings["predicted_n"]),
            busy_s=one.span,
        )
        for place, one in enumerate(answers)
    )
    return Run(Source("client"), "made", rows, concurrency=SLOTS)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    write_small_model(folder / "target.gguf", layers=6)
    write_small_model(folder / "draft.gguf", layers=5)
    return folder


@pytest.mark.parametrize("speculation", [(), DRAFTED], ids=["plain", "drafted"])
def test_the_log_alone_says_what_a_client_s_clock_does(
    models: Path, speculation: Sequence[str]
) -> None:
    answers, log = asked(models, speculation)
    first, last = min(one.span[0] for one in answers), max(one.span[1] for one in answers)
    tokens = sum(int(one.timings["predicted_n"]) for one in answers)
    clock = tokens / (last - first)
    # No gap lies between requests of four clients: the union of their times is all of it.
    assert aggregate(by_client(answers)) == pytest.approx(clock, rel=0.02)
    (run,) = parsers.read(log)
    assert run.concurrency == SLOTS
    # The warm-up, alone before the others.
    run = replace(run, tasks=run.tasks[1:])
    assert len(run.tasks) == SLOTS * EACH
    assert aggregate(run) == pytest.approx(clock, rel=0.03)
    print(  # noqa: T201 - how close it is, for who runs this with -s
        f"{len(speculation)} words: client {clock:.2f} tok/s, log {aggregate(run) / clock - 1:+.2%}"
    )
    # Exactly what each answer said of its drafts, request by request.
    assert sorted((task.draft_tokens, task.accepted_tokens) for task in run.tasks) == sorted(
        (one.timings.get("draft_n", 0), one.timings.get("draft_n_accepted", 0)) for one in answers
    )
    drafted = sum(task.draft_tokens or 0 for task in run.tasks)
    assert bool(drafted) == bool(speculation)
    if speculation:
        for task in run.tasks:
            assert int(task.rounds.drafted.sum()) == task.draft_tokens
            assert int(task.rounds.accepted.sum()) == task.accepted_tokens
