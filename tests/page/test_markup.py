"""A stranger's text in the page's markup: closed, and escaped once."""

from __future__ import annotations

import html

from analysis.cards.markdown import details, table
from analysis.page.markup import rendered


def test_what_the_card_escaped_is_not_escaped_again():
    title = "a|b <i>c</i> & *d* `e` &amp; $f$"
    page, _ = rendered(str(details(title, table(["run"], [[title]]))))
    shown = html.escape(title, quote=False)
    assert f"<summary>{shown}</summary>" in page
    assert f"<td>{shown}</td>" in page
    assert "<i>" not in page


def test_no_tag_of_a_stranger_opens():
    page, _ = rendered("<details>\n<summary><script>&lt;script></summary>\n")
    assert "<script" not in page
    assert "&lt;script&gt;&lt;script&gt;" in page
