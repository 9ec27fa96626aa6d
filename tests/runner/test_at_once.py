"""Several requests at once: what is measured, what is thrown away, and what a fault costs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from analysis.campaigns.campaign import load
from analysis.parsers import read
from analysis.runner import prompts
from analysis.runner.client import Failure
from analysis.runner.measuring import Requests
from analysis.runner.slot_log import SlotLogs
from analysis.statistics.frames import run_frame
from tests.runner.conftest import LIVE, records, run

Write = Callable[..., Path]
Knobs = Callable[..., None]

TASKS = ["code_python", "summarize", "qa_factual"]
AT_ONCE = LIVE.replace("repeats = 2", "repeats = 1\nparallel = [1, 3]")
THREE = LIVE.replace("repeats = 2", "repeats = 1\nparallel = 3")
IDS = ("plain", "plain-np3", "drafted", "drafted-np3")


def requests(folder: Path, id: str) -> list[dict]:
    return [record for record in records(folder, id) if record["record"] == "request"]


def test_an_axis_makes_a_run_of_each_value(live_campaign: Write, knobs: Knobs) -> None:
    knobs(pace=0.002)
    folder = live_campaign(AT_ONCE)
    assert run(folder).measured == 12
    loaded = load(folder)
    assert loaded.run_ids == IDS
    assert [one.concurrency for one in loaded.runs] == [1, 3, 1, 3]
    assert [one.context_tokens for one in loaded.runs] == [None] * 4
    for id in IDS:
        assert Counter(record["task"] for record in requests(folder, id)) == Counter(TASKS)
        head = records(folder, id)[0]
        assert head["parallel"] == head["identity"]["slots"]
        assert f" -np {head['parallel']} " in head["command"]


def test_what_is_measured_is_in_a_steady_state(live_campaign: Write, knobs: Knobs) -> None:
    knobs(pace=0.005)
    folder = live_campaign(THREE)
    assert run(folder).complete
    *_, end = records(folder, "plain-np3")
    found = requests(folder, "plain-np3")
    assert all(record["steady"] for record in found)
    assert {record["slot"] for record in found} <= {0, 1, 2}
    # Every client has served one that is thrown away before the first one counts.
    assert end["thrown_away"] >= 2
    assert end["steady"]["tokens"] >= sum(record["predicted_tokens"] for record in found)
    for record in found:
        assert len(record["tokens_s"]) == record["predicted_tokens"]
        assert record["tokens_s"] == sorted(record["tokens_s"])
        assert record["tokens_s"][-1] <= record["wall_s"]
        assert record["energy_j"] is None
    # Clients that are never idle: their number times tokens over time, here 8 each.
    (row,) = [r for r in run_frame(load(folder).runs).to_dict("records") if r["id"] == "plain-np3"]
    walls = sum(record["wall_s"] for record in found)
    assert row["stated_effective_tps"] == pytest.approx(3 * 24 / walls)
    # All that they received together, whatever it was asked for.
    assert row["aggregate_tps"] == end["steady"]["tokens"] / end["steady"]["s"]


def test_each_slot_s_rounds_are_its_own(live_campaign: Write, knobs: Knobs) -> None:
    knobs(pace=0.002)
    folder = live_campaign(THREE)
    run(folder)
    for record in requests(folder, "drafted-np3"):
        assert record["rounds"]["drafted"] == [3, 3, 3]
        assert record["rounds"]["accepted"] == [2, 2, 0]
        # Counters are of all requests together.
        assert record["positions"] is None


def test_a_fault_costs_its_own_request_and_resume_completes(
    live_campaign: Write, knobs: Knobs
) -> None:
    knobs(pace=0.002, on={"Summarise the following": "500"})
    folder = live_campaign(THREE)
    outcome = run(folder)
    assert outcome.measured == 4
    assert len(outcome.failed) == 2
    for id in ("plain-np3", "drafted-np3"):
        kinds = {r["task"]: r["record"] for r in records(folder, id) if "task" in r}
        assert kinds == {"code_python": "request", "summarize": "error", "qa_factual": "request"}
    knobs(pace=0.002)
    assert run(folder, resume=True).measured == 2
    for id in ("plain-np3", "drafted-np3"):
        assert Counter(record["task"] for record in requests(folder, id)) == Counter(TASKS)
    assert {task.error for one in load(folder).runs for task in one.tasks} == {None}


@pytest.mark.parametrize("at", ["2", "4", "6"])
def test_a_server_that_dies_is_started_again(
    live_campaign: Write, knobs: Knobs, tmp_path: Path, at: str
) -> None:
    knobs(pace=0.002, steps={at: "die"}, once=str(tmp_path / "once"))
    folder = live_campaign(THREE.split('[[runs]]\nid = "drafted"')[0])
    outcome = run(folder)
    found = records(folder, "plain-np3")
    starts = [record["start"] for record in found if record["record"] == "run"]
    failed = [record for record in found if record["record"] == "error"]
    assert starts == [1, 2] or len(failed) == 3
    # At most what was under way is lost, and all of it is in the records.
    assert len(failed) == len(outcome.failed) <= 3
    assert {record["kind"] for record in failed} <= {"server-died"}
    assert not any("refused" in record["message"] for record in failed)
    assert outcome.measured + len(failed) == 3
    if failed:
        assert run(folder, resume=True).measured == len(failed)
    assert Counter(record["task"] for record in requests(folder, "plain-np3")) == Counter(TASKS)


def test_a_request_that_hangs_ends_in_time(live_campaign: Write, knobs: Knobs) -> None:
    knobs(pace=0.002, on={"Summarise the following": "hang"})
    settings = THREE.replace("timeout_s = 5\n", "timeout_s = 0.4\n", 1)
    folder = live_campaign(settings.split('[[runs]]\nid = "drafted"')[0])
    run(folder)
    found = [r for r in records(folder, "plain-np3") if "task" in r]
    assert {r["kind"] for r in found if r["record"] == "error"} <= {"timeout"}
    assert all(r["wall_s"] < 1.4 for r in found)
    knobs(pace=0.002)
    missing = len(TASKS) - len(requests(folder, "plain-np3"))
    assert run(folder, resume=True).measured == missing
    assert Counter(r["task"] for r in requests(folder, "plain-np3")) == Counter(TASKS)


@pytest.mark.parametrize("fault", ["malformed", "stop-short"])
def test_an_answer_that_breaks_off_costs_no_other_one(
    live_campaign: Write, knobs: Knobs, fault: str
) -> None:
    knobs(pace=0.002, on={"Summarise the following": fault})
    folder = live_campaign(THREE.split('[[runs]]\nid = "drafted"')[0])
    assert run(folder).measured == 2
    (failed,) = [r for r in records(folder, "plain-np3") if r["record"] == "error"]
    assert failed["task"] == "summarize"
    # The others were measured beside it, and none of them before every client was busy.
    assert all(record["steady"] for record in requests(folder, "plain-np3"))
    knobs(pace=0.002)
    assert run(folder, resume=True).measured == 1
    assert Counter(r["task"] for r in requests(folder, "plain-np3")) == Counter(TASKS)


def test_a_slow_answer_is_one(live_campaign: Write, knobs: Knobs) -> None:
    knobs(pace=0.002, on={"Summarise the following": "late:0.3"})
    folder = live_campaign(THREE.split('[[runs]]\nid = "drafted"')[0])
    assert run(folder).complete
    walls = {record["task"]: record["wall_s"] for record in requests(folder, "plain-np3")}
    assert walls["summarize"] > 0.3 > max(walls["code_python"], walls["qa_factual"])


def test_a_drafter_that_remembers_meets_no_measured_prompt_before_its_turn(
    live_campaign: Write, knobs: Knobs, tmp_path: Path
) -> None:
    seen = tmp_path / "seen"
    knobs(pace=0.002, seen=str(seen))
    settings = LIVE.replace("repeats = 2", "repeats = 1\nparallel = 2").split("[[runs]]")[0]
    settings = settings.replace('baseline = "plain"\n', "")
    run(live_campaign(settings + '[[runs]]\nid = "pool"\nspec_type = "ngram-mod"\nn_max = 4\n'))
    sent = [json.loads(line)["messages"][-1]["content"] for line in seen.read_text().splitlines()]
    texts = {one.text for one in prompts.ours().prompts if one.task in TASKS}
    assert Counter(text for text in sent if text in texts) == Counter(texts)


def line(slot: int, words: str) -> bytes:
    return f"0.00.001.000 I slot operator(): id {slot:2d} | task 7 | {words}\n".encode()


def test_slots_are_told_apart_in_a_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"")
    logs = SlotLogs(log)
    with log.open("ab", buffering=0) as file:
        file.write(line(0, "accepted  2/ 3 draft tokens") + line(1, "accepted  0/ 3 draft tokens"))
        file.write(line(0, "accepted  1/ 3 draft tokens"))
        release = "stop processing: n_tokens = 9, truncated = 0"
        file.write(line(1, release).replace(b"operator()", b"release")[:40])
        assert logs.request(1, 3, 0, timeout_s=0) is None
        file.write(line(1, release).replace(b"operator()", b"release")[40:])
        file.write(line(0, release).replace(b"operator()", b"release"))
    first, second = logs.request(0, 6, 3), logs.request(1, 3, 0)
    assert first is not None
    assert second is not None
    assert (first.accepted, second.accepted) == ((2, 1), (0,))
    assert SlotLogs(None).request(0, 0, 0) is None


def test_a_record_of_one_request_at_a_time_is_what_it_was(live_campaign: Write) -> None:
    folder = live_campaign()
    run(folder)
    record = requests(folder, "plain")[0]
    assert not {"slot", "steady", "tokens_s"} & set(record)
    (one,) = read(folder / "live" / "plain.jsonl")
    assert {task.steady for task in one.tasks} == {None}


@pytest.mark.parametrize("kind", ["connection", "malformed", "http"])
def test_an_answer_that_breaks_off_is_laid_on_a_server_that_died(kind: str, tmp_path: Path) -> None:
    died = SimpleNamespace(died=True, process=object(), log=tmp_path / "server.log")
    asked = Requests(died, "plain", 1, False, 16, 0.0, 0, 1.0)
    expected = kind if kind == "http" else "server-died"
    assert asked.kind_of(Failure(kind, "it broke off", 0.1)) == expected
