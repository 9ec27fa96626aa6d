"""``mtpbench push`` through the real command line, against a stand-in for the Hub."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.hub_server import NAME, TOKEN, Hub, running

Done = subprocess.CompletedProcess[str]
MARKED = b"# By hand\n<!-- mtpbench:begin overall -->\n<!-- mtpbench:end overall -->\n"


@pytest.fixture
def hub() -> Iterator[Hub]:
    with running() as hub:
        hub.files["README.md"] = MARKED
        yield hub


@pytest.fixture
def push(tmp_path: Path, hub: Hub, write_campaign) -> Callable[..., Done]:
    """``push(*words, **environment)``: the command, with a token in the library's own place."""
    write_campaign(tmp_path / "made")
    home = tmp_path / "hf"
    home.mkdir()
    (home / "token").write_text(TOKEN)

    def call(*words: str, **environment: str) -> Done:
        known = {key: value for key, value in os.environ.items() if not key.startswith("HF_")}
        ours = {"HF_ENDPOINT": hub.address, "HF_HOME": str(home), "HF_HUB_DISABLE_XET": "1"}
        done = subprocess.run(
            [sys.executable, "-m", "analysis", "push", "made", "--repo", NAME, *words],
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            cwd=tmp_path,
            env={**known, **ours, **environment},
        )
        assert TOKEN not in done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return done

    return call


def test_change_is_shown_made_and_then_there(push, hub):
    shown = push()
    assert shown.returncode == 0
    assert shown.stdout.startswith("--- a/README.md\n+++ b/README.md\n")
    assert "changed    README.md (" in shown.stderr
    assert "preset.ini" not in shown.stderr
    assert f"nothing was written; commit this to {NAME} with --yes" in shown.stderr
    assert hub.commits == []

    done = push("--yes", "--pr")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == f"{hub.address}/{NAME}/discussions/1"
    assert hub.commits[0]["pr"] is True

    hub.files.update(hub.commits[0]["files"])
    again = push("--yes")
    assert (again.returncode, again.stderr) == (0, "")
    assert again.stdout.splitlines()[-1] == f"{NAME} is up to date"


def test_refusals_are_one_line(push, hub):
    hub.fails["/paths-info/"] = (503, f"{TOKEN} is asleep")
    done = push("--yes")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == "error: the Hub answered 503: … is asleep; try again later\n"


def test_switched_off_hub_is_said(push):
    done = push("--yes", HF_HUB_OFFLINE="1")
    assert done.returncode == 1
    assert done.stderr == "error: the Hub is switched off; unset HF_HUB_OFFLINE\n"


def test_token_is_never_an_argument(push):
    assert push("--token", "hf_x").returncode == 2
