"""vLLM's log lines: intervals of the present engine, counters of the first."""

import pytest

from analysis import parsers
from analysis.errors import LogError
from analysis.parsers.text.document import Document

NEW = (
    "(APIServer pid=1077249) INFO 04-23 00:30:{second} [metrics.py:101] SpecDecoding metrics: "
    "Mean acceptance length: 2.62, Accepted throughput: 15.60 tokens/s, Drafted throughput: 19.20 "
    "tokens/s, Accepted: 156 tokens, Drafted: 192 tokens, Per-position acceptance rate: 0.885, "
    "0.740, Avg Draft acceptance rate: 81.2%\n"
)
OLD = (
    "INFO 02-06 03:05:53 metrics.py:475] Speculative metrics: Draft acceptance rate: {rate}, "
    "System efficiency: 0.167, Number of speculative tokens: 5, Number of accepted tokens: "
    "{accepted}, Number of draft tokens: {drafted}, Number of emitted tokens: {emitted}.\n"
)
FIRST = OLD.format(rate="0.200", accepted=1, drafted=5, emitted=1)
SECOND = OLD.format(rate="0.067", accepted=1, drafted=15, emitted=3)


def runs_in(text):
    return parsers.parse(Document.of(text, "a.log"))


def test_each_interval_is_counted_anew():
    (run,) = runs_in(NEW.format(second="06") + "noise\n" + NEW.format(second="16"))
    assert [task.task for task in run.tasks] == [
        "interval 04-23 00:30:06",
        "interval 04-23 00:30:16",
    ]
    task = run.tasks[0]
    assert (task.draft_tokens, task.accepted_tokens, task.predicted_tokens) == (192, 156, None)
    assert (task.reported_rate, task.rate_decimals) == (0.812, 3)
    assert task.positions.rate == (0.885, 0.74)
    assert (run.n_max, run.acceptance_definition, run.source.last_line) == (
        2,
        "accepted/drafted",
        3,
    )


def test_intervals_at_the_same_second_stay_two():
    (run,) = runs_in(NEW.format(second="06") * 2)
    assert len({task.task for task in run.tasks}) == 2


def test_counters_since_the_start_are_taken_as_differences():
    (run,) = runs_in(FIRST + SECOND)
    assert [(t.draft_tokens, t.accepted_tokens, t.predicted_tokens) for t in run.tasks] == [
        (5, 1, 1),
        (10, 0, 2),
    ]
    assert (run.acceptance_definition, run.n_max) == ("accepted-anywhere/drafted", 5)


def test_counters_that_fall_are_another_start():
    assert [len(run.tasks) for run in runs_in(FIRST + SECOND + FIRST)] == [2, 1]


def test_definitions_stay_apart():
    runs = runs_in(FIRST + NEW.format(second="06"))
    assert {run.acceptance_definition for run in runs} == {
        "accepted/drafted",
        "accepted-anywhere/drafted",
    }


def test_a_line_that_stops_is_a_finding():
    cut = NEW.format(second="16").partition("Drafted: ")[0]
    (run,) = runs_in(NEW.format(second="06") + cut)
    assert len(run.tasks) == 1
    assert [(f.code, f.where) for f in run.findings] == [("row-cut", "a.log:2")]


@pytest.mark.parametrize(
    "text",
    [
        'request: {"content": "' + NEW.format(second="06").strip() + '"}\n',
        "Mean acceptance length: 2.62 says my SpecDecoding metrics:\n",
        "INFO SpecDecoding metrics: none yet\n",
    ],
)
def test_quotations_and_prose_yield_nothing(text):
    with pytest.raises(LogError, match="nothing was recognised"):
        runs_in(text)
    with pytest.raises(LogError, match="no whole line"):
        parsers.parse(Document.of(text, "a.log"), "vllm-log")
