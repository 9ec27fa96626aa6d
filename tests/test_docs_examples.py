"""The commands that README.md and docs/first-card.md show are run, as they are shown."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from analysis.campaigns.campaign import PROJECT_ROOT
from tests.parsers.llama_server.test_candidates import request

# A dozen programs one after the other, two of which render.
pytestmark = pytest.mark.timeout(600)

Called = subprocess.CompletedProcess[str]
PAGES = ("README.md", "docs/first-card.md")

# What is shown and not run here, and where it is run instead.
ELSEWHERE = {
    "make report": "`make drift` renders every committed campaign",
    "make test": "runs this",
    "make live-demo": "tests/runner measures on real servers",
    "source .venv/bin/activate": "changes the shell that reads it",
    "mtpbench push raw/my-campaign --repo you/Your-Model": "tests/commands/test_push.py has a Hub",
    "mtpbench run raw/my-campaign": "tests/runner measures on real servers",
    "pip install '.[live]'": "`make live-demo` installs it",
    "mtpbench tune model.gguf": "tests/commands/test_tune.py has a server",
    "mtpbench tune model.gguf --draft draft.gguf --server path/to/llama-server --for code,chat": (
        "tests/commands/test_tune.py has a server"
    ),
}


def commands(page: str) -> list[str]:
    """The lines of a page's ```sh blocks without their comments, in order."""
    text = (PROJECT_ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    lines = [line.partition(" #")[0].strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line]


def _run(line: str, folder: Path, mtpbench: Callable[..., Called]) -> None:
    program, *words = shlex.split(line)
    if program == "mtpbench" and not re.search(r"[<>|&;$`]", line):
        # What a shell would make of it, without a new process for each line.
        files = [sorted(folder.glob(word)) if "*" in word else [word] for word in words]
        done = mtpbench(*(word for some in files for word in some), cwd=folder)
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
        return
    programs = Path(sys.executable).parent
    assert (programs / line.split()[0]).exists(), f"nobody knows how to run {line!r}"
    done = subprocess.run(
        ["sh", "-c", line],
        cwd=folder,
        env={**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr


def _here(page: str) -> list[str]:
    return [line for line in commands(page) if line not in ELSEWHERE]


def test_what_is_not_run_here_is_shown_and_is_no_more_than_that():
    shown = {line for page in PAGES for line in commands(page)}
    assert set(ELSEWHERE) <= shown
    assert {line.split()[0] for page in PAGES for line in _here(page)} == {"mtpbench", "papermill"}


def test_the_readme_s_commands_run(
    tmp_path: Path,
    write_campaign: Callable[..., Path],
    log: Callable[..., str],
    mtpbench: Callable[..., Called],
):
    rows = [("code_python", 100, 0, 0, 100.0), ("qa_factual", 50, 0, 0, 50.0)]
    (tmp_path / "my.log").write_text(log(rows, 2.5), encoding="utf-8")
    rows = [("code_python", 100, 78, 60, 200.0), ("qa_factual", 50, 58, 20, 40.0)]
    (tmp_path / "my-draft-mtp-n2.log").write_text(log(rows, 2.0), encoding="utf-8")
    drafts = [([0.9, 0.8, 0.3], 3, 2), ([0.4, 0.2, 0.6], 3, 0)] * 4
    (tmp_path / "server.log").write_text("\n".join(request(drafts)) + "\n", encoding="utf-8")
    for name in ("a", "b"):
        write_campaign(tmp_path / "raw" / name)
    (tmp_path / "notebooks").symlink_to(PROJECT_ROOT / "notebooks")
    campaign = tmp_path / "raw" / "my-campaign"
    for line in _here("README.md"):
        if line.startswith("mtpbench run"):  # the page: a campaign with [live]
            shutil.rmtree(campaign)
            campaign.mkdir()
            demo = PROJECT_ROOT / "raw" / "live-demo" / "campaign.toml"
            shutil.copy(demo, campaign)
        elif line.startswith("mtpbench check README.md"):  # the card that was just rendered
            shutil.copy(tmp_path / "reports" / "my-campaign" / "README.md", tmp_path)
        before = {path.name for path in tmp_path.iterdir()}
        _run(line, tmp_path, mtpbench)
        if line.startswith("papermill"):  # by somebody's own papermill, from any folder
            assert {path.name for path in tmp_path.iterdir()} - before == {"out.ipynb"}
    card = (tmp_path / "reports" / "my-campaign" / "README.md").read_text(encoding="utf-8")
    assert "# my-campaign" in card
    assert (tmp_path / "store").is_dir()
    assert "133.9" in (tmp_path / "out.ipynb").read_text(encoding="utf-8")


def test_the_first_card_s_commands_run(tmp_path: Path, mtpbench: Callable[..., Called]):
    shutil.copytree(PROJECT_ROOT / "raw", tmp_path / "raw")
    for line in _here("docs/first-card.md"):
        _run(line, tmp_path, mtpbench)
    assert "1.18×" in (tmp_path / "card.md").read_text(encoding="utf-8")
    assert (tmp_path / "reports" / "first" / "report.html").exists()


@pytest.mark.parametrize("page", PAGES)
def test_every_block_of_commands_is_looked_at(page):
    text = (PROJECT_ROOT / page).read_text(encoding="utf-8")
    assert not re.search(r"^```(bash|shell|console)$", text, flags=re.MULTILINE)
    assert len(commands(page)) >= 5
