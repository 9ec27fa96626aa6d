"""llama-benchy's results."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis import parsers
from analysis.errors import LogError
from analysis.parsers.text.document import Document
from analysis.records import Run


def benchmark(clients: int, depth: int = 0, **changed: object) -> dict:
    rates = [50.0 / clients + step for step in range(2 * clients)]
    return {
        "concurrency": clients,
        "context_size": depth,
        "prompt_size": 2048,
        "response_size": 32,
        "is_context_prefill_phase": False,
        "pp_throughput": {"mean": 987.1, "std": 1.1, "values": [986.0, 988.2]},
        "tg_throughput": {"mean": 90.0, "std": 0.5, "values": [89.5, 90.5]},
        "tg_req_throughput": {"mean": 51.0, "std": 0.5, "values": rates},
        "e2e_ttft": {"mean": 250.0, "std": 2.0, "values": [250.0 + n for n in range(2 * clients)]},
        **changed,
    }


REPORT = {
    "version": "0.4.1",
    "timestamp": "2026-04-28T00:00:00Z",
    "latency_mode": "generation",
    "latency_ms": 1.2,
    "model": "org/model",
    "prefix_caching_enabled": False,
    "max_concurrency": 2,
    "benchmarks": [
        benchmark(1),
        benchmark(2, 4096, is_context_prefill_phase=True),
        benchmark(2, 4096),
    ],
}
TABLE = """\
| model | test | t/s (total) | t/s (req) | peak t/s | ttfr (ms) | est_ppt (ms) | e2e_ttft (ms) |
|:------|-----:|------------:|----------:|---------:|----------:|-------------:|--------------:|
| qwen | pp2048 (c1) | 809.16 ± 19.50 | 809.16 ± 19.50 | | 994.9 ± 7.6 | 990.3 ± 7.6 | 995.9 ± 7.6 |
| qwen | tg128 (c1) | 31.65 ± 6.78 | 31.65 ± 6.78 | 72.33 ± 6.18 | | | |
| qwen | ctx_tg @ d4096 (c4) | 60.00 ± 1.00 | 15.00 ± 1.00 | 70.00 ± 1.00 | | | |
| qwen | tg128 @ d4096 (c4) | 63.64 ± 1.31 | 18.66 ± 1.45 | 109.33 ± 4.50 | | | |

llama-benchy (0.3.1)
"""
PLAIN = """\
| model | test | t/s | ttfr (ms) | est_ppt (ms) | e2e_ttft (ms) |
|:------|-----:|----:|----------:|-------------:|--------------:|
| org/m | pp2048 @ d4096 | 1994.49 ± 77.97 | 3129.18 ± 120.27 | 3089.2 ± 120.3 | 3199.0 ± 122.2 |
| org/m | tg32 @ d4096 | 46.69 ± 1.11 | | | |
"""


def runs_in(text: str) -> tuple[Run, ...]:
    return parsers.parse(Document.of(text, "a.md"))


def test_requests_at_once_and_context_are_axes() -> None:
    one, two = runs_in(json.dumps(REPORT, indent=1))
    assert (one.format, one.target, one.spec_type) == ("llama-benchy", "org/model", None)
    assert (one.concurrency, one.context_tokens, one.max_tokens) == (1, 0, 32)
    assert (two.concurrency, two.context_tokens, two.label) == (
        2, 4096, "2 at once, 4096 tokens of context",
    )  # fmt: skip
    assert two.aggregate.quoted_tps == 90.0
    assert two.aggregate.predicted_tokens is None


def test_each_request_of_each_batch() -> None:
    _, two = runs_in(json.dumps(REPORT))
    told = [(row.task, row.repeat, row.decode_tps, row.first_token_s) for row in two.tasks]
    assert told == [
        ("pp2048+tg32/1", 1, 25.0, 0.25),
        ("pp2048+tg32/2", 1, 26.0, 0.251),
        ("pp2048+tg32/1", 2, 27.0, 0.252),
        ("pp2048+tg32/2", 2, 28.0, 0.253),
    ]
    # What was asked for is no answer's length.
    assert {row.predicted_tokens for row in two.tasks} == {None}


def test_requests_that_can_t_be_told_apart_are_pooled() -> None:
    metric = {"mean": 40.0, "values": [39.0, 40.0, 41.0]}
    report = {**REPORT, "benchmarks": [benchmark(2, tg_req_throughput=metric)]}
    (run,) = runs_in(json.dumps(report))
    (row,) = run.tasks
    assert (row.decode_tps, row.pooled, row.first_token_s) == (40.0, 3, None)


def test_a_table_is_not_llama_bench_s() -> None:
    one, four = runs_in(TABLE)
    assert (one.format, one.concurrency, one.context_tokens) == ("llama-benchy", 1, 0)
    assert (four.concurrency, four.context_tokens, four.max_tokens) == (4, 4096, 128)
    assert [run.tasks[0].decode_tps for run in (one, four)] == [31.65, 18.66]
    assert four.aggregate.quoted_tps == 63.64
    # Which server answered, and what it did, nobody says.
    assert {run.spec_type for run in (one, four)} == {None}
    (deep,) = runs_in(PLAIN)
    assert (deep.concurrency, deep.context_tokens, deep.tasks[0].decode_tps) == (1, 4096, 46.69)


def test_a_total_of_nobody_knows_how_many_is_no_rate_of_one() -> None:
    (run,) = runs_in(PLAIN.replace("| t/s |", "| t/s (total) |"))
    assert (run.concurrency, run.tasks[0].decode_tps) == (None, None)
    assert run.aggregate.quoted_tps == 46.69


def test_a_row_that_is_cut_is_left_out_and_said() -> None:
    rows = TABLE.splitlines()
    (run,) = runs_in("\n".join([*rows[:4], rows[5][:30]]))
    assert [finding.code for finding in run.findings] == ["row-cut"]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({**REPORT, "benchmarks": []}),
        json.dumps({**REPORT, "benchmarks": [benchmark(2, is_context_prefill_phase=True)]}),
        json.dumps(REPORT)[:-9],
        TABLE.replace("tg128", "pp128"),
        TABLE.replace("ttfr (ms)", "ttfr"),
    ],
)
def test_what_has_no_answer_is_refused(text: str) -> None:
    with pytest.raises(LogError):
        parsers.parse(Document.of(text, "a.md"), "llama-benchy")


VALUES = st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5)
METRICS = st.fixed_dictionaries({"mean": VALUES, "values": VALUES | st.lists(VALUES, max_size=4)})


@settings(max_examples=40)
@given(st.dictionaries(st.sampled_from([*benchmark(1)]), VALUES | METRICS))
def test_whatever_stands_there_is_read_or_refused(changed: dict) -> None:
    text = json.dumps({**REPORT, "benchmarks": [benchmark(2) | changed]})
    try:
        runs = parsers.parse(Document.of(text, "a.md"), "llama-benchy")
    except LogError:
        return
    assert all(row.decode_tps for run in runs for row in run.tasks)
