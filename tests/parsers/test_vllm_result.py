"""The files of ``vllm bench serve --save-result`` and of ``vllm bench sweep``."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis import parsers
from analysis.errors import LogError
from analysis.parsers.text.document import Document
from analysis.records import Run
from analysis.statistics.frames import run_frame

RESULT = {
    "date": "20260811-142233",
    "endpoint_type": "openai-chat",
    "label": None,
    "model_id": "org/model",
    "num_prompts": 40,
    "request_rate": "inf",
    "burstiness": 1.0,
    "max_concurrency": 4,
    "duration": 20.5,
    "completed": 40,
    "failed": 0,
    "total_input_tokens": 5120,
    "total_output_tokens": 4100,
    "output_throughput": 200.0,
    "mean_ttft_ms": 81.5,
    "spec_decode_acceptance_rate": 62.5,
    "spec_decode_acceptance_length": 2.875,
    "spec_decode_num_drafts": 1000,
    "spec_decode_draft_tokens": 3000,
    "spec_decode_accepted_tokens": 1875,
    "spec_decode_per_position_acceptance_rates": [0.8, 0.625, 0.45],
}
PLAIN = {key: value for key, value in RESULT.items() if not key.startswith("spec_")}
DETAIL = {
    "completed": 1,
    "input_lens": [12, 15],
    "output_lens": [5, 0],
    "ttfts": [0.25, 0.0],
    "itls": [[0.1, 0.1, 0.2, 0.1], []],
    "start_times": [1000.5, 1000.75],
    "errors": ["", "Traceback\nTimeoutError: too late"],
}


def runs_in(text: str) -> tuple[Run, ...]:
    return parsers.parse(Document.of(text, "a.json"))


def test_totals_of_a_result() -> None:
    (run,) = runs_in(json.dumps(RESULT, indent=1))
    total = run.aggregate
    assert run.format == "vllm-result"
    assert (total.n_requests, total.predicted_tokens, total.elapsed_s) == (40, 4100, 20.5)
    assert (total.draft_tokens, total.accepted_tokens) == (3000, 1875)
    assert (total.acceptance_rate, total.wall_s) == (0.625, None)
    assert (total.positions.rate, total.positions.rounds) == ((0.8, 0.625, 0.45), 1000)
    assert (run.concurrency, run.n_max, run.target) == (4, 3, "org/model")
    assert (run.spec_type, run.label, run.temperature) == (None, None, None)
    assert run.conditions == {"date": "2026-08-11"}
    # 4100 tokens in 20.5 s of all four together.
    assert run_frame(runs_in(json.dumps(RESULT)))["aggregate_tps"].tolist() == [200.0]


def test_requests_at_once_are_an_axis() -> None:
    sweep = [{**RESULT, "max_concurrency": n, "run_number": 0} for n in (1, 2, 8)]
    runs = runs_in(json.dumps(sweep))
    assert [run.concurrency for run in runs] == [1, 2, 8]
    # One after the other take as long as the client did.
    assert [run.aggregate.wall_s for run in runs] == [20.5, None, None]
    lines = "\n".join(json.dumps(one) for one in sweep)
    assert [run.concurrency for run in runs_in(lines)] == [1, 2, 8]


@pytest.mark.parametrize("changed", [{"max_concurrency": None}, {"request_rate": 2.0}])
def test_how_many_ran_at_once_is_not_guessed(changed: dict) -> None:
    (run,) = runs_in(json.dumps({**RESULT, **changed}))
    assert run.concurrency is None


def test_without_drafts_nothing_is_said_of_speculation() -> None:
    (run,) = runs_in(json.dumps(PLAIN))
    assert (run.aggregate.draft_tokens, run.aggregate.acceptance_rate) == (None, None)
    assert (run.spec_type, run.n_max) == (None, None)
    (named,) = runs_in(json.dumps({**PLAIN, "label": "baseline"}))
    assert named.spec_type == "none"
    (named,) = runs_in(json.dumps({**RESULT, "label": "eagle3"}))
    assert named.spec_type == "draft-eagle3"


def test_requests_where_they_were_saved() -> None:
    (run,) = runs_in(json.dumps({**PLAIN, **DETAIL}))
    first, second = run.tasks
    assert (first.task, first.predicted_tokens, first.prompt_tokens) == ("request 1", 5, 12)
    assert (first.first_token_s, first.wall_s) == (0.25, pytest.approx(0.75))
    assert first.decode_s == pytest.approx(0.5)
    assert first.busy_s == (0.0, pytest.approx(0.75))
    assert (second.error, second.predicted_tokens) == ("TimeoutError: too late", None)
    (cut,) = runs_in(json.dumps({**PLAIN, **DETAIL, "ttfts": [0.25]}))
    assert cut.tasks == ()


def test_the_table_of_a_sweep() -> None:
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(["", *RESULT])
    table.writerow([0, *RESULT.values()])
    table.writerow([1, *{**PLAIN, "completed": 40.0}.values(), *[""] * 6])
    fast, plain = runs_in(out.getvalue())
    assert fast.aggregate.positions.rate == (0.8, 0.625, 0.45)
    assert (fast.aggregate.draft_tokens, fast.concurrency) == (3000, 4)
    assert (plain.aggregate.n_requests, plain.aggregate.draft_tokens) == (40, None)
    assert str(plain.source) == "a.json:3"


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({**RESULT, "completed": 0}),
        json.dumps(RESULT)[:-40],
        json.dumps({key: value for key, value in RESULT.items() if key != "total_output_tokens"}),
        ",model_id,completed,duration,total_output_tokens\n0,m,none,1,1\n",
    ],
)
def test_what_can_t_be_read_is_refused(text: str) -> None:
    with pytest.raises(LogError):
        parsers.parse(Document.of(text, "a.json"), "vllm-result")


VALUES = st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5)


@settings(max_examples=40)
@given(st.dictionaries(st.sampled_from([*RESULT, *DETAIL]), VALUES | st.lists(VALUES, max_size=3)))
def test_whatever_stands_there_is_read_or_refused(changed: dict) -> None:
    text = json.dumps({**RESULT, **DETAIL, **changed})
    try:
        runs = parsers.parse(Document.of(text, "a.json"), "vllm-result")
    except LogError:
        return
    for run in runs:
        assert run.concurrency is None or run.concurrency > 0
        assert run.aggregate.n_requests
