"""Cards that somebody wrote: what stands above a sentence, tables, every wrong figure."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pytest

from analysis.campaigns.campaign import PROJECT_ROOT
from analysis.checking import Checker, Verdict
from analysis.pipeline import summary_of
from tests.checking.mutation import mutated

CARD = (Path(__file__).parent / "data" / "hand_written.md").read_text(encoding="utf-8")


@cache
def checker() -> Checker:
    return Checker(summary_of(PROJECT_ROOT / "raw" / "qwen3.6-35b-a3b-dspark"))


def only(text: str) -> Verdict:
    (found,) = checker()(text).verdicts
    return found


def statuses(text: str) -> list[str]:
    return [found.status for found in checker()(text).verdicts]


def test_a_card_is_borne_out_but_for_what_no_log_has() -> None:
    result = checker()(CARD)
    assert result.agrees
    assert [one.text for one in result.those("untied")] == ["It took us 3 days."]
    assert len(result.those("verified")) > 55


def test_any_wrong_figure_is_no_longer_verified() -> None:
    """Tables, sentences and quoted log lines; names are only compared with names."""
    rng = random.Random(7)
    right = len(checker()(CARD).those("verified"))
    spots = [spot for spot in mutated(CARD) if spot.line > 5]
    passed = []
    for spot in spots[::2]:
        found = checker()(spot.changed(rng))
        if found.agrees and len(found.those("verified")) == right:
            passed.append((spot.line, spot.numeral))
    assert len(spots) > 80
    # Of a rounded claim's neighbours some round to it as well: "about 31 %" is also 32 %.
    assert len(passed) <= 2, passed


@pytest.mark.parametrize(
    ("sentence", "says", "recomputed", "source"),
    [
        (
            "DFlash max 7 is 18% faster than no speculation.",
            "effective throughput of DFlash, n_max 7 against No speculation",
            "18.2",
            "dflash-n7.log:1-22, baseline.log:1-22",
        ),
        (
            "DSpark max 3 drafts 535 more tokens than max 2.",
            "drafted tokens of DSpark, n_max 3 against DSpark, n_max 2",
            "535",
            "dspark-n3.log:1-22, dspark-n2.log:1-22",
        ),
        (
            "json_output reaches 73.7% acceptance with DFlash.",
            "acceptance rate of DFlash, n_max 7 on json_output",
            "73.73",
            "dflash-n7.log:9",
        ),
    ],
)
def test_a_verdict_says_what_was_understood(
    sentence: str, says: str, recomputed: str, source: str
) -> None:
    found = only(sentence)
    assert (found.status, found.says, found.recomputed, found.source) == (
        "verified",
        says,
        recomputed,
        source,
    )


@pytest.mark.parametrize(
    ("true", "turned"),
    [
        # Titles, lead-ins and sentences before give what a sentence leaves out.
        ("## max 2 vs max 3\n\nmax 3 is 0.6% faster overall.", ("0.6%", "1.6%")),
        ("## max 2 vs max 3\n\nmax 3 accepts more draft tokens.", ("more", "fewer")),
        ("DFlash max 7 is about:\n\n- 31% faster than DSpark max 5", ("faster", "slower")),
        ("DFlash max 7 leads.\n\n- code_cpp gets 71.4% of its drafts accepted", ("71.4", "74.1")),
        ("DFlash max 7 leads. It is 18.2 % faster than the baseline.", ("faster", "slower")),
        ("## Translation\n\nDFlash max 7 runs at 68.8 tok/s.", ("68.8", "88.6")),
        ("## DSpark max 2\n\nIt accepts 990 of 1,768 drafted tokens.", ("990", "909")),
        # A sentence may go over several lines.
        ("DFlash max 7 is\n18.2 % faster than\nthe baseline.", ("faster", "slower")),
    ],
)
def test_what_a_sentence_leaves_out(true: str, turned: tuple[str, str]) -> None:
    assert set(statuses(true)) == {"verified"}
    assert "verified" not in statuses(true.replace(*turned))[-1:]


@pytest.mark.parametrize(
    "sentence",
    [
        "We like 42.",
        "DFlash max 9 is 18% faster than no speculation.",
        "DFlash max 7 is 18% faster than DFlash max 9.",
        "EAGLE is slower than DFlash.",
        "DSpark reaches 94.3% acceptance.",
        "A speed of 133.9 tok/s.",
        "It has 73.7% of something.",
        "DFlash max 7 may be 18% faster than the baseline.",
        "On my laptop DFlash max 7 is 18% faster than the baseline.",
        "If DFlash max 7 were 18% faster than the baseline, we would know.",
        "Is DFlash max 7 slower than the baseline?",
        "DFlash max 7 is faster than the baseline for short prompts.",
    ],
)
def test_what_cannot_be_tied_is_listed_and_never_judged(sentence: str) -> None:
    assert set(statuses(sentence)) == {"untied"}


def test_what_says_nothing_about_the_campaign_is_no_claim() -> None:
    assert statuses("This is a draft model. Load it beside its target, as [they](x) say.") == []


@pytest.mark.parametrize(
    ("cell", "status"),
    [("1.16×", "verified"), ("1.61×", "differs"), ("1.16× (n = 3 runs)", "untied")],
)
def test_a_cell_is_a_claim(cell: str, status: str) -> None:
    table = f"| Decode speedup | Code |\n| --- | ---: |\n| DSpark, n_max 2 | {cell} |\n"
    assert statuses(table) == [status]


def test_a_column_that_is_not_understood_ties_nothing() -> None:
    table = "| Run | warm tok/s | tok/s |\n|-|-|-|\n| DFlash max 7 | 150.0 | 150.0 |\n"
    assert statuses(table) == ["untied", "differs"]


def test_a_cell_without_a_column_is_not_shown_and_not_read() -> None:
    table = "| Run | tok/s |\n|-|-|\n| DFlash max 7 | 133.9 | 999.9 |\n"
    assert statuses(table) == ["verified"]


def test_the_table_of_a_model_is_not_held_against_what_was_measured() -> None:
    table = "| Depth | Known from | Decode tok/s |\n|-|-|-|\n| 5 | predicted | 140.0 |\n"
    assert statuses(f"## DSpark\n\n{table}") == ["untied"]


@pytest.mark.parametrize(
    "sentence",
    [
        "DFlash max 7 drafted 3243 tokens and 1393 of those were useful.",
        "Break-even for DFlash max 7 sits around 32 %, it got 43 %.",
        "Code: 1.94x with DFlash, 1.36x with the best DSpark depth.",
        "DSpark max 2 needed 891 forwards and DFlash 472, a saving of 47 %.",
        "Overall speedup: 1.18x. On code: 1.94x; drafting is worth it for code, and only there.",
    ],
)
def test_beside_the_right_figure_another_is_of_something_else(sentence: str) -> None:
    assert "verified" in statuses(sentence)
    assert "differs" not in statuses(sentence)


def test_a_time_is_held_against_no_time_for_each_token() -> None:
    assert "verified" not in statuses("DFlash max 7 was done in under 5 seconds.")


def test_times_by_wall_time_may_be_a_speed() -> None:
    assert "differs" not in statuses("DFlash max 7 is at 1.18x by wall time.")
    assert "differs" in statuses("DFlash max 7 is at 1.5x by wall time.")


def test_right_figures_do_not_vouch_for_a_wrong_direction() -> None:
    assert "differs" in statuses(
        "Acceptance rises with depth: 56.0 % at 2, 47.9 % at 3, 36.8 % at 5."
    )
    faster = "Explain_concept gets faster as DSpark drafts deeper: 105.3, 90.0, 82.5 tok/s."
    assert statuses(faster) != ["verified"] * len(statuses(faster))


def test_figures_in_the_order_of_their_tasks() -> None:
    right = "DFlash reaches 275.9 and 68.8 tok/s on code_completion and translation."
    assert statuses(right) == ["verified", "verified"]
    turned = "DFlash reaches 68.8 and 275.9 tok/s on code_completion and translation."
    assert statuses(turned) == ["differs", "differs"]


def test_what_is_said_again_of_another_task() -> None:
    assert statuses("DFlash pays on code, but not on translation.") == ["verified", "verified"]
    assert statuses("DFlash pays on translation, but not on code.") == ["differs", "differs"]


@pytest.mark.parametrize(
    ("sentence", "status"),
    [
        ("DFlash reaches up to 97.1 % acceptance on repeat_pattern.", "verified"),
        ("DFlash reaches up to 97.1 % acceptance on translation.", "differs"),
        ("Of the code tasks, code_python is the slowest with DFlash.", "verified"),
        ("Of the code tasks, code_python is the fastest with DFlash.", "untied"),
        ("Among the four classes DFlash is fastest on code.", "verified"),
        ("Among the four classes DFlash is slowest on code.", "differs"),
        ("Only max 5 drafts more tokens than max 3.", "untied"),  # of its method, or of all
        ("Only DFlash beats the baseline on code.", "differs"),  # two depths of DSpark do as well
        ("DSpark max 5 is more than 10 % slower than the baseline.", "untied"),  # or that is faster
        ("The former is faster than the baseline.", "untied"),
        ("Only one of the four drafting configurations beats the baseline.", "verified"),
        ("Only one of the four drafting configurations is faster on code_completion.", "differs"),
        ("The fastest configuration of the DSpark campaign is DSpark max 3.", "differs"),
        ("All five tasks of the code class are faster with DFlash.", "verified"),
        ("All four tasks of the explanation class are faster with DFlash.", "differs"),
        ("The highest rate, 300.9 tok/s, belongs to json_output.", "untied"),
        ("With DFlash reasoning is faster than any other class.", "untied"),
        ("C++ code with DSpark 5 runs a third faster than without a draft.", "verified"),
        ("Use DFlash for code and translation.", "untied"),  # right for one of them
        ("Use DFlash for creative_short and translation.", "differs"),
        ("DFlash beats DSpark max 5, and the former reaches 133.9 tok/s.", "verified"),
        ("DFlash beats DSpark max 5, and the latter reaches 102.5 tok/s.", "verified"),
        ("The deepest setting is slow, the latter is slower than the baseline.", "untied"),
        ("DSpark max 2 and max 5 are within 1.5 % of each other.", "differs"),
        ("DFlash accepted every draft.", "differs"),  # it did on one task
        ("None of the DSpark depths 2, 3 and 5 accepts 56, 48 and 37 %.", "untied"),
        ("Hardly any of DSpark's depths has acceptance of 56, 48 and 37 %.", "untied"),
        ("DFlash is at 68.8 tok/s.", "untied"),  # on translation, which it may mean
        ("DFlash is at 68.9 tok/s.", "differs"),
        ("DFlash runs at 133.9 tok/s against 113.2 for the baseline.", "verified"),
        ("Among the depths of DSpark, max 3 is the fastest.", "verified"),
        ("Among the depths of DSpark, max 5 is the fastest.", "differs"),
        ("Only one of the five code tasks gains from DFlash.", "differs"),
        ("DFlash is the fastest run on 9 of the 13 tasks.", "verified"),
        ("DFlash is the fastest run on 11 of the 13 tasks.", "differs"),
        ("At depth 2, acceptance is 56.0 % against a break-even of 58.6 %.", "verified"),
        ("At depth 2, acceptance is 58.6 % against a break-even of 56.0 %.", "differs"),
        ("With DSpark, n_max 5, six of the 13 tasks are above break-even.", "verified"),
        ("With DSpark, n_max 5, seven of the 13 tasks are above break-even.", "differs"),
        ("The highest acceptance rate of DSpark, n_max 2 is on json_output.", "untied"),
        ("Code completion: 2.20x with DFlash - for translation, plain is best.", "verified"),
        ("Between n_max 2 and n_max 3 there is only 0.13 s of wall time.", "untied"),
        ("All three depths finished the thirteen prompts later than plain decoding.", "untied"),
        ("DFlash has more of its drafts accepted than DSpark max 2, 1,405.", "untied"),
        ("With DFlash 472 of the 1,877 forwards are left.", "untied"),  # no drafted tokens
        ("We hoped for more: DFlash at 150 tok/s.", "untied"),
        ("On translation you should use DSpark max 2 rather than DFlash.", "untied"),
        ("On translation the baseline is 1.8 times as fast as DFlash.", "verified"),
        ("On translation DFlash is 1.8 times as slow as the baseline.", "verified"),
        ("On translation DFlash is three times as slow as the baseline.", "differs"),
    ],
)
def test_how_far_words_reach(sentence: str, status: str) -> None:
    assert set(statuses(sentence)) == {status}


def test_whose_a_figure_behind_a_reference_is() -> None:
    assert statuses("DFlash is faster than the baseline with 133.9 tok/s.") == [
        "verified",
        "untied",
    ]
    assert statuses("DFlash is faster than the baseline with 140.9 tok/s.") == [
        "verified",
        "differs",
    ]
    # A comma is missing behind "tokens".
    said = "DSpark max 2 accepted 990 tokens fewer than max 5 with {}."
    assert statuses(said.format("1,209")) == ["untied", "verified"]
    assert statuses(said.format("1,999")) == ["untied", "differs"]


@pytest.mark.parametrize(("figure", "status"), [("68.8", "verified"), ("133.9", "differs")])
def test_a_cell_is_of_the_task_that_its_row_names_anywhere(figure: str, status: str) -> None:
    table = f"| Run | Task | tok/s |\n|-|-|-|\n| DFlash max 7 | translation | {figure} |\n"
    assert statuses(table) == [status]


@pytest.mark.parametrize(
    "column", ["Note | best on translation", "Best for | code", "Beats | DSpark max 5"]
)
def test_a_note_beside_a_cell_does_not_change_what_it_is_of(column: str) -> None:
    header, note = column.split(" | ")
    table = f"| Run | tok/s | {header} |\n|-|-|-|\n| DFlash max 7 | 133.9 | {note} |\n"
    assert statuses(table) == ["verified"]
    assert "differs" not in statuses(
        table.replace("DFlash max 7", "code").replace("133.9", "248.4")
    )


def test_a_wrong_cell_is_no_figure_of_another_task() -> None:
    table = "| Run | tok/s |\n|-|-|\n| DFlash max 7 | 68.8 |\n"
    assert statuses(table) == ["differs"]


def test_a_part_of_a_whole_is_shown_of_the_run_that_has_it() -> None:
    found = only("1405 accepted of 3243 drafted tokens.")
    assert (found.status, found.says) == ("verified", "accepted tokens of DFlash, n_max 7")


@pytest.mark.parametrize(
    "sentence",
    [
        "DSpark max 3 is the fastest configuration on nine of the thirteen tasks.",
        "On creative_short DSpark max 3 loses more than a third of the baseline's decode rate.",
        "Every figure is the mean of five runs.",
        "No setting gets past 190 tok/s on any task.",
        "DFlash max 7 clears its break-even of 5 % comfortably.",
        "explain_concept speeds up as DSpark drafts deeper.",
    ],
)
def test_what_holds_of_anything_vouches_for_nothing(sentence: str) -> None:
    assert "verified" not in statuses(sentence)
