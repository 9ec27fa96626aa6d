"""What all clients get together, against a clock that stands between them and the server."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from analysis.campaigns.campaign import load
from analysis.runner import steps
from analysis.runner.at_once import AtOnce
from analysis.runner.running import start
from analysis.statistics.frames import run_frame
from tests.runner.conftest import FAKE, run
from tests.runner.small_model import write_small_model
from tests.runner.tap import Tap, tapped

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = """\
[campaign]
title = "Made"
[live]
server = "http://127.0.0.1:{port}"
max_tokens = {tokens}
repeats = 1
parallel = {clients}
tasks = {tasks}
[[runs]]
id = "there"
{method}
"""
TASKS = ["code_python", "summarize", "qa_factual", "repeat_pattern", "translation", "json_output"]
PLAIN = 'spec_type = "none"'
METHOD = 'spec_type = "draft-simple"\nn_max = 3\ndraft = "draft.gguf"'
DRAFTED = ("-md", "draft.gguf", "--spec-type", "draft-simple", "--spec-draft-n-max", "3")


@contextmanager
def served(folder: Path, command: Sequence[str], **environment: str) -> Iterator[Tap]:
    """A server, and a tap before it."""
    whole = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **environment}
    server = start(lambda words: [*command, *words], folder / "log", whole, 120)
    try:
        with tapped(server.at.port, folder / "notes") as tap:
            yield tap
    finally:
        server.stop()


def compared(
    folder: Path, tap: Tap, monkeypatch: pytest.MonkeyPatch, **settings: object
) -> tuple[float, float]:
    """Tokens per second of all clients: as a run's records say it, and by the tap's clock."""
    works: list[AtOnce] = []

    def kept(*words: Any) -> AtOnce:
        works.append(AtOnce(*words))
        return works[-1]

    monkeypatch.setattr(steps, "AtOnce", kept)
    campaign = folder / "campaign"
    campaign.mkdir()
    (campaign / "campaign.toml").write_text(SETTINGS.format(port=tap.port, **settings))
    assert run(campaign).complete
    (work,) = works
    assert work.steady is not None
    begin, end = work.steady.begin, work.steady.begin + work.steady.seconds
    (row,) = run_frame(load(campaign).runs).to_dict("records")
    return row["aggregate_tps"], tap.tokens(begin, end) / (end - begin)


@pytest.mark.parametrize("tasks", [1, 2, 6], ids="{}-tasks".format)
def test_as_many_tokens_as_a_clock_between_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tasks: int
) -> None:
    # Fewer tasks than clients: most tokens come from requests that are thrown away.
    command = [sys.executable, "-I", "-S", str(FAKE), "-np", "4"]
    with served(tmp_path, command, FAKE_SERVER=json.dumps({"pace": 0.004})) as tap:
        told, counted = compared(
            tmp_path, tap, monkeypatch, clients=4, tasks=TASKS[:tasks], tokens=40, method=PLAIN
        )
    assert told == pytest.approx(counted, rel=0.02)


@pytest.mark.live
@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("speculation", [(), DRAFTED], ids=["plain", "drafted"])
@pytest.mark.parametrize("tasks", [2, 6], ids="{}-tasks".format)
def test_a_real_server_s_tokens_by_a_clock_between(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tasks: int, speculation: Sequence[str]
) -> None:
    write_small_model(tmp_path / "target.gguf", layers=6)
    write_small_model(tmp_path / "draft.gguf", layers=5)
    files = [word.replace("draft.gguf", str(tmp_path / "draft.gguf")) for word in speculation]
    command = [
        sys.executable, "-P", "-m", "analysis.runner.embedded_server", "-m",
        str(tmp_path / "target.gguf"), *files, "-t", "1", "-tb", "1", "-c", "4096", "-np", "4",
    ]  # fmt: skip
    method = METHOD if speculation else PLAIN
    with served(tmp_path, command) as tap:
        told, counted = compared(
            tmp_path, tap, monkeypatch, clients=4, tasks=TASKS[:tasks], tokens=64,
            method=method,
        )  # fmt: skip
    what = "drafted" if speculation else "plain"
    print(f"{tasks} tasks, {what}: {told:.2f} tok/s, {told / counted - 1:+.2%}")  # noqa: T201 - with -s
    assert told == pytest.approx(counted, rel=0.02)
