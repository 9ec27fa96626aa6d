"""The shell completes what the command line has."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from analysis.cli import COMMANDS

Command = Callable[..., subprocess.CompletedProcess[str]]
BASH = shutil.which("bash")


@pytest.mark.skipif(BASH is None, reason="there is no bash")
@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        (["re"], {"report", "recommend", "replay"}),
        (["card", "--in"], {"--into"}),
        (["check", "--str"], {"--strict"}),
        (["card", "raw"], set()),
        (["nonsense", "--"], set()),
    ],
)
def test_bash_completes(
    typed: list[str], completed: set[str], mtpbench: Command, tmp_path: Path
) -> None:
    script = mtpbench("completion", "bash").stdout
    asked = (
        f"COMP_WORDS=(mtpbench {' '.join(typed)}); COMP_CWORD={len(typed)}; _mtpbench; "
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        [str(BASH), "--norc", "-c", script + asked], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert set(done.stdout.split()) == completed


def test_fish_and_zsh_know_every_command(mtpbench: Command) -> None:
    fish, zsh = (mtpbench("completion", shell).stdout for shell in ("fish", "zsh"))
    assert "bashcompinit" in zsh
    for name in COMMANDS:
        assert f" -a {name} " in fish
        assert f"            {name}) words=" in zsh
    assert "__fish_seen_subcommand_from card' -l into" in fish


def test_another_shell_is_wrong_usage(mtpbench: Command) -> None:
    done = mtpbench("completion", "csh")
    assert done.returncode == 2
