# ruff: noqa: E501 - lines as the tool prints them
"""ik_llama.cpp's llama-spec-bench: its table and its JSON lines."""

import json

import pytest

from analysis import parsers
from analysis.errors import LogError
from analysis.parsers.text.document import Document

HEAD = """\
| task     | run | stage   |  tokens | stop  | time(s) |   tok/s | rounds |    accepted |    rate |  a.len | pos accept                   |
|----------|-----|---------|---------|-------|---------|---------|--------|-------------|---------|--------|------------------------------|
"""
CODE = "| code     |   1 | mtp     |     759 | eog   |  11.068 |   68.58 |    220 |     538/660 |  81.52% |   3.45 | 90.5% 80.5% 73.6%            |\n"
BASE = "| code     |   1 | base    |     759 | eog   |  20.000 |   37.95 |      - |           - |       - |      - | -                            |\n"
FAILED = "| story    |   2 | error   |       - | fail  |       - |       - |      - |           - |       - |      - | -                            |\n"
STAGE = {
    "type": "mtp",
    "drafts": 220,
    "draft_tokens": 660,
    "accepted": 538,
    "accept_length": 3.445,
    "drafted_by_position": [220, 220, 220],
    "accepted_by_position": [199, 177, 162],
}
ATTEMPT = {
    "row_type": "attempt",
    "task": "code",
    "run": 1,
    "ok": True,
    "generated": 759,
    "decode_s": 11.068,
    "decode_tps": 68.576,
    "stages": [STAGE],
    "error": None,
}


def runs_in(text):
    return parsers.parse(Document.of(text, "a.md"))


def test_the_table():
    (run,) = runs_in(HEAD + CODE)
    (task,) = run.tasks
    assert (run.format, run.spec_type, run.n_max) == ("ik-spec-bench", "draft-mtp", 3)
    assert (task.predicted_tokens, task.draft_tokens, task.accepted_tokens) == (759, 660, 538)
    assert (task.reported_rate, task.rate_decimals) == (0.8152, 4)
    assert (task.decode_s, task.decode_tps) == (11.068, 68.58)
    assert task.positions.rate == (0.905, 0.805, 0.736)
    assert task.positions.definition == "drafted-rounds"


def test_a_baseline_and_a_failure():
    (run,) = runs_in(HEAD + BASE + FAILED + "\nErrors:\n- story run 2: out of memory\n")
    code, story = run.tasks
    assert (run.spec_type, code.draft_tokens, code.accepted_tokens) == ("none", 0, 0)
    assert (story.repeat, story.error, story.predicted_tokens) == (2, "out of memory", None)


def test_two_stages_of_one_task_are_one_result():
    other = CODE.replace("mtp  ", "draft").replace("538/660", " 10/ 20")
    (run,) = runs_in(HEAD + CODE + other)
    (task,) = run.tasks
    assert (task.predicted_tokens, task.draft_tokens, task.accepted_tokens) == (759, 680, 548)
    assert (run.spec_type, task.reported_rate, task.positions) == (
        "draft-mtp,draft-simple",
        None,
        None,
    )


def test_json_lines_among_other_output():
    lines = [
        "llama_model_loader: loaded",
        json.dumps(ATTEMPT),
        json.dumps({"row_type": "summary", "attempts": 1}),
        json.dumps({**ATTEMPT, "stages": []}),
    ]
    fast, plain = runs_in("\n".join(lines))
    positions = fast.tasks[0].positions
    assert (positions.accepted, positions.rounds, positions.definition) == (
        (199, 177, 162),
        220,
        "all-rounds",
    )
    assert fast.tasks[0].source.first_line == 2
    assert (plain.spec_type, plain.tasks[0].draft_tokens) == ("none", 0)


def test_detailed_json_lines():
    data = {
        "row_type": "attempt",
        "task_name": "code",
        "repeat_index": 1,
        "timing": {"prompt_s": 0.5, "decode_s": 11.068},
        "tokens": {"prompt": 90, "generated": 759},
        "speculative": {"stages": [{**STAGE, "num_drafts": 220, "accepted_tokens": 538}]},
        "quality": {"ok": True, "error": None},
    }
    (run,) = runs_in(json.dumps(data))
    (task,) = run.tasks
    assert (task.repeat, task.prompt_tokens, task.prompt_s, task.decode_s) == (2, 90, 0.5, 11.068)
    assert (task.draft_tokens, task.accepted_tokens) == (660, 538)


def test_a_row_that_stops_is_a_finding():
    (run,) = runs_in(HEAD + CODE + "| extract  |   1 | mtp     |    1024 | limit |  15.2")
    assert len(run.tasks) == 1
    assert [(f.code, f.where) for f in run.findings] == [("row-cut", "a.md:4")]


@pytest.mark.parametrize(
    "text", [HEAD, "| task | stage |\n|---|---|\n| a | b |\n", '{"row_type": "attempt"', "row_type"]
)
def test_anything_less_yields_nothing(text):
    with pytest.raises(LogError, match="nothing was recognised"):
        runs_in(text)
    with pytest.raises(LogError, match="no result of llama-spec-bench"):
        parsers.parse(Document.of(text, "a.md"), "ik-spec-bench")
