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

<!-- mtpbench:begin overall -->
| Run | tok/s |
| --- | ---: |
| A \\| b | **1.0** |
<!-- mtpbench:end overall -->

It is:

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
    assert lines[2].kind == "front"
    assert lines[9].kind == "header"
    row = lines[11]
    assert (row.kind, row.section, row.titles) == ("row", "overall", ("Card", "Speed"))
    assert row.table is not None
    assert (row.table.headers, row.table.cells) == (("Run", "tok/s"), ("A | b", "1.0"))
    assert (lines[16].text, lines[16].lead, lines[16].before) == (
        "5 % faster",
        "It is:",
        ("It is:",),
    )
    assert (lines[22].kind, lines[22].titles) == ("code", ("Card", "Speed", "More"))
    assert (lines[27].titles, lines[27].passed) == (("Card", "Next"), ("More", "Speed"))


def test_plain_text_has_titles_bullets_and_tables_by_tabs() -> None:
    text = "Benchmark\n\nmax\tWall\n2\t3.5 s\n\nA against B\n\n• 5 more\n\nEnds as a sentence."
    lines = read_lines(text)
    assert [line.kind for line in lines] == ["title", "header", "row", "title", "text", "text"]
    assert lines[2].table is not None
    assert lines[2].table.headers == ("max", "Wall")
    assert (lines[4].text, lines[4].titles) == ("5 more", ("A against B",))


def test_markup_is_resolved() -> None:
    assert plain('<img class="x" alt="1 &lt; 2" src="f/a.png">') == "1 < 2 <f/a.png>"
    assert plain(r"a\_b * c \* `n_max`") == "a_b * c * n_max"
    assert plain("[1.2](https://e.org) <b>x</b><!-- no -->") == "1.2 <https://e.org> x"


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    for line in read_lines(text):
        assert line.number >= 1
