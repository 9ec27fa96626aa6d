"""What notebooks say follows from the data, and what strangers wrote stays text."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from analysis import notebooks
from analysis.campaigns.campaign import PROJECT_ROOT, load
from analysis.notebooks.data import round_frame
from analysis.records import Finding, Rounds
from analysis.summary import Summary
from tests import committed
from tests.committed import summarised as summarise

Make = Callable[..., object]

ASKED = (
    notebooks.how_fast,
    notebooks.which_task,
    notebooks.how_even,
    notebooks.what_becomes_of_drafts,
    notebooks.what_a_forward_costs,
    notebooks.who_breaks_even,
    notebooks.how_far_drafts_survive,
    notebooks.what_each_depth_costs,
    notebooks.which_depth,
    notebooks.what_a_better_policy_gains,
    notebooks.how_sure_the_draft_is,
    notebooks.what_a_threshold_brings,
)


def plain(answer: notebooks.Answer) -> tuple[str, ...]:
    """What is said, its spaces all alike."""
    return tuple(sentence.replace("\N{NO-BREAK SPACE}", " ") for sentence in answer.said)


@pytest.fixture
def made(campaign: Make, run: Make, task: Make) -> Callable[..., Summary]:
    """``made(fast=2.0)``: a baseline and a draft that is so many times as fast."""

    def build(fast: float = 2.0, *, baseline: str | None = "plain", label: str = "Fast") -> Summary:
        plain = run(
            "plain",
            *(task(name, tps=100.0) for name in ("code_python", "translation")),
            wall_s=2.0,
            spec_type="none",
        )
        quick = run(
            "quick",
            task("code_python", drafted=80, accepted=60, tps=100.0 * fast),
            task("translation", drafted=80, accepted=20, tps=120.0),
            wall_s=2.0 / fast,
            spec_type="draft-mtp",
            n_max=2,
            label=label,
        )
        return summarise(campaign(plain, quick, baseline=baseline))

    return build


def test_the_fastest_is_named_with_its_figures_and_how_sure_they_are(made):
    said = notebooks.how_fast(made(2.0)).said
    assert said[0].startswith("Fast is the fastest that speculates: 200.0 tok/s effective, ")
    assert "100.0 % faster than no speculation (100.0)" in said[0]
    assert said[1].startswith("The 90 % interval of its speedup is ")
    assert said[1].endswith("by an assumed scatter of single runs, above 1: it is faster.")


def test_a_draft_that_loses_is_said_to_be_slower(made):
    said = notebooks.how_fast(made(0.5)).said
    assert "50.0 % slower than no speculation" in said[0]
    assert said[1].endswith("below 1: it is slower.")


@pytest.mark.parametrize("fast", [1.01, 0.99])
def test_what_noise_could_make_is_said_to_be_open(made, fast):
    assert "noise alone could make the difference" in notebooks.how_fast(made(fast)).said[1]


def test_without_a_baseline_there_are_no_speedups(made):
    summary = made(baseline=None)
    said = notebooks.how_fast(summary).said
    assert said[0] == "Fast is the fastest: 200.0 tok/s effective."
    assert "nothing can be said of speedups" in said[1]
    fastest = notebooks.which_task(summary).said
    assert fastest[0] == "Fast is the fastest on 2 of 2 tasks."
    assert fastest[1].startswith("The fastest task is code_python with 200 tok/s, the slowest ")


def test_tasks_that_pay_are_counted_and_the_ends_named(made):
    said = notebooks.which_task(made(2.0)).said
    assert said[0].startswith("On 2 of 2 tasks some configuration is faster than no speculation. ")
    assert said[1] == (
        "Most is gained on code_python, 2.00× with Fast; the other end is translation, at best "
        "1.20×."
    )
    lost = notebooks.which_task(made(0.5)).said
    assert lost[0].startswith("On 1 of 2 tasks some configuration")
    summary = made(0.5)
    worse = replace(summary, by_task=summary.by_task.assign(speedup=0.4))
    assert notebooks.which_task(worse).said[0].startswith("On none of the tasks a configuration")
    assert notebooks.which_task(worse).said[1].startswith("The least is lost on ")


def test_waste_and_speed_are_told_apart(made):
    said = plain(notebooks.what_becomes_of_drafts(made()))
    assert said == ("Fast had 50.0 % of its 160 drafted tokens accepted.",)
    both = plain(notebooks.what_becomes_of_drafts(committed.summary()))
    assert both[0].startswith("DSpark, n_max 2 had 56.0 % of its 1,768 drafted tokens accepted")
    assert both[1] == (
        "The fastest of them is DFlash, n_max 7 with 43.3 %: the share does not rank them."
    )


def test_cost_and_break_even_of_the_committed_campaign():
    summary = committed.summary()
    runs = summary.runs.set_index("id")
    cost, gain = runs.loc["dflash-n7", ["ms_per_forward", "mean_accepted_length"]]
    said = notebooks.what_a_forward_costs(summary).said
    assert said[0].startswith(
        f"A forward of DFlash, n_max 7 takes {cost:.1f} ms and brings {gain:.2f} tokens: "
        f"{cost / gain:.1f} ms a token"
    )
    assert said[1].endswith("1 of 4 configurations need less.")
    level = notebooks.who_breaks_even(summary).said
    assert level[0] == "DFlash, n_max 7 has the most tasks above break-even, 9 of 13."
    assert level[1] == "Of 13 tasks 6 are above it with every configuration and 4 with none."


def test_survival_depth_and_policy_of_the_committed_campaign():
    summary = committed.summary()
    survival = plain(notebooks.how_far_drafts_survive(summary))
    assert survival[0].startswith("With DSpark, 62.4 % of drafts are accepted at position 1 and ")
    assert "on code and structured output and" in survival[1]
    depth = notebooks.which_depth(summary).said
    assert depth[0].startswith("Over all prompts no speculation is the setting to use with DSpark")
    assert depth[1] == "Else: depth 5 on code and structured output."
    policy = plain(notebooks.what_a_better_policy_gains(summary))
    assert "145.1 tok/s against 128.5 with no speculation throughout (+12.9 %)" in policy[0]
    assert "179.0 tok/s against 160.3 with the best fixed depth (+11.7 %)" in policy[-1]


@pytest.mark.parametrize("ask", ASKED, ids=lambda ask: ask.__name__)
def test_there_is_an_answer_whatever_is_missing(ask, campaign, run, task):
    bare = (
        campaign(),
        campaign(run("a", task("t", None, None, None, None, error="timeout"))),
        campaign(run("a", task("t", 10, 4, 2, 9.0), spec_type="draft-mtp", n_max=2)),
    )
    for one in bare:
        answer = ask(summarise(one))
        assert answer.said
        assert all(sentence.endswith(".") for sentence in answer.said)
        assert answer.as_html()
        assert str(answer)


def test_strangers_words_are_text(made):
    answer = notebooks.how_fast(made(label="<script>alert(1)</script> & more"))
    shown = answer.as_html()
    assert "<script>" not in shown
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; more" in shown


def test_a_configuration_has_the_colour_of_its_charts(made):
    answer = notebooks.how_fast(made())
    assert answer.chart is not None
    assert answer.chart.name == "throughput"
    assert f"background:{answer.colours['Fast']}" in answer.as_html()


def test_the_frames_hold_what_the_records_do():
    data = load("raw/live-demo")
    summary = summarise(data)
    frames = notebooks.frames(summary)
    results = [result for run in data.runs for result in run.tasks]
    assert frames.tasks["prompt_tokens"].tolist() == [result.prompt_tokens for result in results]
    assert frames.tasks["started_s"].tolist() == [result.started_s for result in results]
    assert len(frames.rounds) == sum(
        len(result.rounds.drafted) for result in results if result.rounds is not None
    )
    assert frames.rounds["accepted"].sum() == sum(
        int(result.rounds.accepted.sum()) for result in results if result.rounds is not None
    )
    frames.runs["label"] = "changed"
    assert "changed" not in set(summary.runs["label"])


def test_rounds_are_numbered_within_their_request(run, task):
    rounds = Rounds(np.array([3, 2], "int32"), np.array([1, 2], "int32"), np.array([0.5, 0.9]))
    frame = round_frame([run("a", task("t", rounds=rounds), task("u"))])
    assert frame.to_dict("list") == {
        "run": ["a", "a"],
        "repeat": [1, 1],
        "task": ["t", "t"],
        "round": [1, 2],
        "drafted": [3, 2],
        "accepted": [1, 2],
        "at_s": [0.5, 0.9],
    }
    empty = round_frame([])
    assert empty.dtypes.astype(str).to_dict() == frame.dtypes.astype(str).to_dict()


def test_a_comparison_says_what_differs_and_what_changed(tmp_path):
    own = PROJECT_ROOT / "raw" / "qwen3.6-35b-a3b-dspark"
    shutil.copytree(own, tmp_path / "again")
    found = notebooks.CompareSettings([str(own), str(tmp_path / "again")]).found
    differs, changed = notebooks.what_differs(found), notebooks.what_changed(found)
    assert differs.said[1].startswith("Their runs differ in quantization, spec type and n max: ")
    assert changed.said[0].endswith("the others can't be told from no change.")
    assert "0 became faster and 0 slower" in changed.said[0]
    assert changed.chart is not None
    other = notebooks.CompareSettings(
        ["raw/qwen3.6-35b-a3b-dflash", "raw/qwen3.6-35b-a3b-dspark"]
    ).found
    assert notebooks.what_changed(other).chart is None
    assert notebooks.what_differs(other).said[1].startswith("Their runs differ in gpu, build")


def test_texts_are_counted(campaign, run, task):
    def one(id: str, tokens: tuple[int, ...]) -> object:
        result = task("a", tokens=tokens, output_hash=str(tokens))
        return run(id, result, temperature=0.0, prompt_set="p")

    whole = campaign(one("plain", (1, 2)), one("x", (1, 2)), one("y", (1, 3)), baseline="plain")
    said = notebooks.what_text_stays(whole).said
    assert said[0].startswith("Of 2 pairs of configuration and task, 1 gave the baseline's text")
    assert "1 part from it where the baseline ran once" in said[1]
    assert "No run can be compared" in notebooks.what_text_stays(campaign()).said[0]


def test_tables_are_frames_of_text(made):
    for ask in ASKED:
        table = ask(made()).table
        assert isinstance(table, pd.DataFrame)
        assert all(isinstance(cell, str) for row in table.to_numpy() for cell in row)


def test_the_audit_says_all_of_what_it_found():
    message = "a sentence that is longer than the fifty characters that a frame shows of one"
    found = [Finding("warning", "a-code", "a.log:1", message), Finding("note", "b", "b", "<i>")]
    answer = notebooks.what_the_audit_says(found)
    assert answer.said == ("The audit has 1 warning and 1 note.",)
    assert message in answer.as_html()
    assert "&lt;i&gt;" in answer.as_html()
    assert notebooks.what_the_audit_says([]).as_html() == "<p>The audit found nothing.</p>"


def test_text_stands_at_the_left_and_numbers_at_the_right():
    table = pd.DataFrame({"kind": ["code", "–"], "speed": ["1.20×", "–"]}, index=["a", "b"])
    shown = notebooks.Answer(("Said.",), table).as_html()
    assert shown.count('<td style="text-align:left">') == 2
    assert shown.count('<td style="text-align:right">') == 2
