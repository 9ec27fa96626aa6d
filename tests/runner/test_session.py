"""The sweep, on a server that does what it should and on one that does not."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from analysis.campaigns.campaign import load
from analysis.runner import running
from analysis.runner.session import Outcome, plan_of, problems
from tests.runner.conftest import (
    DRAFTED,
    LIVE,
    ONE,
    TASKS,
    answered,
    kinds,
    records,
    run,
    servers_left,
)

Write = Callable[..., Path]
Knobs = Callable[..., None]


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
