"""Rendered cards: they check, whatever was measured, and not a word of them can be changed."""

from __future__ import annotations

import re
from functools import cache

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from analysis import cards
from analysis.campaigns.campaign import PROJECT_ROOT, Campaign
from analysis.cards.insertion import inserted
from analysis.cards.markers import pair
from analysis.checking import Checker, check_text
from analysis.errors import CardError
from analysis.publishing import insert as readme
from analysis.summary import Summary, summarise
from tests import committed
from tests.cards.test_any_campaign import campaigns

NAMES = sorted(path.name for path in (PROJECT_ROOT / "raw").iterdir())
AT_ONCE = 40
WORD = re.compile(r"\S+")
FIGURE = re.compile(r"\d+(?:[.,]\d+)*")


@cache
def checker_of(name: str) -> Checker:
    return Checker(committed.summary(name))


@cache
def card_of(name: str) -> str:
    """What `report` would write now; committed cards are renewed by themselves."""
    summary = checker_of(name).summary
    drawn = {key: named for key, (_, named) in readme.pictures(summary, "figures").items()}
    return cards.render(summary, drawn)


@cache
def results_of(name: str) -> str:
    """The second file that `report` would write now."""
    summary = checker_of(name).summary
    drawn = {key: named for key, (_, named) in readme.pictures(summary, "figures").items()}
    return cards.render_results(summary, drawn) or ""


@pytest.mark.parametrize("name", NAMES)
def test_a_rendered_card_is_verified(name: str) -> None:
    result = checker_of(name)(card_of(name))
    assert {found.status for found in result.verdicts} == {"verified"}
    assert {found.kind for found in result.verdicts} == {"section", "front matter"}
    behind = checker_of(name)(results_of(name))
    assert {(found.status, found.kind) for found in behind.verdicts} == {("verified", "section")}


@pytest.mark.parametrize("name", NAMES)
def test_the_data_bears_out_a_card_that_is_read_like_any_other_text(name: str) -> None:
    """Without its markers a card's tables, sentences and quotes are read, and none is accused."""
    text = re.sub(r"<!-- mtpbench:.*-->", "", card_of(name) + results_of(name))
    found = checker_of(name)(text)
    # What the depth model smooths is no measured figure, and its sentences say so elsewhere.
    wrong = [one for one in found.those("differs") if "the best for" not in one.text]
    modelled = {one.line for one in found.those("differs") if "the best for" in one.text}
    assert [one for one in wrong if one.line not in modelled] == []
    # A table over conditions is not read: its figures are listed as not tied.
    assert len(found.those("verified")) > (100 if name == "conditions-demo" else 150)


def replaced(text: str, spots: list[re.Match[str]], new: dict[int, str]) -> str:
    out, end = [], 0
    for spot in spots:
        out += [text[end : spot.start()], new[spot.start()]]
        end = spot.end()
    return "".join([*out, text[end:]])


