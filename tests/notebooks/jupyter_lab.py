"""A JupyterLab as `make lab` starts it, in a copy, on a free port, with an ear on its network."""

from __future__ import annotations

import os
import secrets
import shlex
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import nbformat

from analysis.campaigns.campaign import PROJECT_ROOT

# Python imports it at the start of the server and of every kernel.
EAR = """\
import os, sys
def _hear(event, arguments):
    if event == "socket.connect":
        place = arguments[1]
    elif event == "socket.getaddrinfo":
        place = arguments[:2]
    else:
        return
    with open(os.environ["HEARD"], "a", encoding="utf-8") as file:
        file.write((str(place[0]) if isinstance(place, tuple) else "a local socket") + "\\n")
sys.addaudithook(_hear)
"""


@dataclass(frozen=True)
class Lab:
    """Where it listens, what it may be asked with, its notebooks and what it connected to."""

    address: str
    token: str
    notebooks: Path
    heard: Path

    @property
    def url(self) -> str:
        return f"{self.address}/lab?token={self.token}&reset"

    def hosts(self) -> set[str]:
        return set(self.heard.read_text(encoding="utf-8").splitlines())


def command_of_make() -> list[str]:
    """The words that `make lab` would run, with this environment's programs."""
    shown = subprocess.run(
        ["make", "--dry-run", "--no-print-directory", "lab", f"VENV={sys.prefix}"],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return shlex.split(shown.stdout.splitlines()[-1])


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _copy(folder: Path) -> Path:
    """The notebooks without what they were committed with, so that every output is a new one."""
    shutil.copytree(PROJECT_ROOT / "notebooks", folder)
    for path in folder.glob("*.ipynb"):
        notebook = nbformat.read(path, 4)
        for cell in notebook.cells:
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None
        nbformat.write(notebook, path)
    return folder


@contextmanager
def jupyter_lab(folder: Path) -> Iterator[Lab]:
    """Start it, wait until it answers, and end it with all of its kernels."""
    notebooks = _copy(folder / "notebooks")
    (folder / "ear").mkdir()
    (folder / "ear" / "sitecustomize.py").write_text(EAR, encoding="utf-8")
    own = ("CONFIG_DIR", "DATA_DIR", "RUNTIME_DIR")
    environment = {
        **os.environ,
        **{f"JUPYTER_{name}": str(folder / name.lower()) for name in own},
        "JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
        "IPYTHONDIR": str(folder / "ipython"),
        "HEARD": str(folder / "heard"),
        "PYTHONPATH": os.pathsep.join((str(folder / "ear"), str(PROJECT_ROOT))),
    }
    token, port = secrets.token_hex(16), _free_port()
    words = [
        *command_of_make(),
        "--no-browser",
        "--allow-root",
        "--expose-app-in-browser",
        "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        f"--IdentityProvider.token={token}",
    ]
    server = subprocess.Popen(
        words, cwd=folder, env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    said: list[str] = []
    ready = threading.Event()

    def listen() -> None:
        assert server.stderr is not None
        for line in server.stderr:
            said.append(line.decode(errors="replace"))
            if f"127.0.0.1:{port}/lab" in said[-1]:
                ready.set()
        ready.set()

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    try:
        assert ready.wait(60), "".join(said)
        assert server.poll() is None, "".join(said)
        yield Lab(f"http://127.0.0.1:{port}", token, notebooks, folder / "heard")
    finally:
        server.terminate()
        try:
            server.wait(30)
        finally:
            server.kill()
            server.wait()
            listener.join(10)
            if server.stderr is not None:
                server.stderr.close()
