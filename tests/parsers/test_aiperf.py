"""AIPerf's exports."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis import parsers
from analysis.errors import LogError
from analysis.parsers.text.document import Document
from analysis.records import Run
from analysis.statistics.frames import run_frame

SUMMARY = {
    "schema_version": "1.3",
    "aiperf_version": "0.10.0",
    "request_count": {"unit": "requests", "avg": 96.0},
    "output_token_throughput": {"unit": "tokens/sec", "avg": 320.0},
    "output_sequence_length": {"unit": "tokens", "avg": 400.0, "sum": 38400.0, "count": 96},
    "input_sequence_length": {"unit": "tokens", "avg": 500.0, "min": 500.0, "max": 500.0},
    "benchmark_duration": {"unit": "sec", "avg": 120.0},
    "total_osl": {"unit": "tokens", "avg": 38400.0},
    "total_output_tokens": {"unit": "tokens", "avg": 30000.0},
    "input_config": {
        "models": {"items": [{"name": "org/model"}]},
        "phases": [
            {"name": "warmup", "type": "concurrency", "exclude_from_results": True,
             "concurrency": 1},
            {"name": "profiling", "type": "concurrency", "concurrency": 2},
        ],
    },
    "start_time": "2026-07-03T05:16:02.949937",
}  # fmt: skip
TABLE = """\
Metric,avg,min,max,sum,p1,p50,p99,std
Output Sequence Length (tokens),400.00,37.00,900.00,38400.00,76.90,256.50,880.00,100.00
Time to First Token (ms),154.26,74.40,341.90,14809.38,78.61,136.49,292.50,53.98

