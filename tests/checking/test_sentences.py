"""Sentences as people write them: none that is true is accused, few that are false are vouched for.

The data files have a campaign and a sentence on each line; more are welcome. The sentences of
``held_out_`` to ``held_out_23_`` were written by people who had not seen the code, and kept until
its rules were settled (3, 4, 5 and 16 in a forum's and in an engineer's voice, 19 to mislead; for
many of them no rule was made); ``varied_`` looks for the ways in which people write, and
``casual_`` was written before its rules, as somebody in a forum would. ``complex_`` and ``terse_``
are true only: long sentences of several facts, and notes.
"""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pytest

from analysis.campaigns.campaign import PROJECT_ROOT
from analysis.checking import Checker
from analysis.pipeline import summary_of

DATA = Path(__file__).parent / "data"
# Of each set the shares of true ones that are verified, and of false ones that are found: no fewer.
FLOORS = {
    "": (0.95, 0.95),
    "held_out_": (0.85, 0.93),
    "held_out_2_": (0.78, 0.81),
    "held_out_3_": (0.64, 0.72),
    "held_out_4_": (0.42, 0.53),
    "held_out_5_": (0.39, 0.6),
    "held_out_6_": (0.8, 0.78),
    "held_out_7_": (0.6, 0.78),
    "held_out_8_": (0.62, 0.78),
    "held_out_9_": (0.62, 0.58),
    "held_out_10_": (0.55, 0.66),
    "held_out_11_": (0.67, 0.67),
    "held_out_12_": (0.55, 0.65),
    "held_out_13_": (0.59, 0.74),
    "held_out_14_": (0.47, 0.57),
    "held_out_15_": (0.41, 0.68),
    "held_out_16_": (0.21, 0.4),
    "held_out_17_": (0.48, 0.7),
    "held_out_18_": (0.65, 0.79),
    "held_out_19_": (0.13, 0.68),
    "held_out_20_": (0.87, 0.91),
    "held_out_21_": (0.58, 0.79),
    "held_out_22_": (0.4, 0.55),
    "held_out_23_": (0.78, 0.81),
    "varied_": (0.7, 0.85),
    "casual_": (0.58, 0.78),
}


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


@pytest.mark.parametrize("held_out", [*FLOORS, "complex_", "terse_"])
def test_no_true_sentence_is_accused(held_out: str) -> None:
    _, accused = shares(f"{held_out}true", "differs")
    assert accused == []


@pytest.mark.parametrize("joint", [", and ", "; ", ", while ", ", but ", ". ", ", whereas "])
def test_hardly_a_true_sentence_is_accused_beside_another(joint: str) -> None:
    """What one half says of whom and where, the other does not take over unless it may."""
    rng = random.Random(7)
    told = [pair for name in ("", "held_out_", "varied_", "casual_")
            for pair in sentences(f"{name}true")]  # fmt: skip
    accused = []
    for campaign in sorted({campaign for campaign, _ in told}):
        own = [sentence for name, sentence in told if name == campaign]
        for first, second in zip(own, rng.sample(own, len(own)), strict=True):
            small = second if joint == ". " else second[0].lower() + second[1:]
            both = first.rstrip(".! ") + joint + small
            if status(campaign, both) == "differs":
                accused.append(both)
    assert len(accused) <= 1, accused


@pytest.mark.parametrize(
    ("held_out", "least"), [(name, floor) for name, (floor, _) in FLOORS.items()]
)
def test_most_true_sentences_are_verified(held_out: str, least: float) -> None:
    assert shares(f"{held_out}true", "verified")[0] >= least


@pytest.mark.parametrize("held_out", FLOORS)
def test_no_false_sentence_is_vouched_for(held_out: str) -> None:
    share, vouched = shares(f"{held_out}false", "verified")
    assert share <= 0.02, vouched


@pytest.mark.parametrize(
    ("held_out", "least"), [(name, floor) for name, (_, floor) in FLOORS.items()]
)
def test_most_false_sentences_are_found(held_out: str, least: float) -> None:
    assert shares(f"{held_out}false", "differs")[0] >= least
