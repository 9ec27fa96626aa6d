"""Cards that somebody wrote: what their words mean, and every figure that is wrong."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from analysis.campaigns.campaign import PROJECT_ROOT
from analysis.checking import Checker, Verdict, check_text
from analysis.pipeline import summary_of
from analysis.summary import Summary
from tests.checking.mutation import mutated

CARD = (Path(__file__).parent / "data" / "hand_written.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def summary() -> Summary:
    return summary_of(PROJECT_ROOT / "raw" / "qwen3.6-35b-a3b-dspark")


def one(text: str, summary: Summary, stated: str) -> Verdict:
    return next(found for found in check_text(text, summary).verdicts if found.stated == stated)


def test_every_figure_is_tied_but_the_one_that_no_log_has(summary: Summary) -> None:
    result = check_text(CARD, summary)
    assert result.agrees
    assert [(found.stated, found.context) for found in result.those("untied")] == [
        ("3", "It took us 3 days.")
    ]
    numerals = re.findall(r"\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?", CARD)
    assert len(result.verdicts) == len(numerals)


@pytest.mark.parametrize(
    ("sentence", "stated", "quantity", "recomputed", "source"),
    [
        (
            "DFlash max 7 runs the benchmark about:\n\n- 16% faster than no speculation",
            "16",
            "effective throughput of DFlash, n_max 7 over No speculation",
            "18.2",
            "dflash-n7.log:1-22, baseline.log:1-22",
        ),
        (
            "## DSpark max 2 vs max 3\n\nmax 3 is only about 0.6% faster overall",
            "0.6",
            "effective throughput of DSpark, n_max 3 over DSpark, n_max 2",
            "0.59",
            "dspark-n3.log:1-22, dspark-n2.log:1-22",
        ),
        (
            "## DSpark max 2 vs max 3\n\nmax 3 needs 535 more draft tokens.",
            "535",
            "drafted tokens of DSpark, n_max 3 minus DSpark, n_max 2",
            "535",
            "dspark-n3.log:1-22, dspark-n2.log:1-22",
        ),
        (
            "DFlash max 7 is best. json_output reaches 73.7% acceptance.",
            "73.7",
            "acceptance rate of DFlash, n_max 7 on json_output",
            "73.73",
            "dflash-n7.log:9",
        ),
        (
            "DSpark max 5 saves 11% of the wall time.",
            "11",
            "time saved of DSpark, n_max 5",
            "-10.5",
            "dspark-n5.log:1-22",
        ),
        (
            "No speculation gives 128.5 tok/s decode.",
            "128.5",
            "decode throughput of No speculation",
            "128.49",
            "baseline.log:1-22",
        ),
        (
            "DSpark max 2 and DSpark max 5 are slower (0.96x and 0.91x).",
            "0.91",
            "effective throughput of DSpark, n_max 5 over No speculation",
            "0.905",
            "dspark-n5.log:1-22, baseline.log:1-22",
        ),
    ],
)
def test_sentences(
    summary: Summary, sentence: str, stated: str, quantity: str, recomputed: str, source: str
) -> None:
    found = one(sentence, summary, stated)
    assert (found.quantity, found.recomputed, found.source) == (quantity, recomputed, source)
    assert (found.status == "verified") is (stated not in ("16", "11"))


@pytest.mark.parametrize(
    "sentence",
    [
        "We like 42.",
        "DFlash max 9 is 18% faster than no speculation.",
        "DFlash max 7 is 18% faster than DFlash max 9.",
        "DSpark reaches 94.3% acceptance.",
        "A speed of 133.9 tok/s.",
        "It has 73.7% of something.",
    ],
)
def test_what_cannot_be_tied_is_listed_and_never_verified(summary: Summary, sentence: str) -> None:
    result = check_text(sentence, summary)
    kept = [found for found in result.verdicts if found.evidence != "name"]
    assert kept
    assert {found.status for found in kept} == {"untied"}


def test_about_in_front_of_a_list_goes_for_its_items(summary: Summary) -> None:
    head = "DFlash max 7 is approximately:"
    assert one(f"{head}\n\n- 17% faster than no speculation", summary, "17").status == "verified"
    assert one("DFlash max 7 is 17% faster than no speculation", summary, "17").status == "differs"


def test_any_wrong_figure_is_found(summary: Summary) -> None:
    """Tables, sentences and quoted log lines; names are only compared with names."""
    checker = Checker(summary)
    right = checker(CARD).verdicts
    rng = random.Random(7)
    spots = [spot for spot, found in zip(mutated(CARD), right, strict=True)
             if found.status == "verified" and found.evidence != "name"]  # fmt: skip
    missed = []
    for spot in spots:
        text = spot.changed(rng)
        if checker(text).agrees:
            missed.append((spot.line, spot.numeral))
    assert len(spots) > 60
    # Of a rounded claim's neighbours some round to it as well: "about 31 %" is also 32 %.
    assert len(missed) <= len(spots) // 100, missed


def test_a_wrong_log_line_names_the_right_one(summary: Summary) -> None:
    row = "code_cpp  pred=  54 draft=  63 acc=  46 rate=0.714 tok/s=229.5"
    text = f"### DFlash max 7\n\n```\n{row}\n```"
    (found,) = check_text(text, summary).those("differs")
    assert (found.stated, found.recomputed, found.source) == ("46", "45", "dflash-n7.log:2")


def test_a_column_called_by_a_class_alone_is_of_that_class(summary: Summary) -> None:
    table = (
        "| Decode speedup | Code | Creative |\n| --- | ---: | ---: |\n"
        "| DSpark, n_max 2 | 1.16× | 0.67× |\n"
    )
    result = check_text(table, summary)
    assert [found.stated for found in result.those("verified")] == ["2", "1.16"]
    assert [found.stated for found in result.those("differs")] == ["0.67"]  # it is 0.68
