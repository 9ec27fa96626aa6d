from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.cards import known_names, render, render_sections
from analysis.cards.insertion import NoMarkersError, inserted
from analysis.cards.markers import pair
from analysis.summary import Summary

SECTIONS = {"summary": "# Title\n\nText.", "raw": "```text\n<!-- not ours -->\n```"}
KNOWN = ("summary", "raw", "depth")
ENDS = st.sampled_from(["\n", "\r\n", "\r"])
# Anything but what opens a fence, front matter or a marker.
WORDS = st.text(
    st.characters(blacklist_characters="`~-<\r\n\ufeff", blacklist_categories=("Cs",)), max_size=20
)


@st.composite
def readmes(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A README with some sections, and the pieces outside of their markers."""
    end = draw(ENDS)
    names = draw(st.lists(st.sampled_from(KNOWN), unique=True, min_size=1))
    outside = [draw(st.lists(WORDS, max_size=3)) for _ in range(len(names) + 1)]
    text = draw(st.sampled_from(["", "\ufeff"])) + end.join(outside[0])
    text += end if outside[0] else ""
    pieces = [text]
    for name, words in zip(names, outside[1:], strict=True):
        begin, stop = pair(name).split("\n")
        old = "".join(f"{line}{end}" for line in draw(st.lists(WORDS, max_size=3)))
        after = end + end.join(words) if words else draw(st.sampled_from(["", end]))
        if words and name != names[-1]:
            after += end
        elif not words and name != names[-1]:
            after = end
        text += f"{begin}{end}{old}{stop}{after}"
        pieces.append(after)
    return text, pieces


@given(readmes())
def test_every_byte_outside_stays_and_twice_is_once(made: tuple[str, list[str]]) -> None:
    text, outside = made
    once, spans = inserted(text, SECTIONS, KNOWN)
    position = 0
    for piece, span in zip(outside, spans, strict=False):
        begin, stop = pair(span.name).split("\n")
        start = once.index(begin, position)
        assert once[position:start] == piece
        position = once.index(stop, start) + len(stop)
    assert once[position:] == outside[-1]
    assert inserted(once, SECTIONS, KNOWN)[0] == once


@given(readmes())
def test_generated_text_has_the_line_ends_of_the_file(made: tuple[str, list[str]]) -> None:
    text, _ = made
    once, _ = inserted(text, SECTIONS, KNOWN)
    before, after = (set(re.findall(r"\r\n|\r|\n", words)) for words in (text, once))
    assert after == before


def test_a_section_without_data_becomes_empty() -> None:
    begin, end = pair("depth").split("\n")
    text, spans = inserted(f"{begin}\nold: 3.5x\n{end}\n", SECTIONS, KNOWN)
    assert text == f"{begin}\n{end}\n"
    assert [span.name for span in spans] == ["depth"]


def test_only_the_wanted_sections_are_touched() -> None:
    begin, end = pair("summary").split("\n")
    text = f"{begin}\nkept\n{end}\n{pair('raw')}\n"
    out, _ = inserted(text, SECTIONS, KNOWN, ["raw"])
    assert out.startswith(f"{begin}\nkept\n{end}\n")
    assert "not ours" in out


@pytest.mark.parametrize("wanted", [(), ("raw",)])
def test_without_markers_the_lines_to_paste_are_shown(wanted: tuple[str, ...]) -> None:
    with pytest.raises(NoMarkersError, match=r"no markers for the section.*raw") as refused:
        inserted("# Mine\n", SECTIONS, KNOWN, wanted, "R.md")
    assert pair("raw") in refused.value.lines
    assert refused.value.where == "R.md"


def test_a_rendered_card_is_up_to_date(wins: Summary) -> None:
    card = render(wins)
    assert inserted(card, render_sections(wins), known_names())[0] == card


TITLED = {"summary": "# Ours\n\nWhat it is."}


@pytest.mark.parametrize(
    ("above", "kept"),
    [
        ("# Mine\n\n", False),
        ("Mine\n====\n\n", False),
        ("<h1 align=center>Mine</h1>\n\n", False),
        ("", True),
        ("## Mine\n\n", True),
        ("```\n# a comment\n```\n\n", True),
        ("---\n# a comment\n---\n\n", True),
    ],
)
def test_a_readme_keeps_one_title(above: str, kept: bool) -> None:
    readme = f"{above}{pair('summary')}\n"
    text, _ = inserted(readme, TITLED, ["summary"])
    assert ("\n# Ours\n" in text) is kept
    assert "\n\nWhat it is.\n" in text
    assert inserted(text, TITLED, ["summary"])[0] == text
