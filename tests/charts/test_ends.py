from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from analysis.charts.ends import End, _apart, name_ends
from analysis.charts.style import LIGHT


@given(
    st.lists(st.tuples(st.floats(0, 10), st.floats(0.1, 2)), min_size=1, max_size=8),
)
def test_blocks_are_in_order_above_the_floor_and_apart(blocks):
    wishes = sorted(wish for wish, _ in blocks)
    heights = [height for _, height in blocks]
    middles = _apart(wishes, heights, 0.0)
    assert middles[0] - heights[0] / 2 >= -1e-9
    for (low, below), (high, above) in pairwise(zip(middles, heights, strict=True)):
        assert high - low >= (below + above) / 2 - 1e-9


def test_what_does_not_collide_stays():
    assert _apart([1.0, 3.0, 9.0], [1.0, 1.0, 1.0], 0.0) == [1.0, 3.0, 9.0]


@pytest.mark.parametrize("heights", [(0.5, 0.5, 0.5), (0.0, 0.0, 1.0), (0.1, 0.12, 0.9)])
def test_names_do_not_overlap_and_are_outside_of_the_axes(heights):
    figure = Figure(figsize=(4, 2))
    axes = figure.subplots()
    axes.set_ylim(0, 1)
    names = ("Code and structured output", "b", "Translation and creative writing")
    name_ends(
        axes,
        [End(y, n, "o", "#000", "#000") for y, n in zip(heights, names, strict=True)],
        1.5,
        LIGHT,
    )
    figure.draw_without_rendering()
    boxes = sorted((text.get_window_extent() for text in axes.texts), key=lambda box: box.y0)
    assert all(low.y1 <= high.y0 + 1 for low, high in pairwise(boxes))
    assert all(box.x0 > axes.get_window_extent().x1 for box in boxes)
    marks = [line.get_window_extent() for line in axes.lines]
    assert len(marks) == 3
    assert all(mark.x1 < box.x0 for mark in marks for box in boxes)
    assert all(mark.x0 > axes.get_window_extent().x1 for mark in marks)
