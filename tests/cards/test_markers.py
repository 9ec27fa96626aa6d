from __future__ import annotations

import pytest

from analysis.cards.markers import find_spans, pair
from analysis.errors import CardError

KNOWN = ("summary", "raw")


def marker(kind: str, name: str = "raw") -> str:
    return f"<!-- mtpbench:{kind} {name} -->"


def test_a_section_is_what_lies_between_its_marker_lines() -> None:
    text = f"a\r\n{marker('begin')}\r\nold\r\n{marker('end')}\r\nb"
    (span,) = find_spans(text, KNOWN)
    assert text[span.start : span.stop] == "old\r\n"
    assert (span.name, span.begin, span.end, span.newline) == ("raw", 2, 4, "\r\n")


def test_a_byte_order_mark_hides_no_marker() -> None:
    text = f"\ufeff{pair('raw')}"
    (span,) = find_spans(text, KNOWN)
    assert (span.begin, text[span.start : span.stop]) == (1, "")


@pytest.mark.parametrize(
    "text",
    [
        f"```md\n{pair('raw')}\n```",
        f"~~~~\n~~~\n{pair('raw')}\n~~~~~",
        f"````\n```\n{marker('end')}\n````",
        f"---\nnote: |\n{marker('begin')}\n---\n",
        f"Put `{marker('begin')}` into it",
        f"    {marker('begin')}",
        "<!-- another comment -->",
        f"```\n{marker('begin')}",
    ],
)
def test_what_only_looks_like_a_marker_is_text(text: str) -> None:
    assert find_spans(text, KNOWN) == ()


def test_an_inline_code_span_of_three_ticks_opens_no_block() -> None:
    assert len(find_spans(f"```x``` is code\n{pair('raw')}", KNOWN)) == 1


@pytest.mark.parametrize(
    ("lines", "line", "message"),
    [
        ([marker("begin")], 1, "the section raw has no end"),
        ([marker("end")], 1, "ends here and never began"),
        ([pair("raw"), "", pair("raw")], 4, "is here twice, first on line 1"),
        (
            [marker("begin", "summary"), pair("raw"), marker("end", "summary")],
            2,
            "begins inside summary, begun on line 1",
        ),
        ([marker("begin"), marker("begin"), marker("end")], 2, "begins inside raw"),
        ([marker("begin"), marker("end", "summary")], 2, "the section summary ends inside raw"),
        (["", pair("nonsense")], 2, "use one of: summary, raw"),
        (["<!-- mtpbench:start raw -->"], 1, "none that mtpbench knows"),
        (["<!-- mtpbench:begin raw"], 1, "none that mtpbench knows"),
        ([f"{marker('begin')} {marker('end')}"], 1, "none that mtpbench knows"),
        ([f"{marker('begin')} words"], 1, "none that mtpbench knows"),
        ([marker("begin"), "```", marker("end")], 1, "has no end"),
    ],
)
def test_markers_out_of_order_are_refused_with_their_line(
    lines: list[str], line: int, message: str
) -> None:
    with pytest.raises(CardError, match=message) as refused:
        find_spans("\n".join(lines), KNOWN, "R.md")
    assert refused.value.where == f"R.md:{line}"
