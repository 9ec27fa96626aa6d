"""The --out file: figures by hand, lines of every object, and what wraps it."""

import json
from pathlib import Path

import pytest

from analysis import parsers
from analysis.parsers import Document
from analysis.records import Source

DATA = Path(__file__).parents[1] / "data"
RESULT = {"name": "code_python", "wall_s": 1.5, "predicted_n": 192, "predicted_per_second": 161.0,
          "draft_n": 135, "draft_n_accepted": 123, "accept_rate": 0.9111}  # fmt: skip


def parse(value):
    text = value if isinstance(value, str) else json.dumps(value)
    return parsers.parse(Document.of(text, "out.json"))


@pytest.fixture
def run():
    (run,) = parsers.read(DATA / "out.json", name="out.json")
    return run


def test_what_wraps_the_results(run):
    assert run.format == "mtp-bench-json"
    assert (run.label, run.target) == ("mtp-2", "Qwen3.6-27B-UD-Q8_K_XL")
    assert (run.spec_type, run.n_max) == ("draft-mtp", 2)
    assert run.command == "--spec-type draft-mtp --spec-draft-n-max 2 -np 1"
    assert run.conditions == {"timestamp": "2026-05-15T10:37:45.833024"}
    assert run.source == Source("out.json", 1, 29)
    assert run.findings == ()


def test_every_figure_of_a_result(run):
    row = run.tasks[0]
    assert (row.task, row.source) == ("code_python", Source("out.json", 7, 15))
    assert (row.predicted_tokens, row.draft_tokens, row.accepted_tokens) == (192, 140, 120)
    assert (row.decode_tps, row.wall_s) == (12.88, 15.461)
    assert (row.reported_rate, row.rate_decimals) == (0.8571, 4)


def test_the_other_key_for_accepted_and_a_dropped_zero(run):
    row = run.tasks[1]
    assert (row.accepted_tokens, row.source) == (110, Source("out.json", 16, 17))
    assert (row.reported_rate, row.rate_decimals) == (0.75, 4)


def test_a_failed_request(run):
    row = run.tasks[2]
    assert (row.task, row.error, row.predicted_tokens) == ("translation", "timed out", None)
    assert row.source == Source("out.json", 18, 18)


def test_elapsed_time_is_not_the_sum(run):
    assert (run.aggregate.wall_s, run.aggregate.elapsed_s) == (33.008, 20.1)
    assert run.aggregate.source == Source("out.json", 20, 28)
    assert (run.aggregate.n_requests, run.aggregate.acceptance_rate) == (3, 0.7667)


def test_a_baseline_says_so_by_its_flags():
    (run,) = parse({"mode": "baseline", "spec_flags": "(none)", "results": [RESULT]})
    assert (run.spec_type, run.command, run.label, run.aggregate) == (
        "none",
        None,
        "baseline",
        None,
    )


def test_repeats_are_counted():
    (run,) = parse({"results": [RESULT, RESULT]})
    assert [task.repeat for task in run.tasks] == [1, 2]


def test_several_outputs_in_a_list_and_under_keys():
    runs = parse(
        {"a": {"results": [RESULT]}, "more": [{"results": [RESULT]}, {"results": [RESULT]}]}
    )
    assert len(runs) == 3


def test_results_without_rows_beside_others():
    empty = {"results": [], "aggregate": {"n_requests": 0, "total_predicted": 0}}
    runs = parse(json.dumps([{"results": [RESULT]}, empty], indent=1))
    assert [len(run.tasks) for run in runs] == [1, 0]
    assert [(f.code, f.level) for f in runs[1].findings] == [("no-rows", "error")]


@pytest.mark.parametrize(
    "key", ["predicted_n", "draft_n", "predicted_per_second", "wall_s", "accept_rate"]
)
@pytest.mark.parametrize(
    "bad", ["-1", "NaN", "Infinity", "9" * 9000, '"many"', "true", "[]", "1e400"]
)
def test_a_figure_that_can_not_be(key, bad):
    text = json.dumps({"results": [{**RESULT, key: "@"}]}).replace('"@"', bad)
    (run,) = parse(text)
    assert [(f.code, f.level, f.where) for f in run.findings] == [
        ("number-unread", "warning", "out.json:1")
    ]


def test_one_output_per_line():
    line = json.dumps({"results": [RESULT]})
    runs = parse(f"{line}\n{line}\n")
    assert [str(run.source) for run in runs] == ["out.json:1", "out.json:2"]


def test_windows_line_ends_and_a_mark():
    text = "\ufeff" + json.dumps({"results": [RESULT]}, indent=2).replace("\n", "\r\n")
    (run,) = parse(text)
    assert run.tasks[0].source == Source("out.json", 3, 11)
