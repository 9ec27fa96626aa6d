# ruff: noqa: E501 - lines as the tool prints them
"""llama-bench's tables: baselines, and only baselines."""

import json

import pytest

from analysis import parsers
from analysis.errors import LogError
from analysis.parsers.text.document import Document

HEAD = """\
ggml_vulkan: Found 1 Vulkan devices:
| model                          |       size |     params | backend    | ngl |  fa |            test |                  t/s |
| ------------------------------ | ---------: | ---------: | ---------- | --: | --: | --------------: | -------------------: |
"""
ROW = "| qwen35 27B Q6_K | 23.55 GiB | 27.32 B | Vulkan | 99 | {fa} | {test} | {speed} ± 0.01 |\n"
TABLE = (
    HEAD
    + ROW.format(fa=1, test="pp512", speed="360.59")
    + ROW.format(fa=1, test="tg32", speed="8.78")
    + ROW.format(fa=1, test="tg32 @ d8192", speed="8.59")
    + "\nbuild: 9b9ac3e38 (10570)\n"
)


def runs_in(text):
    return parsers.parse(Document.of(text, "a.md"))


def test_a_table_is_a_baseline():
    (run,) = runs_in(TABLE)
    assert (run.format, run.spec_type, run.build) == ("llama-bench", "none", "b10570 (9b9ac3e38)")
    assert (run.label, run.target) == ("qwen35 27B Q6_K", "qwen35 27B Q6_K")
    prompt, text, deep = run.tasks
    assert (text.task, text.decode_tps, text.predicted_tokens, text.draft_tokens) == (
        "tg32",
        8.78,
        32,
        0,
    )
    assert (prompt.prompt_tokens, prompt.prompt_s, prompt.decode_tps) == (512, 512 / 360.59, None)
    assert (deep.task, deep.source.first_line) == ("tg32 @ d8192", 6)


def test_two_tables_and_two_settings_in_one():
    other = HEAD + "".join(ROW.format(fa=fa, test="tg32", speed="7.27") for fa in (0, 1))
    runs = runs_in(TABLE + other)
    assert [run.label for run in runs] == [
        "qwen35 27B Q6_K",
        "qwen35 27B Q6_K, fa 0",
        "qwen35 27B Q6_K, fa 1",
    ]
    assert [run.build for run in runs] == ["b10570 (9b9ac3e38)", None, None]


RECORDS = [
    {"build_commit": "9b9ac3e38", "build_number": 10570, "model_type": "qwen35 27B Q6_K"}
    | {"n_prompt": prompt, "n_gen": text, "n_depth": depth, "avg_ts": speed}
    for prompt, text, depth, speed in [(512, 0, 0, 360.59), (0, 32, 8192, 8.59)]
]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(RECORDS, indent=2),
        "noise\n" + "\n".join(map(json.dumps, RECORDS)),
        "\n".join(
            [",".join(RECORDS[0]), *(",".join(f'"{v}"' for v in row.values()) for row in RECORDS)]
        ),
    ],
    ids=["JSON", "JSON lines", "CSV"],
)
def test_its_other_outputs(text):
    (run,) = runs_in(text)
    assert (run.format, run.spec_type, run.build) == ("llama-bench", "none", "b10570 (9b9ac3e38)")
    prompt, deep = run.tasks
    assert (prompt.task, prompt.prompt_s) == ("pp512", 512 / 360.59)
    assert (deep.task, deep.decode_tps, deep.predicted_tokens) == ("tg32 @ d8192", 8.59, 32)
    assert run.target == "qwen35 27B Q6_K"


def test_a_row_that_stops_is_a_finding():
    (run,) = runs_in(TABLE.partition("\nbuild")[0] + "| qwen35 27B Q6_K | 23.55 GiB | 27")
    assert [(f.code, f.where) for f in run.findings] == [("row-cut", "a.md:7")]


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "/usr/lib64/libllama.so.0(llama_decode+0xe) [0x7f15cdce000e]\n",
        HEAD + ROW.format(fa=1, test="mmlu", speed="70.1"),
        HEAD + ROW.format(fa=1, test="tg32", speed="failed"),
    ],
)
def test_a_table_without_a_result_yields_nothing(text):
    with pytest.raises(LogError, match="nothing was recognised"):
        runs_in(text)
    with pytest.raises(LogError, match="no table of llama-bench's"):
        parsers.parse(Document.of(text, "a.md"), "llama-bench")
