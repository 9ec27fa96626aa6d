"""A sweep that was stopped: by the disk, by a person, by somebody else; and how it goes on."""

from __future__ import annotations

import errno
import io
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from analysis.campaigns.campaign import load
from analysis.errors import LiveError, MtpbenchError
from analysis.runner import journal, servers
from analysis.runner.environment import server_environment
from analysis.runner.progress import Progress
from analysis.runner.session import Outcome, plan_of
from tests.runner.conftest import (
    LIVE,
    ONE,
    TASKS,
    answered,
    records,
    run,
    servers_left,
)

Write = Callable[..., Path]
Knobs = Callable[..., None]


def test_a_full_disk_stops_the_sweep_and_keeps_what_was_there(
    live_campaign: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = live_campaign(ONE)
    write = os.write
    left = [4000]

    def full(descriptor: int, data: bytes) -> int:
        if not data.startswith(b'{"record"') and left[0] > 0:
            return write(descriptor, data)
        took = min(len(data), left[0])
        left[0] -= took
        if not took:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(descriptor, data[:took])

    monkeypatch.setattr(journal.os, "write", full)
    with pytest.raises(LiveError, match="No space left on device") as caught:
        run(folder)
    assert "go on with --resume" in caught.value.remedy
    assert servers_left() == []
    text = (folder / "live" / "plain.jsonl").read_bytes()
    assert text.endswith(b"\n")
    before = answered(folder, "plain")
    monkeypatch.setattr(journal.os, "write", write)
    run(folder, resume=True)
    assert answered(folder, "plain")[: len(before)] == before
    assert sorted(answered(folder, "plain")) == [(1, task) for task in sorted(TASKS)]


def test_resume_measures_exactly_what_is_missing(live_campaign: Write, knobs: Knobs) -> None:
    folder = live_campaign()
    knobs(steps={"3": "500"})
    assert len(run(folder).failed) == 4
    knobs()
    outcome = run(folder, resume=True)
    assert outcome == Outcome(folder / "live", measured=4)
    for id in ("plain", "drafted"):
        assert sorted(answered(folder, id)) == [(r, t) for r in (1, 2) for t in sorted(TASKS)]
    # Answered later, so no failure is left.
    assert {task.error for run in load(folder).runs for task in run.tasks} == {None}
    # Nothing is missing now: no server is started.
    assert run(folder, resume=True) == Outcome(folder / "live")


def test_resume_after_a_record_that_was_cut(live_campaign: Write) -> None:
    folder = live_campaign(ONE)
    run(folder)
    path = folder / "live" / "plain.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2]) + lines[2][:40])
    (loaded,) = load(folder).runs
    assert [task.task for task in loaded.tasks] == ["code_python"]
    assert [finding.code for finding in loaded.findings] == ["row-cut"]
    assert run(folder, resume=True).measured == 2
    assert path.read_bytes().splitlines(keepends=True)[:2] == lines[:2]
    assert answered(folder, "plain") == [(1, task) for task in TASKS]


def test_without_resume_nothing_is_overwritten(live_campaign: Write) -> None:
    folder = live_campaign(ONE)
    run(folder)
    before = (folder / "live" / "plain.jsonl").read_bytes()
    with pytest.raises(LiveError, match="there are records of a sweep already") as caught:
        run(folder)
    assert "--resume" in caught.value.remedy
    assert (folder / "live" / "plain.jsonl").read_bytes() == before


def test_there_is_nothing_to_resume(live_campaign: Write) -> None:
    with pytest.raises(LiveError, match="there is no sweep to go on with"):
        run(live_campaign(ONE), resume=True)


def more_tokens(folder: Path) -> None:
    path = folder / "campaign.toml"
    path.write_text(path.read_text().replace("max_tokens = 8", "max_tokens = 9"))


def other_model(folder: Path) -> None:
    path = folder / "model.gguf"
    path.write_bytes(path.read_bytes()[:-1] + b"\1")


def other_program(folder: Path) -> None:
    path = (folder / "llama-server").resolve()
    path.write_text(path.read_text() + "\n")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (more_tokens, "max_tokens was 8 and is 9"),
        (other_model, "runs.plain.target was "),
        (other_program, "server.sha256 was "),
    ],
)
def test_resume_refuses_another_sweep(
    live_campaign: Write, change: Callable[[Path], None], said: str
) -> None:
    folder = live_campaign(ONE)
    run(folder)
    change(folder)
    with pytest.raises(LiveError) as caught:
        run(folder, resume=True)
    assert said in caught.value.problem
    assert caught.value.problem.startswith("this is not the sweep that was begun: ")


def test_what_was_not_measured_may_still_change(
    live_campaign: Write, knobs: Knobs, tmp_path: Path
) -> None:
    folder = live_campaign()
    knobs(die_loading="E no such draft", once=str(tmp_path / "once"))
    assert len(run(folder).not_started) == 1
    path = folder / "campaign.toml"
    path.write_text(path.read_text().replace("n_max = 3", "n_max = 2"))
    assert run(folder, resume=True).complete
    assert records(folder, "drafted")[0]["n_max"] == 2
    # Now it is measured, and may not.
    path.write_text(path.read_text().replace("n_max = 2", "n_max = 4"))
    with pytest.raises(LiveError, match="n_max was 2 and is 4"):
        run(folder, resume=True)


def test_a_sweep_that_measured_nothing_may_be_begun_again(
    live_campaign: Write, knobs: Knobs
) -> None:
    folder = live_campaign(ONE)
    knobs(die_loading="E out of memory")
    assert len(run(folder).not_started) == 1
    knobs()
    more_tokens(folder)
    assert run(folder).complete


