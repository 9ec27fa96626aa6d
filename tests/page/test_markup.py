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


def test_flags_break_between_each_other_and_not_at_their_hyphens():
    text = '`--spec-type draft-dspark -c 2048` and `<b> & -x"`'
    made, _ = rendered(text)
    assert (
        '<code><span class="word">--spec-type</span> <span class="word">draft-dspark</span> '
        '<span class="word">-c</span> 2048</code>' in made
    )
    assert '<code>&lt;b&gt; &amp; <span class="word">-x&quot;</span></code>' in made
    # What is longer than a telephone's line has to break somewhere.
    assert f"<code>{'long-' * 8}</code>" in rendered(f"`{'long-' * 8}`")[0]
