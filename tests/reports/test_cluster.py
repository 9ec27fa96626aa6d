"""A batch on a real Dask scheduler with two worker processes, one of which is killed."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future
from pathlib import Path

import distributed
import psutil
import pytest

from analysis.campaigns.campaign import PROJECT_ROOT
from analysis.errors import ReportError
from analysis.reports import cluster, report
from tests.reports.conftest import tree

Command = Callable[..., subprocess.CompletedProcess[str]]
Write = Callable[..., Path]

CONFIG = {
    "DASK_DISTRIBUTED__DASHBOARD__LINK": "",
    "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "null",
    "PYTHONPATH": str(PROJECT_ROOT),
}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _dask(folder: Path, *words: object) -> subprocess.Popen[bytes]:
    with (folder / f"dask-{len(list(folder.iterdir()))}.log").open("wb") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "distributed.cli." + str(words[0]), *map(str, words[1:])],
            cwd=folder,
            env={**os.environ, **CONFIG},
            stdout=log,
            stderr=log,
        )


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The address of a scheduler, and its two workers with one thread each."""
    folder = tmp_path / "dask"
    folder.mkdir()
    address = f"tcp://127.0.0.1:{_free_port()}"
    options = ["--host", address, "--no-dashboard", "--no-jupyter"]
    scheduler = _dask(folder, "dask_scheduler", *options)
    options = ["--nthreads", 1, "--no-nanny", "--no-dashboard", "--local-directory", folder]
    workers = [_dask(folder, "dask_worker", address, *options) for _ in range(2)]
    try:
        yield address, workers
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()


def test_a_worker_that_dies_loses_nothing(
    tmp_path: Path,
    machines: tuple[str, list[subprocess.Popen[bytes]]],
    mtpbench: Command,
    write_campaign: Write,
) -> None:
    address, workers = machines
    names = [f"campaign-{number}" for number in range(2)]
    for name in names:
        write_campaign(tmp_path / "raw" / name)
    write_campaign(tmp_path / "raw" / "bad", plain=None)
    out = tmp_path / "out"
    words = ["report", *(tmp_path / "raw" / name for name in [*names, "bad"])]
    killed: list[list[psutil.Process]] = []

    def kill_the_worker_that_begins() -> None:
        tick = threading.Event()
        while not killed:
            for part in out.glob(".*.part/figures"):
                for worker in workers:
                    family = psutil.Process(worker.pid).children(recursive=True)
                    if f"+{worker.pid}+" in part.parent.name:
                        worker.kill()
                        killed.append(family)
                        return
            tick.wait(0.02)

    killer = threading.Thread(target=kill_the_worker_that_begins, daemon=True)
    killer.start()
    done = mtpbench(*words, "--out", out, "--scheduler", address, cwd=tmp_path)
    killer.join(timeout=1)
    assert killed, (done.stdout, done.stderr)
    assert done.returncode == 1
    assert done.stdout.splitlines() == [f"{tmp_path}/raw/{name}: {out}/{name}" for name in names]
    assert done.stderr.splitlines()[-1] == "1 of 3 campaigns failed"
    assert "error: raw/bad/campaign.toml:7: there is no log 'plain.log'; " in done.stderr
    # Nothing is lost, nothing is there twice, nothing of the dead is left.
    assert sorted(path.name for path in out.iterdir()) == names
    here = mtpbench("report", tmp_path / "raw" / names[0], "--out", tmp_path / "here", cwd=tmp_path)
    assert here.returncode == 0, here.stderr
    for name in names:
        files = tree(out / name)
        assert json.loads(files["results.json"])["campaign"]["slug"] == name
        assert files.keys() == tree(tmp_path / "here" / names[0]).keys()
    assert tree(out / names[0]) == tree(tmp_path / "here" / names[0])
    _, alive = psutil.wait_procs(killed[0], timeout=10)
    assert not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]
    # A second time there is nothing to do, here or there.
    again = mtpbench(*words[:-1], "--out", out, "--scheduler", address, cwd=tmp_path)
    assert (again.returncode, again.stderr) == (0, "")
    assert again.stdout.count(" (unchanged)\n") == 2


@pytest.mark.parametrize(
    "address", ["tcp://127.0.0.1:{port}", "not an address", "tls://127.0.0.1:{port}", "ucx://a:1"]
)
def test_a_scheduler_that_is_not_there(
    address: str, tmp_path: Path, write_campaign: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "_CONNECT_S", 0.5)
    folder = write_campaign(tmp_path / "made")
    address = address.format(port=_free_port())
    with pytest.raises(ReportError, match=re.escape(f"no Dask scheduler answers at {address!r}")):
        list(report([folder], tmp_path / "out", scheduler=address))
    assert not (tmp_path / "out").exists()


def test_what_dask_loses_is_said_of_its_campaign(
    tmp_path: Path, write_campaign: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when the scheduler dies: every future of its is cancelled."""

    class Lost(Executor):
        def submit(self, *_: object, **__: object) -> Future[None]:
            future: Future[None] = Future()
            future.set_exception(CancelledError("scheduler-connection-lost.\nPlease re-run"))
            return future

    class Client:
        closed = 0

        def __init__(self, *_: object, **__: object) -> None:
            pass

        def get_executor(self, **_: object) -> Lost:
            return Lost()

        def close(self, **_: object) -> None:
            Client.closed += 1
            raise TimeoutError

    monkeypatch.setattr(distributed, "Client", Client)
    folders = [write_campaign(tmp_path / "raw" / name) for name in ("a", "b")]
    said = "no worker could render it: CancelledError: scheduler-connection-lost. Please re-run; "
    found = list(report(folders, tmp_path / "out", scheduler="tcp://a:1"))
    assert [outcome.error for outcome in found] == [
        f"{folder}: {said}look at the workers' logs" for folder in folders
    ]
    assert Client.closed == 1
