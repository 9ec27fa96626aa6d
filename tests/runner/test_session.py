"""The sweep, on a server that does what it should and on one that does not."""

from __future__ import annotations

import errno
import io
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from analysis.campaigns.campaign import load
from analysis.errors import LiveError, MtpbenchError
from analysis.runner import journal, running, servers
from analysis.runner.environment import server_environment
from analysis.runner.progress import Progress
from analysis.runner.session import Outcome, plan_of, problems
from tests.runner.conftest import LIVE, records, run

TASKS = ["code_python", "summarize", "qa_factual"]
Write = Callable[..., Path]
Knobs = Callable[..., None]


def kinds(folder: Path, id: str) -> list[str]:
    return [record["record"] for record in records(folder, id)]


def answered(folder: Path, id: str) -> list[tuple[int, str]]:
    return [
        (record["repeat"], record["task"])
        for record in records(folder, id)
        if record["record"] == "request"
    ]


ALREADY: set[psutil.Process] = set()
"""Children of this process that another test's fixture keeps, such as a JupyterLab."""


@pytest.fixture(autouse=True)
def _already_there() -> None:
    ALREADY.clear()
    ALREADY.update(psutil.Process().children(recursive=True))


def servers_left() -> list[psutil.Process]:
    return [
        process
        for process in psutil.Process().children(recursive=True)
        if process not in ALREADY and process.status() != psutil.STATUS_ZOMBIE
    ]


ONE = LIVE.replace("repeats = 2", "repeats = 1").split('[[runs]]\nid = "drafted"')[0]
DRAFTED = LIVE.replace("repeats = 2", "repeats = 1").replace('[[runs]]\nid = "plain"\n', "")
DRAFTED = DRAFTED.replace('baseline = "plain"\n', "")


def test_a_sweep_measures_everything_once_and_leaves_nothing_behind(live_campaign: Write) -> None:
    folder = live_campaign()
    outcome = run(folder)
    assert outcome == Outcome(folder / "live", measured=12)
    assert outcome.complete
    whole = [(repeat, task) for repeat in (1, 2) for task in TASKS]
    assert answered(folder, "plain") == answered(folder, "drafted") == whole
    assert kinds(folder, "plain") == ["run", *["request"] * 3, "end"] * 2
    assert [r["reason"] for r in records(folder, "plain") if r["record"] == "end"] == ["done"] * 2
    assert servers_left() == []


def test_what_a_run_record_says(live_campaign: Write) -> None:
    folder = live_campaign()
    run(folder)
    plain, drafted = (records(folder, id)[0] for id in ("plain", "drafted"))
    assert (plain["spec_type"], plain["n_max"], plain["p_min"]) == ("none", None, None)
    assert (drafted["spec_type"], drafted["n_max"], drafted["p_min"]) == ("draft-simple", 3, 0.0)
    assert drafted["command"] == (
        "llama-server -m model.gguf -md draft.gguf --spec-type draft-simple "
        "--spec-draft-n-max 3 -np 1 --metrics -lv 4 --cache-ram 0"
    )
    assert drafted["build"] == "b1-fake"
    assert drafted["engine"] == "llama-server 1 (fake)"
    assert drafted["target"]["parts"][0]["name"] == "model.gguf"
    assert len(drafted["draft"]["parts"][0]["sha256"]) == 64
    assert drafted["sampler"] == {"temperature": 0.0, "seed": 42}
    assert drafted["synthetic"] is False
    # Before the first request and after the last one; what is not told is null.
    for record in (drafted, records(folder, "drafted")[-1]):
        assert set(record["surroundings"]) == {"load", "cpu_mhz", "cpu_c", "gpus"}
    # No path of this machine in any record.
    assert str(folder.parent) not in (folder / "live" / "drafted.jsonl").read_text()


def test_what_a_request_record_says(live_campaign: Write) -> None:
    folder = live_campaign(DRAFTED)
    run(folder)
    record = records(folder, "drafted")[1]
    # 7 tokens after the first, in rounds of 2 accepted and one more: 3 + 3 + 1.
    assert (record["predicted_tokens"], record["draft_tokens"], record["accepted_tokens"]) == (
        8,
        9,
        4,
    )
    assert record["positions"] == {"accepted": [2, 2, 0], "rounds": 3}
    assert record["rounds"]["drafted"] == [3, 3, 3]
    assert record["rounds"]["accepted"] == [2, 2, 0]
    assert record["rounds"]["at_s"] == sorted(record["rounds"]["at_s"])
    assert record["workload"] == "code"
    assert record["finish_reason"] == "length"
    assert record["text"] is None
    assert 0 < record["first_token_s"] <= record["wall_s"]
    assert record["timings"]["predicted_n"] == 8


