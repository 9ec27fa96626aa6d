# ruff: noqa: E501 - lines as the tool prints them
"""/metrics text: one scrape, several, several engines, and Prometheus' page as a table."""

import pytest

from analysis import parsers
from analysis.errors import LogError
from analysis.parsers.text.document import Document

SCRAPE = """\
# HELP llamacpp:spec_decode_num_drafts_total Rounds.
# TYPE llamacpp:spec_decode_num_drafts_total counter
llamacpp:spec_decode_num_drafts_total {rounds}
llamacpp:spec_decode_num_draft_tokens_total {drafted}
llamacpp:spec_decode_num_accepted_tokens_total {accepted}
llamacpp:spec_decode_num_accepted_tokens_per_pos_total{{position="0"}} {first}
llamacpp:spec_decode_num_accepted_tokens_per_pos_total{{position="1"}} {second}
llamacpp:tokens_predicted_total {predicted}
llamacpp:tokens_predicted_seconds_total {seconds}
llamacpp:n_busy_slots_per_decode 1
"""
ONE = SCRAPE.format(
    rounds=61, drafted=242, accepted=130, first=49, second=37, predicted=192, seconds=2.5
)
TWO = SCRAPE.format(
    rounds=81, drafted=322, accepted=170, first=65, second=47, predicted=292, seconds=3.75
)
TABLE = """\
vllm:spec_decode_num_drafts_total{engine="0", model_name="/home/models/Qwen3-0.6B"} | 22
-- | --
vllm:spec_decode_num_drafts_total{engine="1", model_name="/home/models/Qwen3-0.6B"} | 15
vllm:spec_decode_num_drafts_created{engine="0", model_name="/home/models/Qwen3-0.6B"} | 1756736798.73
vllm:spec_decode_num_accepted_tokens_total{engine="1", model_name="/home/models/Qwen3-0.6B"} | 5
"""


def runs_in(text):
    return parsers.parse(Document.of(text, "metrics.txt"))


def test_one_scrape_is_everything_since_the_start():
    (run,) = runs_in(ONE)
    total = run.aggregate
    assert (run.tasks, run.cumulative, run.n_max) == ((), True, 2)
    assert (total.draft_tokens, total.accepted_tokens, total.predicted_tokens) == (242, 130, 192)
    assert total.decode_s == 2.5
    assert (total.positions.rate, total.positions.accepted) == ((49 / 61, 37 / 61), (49, 37))


def test_the_difference_of_two_scrapes_is_a_request():
    (run,) = runs_in(ONE + TWO)
    (task,) = run.tasks
    assert (run.cumulative, run.aggregate) == (False, None)
    assert (task.draft_tokens, task.accepted_tokens, task.predicted_tokens) == (80, 40, 100)
    assert (task.decode_s, task.positions.rate) == (1.25, (16 / 20, 10 / 20))


def test_a_restart_between_scrapes_counts_from_zero():
    (run,) = runs_in(TWO + ONE)
    assert run.tasks[0].draft_tokens == 242


def test_a_table_of_several_engines():
    first, second = runs_in(TABLE)
    assert [run.label for run in (first, second)] == ["vLLM, engine 0", "vLLM, engine 1"]
    assert [run.target for run in (first, second)] == ["Qwen3-0.6B", "Qwen3-0.6B"]
    # When a counter was made is not a count.
    assert (first.aggregate.accepted_tokens, second.aggregate.accepted_tokens) == (None, 5)
    assert (first.source.first_line, second.source.first_line) == (1, 3)


def test_a_counter_without_its_value_is_a_finding():
    (run,) = runs_in(ONE.replace("_accepted_tokens_total 130", "_accepted_tokens_total"))
    assert run.aggregate.accepted_tokens is None
    assert [finding.code for finding in run.findings] == ["number-unread"]


@pytest.mark.parametrize(
    "text",
    [
        "llamacpp:tokens_predicted_total 192\n",
        "vllm:spec_decode_num_drafts_total is what you want\n",
        "vllm:spec_decode_num_drafts_total NaN\n",
        f"vllm:spec_decode_num_drafts_total 12 {'9' * 400}\n",
        'rate(vllm:spec_decode_num_drafts_total{engine="0"}[1m]) > 2\n',
    ],
)
def test_other_metrics_and_prose_yield_nothing(text):
    with pytest.raises(LogError, match="nothing was recognised"):
        runs_in(text)
    with pytest.raises(LogError, match="no counter"):
        parsers.parse(Document.of(text, "metrics.txt"), "metrics")


@pytest.mark.parametrize(("last", "known"), [(254, True), (255, True), (256, True), (257, False)])
def test_a_position_beyond_any_depth_is_no_position(last, known):
    line = 'llamacpp:spec_decode_num_accepted_tokens_per_pos_total{{position="{}"}} 1\n'
    between = "".join(line.format(place) for place in range(2, last + 1))
    (run,) = runs_in(ONE + between)
    assert len(run.aggregate.positions.rate) == (last + 1 if known else last)
