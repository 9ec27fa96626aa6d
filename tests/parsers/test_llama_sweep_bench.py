"""ik_llama.cpp's llama-sweep-bench: the time of a step over the context before it."""

from __future__ import annotations

import json

import pytest

from analysis import parsers
from analysis.errors import LogError
from analysis.parsers.text.document import Document
from analysis.records import Run

TABLE = """\
main: n_kv_max = 4096, n_batch = 2048, n_ubatch = 512, flash_attn = 1, n_gpu_layers = 99

|    PP |     TG |   N_KV |   T_PP s | S_PP t/s |   T_TG s | S_TG t/s |
|-------|--------|--------|----------|----------|----------|----------|
|   512 |    128 |      0 |    0.311 |  1646.30 |    1.600 |    80.00 |
|   512 |    128 |    512 |    0.320 |  1600.00 |    2.000 |    64.00 |
"""


def runs_in(text: str) -> tuple[Run, ...]:
    return parsers.parse(Document.of(text, "a.md"))


def test_a_run_for_each_context() -> None:
    short, deep = runs_in(TABLE)
    assert (short.format, short.spec_type, short.concurrency) == ("llama-sweep-bench", "none", 1)
    assert [run.context_tokens for run in (short, deep)] == [0, 512]
    assert [run.tasks[0].decode_tps for run in (short, deep)] == [80.0, 64.0]
    assert deep.tasks[0].wall_s == pytest.approx(2.32)
    assert deep.bare


def test_json_lines_say_the_same() -> None:
    rows = [{"n_kv_max": 4096, "pp": 512, "tg": 128, "n_kv": cells, "t_pp": 0.3, "t_tg": seconds}
            for cells, seconds in ((0, 1.6), (512, 2.0))]  # fmt: skip
    short, deep = runs_in("\n".join(map(json.dumps, rows)))
    assert [run.tasks[0].decode_tps for run in (short, deep)] == [80.0, 64.0]


def test_rows_without_a_time_are_none() -> None:
    text = TABLE.replace("1.600", "?").replace("2.000", "?")
    with pytest.raises(LogError):
        parsers.parse(Document.of(text, "a.md"), "llama-sweep-bench")
