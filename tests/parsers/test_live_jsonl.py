from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analysis.errors import LogError
from analysis.parsers import parse, read
from analysis.parsers.text.document import Document
from analysis.records import Surroundings

HEADER: dict[str, Any] = {
    "record": "run",
    "schema": 1,
    "run": "d",
    "repeat": 1,
    "start": 1,
    "label": "D, 3",
    "started": "2026-11-30T18:40:00Z",
    "server": "embedded",
    "engine": "xllamacpp 1",
    "build": "b11549",
    "command": "llama-server -m t.gguf -md d.gguf --spec-draft-n-max 7 -np 1 --api-key sk-1",
    "spec_type": "draft-dflash",
    "n_max": 7,
    "n_max_requested": 12,
    "clamp": "clamping to 7",
    "p_min": 0.25,
    "synthetic": False,
    "synthetic_rates": None,
    "target": {"parts": [{"name": "t.gguf", "size": 1, "sha256": "00"}]},
    "draft": {"parts": [{"name": "d.gguf", "size": 1, "sha256": "00"}]},
    "machine": {"cpu": "C", "ram": "8 GiB", "os": "Linux 6", "gpu": None, "load": 0.5},
    "prompt_set": "sha256:ab",
    "max_tokens": 8,
    "sampler": {"temperature": 0.0, "seed": 42},
    "parallel": 1,
}
REQUEST: dict[str, Any] = {
    "record": "request",
    "run": "d",
    "repeat": 1,
    "task": "code_python",
    "workload": "code",
    "at_s": 0.5,
    "wall_s": 0.2,
    "first_token_s": 0.05,
    "prompt_tokens": 30,
    "predicted_tokens": 8,
    "draft_tokens": 9,
    "accepted_tokens": 4,
    "draft_s": 0.03,
    "timings": {
        "prompt_ms": 40.0,
        "predicted_ms": 140.0,
        "predicted_per_second": 50.0,
        "predicted_n": 8,
    },
    "positions": {"accepted": [2, 2, 0], "rounds": 4},
    "rounds": {"drafted": [3, 3, 3], "accepted": [2, 2, 0], "at_s": [1.5, 1.6, 1.7]},
    "finish_reason": "length",
    "output_hash": "sha256:cd",
}
ERROR = {
    "record": "error",
    "run": "d",
    "repeat": 1,
    "task": "code_python",
    "workload": "code",
    "wall_s": 0.1,
    "kind": "timeout",
    "message": "no answer within 1 s",
}
END = {"record": "end", "run": "d", "repeat": 1, "reason": "done"}


def document(*records: dict[str, Any], rest: str = "") -> Document:
    return Document.of("".join(json.dumps(r) + "\n" for r in records) + rest, "d.jsonl")


def refusal(text: str) -> LogError:
    with pytest.raises(LogError) as caught:
        parse(Document.of(text, "d.jsonl"), "mtpbench-live")
    return caught.value


