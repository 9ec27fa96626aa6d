# ruff: noqa: E501 - lines as the tool prints them
"""Summaries of llama-speculative and llama-speculative-simple."""

import pytest

from analysis import parsers
from analysis.errors import LogError
from analysis.parsers.text.document import Document

SUMMARY = """\
n_draft   = 8
n_predict = 129
n_drafted = 132
n_accept  = 47
accept    = 35.606%
"""
PHASES = """\
encoded   14 tokens in    0.054 seconds, speed:  258.250 t/s
decoded  129 tokens in   12.900 seconds, speed:   10.000 t/s

"""
DRAFT = """
draft:

llama_print_timings:      sample time =     0.00 ms /     1 runs   (0.00 ms per token,      inf tokens per second)
llama_print_timings:        eval time = 27360.44 ms /   214 runs   (  127.85 ms per token,     7.82 tokens per second)
"""


def runs_in(text):
    return parsers.parse(Document.of(text, "a.log"))


def test_the_counts_and_their_definition():
    (run,) = runs_in(PHASES + SUMMARY + DRAFT)
    (task,) = run.tasks
    assert (task.predicted_tokens, task.draft_tokens, task.accepted_tokens) == (129, 132, 47)
    assert (task.reported_rate, task.rate_decimals) == (0.35606, 5)
    assert (task.decode_s, task.prompt_tokens, task.prompt_s) == (12.9, 14, 0.054)
    assert (run.format, run.n_max, run.spec_type) == ("llama-speculative", 8, "draft-simple")
    assert run.acceptance_definition == "accepted/draft-steps"
    assert (run.source.first_line, run.source.last_line) == (4, 8)


def test_the_simple_tool_counts_tokens():
    command = "./llama-speculative-simple -m a.gguf -md b.gguf --temp 0\n"
    (run,) = runs_in(command + PHASES + SUMMARY)
    assert run.acceptance_definition == "accepted/drafted"
    assert (run.target, run.draft, run.temperature) == ("a.gguf", "b.gguf", 0.0)


def test_the_first_versions_timed_everything_together():
    (run,) = runs_in("generated 129 tokens in 248.340 seconds, speed: 0.519 t/s\n\n" + SUMMARY)
    assert (run.tasks[0].decode_s, run.tasks[0].wall_s) == (None, 248.34)


def test_quoted_and_twice():
    quoted = "".join(f"> {line}\n" for line in (PHASES + SUMMARY).splitlines())
    runs = runs_in(quoted + "\n" + SUMMARY.replace("129", "130"))
    assert [run.tasks[0].predicted_tokens for run in runs] == [129, 130]
    # The times above the first are not the second's.
    assert [run.tasks[0].decode_s for run in runs] == [12.9, None]


@pytest.mark.parametrize("text", [DRAFT, SUMMARY.replace("n_accept", "n_acc"), "n_draft = 8\n"])
def test_anything_less_yields_nothing(text):
    with pytest.raises(LogError):
        runs_in(text)
    with pytest.raises(LogError, match="no summary"):
        parsers.parse(Document.of(text, "a.log"), "llama-speculative")


def test_an_impossible_count_is_a_finding():
    (run,) = runs_in(SUMMARY.replace("= 132", "= -132"))
    assert run.tasks[0].draft_tokens is None
    assert [finding.code for finding in run.findings] == ["number-unread"]
