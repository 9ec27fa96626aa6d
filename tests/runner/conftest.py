"""A campaign, a tiny model file and a server to measure with, all made up."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from analysis.runner import running
from tests.gguf_files import write_gguf

FAKE = Path(__file__).with_name("fake_server.py")

PROGRAM = f"""\
#!/bin/sh
case "$1" in
    --version) echo "version: 1 (fake)"; echo "built with nothing" ;;
    --help) echo "--cache-ram N" ;;
    *) exec "{sys.executable}" -I -S "{FAKE}" "$@" ;;
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
    path.write_text(PROGRAM)
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
def knobs(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """``knobs(steps=…, …)``: what the fake server does wrong, see ``fake_server.py``."""

    def turn(**values: object) -> None:
        monkeypatch.setenv("FAKE_SERVER", json.dumps(values))

    return turn


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "POLL_S", 0.01)


def records(folder: Path, run: str) -> list[dict]:
    """The records of a run."""
    lines = (folder / "live" / f"{run}.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]