def test_it_is_recognised_before_every_other_json(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text(document(HEADER, REQUEST).text)
    assert [run.format for run in read(path)] == ["mtpbench-live"]
    # The figures of a request without the record around them are somebody else's.
    path.write_text(json.dumps({"timings": REQUEST["timings"]}))
    assert [run.format for run in read(path)] != ["mtpbench-live"]


def test_a_run_with_everything() -> None:
    (run,) = parse(document(HEADER, REQUEST, END))
    assert (run.id, run.label, run.spec_type, run.n_max, run.p_min) == (
        "d",
        "D, 3",
        "draft-dflash",
        7,
        0.25,
    )
    assert (run.target, run.draft, run.build) == ("t.gguf", "d.gguf", "b11549")
    assert (run.temperature, run.concurrency, run.prompt_set) == (0.0, 1, "sha256:ab")
    assert run.synthetic is False
    assert run.conditions == {
        "cpu": "C",
        "ram": "8 GiB",
        "os": "Linux 6",
        "date": "2026-11-30",
        "sampler": "temperature 0.0, seed 42",
        "flags": "-np 1 --api-key ***",
    }
    assert str(run.source) == "d.jsonl:1-3"
    assert [(f.level, f.code, f.message) for f in run.findings] == [
        ("note", "depth-clamped", "d: clamping to 7")
    ]
    (task,) = run.tasks
    assert (task.task, task.workload, task.repeat, str(task.source)) == (
        "code_python",
        "code",
        1,
        "d.jsonl:2",
    )
    assert (task.predicted_tokens, task.draft_tokens, task.accepted_tokens) == (8, 9, 4)
    assert (task.decode_tps, task.decode_s, task.prompt_s) == (50.0, 0.14, 0.04)
    assert (task.wall_s, task.first_token_s, task.draft_s) == (0.2, 0.05, 0.03)
    assert (task.finish_reason, task.output_hash) == ("length", "sha256:cd")
    assert task.positions is not None
    assert task.positions.rate == (0.5, 0.5, 0.0)
    assert (task.positions.accepted, task.positions.rounds) == ((2, 2, 0), 4)
    assert task.positions.definition == "all-rounds"
    assert task.rounds is not None
    np.testing.assert_array_equal(task.rounds.drafted, [3, 3, 3])
    np.testing.assert_array_equal(task.rounds.accepted, [2, 2, 0])
    np.testing.assert_array_equal(task.rounds.at_s, [1.5, 1.6, 1.7])


def test_repeats_and_restarts_are_one_run() -> None:
    again = {"repeat": 2}
    (run,) = parse(document(HEADER, REQUEST, END, HEADER | again, REQUEST | again, END | again))
    assert [task.repeat for task in run.tasks] == [1, 2]


def test_tokens_are_kept_as_far_as_they_are_known() -> None:
    tokens = [5, 6, 7]
    (run,) = parse(document(HEADER, REQUEST | {"tokens": tokens}))
    assert run.tasks[0].tokens == (5, 6, 7)
    for unknown in (None, [5, "six"], "5"):
        (run,) = parse(document(HEADER, REQUEST | {"tokens": unknown}))
        assert run.tasks[0].tokens is None


@pytest.mark.parametrize(
    ("server", "fresh"),
    [("embedded", True), ("executable", True), ("remote", False), (None, False)],
)
def test_only_our_own_servers_are_fresh(server: str | None, fresh: bool) -> None:
    (run,) = parse(document(HEADER | {"server": server}, REQUEST))
    assert run.fresh_servers is fresh


def test_several_configurations_in_one_file() -> None:
    other = {"run": "e"}
    runs = parse(document(HEADER, HEADER | other, REQUEST | other, REQUEST))
    assert [(run.id, len(run.tasks)) for run in runs] == [("d", 1), ("e", 1)]


@pytest.mark.parametrize(
    ("records", "error"),
    [
        ((ERROR,), "timeout: no answer within 1 s"),
        ((ERROR, REQUEST), None),
        ((REQUEST, ERROR), None),
    ],
)
def test_an_answer_counts_and_a_failure_only_without_one(
    records: tuple[dict[str, Any], ...], error: str | None
) -> None:
    (run,) = parse(document(HEADER, *records))
    (task,) = run.tasks
    assert task.error == error
    assert (task.predicted_tokens is None) == (error is not None)


def test_a_record_that_was_cut_off_is_left_out_and_said() -> None:
    (run,) = parse(document(HEADER, REQUEST, rest='{"record": "requ'))
    assert len(run.tasks) == 1
    assert [(f.code, f.where) for f in run.findings if f.level == "warning"] == [
        ("row-cut", "d.jsonl:3")
    ]


@pytest.mark.parametrize("synthetic", [True, None, "no", 0])
def test_whatever_is_not_plainly_real_is_synthetic(synthetic: object) -> None:
    (run,) = parse(document(HEADER | {"synthetic": synthetic}))
    assert run.synthetic


def test_what_can_t_be_true_is_null() -> None:
    strange = {
        "predicted_tokens": -1,
        "wall_s": "soon",
        "first_token_s": True,
        "timings": {"predicted_per_second": 1e400, "predicted_ms": None},
        "positions": {"accepted": [5], "rounds": 4},
        "rounds": {"drafted": [1, 2], "accepted": [1]},
        "finish_reason": 3,
    }
    (run,) = parse(document(HEADER | {"n_max": "many", "spec_type": "magic"}, REQUEST | strange))
    (task,) = run.tasks
    assert (run.n_max, run.spec_type) == (None, None)
    assert (task.predicted_tokens, task.wall_s, task.first_token_s) == (None, None, None)
    assert (task.decode_tps, task.decode_s, task.positions, task.rounds) == (None,) * 4
    assert task.finish_reason is None


def test_nothing_drafted_has_no_rates() -> None:
    none = {
        "draft_tokens": 0,
        "accepted_tokens": 0,
        "positions": {"accepted": [], "rounds": 0},
        "rounds": {"drafted": [], "accepted": [], "at_s": []},
    }
    (run,) = parse(document(HEADER, REQUEST | none))
    (task,) = run.tasks
    assert task.positions is None
    assert task.rounds is not None
    assert task.rounds.drafted.size == 0


LINE = json.dumps(HEADER)
REFUSALS = {
    "nothing whole": (LINE, 1, "no whole run record"),
    "no JSON": (f"{LINE}\n{{oops}}\n{LINE}\n", 2, "this line is not JSON"),
    "no record": (f"{LINE}\n[1]\n", 2, "this line is not a record"),
    "a request of no run": (json.dumps(REQUEST) + "\n", 1, "no run record for 'd'"),
    "no run id": (f'{LINE}\n{{"record": "end"}}\n', 2, "does not say which run"),
    "repeat 0": (f'{LINE}\n{{"record": "end", "run": "d", "repeat": 0}}\n', 2, "which run"),
    "no task": (f'{LINE}\n{{"record": "request", "run": "d", "repeat": 1}}\n', 2, "no task"),
    "another schema": (json.dumps(HEADER | {"schema": 2}) + "\n", 1, "the schema 2, not 1"),
    "another depth": (
        f"{LINE}\n{json.dumps(HEADER | {'repeat': 2, 'n_max': 3})}\n",
        2,
        "another n_max here than in line 1",
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refusals(name: str) -> None:
    text, line, problem = REFUSALS[name]
    error = refusal(text)
    assert problem in error.problem
    assert (error.file, error.line) == ("d.jsonl", line)


IDENTITY = {
    "build": "b11549",
    "model": "there.gguf",
    "context_tokens": 4096,
    "chat_template": "sha256:ef",
    "samplers": {"top_k": 40, "top_p": 0.95, "temperature": 0.8},
}


def codes(*records: dict[str, Any]) -> list[tuple[str, str]]:
    (run,) = read_document(*records)
    return [(found.code, found.message) for found in run.findings if found.code != "depth-clamped"]


def read_document(*records: dict[str, Any]) -> tuple[Any, ...]:
    return parse(document(*records))


def test_a_server_that_became_another_one_is_a_finding() -> None:
    first = {**HEADER, "identity": IDENTITY}
    second = {**HEADER, "repeat": 2, "build": "b11600", "identity": IDENTITY | {"model": "x.gguf"}}
    assert codes(first, REQUEST, END, second) == [
        (
            "server-changed",
            "d: the server is another one than before: build was b11549 and is b11600; "
            "model was there.gguf and is x.gguf",
        )
    ]
    # Records from before servers were asked say nothing, and that is no change.
    assert codes(HEADER, REQUEST, END, first) == []
    told = {**END, "reason": "changed", "changes": ["its slots was 1 and is 2", 3]}
    assert codes(first, REQUEST, told) == [
        ("server-changed", "d: the server is another one than before: its slots was 1 and is 2")
    ]


def test_a_configuration_file_that_was_applied_is_a_finding() -> None:
    applied = {**HEADER, "config_files": ["/etc/llama.cpp/config.ini"]}
    assert codes(applied, REQUEST) == [("config-file", "d: llama.cpp applied the settings of ***")]
    assert codes({**HEADER, "config_files": []}, REQUEST) == []


def test_what_a_remote_server_says_of_its_model_and_samplers() -> None:
    remote = {**HEADER, "server": "remote", "target": None, "machine": None, "identity": IDENTITY}
    (greedy,) = read_document(remote, REQUEST)
    assert greedy.target == "there.gguf"
    assert greedy.conditions["sampler"] == "temperature 0.0, seed 42"
    assert "cpu" not in greedy.conditions
    (sampled,) = read_document(remote | {"sampler": {"temperature": 0.7, "seed": 1}}, REQUEST)
    assert sampled.conditions["sampler"] == "temperature 0.7, seed 1, top_k 40, top_p 0.95"


def test_surroundings_are_read_as_far_as_they_are_known() -> None:
    gpus = [{"mhz": 2500.0, "throttled": []}, {"mhz": 2400.0, "throttled": ["heat"]}, 3]
    around = {"other_load": 0.5, "cpu_mhz": 3000.0, "cpu_throttles": 0.0, "gpus": gpus}
    (run,) = read_document(HEADER, {**REQUEST, "surroundings": around})
    assert run.tasks[0].surroundings == Surroundings(0.5, 3000.0, 2450.0, throttled=True)
    (run,) = read_document(HEADER, {**REQUEST, "surroundings": {"gpus": None}})
    assert run.tasks[0].surroundings == Surroundings()
    (run,) = read_document(HEADER, REQUEST)
    assert run.tasks[0].surroundings is None
