from __future__ import annotations

import pytest

from analysis.checking.book import Value
from analysis.checking.figures import find_figures
from analysis.checking.judging import Read, judged
from analysis.checking.lines import Line


@pytest.mark.parametrize(
    ("stated", "evidence", "status"),
    [
        ("85.73 tok/s", "raw line", "verified"),
        ("85.730 tok/s", "raw line", "verified"),
        ("85.7 tok/s", "raw line", "differs"),
        ("85.7 tok/s", "sentence", "verified"),
        ("85.6 tok/s", "sentence", "differs"),
    ],
)
def test_a_quoted_line_is_quoted_to_the_digit(stated: str, evidence: str, status: str) -> None:
    (figure,) = find_figures(stated)
    read = Read(evidence, (Value(85.73, "decode throughput of x", "x.log:1"),))
    assert judged(Line(1, stated, "text"), figure, read).status == status