def test_a_clock_that_is_set_back_changes_no_time(
    live_campaign: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = live_campaign(ONE)
    clock = iter(range(10**9, 0, -3600))
    monkeypatch.setattr(time, "time", lambda: float(next(clock)))
    run(folder)
    found = [record for record in records(folder, "plain") if record["record"] == "request"]
    starts = [record["at_s"] for record in found]
    assert starts == sorted(starts)
    assert all(0 <= record["first_token_s"] <= record["wall_s"] < 60 for record in found)


def test_no_embedded_server(live_campaign: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers.util, "find_spec", lambda name: None)
    with pytest.raises(LiveError, match="the embedded server is not installed"):
        run(live_campaign(ONE), server="embedded")


def test_llama_server_is_found_by_its_variable_and_on_the_path(
    fake_server: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{fake_server.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("LLAMA_SERVER", raising=False)
    assert servers.engine("llama-server").asked().name == "llama-server 1 (fake)"
    monkeypatch.setenv("LLAMA_SERVER", str(fake_server.parent / "gone"))
    with pytest.raises(LiveError, match="there is no llama-server at"):
        servers.engine("llama-server")
    monkeypatch.setenv("LLAMA_SERVER", str(fake_server))
    assert servers.engine("llama-server").identity["sha256"]


def test_settings_and_keys_of_the_environment_do_not_reach_a_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("LLAMA_ARG_N_GPU_LAYERS", "LLAMA_API_KEY", "HF_TOKEN", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "x")
    found = server_environment()
    assert found["LLAMA_TRACE"] == "1"
    assert "x" not in found.values()
    assert found["PATH"] == os.environ["PATH"]


def test_a_second_runner_is_refused(live_campaign: Write) -> None:
    folder = live_campaign(ONE)
    with (
        journal.locked(folder / "live"),
        pytest.raises(LiveError, match="another mtpbench run is at work"),
    ):
        run(folder)
    assert run(folder).complete


class Between(Progress):
    """Does something once, when a request with this task is about to be sent."""

    def __init__(self, task: str, act: Callable[[], object]) -> None:
        super().__init__(0, io.StringIO())
        self.task, self.act = task, act

    def asking(self, run: str, repeat: int, task: str) -> None:
        if task == self.task:
            self.task = ""
            self.act()


def removed(folder: Path) -> None:
    shutil.rmtree(folder / "live")


def removed_records(folder: Path) -> None:
    (folder / "live" / "plain.jsonl").unlink()


def changed_records(folder: Path) -> None:
    with (folder / "live" / "plain.jsonl").open("a") as file:
        file.write("{}\n")


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (removed, "these records were removed while they were written"),
        (removed_records, "these records were removed while they were written"),
        (changed_records, "these records were changed by another program"),
    ],
)
def test_records_that_somebody_takes_away_stop_the_sweep(
    live_campaign: Write, act: Callable[[Path], None], said: str
) -> None:
    folder = live_campaign(ONE)
    with pytest.raises(LiveError, match=said):
        run(folder, progress=Between("summarize", lambda: act(folder)))
    assert servers_left() == []


def test_records_taken_away_after_the_last_request_are_noticed(live_campaign: Write) -> None:
    folder = live_campaign(LIVE.replace("repeats = 2", "repeats = 1"))
    first = next(step.planned.id for step in plan_of(folder).steps)
    progress = Progress(0, io.StringIO())
    calls = []

    def starting(id: str, repeat: int) -> None:
        calls.append(id)
        if id != first:
            (folder / "live" / f"{first}.jsonl").unlink()

    progress.starting = starting
    with pytest.raises(LiveError, match="these records were removed"):
        run(folder, progress=progress)
    assert len(calls) == 2


def another_model(folder: Path) -> None:
    path = folder / "model.gguf"
    path.write_bytes(path.read_bytes()[:-1] + b"\1")


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (another_model, "the target model.gguf changed while the campaign was measured"),
        (lambda folder: other_program(folder), "the server's program changed"),
    ],
)
def test_files_that_change_while_they_are_measured_stop_the_sweep(
    live_campaign: Write, act: Callable[[Path], None], said: str
) -> None:
    folder = live_campaign(ONE.replace("repeats = 1", "repeats = 2"))
    with pytest.raises(LiveError, match=said):
        run(folder, progress=Between("summarize", lambda: act(folder)))
    # The repeat that had begun is whole; the next one was not.
    assert answered(folder, "plain") == [(1, task) for task in TASKS]


def test_a_disk_that_is_read_only(live_campaign: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = live_campaign(ONE)

    def refuse(descriptor: int, data: bytes) -> int:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    with monkeypatch.context() as patched:
        patched.setattr(journal, "_write_whole", refuse)
        with pytest.raises(LiveError, match="can't be written: Read-only file system"):
            run(folder)
    assert servers_left() == []
    shutil.rmtree(folder / "live")
    (folder / "live").write_text("in the way")
    with pytest.raises(MtpbenchError, match="this can't be written"):
        run(folder)


def test_records_that_are_none_are_not_added_to(live_campaign: Write) -> None:
    folder = live_campaign(ONE)
    run(folder)
    path = folder / "live" / "plain.jsonl"
    path.write_text("nonsense\n" + path.read_text())
    with pytest.raises(MtpbenchError) as caught:
        run(folder, resume=True)
    assert (caught.value.file, caught.value.line) == (str(path), 1)
