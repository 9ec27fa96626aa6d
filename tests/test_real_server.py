"""Tests are skipped where the prebuilt llama-server can't run, and for no other reason."""

from __future__ import annotations

import sys

import pytest

from tests.real_server import FOREIGN, why_not


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
