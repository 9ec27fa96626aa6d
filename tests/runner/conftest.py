"""A campaign, a tiny model file and a server to measure with, all made up."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from analysis.runner import running, session
from tests.gguf_files import write_gguf

FAKE = Path(__file__).with_name("fake_server.py")

PROGRAM = f"""\
#!/bin/sh
case "$1" in
    --version) echo "version: 1 (fake)"; echo "built with nothing" ;;
    --help) echo "--cache-ram N" ;;
    *) FAKE_SERVER="$(cat "{{knobs}}" 2>/dev/null)" exec "{sys.executable}" -I -S "{FAKE}" "$@" ;;
esac
"""

LIVE = """\
[campaign]
title = "Made"
baseline = "plain"
[live]
server = "./llama-server"
model = "model.gguf"
max_tokens = 8
repeats = 2
timeout_s = 5
start_timeout_s = 20
tasks = ["code_python", "summarize", "qa_factual"]
[[runs]]
id = "plain"
[[runs]]
id = "drafted"
spec_type = "draft-simple"
n_max = 3
draft = "draft.gguf"
"""


@pytest.fixture
def fake_server(tmp_path: Path) -> Path:
    """A program that is llama-server as far as the runner can tell."""
    path = tmp_path / "bin" / "llama-server"
    path.parent.mkdir()
    path.write_text(PROGRAM.replace("{knobs}", str(tmp_path / "bin" / "knobs.json")))
    path.chmod(0o755)
    return path


@pytest.fixture
def live_campaign(tmp_path: Path, fake_server: Path) -> Callable[..., Path]:
    """``live_campaign(settings=LIVE)``: a folder with campaign.toml, models and the fake server."""

    def write(settings: str = LIVE) -> Path:
        folder = tmp_path / "made"
        folder.mkdir()
        (folder / "campaign.toml").write_text(settings)
        (folder / "llama-server").symlink_to(fake_server)
        for name in ("model", "draft"):
            write_gguf(folder / f"{name}.gguf", name=name)
        return folder

    return write


@pytest.fixture
def knobs(fake_server: Path) -> Callable[..., None]:
    """``knobs(steps=…, …)``: what the fake server does wrong, see ``fake_server.py``.

    By a file: nothing that is not on a list reaches a server's environment.
    """

    def turn(**values: object) -> None:
        (fake_server.parent / "knobs.json").write_text(json.dumps(values))

    return turn


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "POLL_S", 0.01)


def records(folder: Path, run: str) -> list[dict]:
    """The records of a run."""
    lines = (folder / "live" / f"{run}.jsonl").read_text().split("\n")[:-1]
    return [json.loads(line) for line in lines]


def run(campaign: Path, **words: object) -> session.Outcome:
    """A sweep of a campaign that names its own server, as somebody runs it who wrote it."""
    return session.run(campaign, trust=True, **words)


TASKS = ["code_python", "summarize", "qa_factual"]
ONE = LIVE.replace("repeats = 2", "repeats = 1").split('[[runs]]\nid = "drafted"')[0]
DRAFTED = LIVE.replace("repeats = 2", "repeats = 1").replace('[[runs]]\nid = "plain"\n', "")
DRAFTED = DRAFTED.replace('baseline = "plain"\n', "")


def kinds(folder: Path, id: str) -> list[str]:
    return [record["record"] for record in records(folder, id)]


def answered(folder: Path, id: str) -> list[tuple[int, str]]:
    return [
        (record["repeat"], record["task"])
        for record in records(folder, id)
        if record["record"] == "request"
    ]


ALREADY: set[psutil.Process] = set()
"""Children of this process that another test's fixture keeps, such as a JupyterLab."""


@pytest.fixture(autouse=True)
def _already_there() -> None:
    ALREADY.clear()
    ALREADY.update(psutil.Process().children(recursive=True))


def servers_left() -> list[psutil.Process]:
    return [
        process
        for process in psutil.Process().children(recursive=True)
        if process not in ALREADY and process.status() != psutil.STATUS_ZOMBIE
    ]
