from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from analysis.checking.lines import plain, read_lines

MARKDOWN = """\
---
license: mit
---
# Card

## Speed

| Run | tok/s |
| --- | ---: |
| A \\| b | **1.0** |

It is
quick:

- 5 % faster

<details>
<summary>More</summary>

```text
# 12
```

</details>

## Next
"""


def test_every_line_knows_what_it_is_in() -> None:
    lines = {line.number: line for line in read_lines(MARKDOWN)}
    assert 2 not in lines
    assert lines[8].kind == "header"
    row = lines[10]
    assert (row.kind, row.titles) == ("row", ("Card", "Speed"))
    assert (row.headers, row.cells) == (("Run", "tok/s"), ("A | b", "1.0"))
    paragraph, item = lines[12], lines[15]
    assert (paragraph.text, paragraph.at(0), paragraph.at(7)) == ("It is\nquick:", 12, 13)
    assert (item.kind, item.text, item.lead) == ("item", "5 % faster", "It is quick:")
    assert (lines[21].kind, lines[21].titles) == ("code", ("Card", "Speed", "More"))
    assert lines[26].titles == ("Card", "Next")


def test_plain_text_has_titles_bullets_tables_by_tabs_and_pasted_rows() -> None:
    text = (
        "Benchmark\n\nmax\tWall\n2\t3.5 s\n\nA against B\n\n• 5 more\n\nEnds as a sentence.\n"
        "a  pred= 1 draft= 2\nb  pred= 3 draft= 4\n"
    )
    lines = [*read_lines(text)]
    kinds = ["title", "header", "row", "title", "item", "text", "quote", "quote"]
    assert [line.kind for line in lines] == kinds
    assert lines[2].headers == ("max", "Wall")
    assert (lines[4].text, lines[4].titles) == ("5 more", ("A against B",))


def test_markup_is_resolved() -> None:
    assert plain('<img class="x" alt="1 &lt; 2" src="f/a.png">') == "1 < 2"
    assert plain(r"a\_b * c \* `n_max`") == "a_b * c * n_max"
    assert plain("[1.2](https://e.org) <b>x</b><!-- no --> https://e.org/3") == "1.2 x"


def test_tags_alone_end_no_paragraph_and_fewer_dashes_are_a_delimiter_too() -> None:
    (text,) = read_lines("It is not\n<b>\nfaster\n</b>\n")
    assert (text.text.split(), text.at(text.text.index("faster"))) == (
        ["It", "is", "not", "faster"],
        3,
    )
    # Only what stands at the beginning is a quotation's sign.
    assert [one.text for one in read_lines("> > a <b>5</b> > 4\n")] == ["a 5 > 4"]
    kinds = [line.kind for line in read_lines("| | a |\n|-|:-:|\n| b | 1 |\n")]
    assert kinds == ["header", "row"]


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    for line in read_lines(text):
        assert line.number >= 1
