"""``mtpbench run`` as a command: exit codes, interrupts, and nothing left running."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from tests.runner.conftest import LIVE, fake_server, knobs, live_campaign, records
from tests.runner.test_session import ONE, answered

Command = Callable[..., "subprocess.CompletedProcess[str]"]
Write = Callable[..., Path]

__all__ = ["fake_server", "knobs", "live_campaign"]

KEPT = "error: interrupted; every finished request is kept, --resume goes on\n"


class Started:
    """The command, running."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "analysis", "run", str(folder), "--trust"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        self.family: list[psutil.Process] = []

    def wait_for(self, words: str) -> None:
        """Read what it says up to a line with these words."""
        assert self.process.stderr is not None
        assert any(words in line for line in self.process.stderr)
        self.family = psutil.Process(self.process.pid).children(recursive=True)

    def end(self, number: int) -> tuple[int, str]:
        self.process.send_signal(number)
        _, said = self.process.communicate(timeout=60)
        return self.process.returncode, said

    def left(self) -> list[psutil.Process]:
        _, alive = psutil.wait_procs(self.family, timeout=20)
        return alive


@pytest.fixture
def started() -> Iterator[Callable[[Path], Started]]:
    made: list[Started] = []

    def start(folder: Path) -> Started:
        made.append(Started(folder))
        return made[-1]

    yield start
    for one in made:
        one.process.kill()
        one.process.communicate()


def test_a_sweep_and_its_report(live_campaign: Write, mtpbench: Command, tmp_path: Path) -> None:
    folder = live_campaign(ONE)
    done = mtpbench("run", folder, "--trust")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"3 requests measured: {folder / 'live'}\n"
    lines = done.stderr.splitlines()
    assert lines[0].startswith("3 requests on 1 server: about 10 s if they run at 50 tokens/s")
    assert lines[1] == "plain, repeat 1: starting the server"
    assert lines[2].startswith("[1/3] plain, repeat 1, code_python: 100000.0 tok/s; ")
    assert lines[4].endswith("; 0 s left")
    listed = json.loads(mtpbench("ingest", folder / "live", "--json").stdout)
    assert [run["n_requests"] for run in listed["runs"]] == [3]
    again = mtpbench("run", folder, "--trust")
    assert again.returncode == 1
    assert again.stderr == (
        f"error: {folder / 'live' / 'plain.jsonl'}: there are records of a sweep already; "
        "go on with it with --resume, or move live/ away\n"
    )
    again = mtpbench("run", folder, "--trust", "--resume").stdout
    assert again.startswith("0 requests measured, nothing was missing")


def test_a_dry_run_starts_and_writes_nothing(live_campaign: Write, mtpbench: Command) -> None:
    folder = live_campaign()
    before = sorted(folder.rglob("*"))
    done = mtpbench("run", folder, "--dry-run")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "server: llama-server, not started yet (executable)"
    assert lines[1] == "tasks: code_python, summarize, qa_factual"
    assert lines[2].startswith("needs your consent (--trust): run ")
    assert lines[4].startswith("order: every configuration has the same mean place")
    order = [line.split()[1] for line in lines[5:9]]
    assert order == order[::-1]
    assert sorted(set(order)) == ["drafted", "plain"]
    flags = "-m model.gguf --spec-type none -np 1 --metrics -lv 4 --cache-ram 0"
    assert f"plain: llama-server {flags}" in lines
    assert lines[-1] == (
        "12 requests on 4 servers: about 42 s if they run at 50 tokens/s and a start takes 10 s; "
        "nothing has been measured yet"
    )
    assert sorted(folder.rglob("*")) == before


def test_a_failed_request_is_1(
    live_campaign: Write, knobs: Callable[..., None], mtpbench: Command
) -> None:
    folder = live_campaign(ONE)
    knobs(steps={"3": "500"})
    done = mtpbench("run", folder, "--trust")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "error: plain, repeat 1, summarize: http: HTTP 500: it broke; try it again with --resume"
    )
    assert done.stdout.startswith("2 requests measured")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_in_a_request(
    live_campaign: Write,
    knobs: Callable[..., None],
    started: Callable[[Path], Started],
    number: int,
) -> None:
    folder = live_campaign(ONE)
    knobs(steps={"3": "hang"})
    running = started(folder)
    running.wait_for("[1/3]")
    code, said = running.end(number)
    assert (code, said) == (
        130,
        "error: interrupted; every finished request is kept, --resume goes on\n",
    )
    assert running.left() == []
    assert answered(folder, "plain") == [(1, "code_python")]
    assert records(folder, "plain")[-1]["reason"] == "interrupted"


