"""``mtpbench push`` through the real command line, against a stand-in for the Hub."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from huggingface_hub import constants

from tests.hub_server import NAME, TOKEN, Hub, running

pytestmark = pytest.mark.filterwarnings("ignore:Use 'content:DeprecationWarning")

Done = subprocess.CompletedProcess[str]
MARKED = b"# By hand\n<!-- mtpbench:begin overall -->\n<!-- mtpbench:end overall -->\n"


@pytest.fixture
def hub() -> Iterator[Hub]:
    with running() as hub:
        hub.files["README.md"] = MARKED
        yield hub


@pytest.fixture
def home(tmp_path: Path, write_campaign) -> Path:
    """The library's own place, which has the token, beside a campaign."""
    write_campaign(tmp_path / "made")
    folder = tmp_path / "hf"
    folder.mkdir()
    (folder / "token").write_text(TOKEN)
    return folder


@pytest.fixture
def push(
    home: Path, hub: Hub, mtpbench: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Done]:
    """``push(*words)``: the command, which finds that Hub and that token."""
    address = f"{hub.address}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
    monkeypatch.setattr(constants, "ENDPOINT", hub.address)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", address)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(home / "token"))
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
        monkeypatch.delenv(name, raising=False)

    def call(*words: str) -> Done:
        done = mtpbench("push", "made", "--repo", NAME, *words, cwd=home.parent)
        assert TOKEN not in done.stdout + done.stderr
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


@pytest.mark.parametrize("off", [False, True])
def test_what_the_environment_says_counts(
    off: bool, home: Path, hub: Hub, mtpbench_process: Callable[..., Done], monkeypatch
):
    for name in [name for name in os.environ if name.startswith("HF_")]:
        monkeypatch.delenv(name)
    ours = {"HF_ENDPOINT": hub.address, "HF_HOME": str(home), "HF_HUB_DISABLE_XET": "1"}
    for name, value in {**ours, **({"HF_HUB_OFFLINE": "1"} if off else {})}.items():
        monkeypatch.setenv(name, value)
    words = ("push", "made", "--repo", NAME, "--yes")
    done = mtpbench_process(*words, cwd=home.parent)
    assert TOKEN not in done.stdout + done.stderr
    if off:
        said = "error: the Hub is switched off; unset HF_HUB_OFFLINE\n"
        assert (done.returncode, done.stderr) == (1, said)
    else:
        assert (done.returncode, done.stderr) == (0, "")
        assert len(hub.commits) == 1


def test_token_is_never_an_argument(push):
    assert push("--token", "hf_x").returncode == 2
