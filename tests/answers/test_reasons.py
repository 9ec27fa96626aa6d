"""Why it is not faster: what fits a question, and what a log's figures show."""

from __future__ import annotations

import pytest

from analysis.answers.reasons import REASONS, answer, of_runs
from analysis.cli import main
from analysis.records import Run, Source, TaskResult

HERE = Source("a.log", 1)


def run(name, rows, **settings):
    """A run of requests: predicted, drafted, accepted, decode seconds, prompt tokens, prompt s."""
    tasks = tuple(
        TaskResult(f"t{place}", HERE, predicted_tokens=predicted, draft_tokens=drafted,
                   accepted_tokens=accepted, decode_s=seconds, prompt_tokens=prompt,
                   prompt_s=prompt_s)
        for place, (predicted, drafted, accepted, seconds, prompt, prompt_s) in enumerate(rows)
    )  # fmt: skip
    return Run(HERE, "x", tasks, id=name, **settings)


PLAIN = run("plain", [(101, 0, 0, 1.0, 10, 0.01)] * 3, spec_type="none")


def first(text):
    return text.splitlines()[0]


def test_a_forward_that_costs_more_than_it_gives():
    # 50 forwards of 30 ms against plain steps of 10 ms, for 2 tokens each.
    slow = run("slow", [(101, 150, 50, 1.5, 10, 0.01)] * 3, spec_type="draft-mtp", n_max=3)
    said = of_runs([PLAIN, slow])
    assert first(said) == (
        "1. cost of a forward: slow: a forward takes 3.00 plain steps and gives 2.00 tokens."
    )
    quick = run("quick", [(101, 150, 50, 0.75, 10, 0.01)] * 3, spec_type="draft-mtp", n_max=3)
    assert "Not these:\n  cost of a forward: quick: a forward takes 1.50" in of_runs([PLAIN, quick])
    # Without a plain run nobody knows.
    assert "cost of a forward" in of_runs([slow]).partition("can't tell")[2]


@pytest.mark.parametrize(
    ("rows", "settings", "expected"),
    [
        ([(11, 0, 0, 1.0, 900, 3.0)] * 2, {}, "prompt processing: 75% of the time is prompt"),
        ([(101, 0, 0, 1.0, 10, 0.01)] * 2, {"concurrency": 4},
         "several requests at once: at most 4 requests at once"),
        ([(101, 0, 0, 3.0, 10, 0.01)] + [(101, 0, 0, 1.0, 10, 0.01)] * 6, {},
         "cold start: a: the first request's forwards took 3.00 times the others'"),
        ([(101, 0, 0, 1.0, 10, 0.01)] * 6 + [(101, 0, 0, 1.5, 10, 0.01)] * 6, {},
         "drift: a: forwards at the end took 1.50 times those at the beginning"),
        ([(101, 0, 0, 1.0, 100, 0.01)] * 3 + [(101, 0, 0, 2.0, 9000, 0.01)] * 3
         + [(101, 0, 0, 1.0, 100, 0.01)] * 3, {},
         "long context: a: a forward takes 2.00 times as long behind prompts of 9,000 tokens"),
        ([(101, 60, 50, 1.0, 10, 0.01)] * 2, {"n_max": 8},
         "truncation: a: 1.20 tokens are drafted per forward, n_max is 8"),
    ],
)  # fmt: skip
def test_what_figures_show_comes_first(rows, settings, expected):
    assert first(of_runs([run("a", rows, **settings)])).startswith(f"1. {expected}")


@pytest.mark.parametrize(("seconds", "fits"), [(0.115, True), (0.107, False)])
def test_a_little_is_no_reason(seconds, fits):
    # Of 1 s of decoding, a tenth of the whole is 0.111 s.
    said = of_runs([run("a", [(11, 0, 0, 1.0, 900, seconds)] * 2)])
    assert ("prompt processing" in said.partition("Not these:")[0]) is fits


@pytest.mark.parametrize(("slower", "fits"), [(1.12, True), (1.08, False)])
def test_a_drift_of_a_tenth_is_one(slower, fits):
    rows = [(101, 0, 0, 1.0, 10, 0.01)] * 6 + [(101, 0, 0, slower, 10, 0.01)] * 6
    said = of_runs([run("a", rows)])
    assert ("drift: a: forwards" in said.partition("Not these:")[0]) is fits


@pytest.mark.parametrize(("first_s", "fits"), [(1.22, True), (1.18, False)])
def test_a_first_request_a_fifth_slower_is_a_cold_one(first_s, fits):
    said = of_runs([run("a", [(101, 0, 0, first_s, 10, 0.01)] + [(101, 0, 0, 1.0, 10, 0.01)] * 6)])
    assert ("cold start: a: the first" in said.partition("Not these:")[0]) is fits


@pytest.mark.parametrize(("tokens", "told"), [(201, True), (199, False)])
def test_long_prompts_are_twice_as_long_as_short_ones(tokens, told):
    rows = [(101, 0, 0, 1.0, 100, 0.01)] * 6 + [(101, 0, 0, 2.0, tokens, 0.01)] * 3
    said = of_runs([run("a", rows)])
    assert (f"behind prompts of {tokens} tokens" in said) is told


def test_figures_without_times_can_not_tell():
    rows = [(101, 0, 0, None, None, None)]
    assert first(of_runs([run("a", rows)])) == "These figures can't tell."


def test_the_reason_that_explains_more_comes_first():
    rows = [(11, 0, 0, 1.0, 900, 0.5)] * 2
    said = of_runs([run("a", rows, concurrency=4)])
    assert [line[:2] for line in said.splitlines() if line[1:2] == "."] == ["1.", "2."]
    assert first(said).startswith("1. several requests at once")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("slower at 70 % acceptance", "cost of a forward"),
        ("with 4 parallel users it gains nothing", "several requests at once"),
        ("slow with a long context of 64k", "long context"),
        ("only the first request is slow after a cold start", "cold start"),
        ("gets slower when the laptop is hot", "drift"),
        ("prefill and ttft", "prompt processing"),
        ("p_min drafts are truncated", "truncation"),
        ("thinking and reasoning", "thinking"),
    ],
)
def test_a_question_is_answered_in_the_order_of_fit(question, expected):
    said = answer(question)
    assert f"1. {expected}: " in said
    assert all(f". {reason.name}: " in said for reason in REASONS)


def test_a_rate_in_a_question_is_what_a_forward_may_cost():
    assert first(answer("slower at 70 % acceptance")) == (
        "At 70% acceptance a forward with a full draft gives 2.4 at depth 2, 3.8 at depth 4, 6.6 "
        "at depth 8 tokens. It is slower than without speculation if it takes more plain steps "
        "than that."
    )
    assert first(answer("slower at 170 % acceptance")).startswith("1. cost of a forward")


def test_the_command(tmp_path, capsys):
    (tmp_path / "a.log").write_text("code_python pred= 10 draft= 0 acc= 0 rate=n/a tok/s=10.0\n")
    assert main(["explain", str(tmp_path / "a.log")]) == 0
    assert "can't tell" in capsys.readouterr().out
    assert main(["explain", "slower", "than", "before"]) == 0
    assert "1. cost of a forward" in capsys.readouterr().out
    assert main(["explain", "row-cut"]) == 0
    assert capsys.readouterr().out.startswith("row-cut: ")
    assert main(["explain", "nonsense"]) == 1