def test_an_interrupt_while_a_server_loads(
    live_campaign: Write, knobs: Callable[..., None], started: Callable[[Path], Started]
) -> None:
    folder = live_campaign(ONE)
    knobs(never_ready=True)
    running = started(folder)
    running.wait_for("starting the server")
    code, said = running.end(signal.SIGINT)
    assert (code, said) == (
        130,
        "error: interrupted; every finished request is kept, --resume goes on\n",
    )
    assert running.left() == []
    assert not (folder / "live" / "plain.jsonl").exists()


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
def test_a_polite_end_before_anything_was_started(
    live_campaign: Write, started: Callable[[Path], Started]
) -> None:
    folder = live_campaign(ONE)
    running = started(folder)
    status = Path(f"/proc/{running.process.pid}/status")
    handled = 1 << (signal.SIGTERM - 1)
    while True:
        words = dict(line.split(":", 1) for line in status.read_text().splitlines())
        if int(words["SigCgt"], 16) & handled:
            break
    assert running.end(signal.SIGTERM) == (130, KEPT)


def test_killed_outright_it_leaves_no_server_and_can_go_on(
    live_campaign: Write,
    knobs: Callable[..., None],
    started: Callable[[Path], Started],
    mtpbench: Command,
) -> None:
    folder = live_campaign(ONE)
    knobs(steps={"4": "hang"})
    running = started(folder)
    running.wait_for("[2/3]")
    assert len(running.family) >= 2
    code, _ = running.end(signal.SIGKILL)
    assert code == -signal.SIGKILL
    assert running.left() == []
    done = answered(folder, "plain")
    assert done == [(1, "code_python"), (1, "summarize")]
    knobs()
    again = mtpbench("run", folder, "--trust", "--resume")
    assert again.returncode == 0, again.stderr
    assert answered(folder, "plain") == [*done, (1, "qa_factual")]


def test_a_guard_that_is_killed_takes_its_server_with_it(
    live_campaign: Write, knobs: Callable[..., None], started: Callable[[Path], Started]
) -> None:
    folder = live_campaign(ONE)
    knobs(steps={"3": "hang"})
    running = started(folder)
    running.wait_for("[1/3]")
    guard = psutil.Process(running.process.pid).children()[0]
    guard.kill()
    _, said = running.process.communicate(timeout=60)
    assert running.process.returncode == 1
    assert "summarize: server-died" in said
    assert running.left() == []


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path: None, "there is no llama-server at"),
        (lambda path: path.write_text("#!/bin/sh\necho hello\n"), "this is not a program"),
        (
            lambda path: (path.write_text("#!/bin/sh\necho hello\n"), path.chmod(0o755)),
            "this is not llama-server: its --version is 'hello'",
        ),
        (
            lambda path: (path.write_bytes(b"\x7fELF" + bytes(60)), path.chmod(0o755)),
            "this can't be run: ",
        ),
    ],
)
def test_what_is_no_server(
    live_campaign: Write,
    mtpbench: Command,
    tmp_path: Path,
    make: Callable[[Path], object],
    said: str,
) -> None:
    folder = live_campaign(LIVE)
    make(tmp_path / "program")
    done = mtpbench("run", folder, "--trust", "--server", tmp_path / "program")
    assert done.returncode == 1
    assert said in done.stderr
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert not (folder / "live").exists()


def test_no_server_at_an_address(live_campaign: Write, mtpbench: Command) -> None:
    done = mtpbench(
        "run", live_campaign(ONE), "--trust", "--server", "http://user:secret@127.0.0.1:9"
    )
    assert done.returncode == 1
    assert "no server answers at http://127.0.0.1:9: " in done.stderr
    assert "secret" not in done.stderr


@pytest.mark.parametrize(
    ("settings", "line", "said"),
    [
        (LIVE.replace("model.gguf", "gone.gguf"), 6, "gone.gguf: there is no such file"),
        (LIVE.replace("model.gguf", "campaign.toml"), 6, "campaign.toml: this is not a GGUF file"),
        (LIVE.replace("model.gguf", "package:none_such"), 6, "no package 'none_such' is installed"),
        (LIVE.replace("draft.gguf", "gone.gguf"), 18, "gone.gguf: there is no such file"),
        (LIVE.replace("draft.gguf", "demo:nope"), 18, "the demo draft is 'demo:nope'"),
        (LIVE.replace("./llama-server", "./gone"), 5, "there is no llama-server at"),
    ],
    ids=["no model", "no GGUF", "no package", "no draft", "no demo", "no server"],
)
def test_a_model_that_is_none_is_told_with_its_line(
    live_campaign: Write, mtpbench: Command, settings: str, line: int, said: str
) -> None:
    folder = live_campaign(settings)
    done = mtpbench("run", folder, "--trust")
    assert done.returncode == 1
    assert f"campaign.toml:{line}: " in done.stderr
    assert said in done.stderr
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert not (folder / "live").exists()
