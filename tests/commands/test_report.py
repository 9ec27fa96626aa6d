"""The words of `mtpbench report`; what it renders is in tests/reports."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path

import pytest

from analysis.cli import main

Command = Callable[..., subprocess.CompletedProcess[str]]
MISSING = ["no-such-1", "no-such-2"]


@pytest.mark.parametrize(
    "words",
    [
        ["--jobs", "0"],
        ["--jobs", "-2"],
        ["--timeout", "0"],
        ["--timeout", "nan"],
        ["--timeout", "inf"],
        ["--scheduler"],
    ],
)
def test_wrong_usage(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["report", "x", *words])
    assert ended.value.code == 2
    assert f"argument {words[0]}" in capsys.readouterr().err


def test_without_a_terminal_there_are_lines_only(tmp_path: Path, mtpbench: Command) -> None:
    done = mtpbench("report", *MISSING, cwd=tmp_path)
    assert done.returncode == 1
    remedy = "there is no such campaign; give a folder like raw/qwen3.6-35b-a3b-dspark"
    assert done.stderr == "".join(
        [*(f"error: {name}: {remedy}\n" for name in MISSING), "2 of 2 campaigns failed\n"]
    )


def test_a_terminal_shows_how_far_it_is(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 90, 0, 0))
    words = [sys.executable, "-m", "analysis", "report", *MISSING]
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=theirs) as process:
        os.close(theirs)
        said = b""
        # A terminal whose other side has closed is an error, not an end.
        while chunk := _read(ours):
            said += chunk
    os.close(ours)
    assert process.returncode == 1
    assert b"0/2 [" in said
    assert b"2/2 [" in said
    assert said.endswith(b"2 of 2 campaigns failed\r\n")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""


def test_an_unknown_scheduler_is_our_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], write_campaign: Callable[..., Path]
) -> None:
    folder = write_campaign(tmp_path / "made")
    words = ["report", str(folder), "--out", str(tmp_path / "out"), "--scheduler", "nothing"]
    assert main(words) == 1
    said = capsys.readouterr().err
    assert said.startswith("error: no Dask scheduler answers at 'nothing'; start one with ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--jobs", "x"), "argument --jobs: 'x' is no number from 1 on"),
        (("--jobs", "0"), "argument --jobs: '0' is no number from 1 on"),
        (("--timeout", "soon"), "argument --timeout: 'soon' is no length of time"),
        (("--timeout", "inf"), "argument --timeout: 'inf' is no length of time"),
    ],
)
def test_a_number_that_is_none(mtpbench: Command, words: tuple[str, str], said: str) -> None:
    done = mtpbench("report", "made", *words)
    assert done.returncode == 2
    assert done.stderr.endswith(f"{said}\n")
