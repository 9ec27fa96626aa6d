"""Rendered cards: they check, whatever was measured, and no figure in them can be changed."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from analysis import cards
from analysis.campaigns.campaign import PROJECT_ROOT, Campaign
from analysis.cards.insertion import inserted
from analysis.cards.markers import pair
from analysis.cards.sections import overall
from analysis.checking import Checker, check_text
from analysis.pipeline import summary_of
from analysis.publishing import insert as readme
from analysis.summary import Summary, summarise
from tests.cards.test_any_campaign import campaigns
from tests.checking.mutation import changed, mutated

COMMITTED = sorted(
    (path.parent.name, path) for path in (PROJECT_ROOT / "reports").glob("*/README.md")
)
ALONE = 0.1
"""Share of figures that may rest on the rendering alone."""

BATCH = 24


def checker_of(name: str) -> Checker:
    return Checker(summary_of(PROJECT_ROOT / "raw" / name))


@pytest.mark.parametrize(("name", "card"), COMMITTED)
def test_every_figure_of_a_committed_card_is_verified(name: str, card: Path) -> None:
    result = checker_of(name)(card.read_text(encoding="utf-8"))
    assert len(result.verdicts) > 500
    assert {found.status for found in result.verdicts} == {"verified"}
    # A fresh rendering is the second evidence, not the only one.
    alone = [found for found in result.verdicts if found.evidence == "rendering"]
    assert len(alone) < ALONE * len(result.verdicts)
    for found in result.verdicts:
        assert found.source or found.evidence in ("rendering", "name", "name + rendering")


@pytest.mark.parametrize(("name", "card"), COMMITTED)
def test_a_change_of_any_figure_is_found(name: str, card: Path) -> None:
    """All figures, a batch of far-apart ones at a time."""
    text, checker, rng = card.read_text(encoding="utf-8"), checker_of(name), random.Random(3)
    spots = mutated(text)
    missed = []
    for start in range(BATCH):
        batch = spots[start::BATCH]
        wrong = {found.line for found in checker(changed(text, batch, rng)).those("differs")}
        missed += [(spot.line, spot.numeral) for spot in batch if spot.line not in wrong]
    assert len(spots) > 500
    assert len(missed) <= len(spots) // 100, missed


def test_runs_of_one_file_are_held_against_their_own_lines(tmp_path: Path) -> None:
    raw = PROJECT_ROOT / "raw/qwen3.6-35b-a3b-dspark"
    parts = [(raw / name).read_bytes() for name in ("baseline.log", "dspark-n3.log")]
    (tmp_path / "two.log").write_bytes(b"".join(parts))
    # The id of the first block is the stem of the file that holds both.
    runs = [
        f'[[runs]]\nid = "{name}"\nlog = "two.log"\nblock = {number}\n'
        for number, name in enumerate(["two", "two-2"], start=1)
    ]
    (tmp_path / "campaign.toml").write_text('[campaign]\ntitle = "two"\n' + "".join(runs))
    summary = summary_of(tmp_path)
    text = cards.render(summary)
    found = check_text(text, summary)
    assert not found.those("differs")
    (total,) = [one for one in found.verdicts if one.context == '"total_predicted": 1889,']
    assert (total.source, total.evidence) == ("two.log:39", "raw line + rendering")
    # The total of the other block is no excuse.
    wrong = check_text(
        text.replace('"total_predicted": 1889,', '"total_predicted": 1890,'), summary
    )
    assert [one.source for one in wrong.those("differs")] == ["two.log:39"]


def test_a_single_change_differs_in_that_figure_only() -> None:
    name, card = COMMITTED[-1]
    text, checker = card.read_text(encoding="utf-8"), checker_of(name)
    assert "**DFlash, n_max 7** is 18.2 % faster than no speculation" in text
    (found,) = checker(text.replace("is 18.2 % faster", "is 19.2 % faster")).those("differs")
    assert (found.stated, found.recomputed) == ("19.2", "18.2")
    assert found.source == "dflash-n7.log:1-22, baseline.log:1-22"


def inserted_card(summary: Summary, names: tuple[str, ...]) -> str:
    made, _ = readme.sections(summary)
    text = "# Mine\n\n" + "\n\n".join(pair(name) for name in names)
    return inserted(text, made, cards.known_names())[0]


def test_sections_in_a_readme_of_ones_own(wins: Summary) -> None:
    text = inserted_card(wins, ("overall", "per-task", "raw"))
    assert "mtpbench-figures/made/" in text
    result = check_text(text, wins)
    assert {found.status for found in result.verdicts} == {"verified"}


def test_a_picture_of_another_campaign_is_found() -> None:
    checker = checker_of("qwen3.6-35b-a3b-dspark")
    text = inserted_card(checker.summary, ("overall",))
    assert checker(text).agrees
    wrong = text.replace("mtpbench-figures/qwen3.6", "mtpbench-figures/qwen3.5")
    assert not checker(wrong).agrees


def test_a_figure_added_to_a_generated_section_is_found(wins: Summary) -> None:
    begin, _ = pair("overall").split("\n")
    text = cards.render(wins).replace(begin, f"{begin}\n\nIt is 7 times as fast as anything.")
    (found,) = check_text(text, wins).those("differs")
    assert found.stated == "7"
    assert "fresh rendering" in str(found.quantity)


def test_a_section_that_the_data_does_not_fill_is_stale(unpaired: Summary) -> None:
    begin, end = pair("baseline").split("\n")
    (found,) = check_text(f"{begin}\nIt is 3.5x here.\n{end}\n", unpaired).those("differs")
    assert found.stated == "3.5"


def test_a_renderer_that_confuses_columns_is_found(
    wins: Summary, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A card and its fresh rendering can be wrong alike: the headers say otherwise."""
    headers = list(overall.HEADERS)
    headers[2], headers[3] = headers[3], headers[2]
    monkeypatch.setattr(overall, "HEADERS", tuple(headers))
    result = check_text(cards.render(wins), wins)
    assert len(result.those("differs")) == 6


@settings(
    max_examples=15,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(campaigns())
def test_whatever_was_measured_its_card_checks(campaign: Campaign) -> None:
    summary = summarise(campaign)
    drawn = {name: named for name, (_, named) in readme.pictures(summary, "figures").items()}
    result = check_text(cards.render(summary, drawn), summary)
    assert {found.status for found in result.verdicts} <= {"verified"}


def test_crlf_and_a_byte_order_mark_change_nothing(wins: Summary) -> None:
    card = cards.render(wins)
    plain = check_text(card, wins)
    other = check_text("\ufeff" + card.replace("\n", "\r\n"), wins)
    assert plain.verdicts == other.verdicts


@pytest.mark.parametrize("front", ["license: apache-2.0", "license: mit\nversion: 7"])
def test_front_matter_of_someone_else_is_not_ours_to_judge(
    front: str, unpaired: Summary, summary_of: Callable[..., Summary]
) -> None:
    assert check_text(f"---\n{front}\n---\n# Mine\n", unpaired).agrees
