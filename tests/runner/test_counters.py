from __future__ import annotations

import pytest

from analysis.runner.counters import AcceptedByPosition, Counters, difference, parse

TEXT = """\
# HELP llamacpp:spec_decode_num_drafts_total Rounds.
# TYPE llamacpp:spec_decode_num_drafts_total counter
llamacpp:spec_decode_num_drafts_total 10
llamacpp:spec_decode_num_accepted_tokens_per_pos_total{position="0"} 10
llamacpp:spec_decode_num_accepted_tokens_per_pos_total{position="1"} 9
llamacpp:requests_processing 0
"""


def test_the_exposition_text() -> None:
    assert parse(TEXT) == Counters(10, {0: 10, 1: 9})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "llamacpp:requests_processing 0\n",
        "<html>\n{}}",
        "a b c d\n",
        TEXT.replace("_total 10", "_total NaN"),
        TEXT.replace('"1"', '"one"'),
        TEXT.replace('"1"', '"1000000000"'),
        TEXT.replace('{position="1"}', ""),
        TEXT.replace('{position="1"} 9', '{position="1" 9'),
        f"llamacpp:spec_decode_num_drafts_total 12 {'9' * 400}\n",
    ],
)
def test_what_has_no_such_counters(text: str) -> None:
    assert parse(text) is None


@pytest.mark.parametrize(
    ("before", "after", "positions"),
    [
        (Counters(0), Counters(0), AcceptedByPosition((), 0)),
        # A position that no draft had reached before counts from nothing.
        (Counters(2, {0: 1}), Counters(6, {0: 3, 1: 1}), AcceptedByPosition((2, 1), 4)),
        (None, Counters(1), None),
        (Counters(1), None, None),
        # Restarted in between.
        (Counters(5, {0: 5}), Counters(1, {0: 1}), None),
        (Counters(1, {0: 5}), Counters(2, {0: 1}), None),
    ],
)
def test_differences(
    before: Counters | None, after: Counters | None, positions: AcceptedByPosition | None
) -> None:
    assert difference(before, after) == positions
