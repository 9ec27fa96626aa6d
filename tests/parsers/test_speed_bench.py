# ruff: noqa: E501 - lines as the tool prints them
"""llama.cpp's SPEED-Bench client: JSON, summary table, comparison."""

import json

import pytest

from analysis import parsers
from analysis.errors import LogError
from analysis.parsers.text.document import Document

SAMPLE = {
    "id": "q7",
    "category": "coding",
    "ok": True,
    "turns": 1,
    "latency_s": 10.5,
    "prompt_tokens": 90,
    "completion_tokens": 192,
    "finish_reason": "length",
    "draft_n": 160,
    "draft_n_accepted": 120,
    "prompt_ms": 500.0,
    "predicted_ms": 9600.0,
    "predicted_per_second": 20.0,
    "error": None,
}
OUTPUT = {
    "config": {
        "bench": "qualitative",
        "concurrency": 2,
        "extra_inputs": {"temperature": 0},
        "model": None,
    },
    "selected_samples": 2,
    "completed_samples": 1,
    "failed_samples": 1,
    "summary": [
        {
            "category": "overall",
            "failed": 1,
            "draft_n": 160,
            "accepted": 120,
            "accept_rate": 0.75,
            "avg_pred_t_s": 20.0,
        }
    ],
    "results": [SAMPLE, {**SAMPLE, "id": "q8", "ok": False, "error": "HTTP 500"}],
}
COMPARISON = """\
Comparison: baseline=plain.json speculative=dspark.json
category       base_avg_pred_t/s  spec_avg_pred_t/s  decode_speedup  base_avg_latency  spec_avg_latency  latency_speedup  accept_rate
-------------  -----------------  -----------------  --------------  ----------------  ----------------  ---------------  -----------
coding         30.20              60.40              2.00x           20.100s           10.050s           2.00x            0.7123
overall        30.20              60.40              2.00x           20.100s           10.050s           2.00x            0.7123
"""
SUMMARY = """\
Summary (elapsed=99.50s)
category       samples  avg_prompt_t/s  avg_pred_t/s  avg_latency  accept_rate
-------------  -------  --------------  ------------  -----------  -----------
coding         8        900.00          60.40         10.050s      0.7123
math           8        900.00          41.00         12.050s      n/a
overall        16       900.00          50.70         11.050s      0.7123
"""


def runs_in(text):
    return parsers.parse(Document.of(text, "a.json"))


def test_the_samples_of_the_json():
    (run,) = runs_in(json.dumps(OUTPUT, indent=2))
    done, failed = run.tasks
    assert (done.task, done.workload, done.wall_s, done.decode_s) == (
        "coding/q7",
        "coding",
        10.5,
        9.6,
    )
    assert (done.predicted_tokens, done.draft_tokens, done.accepted_tokens) == (192, 160, 120)
    assert (failed.error, failed.predicted_tokens) == ("HTTP 500", None)
    assert (run.temperature, run.concurrency, run.prompt_set) == (0.0, 2, "SPEED-Bench qualitative")
    assert (run.aggregate.quoted_tps, run.aggregate.quoted_is_mean) == (20.0, True)
    assert run.aggregate.acceptance_rate == 0.75


def test_the_turns_of_a_conversation_are_pooled():
    data = {**OUTPUT, "results": [{**SAMPLE, "turns": 3}]}
    (run,) = runs_in(json.dumps(data))
    assert run.tasks[0].pooled == 3


def test_the_summary():
    (run,) = runs_in(SUMMARY)
    coding, math = run.tasks
    assert (coding.pooled, coding.decode_tps, coding.reported_rate) == (8, 60.4, 0.7123)
    assert (math.reported_rate, math.workload) == (None, "math")
    assert (run.aggregate.n_requests, run.aggregate.elapsed_s) == (16, 99.5)


def test_a_comparison_is_two_runs():
    plain, fast = runs_in(COMPARISON)
    assert (plain.label, plain.spec_type, fast.label) == ("plain.json", "none", "dspark.json")
    assert [run.tasks[0].decode_tps for run in (plain, fast)] == [30.2, 60.4]
    assert (plain.tasks[0].draft_tokens, plain.tasks[0].reported_rate) == (0, None)
    assert fast.tasks[0].reported_rate == 0.7123


def test_a_row_that_stops_gives_only_what_is_whole():
    cut = COMPARISON.rpartition("overall")[0] + "math           31.00              62.0"
    plain, fast = runs_in(cut)
    assert [task.task for task in plain.tasks] == ["coding", "math"]
    assert [task.task for task in fast.tasks] == ["coding"]
    assert [(f.code, f.where) for f in fast.findings] == [("row-cut", "a.json:5")]


def test_json_that_stops_says_so():
    with pytest.raises(LogError, match="stops in the middle"):
        runs_in(json.dumps(OUTPUT, indent=2)[:-300])


@pytest.mark.parametrize(
    "text",
    [
        "avg_pred_t/s is what counts\n",
        COMPARISON.partition("coding")[0],
        "category  samples\n--------  -------\na         1\n",
    ],
)
def test_tables_of_something_else_yield_nothing(text):
    with pytest.raises(LogError, match="nothing was recognised"):
        runs_in(text)
    with pytest.raises(LogError, match="no sample or category"):
        parsers.parse(Document.of(text, "a.txt"), "speed-bench")
