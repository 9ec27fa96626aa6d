from __future__ import annotations

import base64
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import analysis.page
from analysis.page import page

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
HARMLESS = {
    *("html", "head", "meta", "title", "style", "body", "main", "div", "p", "a", "br", "hr", "img"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code", "span"),
    *("table", "thead", "tbody", "tr", "th", "td", "details", "summary"),
    *("figure", "figcaption", "nav"),
    *("strong", "em", "b", "sub", "sup"),
}


class Elements(HTMLParser):
    """What a browser would see: every element with its attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def elements(text: str) -> list[tuple[str, dict[str, str | None]]]:
    return Elements(text).found


def body(text: str) -> str:
    return text.partition("<main>\n")[2].rpartition("</main>")[0]


def own_script_taken_out(text: str) -> str:
    """The page without its one script, which must be ours."""
    before, opening, rest = text.rpartition("<script>")
    script, closing, after = rest.partition("</script>")
    assert opening
    assert closing
    assert script == (Path(analysis.page.__file__).parent / "page.js").read_text("utf-8")
    return before + after


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "report" / "figures").mkdir(parents=True)
    (tmp_path / "report" / "figures" / "a.png").write_bytes(PNG)
    (tmp_path / "outside.png").write_bytes(PNG)
    return tmp_path / "report"


def test_front_matter_is_not_shown(folder: Path) -> None:
    shown = page("---\nlicense: mit\ntags:\n- draft\n---\n\n# Title & more\n\ntext\n", folder)
    assert body(shown) == '<h1 id="title--more">Title &amp; more</h1>\n<p>text</p>\n'
    assert "<title>Title &amp; more</title>" in shown
    assert shown.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert '<meta charset="utf-8">' in shown


def test_a_rule_in_the_text_is_no_front_matter(folder: Path) -> None:
    assert "<p>before</p>" in page("before\n\n---\n\nafter\n\n---\n", folder)


def test_a_card_without_a_title(folder: Path) -> None:
    assert "<title>mtpbench report</title>" in page("text", folder)


def test_a_title_with_markup_becomes_text(folder: Path) -> None:
    assert "<title>a b</title>" in page("# a `b`\n", folder)


def test_tables_can_be_scrolled(folder: Path) -> None:
    shown = body(page("| a |\n| --- |\n| 1 |\n", folder))
    assert shown.startswith('<div class="table"><table>')
    assert shown.count("<div") == shown.count("</div>") == 1


def test_a_callout_is_named(folder: Path) -> None:
    shown = body(page("> [!WARNING]\n> Mind this.\n", folder))
    assert shown == "<blockquote><p><strong>Warning:</strong> Mind this.</p>\n</blockquote>\n"


def test_pictures_are_put_into_the_page(folder: Path) -> None:
    shown = page(
        '![the alt](figures/a.png)\n\n<img src="figures/a.png" alt="b" width="400">\n', folder
    )
    data = base64.b64encode(PNG).decode()
    pictures = [attributes for tag, attributes in elements(shown) if tag == "img"]
    assert [picture["src"] for picture in pictures] == [f"data:image/png;base64,{data}"] * 2
    assert [picture["alt"] for picture in pictures] == ["the alt", "b"]


def test_light_and_dark_pictures_keep_their_mode(folder: Path) -> None:
    text = '<img class="dark:hidden" src="figures/a.png" alt="x">\n' + (
        '<img class="hidden dark:block" src="figures/a.png" alt="x">\n'
    )
    classes = [
        attributes["class"] for tag, attributes in elements(page(text, folder)) if tag == "img"
    ]
    assert classes == ["light", "dark"]


@pytest.mark.parametrize(
    "source",
    [
        "figures/gone.png",
        "../outside.png",
        "/etc/hostname",
        "https://example.org/a.png",
        "//example.org/a.png",
        "figures/a.svg",
        "data:image/svg+xml;base64,PHN2Zy8+",
        "javascript:alert(1)",
        "file:///etc/hostname",
        f"{'x' * 300}.png",
        f"{'x/' * 3000}a.png",
        "a%00b.png",
        "figures",
    ],
    ids=lambda source: source[:30],
)
def test_nothing_else_is_fetched_or_shown(source: str, folder: Path) -> None:
    for text in (f"![x]({source})", f'<img src="{source}" alt="x">'):
        shown = page(text, folder)
        assert not [tag for tag, _ in elements(shown) if tag == "img"]


def test_a_picture_that_links_out_of_the_folder_stays_out(folder: Path) -> None:
    (folder / "figures" / "b.png").symlink_to(folder.parent / "outside.png")
    assert not [tag for tag, _ in elements(page("![x](figures/b.png)", folder)) if tag == "img"]


def test_the_card_s_own_tags_stay(folder: Path) -> None:
    text = "<details>\n<summary>More</summary>\n\ntext<br>\n\n</details>\n"
    shown = body(page(f"{text}\n<!-- mtpbench:begin x -->\n", folder))
    assert "<details>\n<summary>More</summary>" in shown
    assert "</details>" in shown
    assert "mtpbench:begin" not in shown


HOSTILE = [
    "<script>alert(1)</script>",
    "<SCRIPT src=//x>",
    "text <script>alert(1)</script> text",
    "<div>\n<script>\nalert(1)\n</script>\n</div>",
    '<img src="x" onerror="alert(1)">',
    '<img src="figures/a.png" alt="x" onerror="alert(1)">',
    "<img src=x onerror=alert(1)>",
    '<details open ontoggle="alert(1)">',
    "<p onclick=alert(1)>",
    '<a href="javascript:alert(1)">x</a>',
    "[x](javascript:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](vbscript:x)",
    "<javascript:alert(1)>",
    "<svg/onload=alert(1)>",
    "<style>@import url(//x)</style>",
    "<iframe src=//x></iframe>",
    "<!-- --><script>alert(1)</script>",
    "<!--> <script>alert(1)</script> -->",
    "<!-- --!><script>alert(1)</script> -->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<?php <script>alert(1)</script> ?>",
    "# </title><script>alert(1)</script>",
    '!["><script>alert(1)</script>](figures/a.png)',
    '![x](figures/a.png "><script>alert(1)</script>")',
    '<https://x/"onmouseover="alert(1)>',
    "| <script> | \n| --- |\n| </table><script>alert(1)</script> |",
    "```html\n<script>alert(1)</script>\n```",
    "---\ntitle: x\n---\n<script>alert(1)</script>",
]


def assert_harmless(shown: str) -> None:
    shown = own_script_taken_out(shown)
    for tag, attributes in elements(shown):
        assert tag in HARMLESS, tag
        assert not [name for name in attributes if name.startswith("on")], attributes
        for name in ("href", "src"):
            address = attributes.get(name) or ""
            assert not re.match(
                r"\s*(?:javascript|vbscript|data:(?!image/png))", address, re.IGNORECASE
            )
            if name == "src":
                assert not address or address.startswith("data:image/png;base64,")
    assert "<script" not in shown.lower()
    assert "style" not in {name for _, attributes in elements(shown) for name in attributes}


@pytest.mark.parametrize("text", HOSTILE)
def test_a_stranger_s_text_cannot_become_markup(text: str, folder: Path) -> None:
    assert_harmless(page(text, folder))
    assert_harmless(page(f"# Title\n\n- {text}\n\n> {text}\n\nwords {text} words\n", folder))


PIECES = st.sampled_from(
    [
        *(
            "<",
            ">",
            "<script>",
            "</script>",
            "<img ",
            'src="',
            "figures/a.png",
            '"',
            "'",
            " onerror=x",
        ),
        *(
            "<!--",
            "-->",
            "<details>",
            "</details>",
            "`",
            "```\n",
            "\n",
            "\n\n",
            "# ",
            "> ",
            "| ",
            "---\n",
        ),
        *(
            "[x](",
            ")",
            "![",
            "](",
            "javascript:",
            "&lt;",
            "&#60;",
            "\\",
            "<p",
            "/>",
            "alt=",
            "x",
            " ",
        ),
    ]
)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(st.lists(PIECES, max_size=25).map("".join), st.text(max_size=80)))
def test_no_text_becomes_markup(folder: Path, text: str) -> None:
    assert_harmless(page(text, folder))


def test_the_page_is_the_same_each_time(folder: Path) -> None:
    text = "# T\n\n![x](figures/a.png)\n\n| a |\n| - |\n| b |\n"
    assert page(text, folder) == page(text, folder)


def test_the_page_asks_nothing_of_the_network(folder: Path) -> None:
    shown = page("# T\n\n[link](https://example.org)\n", folder)
    shown = own_script_taken_out(shown)
    assert not [tag for tag, _ in elements(shown) if tag in {"link", "script", "iframe"}]
    policy = next(
        attributes["content"] or ""
        for tag, attributes in elements(shown)
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none'; img-src data:; style-src 'sha256-")
    assert "unsafe" not in policy
    assert "url(" not in shown
    assert "@import" not in shown
