"""Sentences as people write them: none that is true is accused, few that are false are vouched for.

The data files have a campaign and a sentence on each line; more are welcome. The sentences of
``held_out_`` to ``held_out_5_`` were written by people who had not seen the code, and kept until
its rules were settled (3, 4 and 5 in a forum's and in an engineer's voice; most of them no rule was
made for); ``varied_`` looks for the ways in which people write, and
``casual_`` was written before its rules, as somebody in a forum would.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from analysis.campaigns.campaign import PROJECT_ROOT
from analysis.checking import Checker
from analysis.pipeline import summary_of

DATA = Path(__file__).parent / "data"
SETS = ("", "held_out_", "held_out_2_", "held_out_3_", "held_out_4_", "held_out_5_", "varied_",
        "casual_")  # fmt: skip


def sentences(name: str) -> list[tuple[str, str]]:
    lines = (DATA / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    return [(campaign, sentence) for campaign, sentence in (line.split("\t") for line in lines)]


@cache
def checker(campaign: str) -> Checker:
    return Checker(summary_of(PROJECT_ROOT / "raw" / campaign))


@cache
def status(campaign: str, sentence: str) -> str:
    """``differs``, ``verified`` where every claim is, or ``untied``."""
    found = {one.status for one in checker(campaign)(sentence).verdicts}
    if "differs" in found:
        return "differs"
    return "verified" if found == {"verified"} else "untied"


def shares(name: str, wanted: str) -> tuple[float, list[tuple[str, str]]]:
    told = [(campaign, said, status(campaign, said)) for campaign, said in sentences(name)]
    kept = [(campaign, said) for campaign, said, found in told if found == wanted]
    return len(kept) / len(told), kept


@pytest.mark.parametrize("held_out", SETS)
def test_no_true_sentence_is_accused(held_out: str) -> None:
    _, accused = shares(f"{held_out}true", "differs")
    assert accused == []


@pytest.mark.parametrize(
    ("held_out", "least"), [*zip(SETS, (0.9, 0.6, 0.6, 0.3, 0.12, 0.15, 0.5, 0.5), strict=True)]
)
def test_most_true_sentences_are_verified(held_out: str, least: float) -> None:
    assert shares(f"{held_out}true", "verified")[0] >= least


@pytest.mark.parametrize("held_out", SETS)
def test_no_false_sentence_is_vouched_for(held_out: str) -> None:
    share, vouched = shares(f"{held_out}false", "verified")
    assert share <= 0.02, vouched


@pytest.mark.parametrize(
    ("held_out", "least"), [*zip(SETS, (0.9, 0.7, 0.7, 0.45, 0.3, 0.35, 0.8, 0.6), strict=True)]
)
def test_most_false_sentences_are_found(held_out: str, least: float) -> None:
    assert shares(f"{held_out}false", "differs")[0] >= least
