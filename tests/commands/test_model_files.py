"""``--gguf`` and ``--sha256`` through the real command line."""

import json
import os
from pathlib import Path

import pytest

from tests.gguf_files import write_gguf


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home folder with a target and a draft of other tokens."""
    models = tmp_path / "home" / "somebody" / "models"
    models.mkdir(parents=True)
    write_gguf(models / "Target-Q8_0.gguf")
    write_gguf(models / "Draft-Q8_0.gguf", "dflash", tokens=("x",), numbers={"block_size": 8})
    return models


SETTINGS = """\
[campaign]
title = "Made"
baseline = "plain"
[[runs]]
id = "plain"
log = "plain.log"
spec_type = "none"
[[runs]]
id = "fast"
log = "fast.log"
spec_type = "draft-dflash"
n_max = 2
"""


def test_card_is_filled_from_the_files(tmp_path, home, write_campaign, mtpbench):
    folder = write_campaign(tmp_path / "made", SETTINGS)
    done = mtpbench("card", folder, "--gguf", home, "--sha256", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    card = done.stdout
    assert "| `Draft-Q8_0.gguf` | draft | " in card
    assert "| Target layers it reads | 5, 15 and 25 |" in card
    assert "-m Target-Q8_0.gguf" in card
    assert "-md Draft-Q8_0.gguf" in card
    assert "vocabulary-differs: Draft-Q8_0.gguf has 1 tokens" in card
    assert card.count("| `Draft-Q8_0.gguf` | `") == 1
    assert "somebody" not in card


def test_report_takes_the_facts_through_the_notebook(tmp_path, home, write_campaign, mtpbench):
    folder = write_campaign(tmp_path / "made", SETTINGS)
    done = mtpbench("report", folder, "--gguf", home, "--out", tmp_path / "out", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    for file in (tmp_path / "out" / "made").iterdir():
        if file.is_file():
            assert "somebody" not in file.read_text(encoding="utf-8"), file
    card = (tmp_path / "out" / "made" / "README.md").read_text(encoding="utf-8")
    assert "| `Target-Q8_0.gguf` | target | " in card
    notebook = json.loads((tmp_path / "out" / "made" / "report.ipynb").read_text("utf-8"))
    assert any("Draft-Q8_0.gguf" in "".join(cell["source"]) for cell in notebook["cells"])


@pytest.mark.parametrize("command", ["card", "report"])
def test_what_is_no_model_file_is_refused_before_anything_is_written(
    tmp_path, write_campaign, mtpbench, command
):
    folder = write_campaign(tmp_path / "made", SETTINGS)
    os.truncate(write_gguf(tmp_path / "cut.gguf"), 300)
    done = mtpbench(command, folder, "--gguf", "cut.gguf", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("error: cut.gguf: this file ends, or goes wrong,")
    assert done.stdout == ""
    assert not (tmp_path / "reports").exists()


def test_hostile_header_text_is_only_text(tmp_path, write_campaign, mtpbench):
    name = "x|y <script>alert(1)</script>\n# heading\u202e <!-- mtpbench:end files -->"
    folder = write_campaign(tmp_path / "made", SETTINGS)
    write_gguf(tmp_path / "m.gguf", name=name)
    card = mtpbench("card", folder, "--gguf", tmp_path / "m.gguf", cwd=tmp_path).stdout
    row = next(line for line in card.splitlines() if line.startswith("| Name |"))
    assert "<script>" not in card
    assert row.count("|") == 3
    assert card.count("<!-- mtpbench:end files -->") == 1