def test_the_campaign_reads_what_was_measured(live_campaign: Write) -> None:
    folder = live_campaign()
    assert load(folder).runs == ()
    run(folder)
    loaded = load(folder)
    assert loaded.run_ids == ("plain", "drafted")
    _, drafted = loaded.runs
    assert (drafted.n_max, drafted.temperature, drafted.concurrency) == (3, 0.0, 1)
    assert str(drafted.tasks[0].source) == "live/drafted.jsonl:2"
    assert loaded.conditions["sampler"] == "temperature 0.0, seed 42"


def test_the_text_is_kept_on_request_and_equal_hashes_mean_equal_text(
    live_campaign: Write,
) -> None:
    folder = live_campaign(LIVE.replace("repeats = 2", "repeats = 1\nkeep_text = true"))
    run(folder)
    plain, drafted = (records(folder, id)[1] for id in ("plain", "drafted"))
    assert plain["text"] == drafted["text"] == " two three é fourone two three é"
    assert plain["output_hash"] == drafted["output_hash"]
    assert plain["tokens"] == [0, 1, 2, 3, 4, 5, 6]


# ---- what goes wrong with a request


@pytest.mark.parametrize(
    ("step", "kind", "message"),
    [
        ("500", "http", "HTTP 500: it broke"),
        ("malformed", "malformed", "a chunk is not JSON: {nothing"),
        ("no-timings", "request", ""),
        ("error-chunk", "server-error", "context is full"),
        ("stop-short", "connection", "the answer stopped in the middle"),
    ],
)
def test_a_request_that_fails_is_a_record_of_its_own(
    live_campaign: Write, knobs: Knobs, step: str, kind: str, message: str
) -> None:
    folder = live_campaign(ONE)
    knobs(steps={"3": step})
    outcome = run(folder)
    found = records(folder, "plain")
    if kind == "request":
        # The last chunk lacks them, but every token's chunk had them.
        assert kinds(folder, "plain") == ["run", *["request"] * 3, "end"]
        assert outcome.complete
        return
    assert kinds(folder, "plain") == ["run", "request", "error", "request", "end"]
    assert (found[2]["task"], found[2]["kind"], found[2]["message"]) == (
        "summarize",
        kind,
        message,
    )
    assert outcome.measured == 2
    assert outcome.failed == (f"plain, repeat 1, summarize: {kind}: {message}",)
    (problem,) = problems(outcome)
    assert problem.remedy == "try it again with --resume"
    # The failed one is in no figure.
    (loaded,) = load(folder).runs
    assert [task.error for task in loaded.tasks] == [None, f"{kind}: {message}", None]
    assert loaded.tasks[1].predicted_tokens is None


def test_a_server_that_dies_in_a_request_costs_that_request(
    live_campaign: Write, knobs: Knobs, tmp_path: Path
) -> None:
    folder = live_campaign(ONE)
    knobs(steps={"3": "die"}, once=str(tmp_path / "once"))
    outcome = run(folder)
    assert kinds(folder, "plain") == ["run", "request", "error", "end", "run", "request", "end"]
    found = records(folder, "plain")
    assert (found[2]["kind"], found[3]["reason"]) == ("server-died", "server-died")
    assert [record["start"] for record in found if record["record"] == "run"] == [1, 2]
    assert outcome.measured == 2
    assert servers_left() == []


def test_a_server_that_always_dies_is_given_up(live_campaign: Write, knobs: Knobs) -> None:
    folder = live_campaign(ONE.replace('"qa_factual"]', '"qa_factual", "translation"]'))
    knobs(steps={"2": "die"})
    outcome = run(folder)
    assert kinds(folder, "plain") == ["run", "error", "end"] * 3
    assert outcome.failed[-1] == "plain, repeat 1: given up after 3 servers: translation"


