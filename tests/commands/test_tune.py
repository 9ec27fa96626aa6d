"""``mtpbench tune`` as a command: what it prints and leaves, and how it ends."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tuning.conftest import place, server

__all__ = ["place", "server"]

Command = Callable[..., "subprocess.CompletedProcess[str]"]
WORDS = ("--for", "explanation", "--max-tokens", "24")


def test_from_two_files_to_a_command(
    place: Path, server: Callable[..., str], mtpbench: Command
) -> None:
    done = mtpbench(
        "tune", "model.gguf", "--draft", "draft.gguf", "--server", server(), "--explain", *WORDS
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(
        "The command:\n\n    llama-server -m model.gguf -md draft.gguf --spec-type draft-simple "
    )
    preset = (place / "raw" / "tune-model" / "preset.ini").read_text()
    assert "spec-type = draft-simple\n" in preset
    assert preset.splitlines()[0].startswith("[simple-n")
    assert (place / "raw" / "tune-model" / "decisions.json").is_file()
    assert "best so far: simple-n" in done.stderr
    assert "off, repeat 1: starting the server" in done.stderr


@pytest.mark.usefixtures("place")
def test_a_mistake_is_said_in_one_line(server: Callable[..., str], mtpbench: Command) -> None:
    done = mtpbench("tune", "nothing.gguf", "--server", server())
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: nothing.gguf: there is no such file; ")
    for words in (("--minutes", "0"), ("--minutes", "soon"), ("--max-tokens", "1")):
        assert mtpbench("tune", "model.gguf", *words).returncode == 2


@pytest.mark.skipif(sys.platform == "win32", reason="signals are another thing there")
@pytest.mark.usefixtures("place")
def test_ctrl_c_says_the_best_so_far(server: Callable[..., str]) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "analysis", "tune", "model.gguf", "--draft", "draft.gguf",
         "--server", server(pace=0.003), *WORDS],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    assert any("best so far" in line for line in process.stderr)
    process.send_signal(signal.SIGINT)
    out, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said.endswith("error: interrupted; every finished request is kept, --resume goes on\n")
    assert out.startswith("The command:\n")
    assert "Still open, as it was interrupted: " in out
