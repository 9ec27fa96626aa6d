from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.checking.figures import agrees, find_figures


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("18% faster", [("18", 18.0, 0, "percent")]),
        ("+0.59 % or -4.1 %", [("+0.59", 0.59, 2, "percent"), ("-4.1", -4.1, 1, "percent")]),
        ("1,892 of 12,345,678", [("1,892", 1892.0, 0, ""), ("12,345,678", 12345678.0, 0, "")]),
        ("1.18× 0.96x", [("1.18", 1.18, 2, "times"), ("0.96", 0.96, 2, "times")]),
        ("133.9 against 113.2 tok/s", [("133.9", 133.9, 1, "rate"), ("113.2", 113.2, 1, "rate")]),
        ("133.9 tok/s against 113.2", [("133.9", 133.9, 1, "rate"), ("113.2", 113.2, 1, "rate")]),
        ("17.43 | 108.5 tok/s", [("17.43", 17.43, 2, ""), ("108.5", 108.5, 1, "rate")]),
        ("5ms in 3 s", [("5", 5.0, 0, "ms"), ("3", 3.0, 0, "s")]),
        ("4.5 percentage points", [("4.5", 4.5, 1, "points")]),
        ("3. item of 4", [("4", 4.0, 0, "")]),
        ("nothing here", []),
    ],
)
def test_figures(text: str, found: list[tuple[str, float, int, str]]) -> None:
    assert [(f.text, f.value, f.decimals, f.unit) for f in find_figures(text)] == found


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Qwen3.6-35B", ["Qwen3.6-35B"] * 2),
        ("b9831 or Q4_K_M", ["b9831", "Q4_K_M"]),
        ("pull#26275", ["pull#26275"]),
        ("11-14 %", ["", ""]),
        ("55/119", ["", ""]),
        ("version 0.1.0.2", ["0.1.0.2", "0.1.0.2"]),
    ],
)
def test_words_that_figures_are_part_of(text: str, tokens: list[str]) -> None:
    assert [figure.token for figure in find_figures(text)] == tokens


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
        ("~18 %", "", 19.5, True),
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
    assert agrees(find_figures(stated)[0], value, bound) is good


@given(st.floats(-1e6, 1e6), st.integers(0, 4))
def test_a_rounded_value_agrees_with_itself(value: float, decimals: int) -> None:
    (figure,) = find_figures(f"{value:,.{decimals}f}")
    assert agrees(figure, value)


@given(st.text(max_size=60))
def test_any_text_has_figures_inside_of_it_and_in_order(text: str) -> None:
    end = 0
    for figure in find_figures(text):
        assert end <= figure.start < figure.end <= figure.stop <= len(text)
        end = figure.end