def test_a_request_that_hangs_ends_and_the_next_gets_a_fresh_server(
    live_campaign: Write, knobs: Knobs, tmp_path: Path
) -> None:
    folder = live_campaign(ONE.replace("timeout_s = 5", "timeout_s = 0.3"))
    knobs(steps={"2": "hang"}, once=str(tmp_path / "once"))
    run(folder)
    assert kinds(folder, "plain") == ["run", "error", "end", "run", "request", "request", "end"]
    hung = records(folder, "plain")[1]
    assert (hung["kind"], hung["message"]) == ("timeout", "no answer within 0.3 s")
    assert 0.25 < hung["wall_s"] < 5


def test_a_slow_first_token_is_measured_as_such(live_campaign: Write, knobs: Knobs) -> None:
    folder = live_campaign(ONE)
    knobs(steps={"2": "late:0.2"})
    run(folder)
    late, quick = records(folder, "plain")[1:3]
    assert late["first_token_s"] >= 0.2
    assert quick["first_token_s"] < late["first_token_s"]


def test_a_server_without_metrics_has_no_positions(live_campaign: Write, knobs: Knobs) -> None:
    folder = live_campaign(DRAFTED)
    knobs(metrics=False)
    run(folder)
    record = records(folder, "drafted")[1]
    assert record["positions"] is None
    assert record["rounds"]["accepted"] == [2, 2, 0]


# ---- what goes wrong with a server


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (
            {"die_loading": "E gguf_init: failed to open GGUF file"},
            "the server ended before it was ready (exit code 1): E gguf_init: failed to open",
        ),
        ({"signal_loading": 4}, "instruction that this CPU does not have (SIGILL)"),
        ({"signal_loading": 9}, "was killed before it was ready"),
        ({"signal_loading": 6}, "crashed before it was ready (SIGABRT)"),
    ],
)
def test_a_server_that_does_not_start_is_said_once_and_the_others_go_on(
    live_campaign: Write, knobs: Knobs, tmp_path: Path, settings: dict, said: str
) -> None:
    folder = live_campaign()
    knobs(once=str(tmp_path / "once"), **settings)
    outcome = run(folder)
    (error,) = outcome.not_started
    assert said in error.problem
    assert "live/logs/" in error.where
    assert problems(outcome) == [error]
    failed = error.problem.partition(" was not measured: ")[0]
    other = {"plain": "drafted", "drafted": "plain"}[failed]
    assert len(answered(folder, other)) == 6
    assert not (folder / "live" / f"{failed}.jsonl").exists()
    assert not outcome.complete
    assert servers_left() == []


@pytest.mark.parametrize("fault", ["never_ready", "drips"])
def test_a_server_that_is_never_ready(live_campaign: Write, knobs: Knobs, fault: str) -> None:
    folder = live_campaign(ONE.replace("start_timeout_s = 20", "start_timeout_s = 0.4"))
    knobs(**{fault: True})
    begins = time.monotonic()
    outcome = run(folder)
    # Ending a process, and everything that begins before its start, take some of it.
    assert time.monotonic() - begins < 0.4 + 5
    (error,) = outcome.not_started
    assert error.problem == "plain was not measured: the server was not ready after 0.4 s"
    assert servers_left() == []


def test_a_port_that_is_taken_is_not_mistaken_for_ours(
    live_campaign: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = live_campaign(ONE)
    plan = plan_of(folder)
    arguments = plan.arguments(plan.steps[0].planned)
    first = plan.engine.start(arguments, tmp_path / "first.log", 20)
    try:
        ports = [first.at.port, running.free_port()]
        monkeypatch.setattr(running.start, "__defaults__", (lambda: ports.pop(0),))
        second = plan.engine.start(arguments, tmp_path / "second.log", 20)
        second.stop()
        assert second.at != first.at
        assert ports == []
        assert "couldn't bind" in (tmp_path / "second.log").read_text()
    finally:
        first.stop()


def test_children_of_a_server_end_with_it(
    live_campaign: Write, knobs: Knobs, tmp_path: Path
) -> None:
    knobs(child=str(tmp_path / "child"))
    plan = plan_of(live_campaign(ONE))
    server = plan.engine.start(plan.arguments(plan.steps[0].planned), tmp_path / "log", 20)
    child = psutil.Process(int((tmp_path / "child").read_text()))
    assert child.is_running()
    server.stop()
    server.stop()
    assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE


# ---- the disk, and going on


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
