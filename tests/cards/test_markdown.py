import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from analysis.cards.escaping import Markdown, clean, code, escape, fence, say
from analysis.cards.markdown import bullets, details, join, link, picture, repository, table

HOSTILE = "a|b `c` *d* <script>alert(1)</script> ]( http://x \n\n# h \u202e \x00 & \\"
GFM = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def shown(markup: str) -> str:
    """Visible text of rendered inline Markdown."""
    return html.unescape(re.sub(r"<[^>]*>", "", GFM.render(markup))).strip()


@given(st.text(max_size=80))
def test_escaped_text_shows_itself_and_nothing_else(text: str) -> None:
    rendered = GFM.render(f"x {escape(text)} x")
    assert " ".join(shown(f"x {escape(text)} x").split()) == " ".join(f"x {clean(text)} x".split())
    assert set(re.findall(r"<(/?\w+)", rendered)) <= {"p", "/p"}


@given(st.text(max_size=80))
def test_escaped_text_starts_no_block(text: str) -> None:
    tags = set(re.findall(r"<(\w+)", GFM.render(escape(text))))
    assert tags <= {"p"}


@given(st.text(max_size=80))
def test_cells_keep_the_number_of_columns(text: str) -> None:
    markup = table(["one", text], [[text, code(text)], [None, 3]])
    rendered = GFM.render(markup)
    assert rendered.count("<th") - rendered.count("<thead") == 2
    assert rendered.count("<td") == 4


@given(st.text(max_size=80))
def test_code_shows_its_text(text: str) -> None:
    if clean(text):
        assert shown(f"x {code(text)} x") == f"x {clean(text)} x"


@given(st.text(alphabet="`~ab\n<!->:mtpbench", max_size=60))
def test_fence_is_one_block_whatever_it_holds(text: str) -> None:
    tokens = GFM.parse(fence(text))
    assert [token.type for token in tokens] == ["fence"]


def test_fence_keeps_exact_lines_and_disarms_markers() -> None:
    assert fence("a  b\r\n``` c\n") == "````\na  b\n``` c\n````"
    assert "<!-- mtpbench:end" not in fence("<!-- mtpbench:end raw -->")
    assert "<!-- other -->" in fence("<!-- other -->")


def test_say_escapes_text_passes_markdown_and_refuses_unworded_values() -> None:
    assert say("{a} {b} {n}", a="*x*", b=Markdown("*y*"), n=3) == r"\*x\* *y* 3"
    for value in (0.5, None, True):
        with pytest.raises(TypeError):
            say("{a}", a=value)  # type: ignore[arg-type]
    assert say("{a}", a="{b.__class__}") == "{b.\\_\\_class\\_\\_}"


def test_long_text_is_cut_with_an_ellipsis() -> None:
    assert len(clean("x" * 10_000)) == 200
    assert escape("x" * 10_000).endswith("x…")


def test_table_rows_must_fit_the_headers() -> None:
    with pytest.raises(ValueError, match="2 columns"):
        table(["a", "b"], [["only one"]])


def test_numbers_are_right_aligned_and_null_is_a_dash() -> None:
    rows = [["x", None], ["y", 1]]
    assert table(["a", "b"], rows) == "| a | b |\n| --- | ---: |\n| x | – |\n| y | 1 |"


def test_a_column_of_dashes_is_left_out_and_a_stranger_s_dash_is_text() -> None:
    assert table(["a", "b"], [["x", None]]) == "| a |\n| --- |\n| x |"
    assert table(["a", "b"], [["x", "–"]]) == "| a | b |\n| --- | ---: |\n| x | – |"
    assert table(["a", "b"], []) == "| a | b |\n| --- | ---: |"


def test_details_has_an_empty_line_after_its_summary_and_plain_text_in_it() -> None:
    folded = details("</summary><script>", Markdown("**b**"))
    assert folded.splitlines()[1:3] == ["<summary>&lt;/summary&gt;&lt;script&gt;</summary>", ""]
    assert "<strong>b</strong>" in GFM.render(folded)


def test_picture_is_shown_by_theme_and_its_alt_text_stays_inside() -> None:
    images = picture('a"><script>', "figures/a b.png", "figures/a-dark.png")
    assert images.splitlines() == [
        '<img class="dark:hidden" width="640" alt="a&quot;&gt;&lt;script&gt;" '
        'src="figures/a%20b.png">',
        '<img class="hidden dark:block" width="640" alt="a&quot;&gt;&lt;script&gt;" '
        'src="figures/a-dark.png">',
    ]


def test_links_go_to_the_web_only() -> None:
    assert link("x", "javascript:alert(1)") == "x"
    assert link("x", "https://e.org/a)b") == "[x](https://e.org/a%29b)"
    assert repository("Org/Name") == "[Org/Name](https://huggingface.co/Org/Name)"
    assert repository("no repository") == "no repository"


def test_lists() -> None:
    assert join([]) == ""
    assert bullets(["a", "b"]) == "- a\n- b"
    assert "<script>" not in GFM.render(bullets([HOSTILE]))
