"""Lines that a log driver, a terminal or a person put something before."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from analysis.parsers import Document, parse
from analysis.parsers.text.prefixes import is_log_prefix, without_prefixes

Log = Callable[..., str]

ROWS = [("code_python", 100, 30, 20, 100.0), ("qa_factual", 50, 20, 10, 50.0)]
PREFIXES = [
    "| ",
    "bench-1  | ",
    "2026-01-01T10:00:{0:02d} bench[123]: ",
    "[2026-01-01 10:00:{0:02d}.{0:03d}] ",
    "2026-01-01T10:00:{0:02d}Z ",
    "Jan  1 10:00:{0:02d} host bench[123]: ",
    "Jan  1 10:00:{0:02d} host bench[123]: | ",
    "> ",
    "# ",
    "[worker 3] ",
]


@pytest.mark.parametrize("style", ["Aggregate: {", "Aggregate:\n{"])
@pytest.mark.parametrize("prefix", PREFIXES)
def test_the_aggregate_is_read_whatever_stands_before_every_line(
    prefix: str, style: str, log: Log
) -> None:
    plain = log(ROWS, 7.5).replace("Aggregate: {", style)
    lines = plain.rstrip("\n").split("\n")
    text = "\n".join(prefix.format(n) + line for n, line in enumerate(lines, start=1))
    (made,) = parse(Document.of(text, "x.log"))
    assert [result.task for result in made.tasks] == ["code_python", "qa_factual"]
    assert made.aggregate is not None
    assert (made.aggregate.wall_s, made.aggregate.predicted_tokens) == (7.5, 150)
    assert made.label is None
    assert made.findings == ()
    # Lines are counted as in the file.
    assert str(made.source) == f"x.log:1-{len(lines)}"


def test_what_two_rows_do_not_share_stays(log: Log) -> None:
    lines = [
        "Run 1",
        "Run 1 code_python pred= 10 draft= 0 acc= 0 rate=n/a tok/s=10.0",
        "Run 2 code_python pred= 10 draft= 0 acc= 0 rate=n/a tok/s=10.0",
    ]
    found = parse(Document.of("\n".join(lines), "x.log"))
    assert found[0].label == "Run 1"
    cleaned = Document.of(log(ROWS), "x.log").cleaned
    assert without_prefixes(cleaned, [2]) is cleaned


@pytest.mark.parametrize(
    "torn",
    ['worker Aggregate:\nworker {\nworker  "n_requests": 2', 'a: "n_requests": 2, b'],
)
def test_an_aggregate_that_cannot_be_read_is_not_passed_over(torn: str, log: Log) -> None:
    rows = log(ROWS).split("\n\n")[0]
    (made,) = parse(Document.of(f"{rows}\n{torn}\n", "x.log"))
    (finding,) = made.findings
    assert (finding.code, finding.level, finding.where) == ("aggregate-cut", "warning", "x.log:3")
    (whole,) = parse(Document.of(rows, "x.log"))
    assert whole.findings == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-01-01T10:00:00 bench[123]:", True),
        ("[2026-01-01 10:00:00,123]", True),
        ("Jan  1 10:00:00 host bench[123]:", True),
        ("10:00:00 |", True),
        ("max 2", False),
        ("2026-01-01", False),
        ("2026-01-01T10:00:00 n_max 3 on a 3090", False),
        ("", False),
    ],
)
def test_a_bare_prefix_of_a_log_is_no_label(text: str, expected: bool) -> None:
    assert is_log_prefix(text) is expected
