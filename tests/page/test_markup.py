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


def test_a_figure_stays_with_its_unit_and_a_depth_with_its_number():
    made, headings = rendered("## At n_max 5\n\n67.6 % of 12 tok/s in 3 ms; 5 runs, `n_max 2`")
    assert (
        "67.6\N{NO-BREAK SPACE}% of 12\N{NO-BREAK SPACE}tok/s in 3\N{NO-BREAK SPACE}ms; 5 runs"
        in made
    )
    assert "At n_max\N{NO-BREAK SPACE}5</h2>" in made
    # What is copied, and what links go to, have the spaces that were written.
    assert "<code>n_max 2</code>" in made
    assert headings[0].anchor == "at-n_max-5"