def missed(name: str, text: str, spots: list[re.Match[str]], change: dict[int, str]) -> list[str]:
    """Spots whose change is not found, some far-apart ones at a time."""
    checker, left = checker_of(name), []
    stride = max(1, len(spots) // AT_ONCE)
    numbers = {}
    number, end = 1, 0
    for spot in spots:
        number += text.count("\n", end, spot.start())
        end = spot.start()
        numbers[end] = number
    for start in range(stride):
        batch = spots[start::stride]
        wrong = {one.line for one in checker(replaced(text, batch, change)).those("differs")}
        left += [spot[0] for spot in batch if numbers[spot.start()] not in wrong]
    return left


def spots_of(text: str, pattern: re.Pattern[str]) -> list[re.Match[str]]:
    """Words or figures of generated text that are no marker and no sign of layout alone."""
    lines = list(re.finditer(r"[^\n]+", text))
    kept = []
    in_front = text.index("<!-- mtpbench:begin")
    for line in lines:
        if line.start() < in_front or line[0].startswith("<!-- mtpbench:"):
            continue
        kept += [found for found in pattern.finditer(text, line.start(), line.end())
                 if re.search(r"\w", found[0]) and "```" not in found[0]]  # fmt: skip
    return kept


@pytest.mark.parametrize("name", NAMES)
def test_a_change_of_any_word_is_found(name: str) -> None:
    for text, least in ((card_of(name), 1000), (results_of(name), 1500)):
        spots = spots_of(text, WORD)
        change = {spot.start(): f"x{spot[0]}" for spot in spots}
        assert len(spots) > least
        assert missed(name, text, spots, change) == []


@pytest.mark.parametrize("fence", ["```bash", "```text", "```powershell"])
def test_a_fence_that_is_none_is_found(fence: str) -> None:
    text, checker = card_of("qwen3.6-35b-a3b-dspark"), checker_of("qwen3.6-35b-a3b-dspark")
    # The code's end is then a beginning, so that markers are lost: an error, or a difference.
    try:
        found = checker(text.replace(fence, f"x{fence}", 1)).agrees
    except CardError:
        found = False
    assert not found


@pytest.mark.parametrize("name", NAMES)
def test_a_change_of_any_figure_is_found(name: str) -> None:
    for text, least in ((card_of(name), 150), (results_of(name), 300)):
        spots = spots_of(text, FIGURE)
        change = {spot.start(): ("1" if spot[0][0] != "1" else "2") + spot[0][1:] for spot in spots}
        assert len(spots) > least
        assert missed(name, text, spots, change) == []


@pytest.mark.parametrize(
    ("there", "instead"),
    [
        ("is fastest at", "is slowest at"),
        ("leave speculation off", "use speculation"),
        ("generation only", "whole requests only"),
        ("tok/s |", "tok/min |"),
        ("<summary>Overall comparison", "<summary>Comparison"),
        ("--spec-draft-n-max 5", "--spec-draft-n-max 3"),
        ("license: other", "license: mit"),
        ("- dspark\n", "- dflash\n"),
        ("base_model:", "basemodel:"),
        ("---\n\n<!--", "--\n\n<!--"),
    ],
)
def test_what_a_reader_would_believe_cannot_be_turned_round(there: str, instead: str) -> None:
    text, checker = card_of("qwen3.6-35b-a3b-dspark"), checker_of("qwen3.6-35b-a3b-dspark")
    assert there in text
    wrong = checker(text.replace(there, instead, 1)).those("differs")
    assert wrong
    assert {one.kind for one in wrong} <= {"section", "front matter"}


def test_a_difference_is_a_word_diff() -> None:
    checker = checker_of("qwen3.6-35b-a3b-dspark")
    text = results_of("qwen3.6-35b-a3b-dspark")
    (found,) = checker(text.replace("is 18.2 % faster", "is 19.2 % faster", 1)).those("differs")
    assert found.text == "is [-19.2-]{+18.2+}"
    assert (found.figures, found.recomputed) == (("19.2",), "18.2")


def test_lines_that_are_changed_side_by_side_are_all_named() -> None:
    checker = checker_of("qwen3.6-35b-a3b-dspark")
    lines = results_of("qwen3.6-35b-a3b-dspark").split("\n")
    at = next(at for at, line in enumerate(lines) if line.startswith("| `code_"))
    lines[at : at + 2] = ["| `x` | 1 |", "| `y` | 2 |"]
    assert {at + 1, at + 2} <= {one.line for one in checker("\n".join(lines)).those("differs")}


def test_a_marker_that_is_none_is_an_error_with_its_line(wins: Summary) -> None:
    text = cards.render(wins).replace("mtpbench:begin overall", "mtpbench:begins overall")
    with pytest.raises(CardError, match=r"README:[0-9]+: this marker is none"):
        check_text(text, wins)


def inserted_card(summary: Summary, names: tuple[str, ...]) -> str:
    made, _ = readme.sections(summary)
    text = "# Mine\n\n" + "\n\n".join(pair(name) for name in names)
    return inserted(text, made, cards.known_names())[0]


def test_sections_in_a_readme_of_ones_own(wins: Summary) -> None:
    text = inserted_card(wins, ("summary", "per-task", "raw"))
    assert "mtpbench-figures/made/" in text
    result = check_text(text, wins)
    assert {found.status for found in result.verdicts} == {"verified"}


def test_a_picture_of_another_campaign_is_found(wins: Summary) -> None:
    text = inserted_card(wins, ("summary",))
    assert check_text(text, wins).agrees
    assert not check_text(
        text.replace("mtpbench-figures/made", "mtpbench-figures/mine"), wins
    ).agrees


def test_what_the_author_added_outside_the_markers_is_read(wins: Summary) -> None:
    text = cards.render(wins) + "\nOn top of that, DFlash is slower than the baseline.\n"
    (found,) = check_text(text, wins).those("differs")
    assert (found.kind, found.line) == ("sentence", text.count("\n"))


def test_layout_is_no_difference(wins: Summary) -> None:
    """Wider columns, other bullets and emphasis, and lines broken elsewhere say the same."""
    card = cards.render(wins)
    other = re.sub(r"^\|.*-\|$", lambda row: row[0].replace("-", "---"), card, flags=re.MULTILINE)
    other = re.sub(r"^- ", "* ", other, flags=re.MULTILINE)
    head, middle, tail = card.partition("\n---\n")
    other = head + middle + other[len(head) + len(middle) :].replace("*Effective*", "_Effective_")
    assert other != card
    assert check_text(other.replace("* draft\n", "- draft\n"), wins).agrees
    assert tail


def test_a_section_that_the_data_does_not_fill_is_stale(unpaired: Summary) -> None:
    begin, end = pair("baseline").split("\n")
    (found,) = check_text(f"{begin}\nIt is 3.5x here.\n{end}\n", unpaired).those("differs")
    assert found.figures == ("3.5x",)


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
    behind = (cards.render_results(summary, drawn), cards.render_results(summary))
    for text in (cards.render(summary, drawn), cards.render(summary), *filter(None, behind)):
        assert {found.status for found in check_text(text, summary).verdicts} <= {"verified"}


def test_crlf_and_a_byte_order_mark_change_nothing(wins: Summary) -> None:
    card = cards.render(wins)
    plain = check_text(card, wins)
    other = check_text("\ufeff" + card.replace("\n", "\r\n"), wins)
    assert plain.verdicts == other.verdicts


@pytest.mark.parametrize("front", ["license: apache-2.0", "license: mit\nversion: 7"])
def test_front_matter_of_someone_else_is_not_ours_to_judge(front: str, unpaired: Summary) -> None:
    assert check_text(f"---\n{front}\n---\n# Mine\n", unpaired).agrees


def test_tags_and_keys_that_the_author_added_are_no_difference() -> None:
    text = card_of("qwen3.6-35b-a3b-dspark")
    more = text.replace("- gguf\n", "- gguf\n- mine\nlibrary_name: llama.cpp\n", 1)
    assert checker_of("qwen3.6-35b-a3b-dspark")(more).agrees


def test_other_quotes_and_another_order_of_the_front_matter_are_no_difference() -> None:
    text = card_of("qwen3.6-35b-a3b-dspark")
    other = text.replace("license: other\n", "").replace("tags:\n", 'license: "other"\ntags:\n', 1)
    other = other.replace("- dspark\n", "- 'dspark'\n", 1)
    assert other.index("base_model") < other.index("license:")
    assert checker_of("qwen3.6-35b-a3b-dspark")(other).agrees
    wrong = other.replace("'dspark'", "'dflash'", 1)
    (found,) = checker_of("qwen3.6-35b-a3b-dspark")(wrong).those("differs")
    assert found.text.startswith("tags: ")
    assert wrong.splitlines()[found.line - 1] == "tags:"


def test_a_list_in_one_line_is_no_difference_and_an_item_under_another_key_is() -> None:
    text, tags = card_of("qwen3.6-35b-a3b-dspark"), "- draft\n- speculative-decoding\n"
    inline = text.replace(
        f"tags:\n{tags}- dspark\n- gguf\n", "tags: [draft, speculative-decoding, dspark, gguf]\n", 1
    )
    assert inline != text
    assert checker_of("qwen3.6-35b-a3b-dspark")(inline).agrees
    moved = text.replace(f"tags:\n{tags}", f"mine:\n{tags}tags:\n", 1)
    (found,) = checker_of("qwen3.6-35b-a3b-dspark")(moved).those("differs")
    assert found.kind == "front matter"