Metric,Value
Benchmark Duration (sec),120.00
Output Token Throughput (tokens/sec),320.00
Request Count,96.00
Total Output Sequence Length (tokens),38400.00
Total Output Tokens (tokens),30000.00
"""
BEGIN = 1_759_813_207_532_900_363


def record(place: int, **changed: object) -> dict:
    return {
        "metadata": {
            "session_num": place,
            "request_start_ns": BEGIN + place * 500_000_000,
            "request_end_ns": BEGIN + place * 500_000_000 + 2_000_000_000,
            "benchmark_phase": "profiling",
            "was_cancelled": False,
        },
        "metrics": {
            "input_sequence_length": {"value": 550, "unit": "tokens"},
            "time_to_first_token": {"value": 400.0, "unit": "ms"},
            "request_latency": {"value": 2.0, "unit": "sec"},
            "output_sequence_length": {"value": 81, "unit": "tokens"},
        },
        "spec_decode_acceptance": {
            "engine": "vllm",
            "acceptance_histogram": {"0": 10, "2": 20, "3": 5},
            "num_accepted_draft_tokens": 55,
            "num_draft_tokens": 105,
            "num_spec_tokens": 3,
        },
        "error": None,
        **changed,
    }


WARM_UP = record(9, metadata={**record(9)["metadata"], "benchmark_phase": "warmup"})
FAILED = record(2, error={"code": 499, "type": "Cancelled", "message": "cancelled after 0 s"})
RECORDS = "".join(json.dumps(one) + "\n" for one in (WARM_UP, record(0), record(1), FAILED))


def runs_in(text: str) -> tuple[Run, ...]:
    return parsers.parse(Document.of(text, "a.json"))


def test_totals_of_a_summary() -> None:
    (run,) = runs_in(json.dumps(SUMMARY, indent=1))
    total = run.aggregate
    assert (total.n_requests, total.elapsed_s, total.wall_s) == (96, 120.0, None)
    # With the tokens of the reasoning.
    assert total.predicted_tokens == 38400
    assert (run.concurrency, run.target, run.context_tokens) == (2, "org/model", 500)
    assert (run.spec_type, total.draft_tokens, total.quoted_tps) == (None, None, None)
    assert run.conditions == {"date": "2026-07-03"}
    assert run_frame([run])["aggregate_tps"].tolist() == [320.0]


def test_what_it_says_of_drafts() -> None:
    histogram = {"0": 10, "1": 20, "2": 0, "3": 10}
    told = {**SUMMARY, "pooled_spec_decode_acceptance_histogram": histogram}
    (run,) = runs_in(json.dumps(told))
    # Of 40 rounds 30 accepted a first token, 10 a second and a third one.
    positions = run.aggregate.positions
    assert (positions.accepted, positions.rounds) == ((30, 10, 10), 40)
    assert positions.rate == (0.75, 0.25, 0.25)
    assert (run.aggregate.accepted_tokens, run.aggregate.draft_tokens) == (50, None)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"loadgen": {"concurrency": 8}, "endpoint": {"model_names": ["m"]}}, 8),
        ({"loadgen": {"concurrency": 8, "request_rate": 3.0}}, None),
        ({"phases": [{"type": "poisson", "rate": 3.0, "concurrency": 8}]}, None),
        ({"phases": [{"concurrency": 8}, {"concurrency": 16}]}, None),
        ({}, None),
    ],
)
def test_how_many_ran_at_once(config: dict, expected: int | None) -> None:
    (run,) = runs_in(json.dumps({**SUMMARY, "input_config": config}))
    assert run.concurrency == expected


def test_a_unit_counts_and_an_unknown_one_says_nothing() -> None:
    block = {"unit": "ms", "avg": 120_000.0}
    (run,) = runs_in(json.dumps({**SUMMARY, "benchmark_duration": block}))
    assert run.aggregate.elapsed_s == 120.0
    (run,) = runs_in(json.dumps({**SUMMARY, "benchmark_duration": {**block, "unit": "moons"}}))
    assert (run.aggregate.elapsed_s, run.aggregate.quoted_tps) == (None, 320.0)


def test_its_table_says_the_same_but_for_the_requests_at_once() -> None:
    (run,) = runs_in(TABLE)
    total = run.aggregate
    assert (total.n_requests, total.predicted_tokens, total.elapsed_s) == (96, 38400, 120.0)
    assert run.concurrency is None
    assert str(run.source) == "a.json:1-10"


def test_single_requests() -> None:
    (run,) = runs_in(RECORDS)
    first, second, failed = run.tasks
    assert [task.task for task in run.tasks] == ["request 1", "request 2", "request 3"]
    assert (first.predicted_tokens, first.prompt_tokens) == (81, 550)
    assert (first.first_token_s, first.wall_s) == (0.4, 2.0)
    assert first.decode_s == pytest.approx(1.6)
    assert (first.draft_tokens, first.accepted_tokens, run.n_max) == (105, 55, 3)
    assert (first.positions.accepted, first.positions.rounds) == ((25, 25, 5), 35)
    assert (first.busy_s, second.busy_s) == ((0.0, 2.0), (0.5, 2.5))
    assert (failed.error, failed.predicted_tokens) == ("cancelled after 0 s", None)
    # 162 tokens while one or both were under way, 2.5 s.
    assert run_frame([run])["aggregate_tps"].tolist() == [pytest.approx(162 / 2.5)]


def test_rounds_where_each_is_told() -> None:
    spec = {"per_step_drafted": [3, 3, 2], "per_step_accepted": [1, 3, 0]}
    (run,) = runs_in(json.dumps(record(0, spec_decode_acceptance=spec)) + "\n")
    assert run.tasks[0].rounds.accepted.tolist() == [1, 3, 0]
    spec["per_step_accepted"] = [1, 3]
    (run,) = runs_in(json.dumps(record(0, spec_decode_acceptance=spec)) + "\n")
    assert run.tasks[0].rounds is None


def test_a_record_that_was_cut_is_left_out_and_said() -> None:
    (run,) = runs_in(RECORDS + json.dumps(record(3))[:100])
    assert len(run.tasks) == 3
    assert [finding.code for finding in run.findings] == ["row-cut"]
    with pytest.raises(LogError, match=r"a\.json:2: this line is not one of AIPerf's records"):
        runs_in(RECORDS.replace("\n", "\n{\n", 1))


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({**SUMMARY, "total_osl": None, "total_output_tokens": None,
                    "output_sequence_length": None}),
        json.dumps(SUMMARY)[:-20],
        json.dumps(FAILED) + "\n",
        TABLE.replace("38400.00\n", "many\n").replace("30000.00", "many"),
        "Metric,avg,min,max\n",
    ],
)  # fmt: skip
def test_what_has_no_answer_is_refused(text: str) -> None:
    with pytest.raises(LogError):
        parsers.parse(Document.of(text, "a.json"), "aiperf")


VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["avg", "unit", "value", "concurrency", "1"]), inner)
    ),
    max_leaves=4,
)


@settings(max_examples=40)
@given(
    st.dictionaries(st.sampled_from([*SUMMARY, "pooled_spec_decode_acceptance_histogram"]), VALUES),
    st.dictionaries(st.sampled_from([*record(0)]), VALUES),
)
def test_whatever_stands_there_is_read_or_refused(summary: dict, one: dict) -> None:
    for text in (json.dumps({**SUMMARY, **summary}), json.dumps(record(0, **one)) + "\n"):
        try:
            (run,) = parsers.parse(Document.of(text, "a.json"), "aiperf")
        except LogError:
            continue
        assert run.concurrency is None or run.concurrency > 0
        assert run.tasks or run.aggregate.predicted_tokens
