"""A server whose speed is known, and models to tune it with."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from analysis.runner import running
from tests.gguf_files import write_gguf
from tests.runner.conftest import PROGRAM

TYPES = "--spec-type none,draft-simple,ngram-simple"
MS = {"none": (0.02, 0.0), "draft-simple": (0.022, 0.0024), "ngram-simple": (0.03, 0.02)}
"""Of a forward and of each drafted token, by method."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with model.gguf, draft.gguf, and the program ``llama-server``."""
    monkeypatch.setattr(running, "POLL_S", 0.01)
    folder = tmp_path / "work"
    (folder / "bin").mkdir(parents=True)
    for name in ("model", "draft"):
        write_gguf(folder / f"{name}.gguf", name=name)
    text = PROGRAM.replace("{knobs}", str(folder / "bin" / "knobs.json"))
    program = folder / "bin" / "llama-server"
    program.write_text(text.replace("--cache-ram N", f"--cache-ram N {TYPES}"))
    program.chmod(0o755)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def server(place: Path) -> Callable[..., str]:
    """``server(**knobs)``: its path, with what it does wrong; see ``fake_server.py``."""

    def turned(**knobs: object) -> str:
        (place / "bin" / "knobs.json").write_text(json.dumps({"round_ms": MS, **knobs}))
        return "bin/llama-server"

    return turned
