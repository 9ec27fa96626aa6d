"""On what was measured, and for what its noise holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from analysis.cards import render_sections
from analysis.cards.facts import Facts
from analysis.cards.measured import how_sure, measured_on
from analysis.summary import Summary
from tests import committed
from tests.cards.conftest import make_run, plain, uniform


def test_the_processor_stands_beside_the_gpu_with_the_threads_that_were_asked_for() -> None:
    facts = Facts(committed.summary("truncation-demo"))
    assert str(measured_on(facts)) == (
        "**Measured on:** GPU: none (CPU only); CPU: Intel(R) Xeon(R) Processor, 1 thread; "
        "llama.cpp: b11549."
    )
    # Flags that differ between runs are no condition of all; those asked for all are.
    assert "Processor, 1 thread;" in str(measured_on(Facts(committed.summary("conditions-demo"))))


def test_threads_are_those_of_the_flags_alone(summary_of: Callable[..., Summary]) -> None:
    runs = [make_run("a", uniform(120.0, 195, 120)), plain()]
    for flags, said in (
        ("-t 8 -c 4096", "; CPU: Ryzen, 8 threads;"),
        ("--threads=1", "; CPU: Ryzen, 1 thread;"),
        ("-tb 8 --top-k 3", "; CPU: Ryzen;"),
    ):
        found = summary_of(runs, baseline="plain", conditions={"cpu": "Ryzen", "flags": flags})
        assert said in str(measured_on(Facts(found)))
    found = summary_of(runs, baseline="plain", conditions={"flags": "-t 8"})
    assert "CPU" not in str(measured_on(Facts(found)))


def test_noise_is_that_of_all_prompts_and_of_one_workload() -> None:
    said = str(how_sure(Facts(committed.summary("truncation-demo"))))
    assert (
        "one run each. A difference of two configurations "
        "below 14 % over all prompts, or 31 % on one workload," in said
    )
    assert said.endswith("and 2.0 % between runs is assumed, as one run shows none.")
    said = str(how_sure(Facts(committed.summary("conditions-demo"))))
    assert said.endswith("and 1.5 % between runs is assumed, as so few show little of it.")
    # Repeats that show it by themselves need no assumption.
    said = str(how_sure(Facts(committed.summary("live-demo"))))
    assert said.endswith(
        "A difference of two configurations "
        "below 4 % over all prompts, or 7 % on one workload, may be noise."
    )


def test_equal_noise_is_said_once(wins: Summary) -> None:
    said = str(how_sure(Facts(committed.summary("qwen3.6-35b-a3b-dspark"))))
    assert (
        "A difference of two configurations "
        "below 6 % over all prompts or on one workload may be noise" in said
    )
    # With a single workload there is nothing beside all prompts.
    alone = wins.workloads[wins.workloads["workload"] == "code"]
    assert "workload" not in str(how_sure(Facts(replace(wins, workloads=alone))))


def test_without_a_baseline_nothing_is_counted(unpaired: Summary) -> None:
    assert str(how_sure(Facts(unpaired))).endswith(
        "one run each. A difference of a few percent may be noise."
    )


def test_what_a_title_asks_is_answered_on_the_first_screen() -> None:
    text = render_sections(committed.summary("truncation-demo"))["summary"]
    assert (
        "- **Cut short where the draft is unsure** (`--spec-type draft-simple --spec-draft-n-max 1 "
        "--spec-draft-p-min 0.95`), it is predicted to reach 0.49× over all prompts, still slower "
        "than no speculation; see [how](RESULTS.md#cutting-drafts-short)." in text
    )
    text = render_sections(committed.summary("conditions-demo"))["summary"]
    assert (
        "- **With more requests at once and longer contexts** it does not pay either, up to 4 "
        "requests at once and 512 tokens of context; see" in text
    )


def test_what_a_draft_is_says_what_its_depth_is(wins: Summary) -> None:
    text = render_sections(wins)["summary"]
    assert ", not a language model of its own: load it beside its target" in text
    assert "`n_max` is the most tokens that it drafts at a time." in text
    # A separate draft is an ordinary model, and one without depths in its names needs no word.
    text = render_sections(committed.summary("live-demo"))["summary"]
    assert "not a language model" not in text
