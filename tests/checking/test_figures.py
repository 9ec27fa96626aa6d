from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.checking.figures import Figure, agrees, figure_at, word_around
from analysis.checking.vocabulary import pieces


def figures(text: str) -> list[Figure]:
    return [figure_at(piece) for piece in pieces(text) if piece["digits"]]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("18% faster", [("18", 18.0, 0, "percent")]),
        ("+0.59 % or -4.1 %", [("+0.59", 0.59, 2, "percent"), ("-4.1", -4.1, 1, "percent")]),
        ("1,892 of 12,345,678", [("1,892", 1892.0, 0, ""), ("12,345,678", 12345678.0, 0, "")]),
        ("1.18× 0.96x", [("1.18", 1.18, 2, "times"), ("0.96", 0.96, 2, "times")]),
        ("17.43 | 108.5 tok/s", [("17.43", 17.43, 2, ""), ("108.5", 108.5, 1, "rate")]),
        ("5ms in 3 s", [("5", 5.0, 0, "ms"), ("3", 3.0, 0, "s")]),
        ("4.5 percentage points", [("4.5", 4.5, 1, "points")]),
        ("between 2,3 and .5", [("2", 2.0, 0, ""), ("3", 3.0, 0, ""), (".5", 0.5, 1, "")]),
        ("nothing here", []),
    ],
)
def test_figures(text: str, found: list[tuple[str, float, int, str]]) -> None:
    assert [(f.text, f.value, f.decimals, f.unit) for f in figures(text)] == found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Qwen3.6-35B", [("Qwen", "-35B"), ("Qwen3.6-", "B")]),
        ("b9831 or Q4_K_M", [("b", ""), ("Q", "_K_M")]),
        ("pull#26275", [("pull#", "")]),
        ("11-14 %", [("", "")] * 2),
        ("55/119", [("", "")] * 2),
        ("tok/s:133.9 ms", [("", "")]),
        ("2026-11-30", [("", "-11-30"), ("2026-", "-30"), ("2026-11-", "")]),
        ("version 0.1.0.2", [("", ".0.2"), ("0.1.", "")]),
    ],
)
def test_words_that_figures_are_part_of(text: str, words: list[tuple[str, str]]) -> None:
    assert [word_around(figure, text) for figure in figures(text)] == words


@pytest.mark.parametrize(
    ("stated", "bound", "value", "good"),
    [
        ("0.6 %", "", 0.592, True),
        ("0.6 %", "", 0.65, True),  # half to even
        ("0.6 %", "", 0.55, True),  # half up
        ("0.6 %", "", 0.651, False),
        ("18 %", "", 18.49, True),
        ("18 %", "", 18.51, False),
        ("18 %", "about", 19.5, True),
        ("18 %", "about", 19.6, None),
        ("18 %", "about", 20.7, None),
        ("18 %", "about", 20.8, False),
        # A ratio in whole numbers: a tenth of it.
        ("2x", "", 1.81, True),
        ("2x", "", 1.79, False),
        ("2x", "", 2.19, True),
        ("2x", "", 2.21, False),
        ("2.0x", "", 1.96, True),
        ("2.0x", "", 1.94, False),
        ("20x", "", 20.49, True),
        ("20x", "", 20.51, False),
        ("18 %", "gt", 18.6, True),
        ("18 %", "gt", 18.4, None),
        ("18 %", "gt", 17.4, False),
        ("18 %", "ge", 18.4, True),
        ("18 %", "lt", 17.4, True),
        ("18 %", "lt", 18.6, False),
        ("18 %", "nearly", 17.5, True),
        ("18 %", "nearly", 18.6, None),
        ("18 %", "nearly", 14.0, False),
        ("18 %", "just_over", 19.0, True),
        ("18 %", "just_over", 21.0, False),
        ("1,892", "", 1893.0, False),
        ("-4.1 %", "", 4.1, False),
    ],
)
def test_the_rounding_rule(stated: str, bound: str, value: float, good: bool | None) -> None:
    assert agrees(figures(stated)[0], value, bound) is good


@given(st.floats(-1e6, 1e6), st.integers(0, 4))
def test_a_rounded_value_agrees_with_itself(value: float, decimals: int) -> None:
    (figure,) = figures(f"{value:,.{decimals}f}")
    assert agrees(figure, value)


@given(st.text(max_size=60))
def test_any_text_has_figures_inside_of_it_and_in_order(text: str) -> None:
    end = 0
    for figure in figures(text):
        assert end <= figure.start < figure.end <= figure.stop <= len(text)
        end = figure.end
