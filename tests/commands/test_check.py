from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Command = Callable[..., subprocess.CompletedProcess[str]]

CARD = """\
# Mine

| Run | tok/s |
|---|---|
| fast | 75.0 |

`fast` is 25 % faster than the baseline. We measured for 3 days.
"""


@pytest.fixture
def made(write_campaign: Callable[..., Path], tmp_path: Path) -> Path:
    return write_campaign(tmp_path / "made")


def test_a_rendered_card_is_0(made: Path, tmp_path: Path, mtpbench: Command) -> None:
    card = mtpbench("card", made).stdout
    (tmp_path / "README.md").write_text(card, encoding="utf-8")
    results = mtpbench("card", made, "--results").stdout
    (tmp_path / "RESULTS.md").write_text(results, encoding="utf-8")
    behind = mtpbench("check", "RESULTS.md", made, cwd=tmp_path)
    assert (behind.returncode, behind.stderr) == (0, "")
    done = mtpbench("check", "README.md", made, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    trap, counts = done.stdout.splitlines()
    assert trap.startswith("trap: a command loads TARGET.gguf, which is a placeholder; add target_")
    assert "0 differ, 0 not tied" in counts


def test_a_difference_is_1_and_says_stated_recomputed_and_source(
    made: Path, tmp_path: Path, mtpbench: Command
) -> None:
    text = CARD.replace("75.0", "61.0")
    (tmp_path / "README.md").write_text(text, encoding="utf-8")
    done = mtpbench("check", "README.md", made, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    first, second, last = done.stdout.splitlines()
    assert first == (
        'README.md:5: differs: table "fast | 61.0": decode throughput of fast = 85.71 '
        "[fast.log:1-11]"
    ) or first.startswith('README.md:5: differs: table "fast | 61.0": effective throughput of fast')
    assert second == (
        'README.md:7: not tied: sentence "We measured for 3 days.": "days" is not understood'
    )
    assert last.endswith("1 differ, 1 not tied to the data")


def test_strict_wants_everything_tied(made: Path, tmp_path: Path, mtpbench: Command) -> None:
    (tmp_path / "README.md").write_text(CARD, encoding="utf-8")
    assert mtpbench("check", "README.md", made, cwd=tmp_path).returncode == 0
    assert mtpbench("check", "README.md", made, "--strict", cwd=tmp_path).returncode == 1
    tied = CARD.replace(" We measured for 3 days.", "")
    (tmp_path / "README.md").write_text(tied, encoding="utf-8")
    assert mtpbench("check", "README.md", made, "--strict", cwd=tmp_path).returncode == 0


def test_all_lists_the_verified_with_their_source(
    made: Path, tmp_path: Path, mtpbench: Command
) -> None:
    (tmp_path / "README.md").write_text(CARD, encoding="utf-8")
    done = mtpbench("check", "README.md", made, "--all", cwd=tmp_path)
    said = 'README.md:7: verified: sentence "fast is 25 % faster than the baseline.": effective'
    assert said in done.stdout


def test_json_has_every_claim(made: Path, tmp_path: Path, mtpbench: Command) -> None:
    (tmp_path / "README.md").write_text(CARD, encoding="utf-8")
    done = mtpbench("check", "README.md", made, "--json", cwd=tmp_path)
    data = json.loads(done.stdout)
    assert data["verified"] + data["differs"] + data["untied"] == len(data["claims"]) == 3
    keys = {"line", "text", "status", "kind", "says", "figures", "recomputed", "source"}
    assert keys == set(data["claims"][0])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["absent.md", "made"], "error: absent.md: this README can't be read: No such file"),
        (["README.md", "absent"], "error: absent: there is no such campaign"),
        (["empty.md", "made"], "error: empty.md: this file claims nothing about the campaign"),
        (["binary", "made"], "error: binary: this is a binary file, and no README; name a text"),
    ],
)
def test_mistakes(
    words: list[str], message: str, made: Path, tmp_path: Path, mtpbench: Command
) -> None:
    (tmp_path / "README.md").write_text(CARD, encoding="utf-8")
    (tmp_path / "empty.md").write_text("Nothing here.\n", encoding="utf-8")
    (tmp_path / "binary").write_bytes(b"7 tok/s\0\x01")
    done = mtpbench("check", *words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(message)


def test_what_a_readme_says_cannot_command_the_terminal(
    made: Path, tmp_path: Path, mtpbench: Command
) -> None:
    (tmp_path / "README.md").write_text("It is \x1b[31m5\u202e times that.\n", encoding="utf-8")
    done = mtpbench("check", "README.md", made, cwd=tmp_path)
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout
