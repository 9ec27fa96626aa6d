"""Sentences about draft positions: shares and positions are those of the method named."""

from __future__ import annotations

import hashlib

import pytest

from analysis.campaigns.campaign import PROJECT_ROOT
from analysis.checking import Checker

RAW = PROJECT_ROOT / "raw" / "live-demo"


@pytest.fixture(scope="module")
def checker() -> Checker:
    from analysis.pipeline import summary_of

    return Checker(summary_of(RAW))


@pytest.fixture(scope="module")
def share(checker: Checker) -> dict[int, float]:
    """Measured survival of the self-draft by position, in percent."""
    rows = checker.summary.positions
    rows = rows[
        (rows["method"] == "draft-simple")
        & rows["workload"].isna()
        & rows["task"].isna()
        & (rows["source"] == "measured")
    ]
    rows = rows.drop_duplicates("position").set_index("position")
    return {int(place): 100 * float(value) for place, value in rows["survival"].items()}


def sentence(share: dict[int, float], first: float = 0, third: float = 0) -> str:
    return (
        f"With a separate draft model, {share[1] + first:.1f} % of the rounds accept the first "
        f"drafted token, {share[2]:.1f} % at least 2 and {share[3] + third:.1f} % at least 3."
    )


def test_a_sentence_about_positions(checker: Checker, share: dict[int, float]) -> None:
    found = checker(sentence(share)).verdicts
    assert [one.status for one in found] == ["verified"] * 5
    assert found[0].quantity == ("share (measured) at position 1 of a separate draft model")
    assert found[2].quantity == "position 2 of a separate draft model"
    assert all("live/self-n4.jsonl" in (one.source or "") for one in found)


@pytest.mark.parametrize(("first", "third", "wrong"), [(1, 0, 0), (0, -1, 3)])
def test_a_wrong_share_differs(
    checker: Checker, share: dict[int, float], first: float, third: float, wrong: int
) -> None:
    found = checker(sentence(share, first, third)).verdicts
    assert [one.status == "differs" for one in found] == [place == wrong for place in range(5)]


def test_an_alternative_text_names_each_method(checker: Checker, share: dict[int, float]) -> None:
    text = f"ngram-simple: 37.5% at 1; draft-simple: {share[1]:.1f}% at 1, {share[4]:.1f}% at 4."
    found = checker(text).verdicts
    assert [one.status for one in found] == ["verified"] * 6
    swapped = checker(text.replace("ngram-simple", "ngram-mod")).verdicts
    assert [one.stated for one in swapped if one.status == "differs"] == ["37.5"]


def test_a_position_that_nobody_drafted_is_not_tied(checker: Checker) -> None:
    found = checker("With a separate draft model, 3.0 % at least 19.").verdicts
    assert not [one for one in found if one.status == "verified"]


def test_rounds_are_counted(checker: Checker) -> None:
    rounds = checker.summary.positions
    rounds = rounds[(rounds["method"] == "draft-simple") & rounds["task"].isna()]["rounds"].max()
    text = "With a separate draft model it is so. Measured round by round, {} rounds."
    assert checker(text.format(int(rounds))).verdicts[-1].status == "verified"
    assert checker(text.format(int(rounds) + 1)).verdicts[-1].status == "differs"


def test_records_are_known_by_place_size_and_digest(checker: Checker) -> None:
    data = (RAW / "live" / "baseline.jsonl").read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    good = checker(f"`live/baseline.jsonl:1-18` has the digest `{digest}`.").verdicts
    assert {one.status for one in good} == {"verified"}
    other = digest[:-1] + ("0" if digest[-1] != "0" else "1")
    wrong = checker(f"It has the digest `{other}`.").verdicts
    assert {one.status for one in wrong} == {"untied"}
