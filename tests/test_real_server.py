"""Tests are skipped where the prebuilt llama-server can't run, and for no other reason."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests import real_server
from tests.real_server import FOREIGN, usable, why_not


def program(code: str) -> list[str]:
    return [sys.executable, "-c", f"import os, signal\nprint('loading', flush=True)\n{code}"]


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("os.kill(os.getpid(), signal.SIGILL)", FOREIGN),
        ("os.kill(os.getpid(), signal.SIGSEGV)", None),
        ("raise SystemExit(1)", None),
        ("print('listening on', flush=True)", None),
        ("print('listening on', flush=True); os.kill(os.getpid(), signal.SIGILL)", None),
    ],
    ids=["illegal instruction", "crash", "refusal", "runs", "runs and dies later"],
)
def test_only_an_illegal_instruction_is_a_reason(code: str, reason: str | None):
    assert why_not(program(code), "listening on") == reason


def test_the_first_that_runs_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    programs = [tmp_path / "installed", tmp_path / "built"]
    for program in programs:
        monkeypatch.setattr(real_server, program.name, lambda program=program: program)
    assert usable() is None
    for program in reversed(programs):
        program.write_text("#!/bin/sh\necho version: 1\n")
        program.chmod(0o755)
        assert usable() == program
    programs[0].write_text("#!/bin/sh\nkill -ILL $$\n")
    assert usable() == programs[1]
