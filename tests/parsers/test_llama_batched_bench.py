# ruff: noqa: E501 - lines as the tool prints them
"""llama-batched-bench: the time of a forward over the sequences in its batch."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from analysis import parsers
from analysis.errors import LogError
from analysis.parsers.text.document import Document
from analysis.records import Run
from analysis.statistics.frames import run_frame, task_frame

HEAD = """\
|    PP |     TG |    B |   N_KV |   T_PP s | S_PP t/s |   T_TG s | S_TG t/s |      T s |    S t/s |
|-------|--------|------|--------|----------|----------|----------|----------|----------|----------|
"""
ROWS = (
    "|   128 |     64 |    1 |    192 |    0.100 |  1280.00 |    1.600 |    40.00 |    1.700 | 112.9 |\n",
    "|   128 |     64 |    4 |    768 |    0.400 |  1280.00 |    2.000 |   128.00 |    2.400 | 320.0 |\n",
)
TABLE = HEAD + "".join(ROWS)
RECORD = {"n_kv_max": 2048, "n_gpu_layers": 99, "pp": 128, "tg": 64, "pl": 4, "n_kv": 768,
          "t_pp": 0.4, "speed_pp": 1280.0, "t_tg": 2.0, "speed_tg": 128.0}  # fmt: skip


def runs_in(text: str) -> tuple[Run, ...]:
    return parsers.parse(Document.of(text, "a.md"))


def test_a_run_for_each_number_of_sequences() -> None:
    one, four = runs_in(TABLE)
    assert (one.format, one.spec_type) == ("llama-batched-bench", "none")
    assert (one.concurrency, one.bare) == (1, True)
    (row,) = four.tasks
    assert (four.concurrency, row.pooled, row.predicted_tokens, row.draft_tokens) == (4, 4, 256, 0)
    assert (row.decode_tps, row.prompt_tokens, row.prompt_s) == (128.0, 512, 0.4)
    assert str(row.source) == "a.md:4"


def test_its_step_is_the_time_over_its_steps() -> None:
    runs = [replace(run, id=f"b{run.concurrency}") for run in runs_in(TABLE)]
    steps = task_frame(runs).set_index("run")
    # 64 steps took 1.6 s and 2.0 s, whatever was in the batch.
    assert 1 / steps.at["b1", "decode_tps"] == pytest.approx(1.6 / 64)
    assert 4 / steps.at["b4", "decode_tps"] == pytest.approx(2.0 / 64)
    told = run_frame(runs).set_index("id")
    assert told.at["b4", "aggregate_tps"] == pytest.approx(256 / 2.4)


def test_json_lines_say_the_same() -> None:
    text = json.dumps({**RECORD, "pl": 1, "t_tg": 1.6, "t_pp": 0.1}) + "\n" + json.dumps(RECORD)
    one, four = runs_in(text)
    assert [row.decode_tps for row in (*one.tasks, *four.tasks)] == [40.0, 128.0]


def test_a_row_that_is_cut_is_left_out_and_said() -> None:
    (one,) = runs_in(HEAD + ROWS[0] + ROWS[1][:40] + "\n")
    assert [finding.code for finding in one.findings] == ["row-cut"]


@pytest.mark.parametrize(
    "text",
    [
        HEAD,
        HEAD + ROWS[0].replace("1.600", "0.000"),
        TABLE.replace("N_KV", "N_XX"),
        json.dumps({"n_kv": 1, "t_tg": "soon"}),
    ],
)
def test_look_alikes_yield_nothing(text: str) -> None:
    with pytest.raises(LogError):
        parsers.parse(Document.of(text, "a.md"), "llama-batched-bench")
