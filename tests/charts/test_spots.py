"""What a page says of the place that a reader points at."""

import pytest
from matplotlib.figure import Figure

from analysis.charts import LIGHT, make_all
from analysis.charts.spots import Spot, mark_spot, spots_of


def test_a_place_is_where_its_data_is():
    figure = Figure(figsize=(4, 2), dpi=100)
    axes = figure.add_axes((0.25, 0.5, 0.5, 0.25))
    axes.set(xlim=(0, 10), ylim=(0, 4))
    mark_spot(axes, (5, 4), "top, middle")
    mark_spot(axes, (5, 2), "the middle", "code", (10, 2))
    point, box = spots_of(figure)
    assert point == Spot(0.5, 0.25, 0.0521, 0.1042, "top, middle")
    assert box == Spot(0.5, 0.375, 0.5, 0.125, "the middle", "code")


def test_places_draw_nothing_and_take_no_room():
    def picture(marked):
        figure = Figure(figsize=(2, 2), dpi=50, layout="constrained")
        axes = figure.subplots()
        axes.plot([0, 1], [0, 1])
        if marked:
            mark_spot(axes, (0.5, 0.5), "here", None, (100, 100))
        figure.canvas.draw()
        return bytes(figure.canvas.buffer_rgba()) if hasattr(figure.canvas, "buffer_rgba") else b""

    assert picture(marked=True) == picture(marked=False)


def test_every_chart_has_places_within_it(frames):
    for chart in make_all(frames):
        _, spots = chart.drawn([LIGHT])
        assert spots, chart.name
        for spot in spots:
            assert 0 <= spot.x <= 1
            assert 0 <= spot.y <= 1
            assert any(letter.isdigit() for letter in spot.text)


def test_places_stand_at_the_marks_that_are_drawn(frames, dots):
    chart = next(chart for chart in make_all(frames) if chart.name == "throughput")
    (picture,), spots = chart.drawn([LIGHT])
    tone = tuple(int(frames.marks["flash-7"].colour(LIGHT)[n : n + 2], 16) for n in (1, 3, 5))
    (spot,) = [one for one in spots if one.text.startswith("flash-7")]
    x, y = spot.x * picture.width, spot.y * picture.height
    near = picture.crop((int(x) - 20, int(y) - 20, int(x) + 20, int(y) + 20)).convert("RGB")
    assert tone in {colour for _, colour in near.getcolors(9999)}


@pytest.mark.parametrize("text", ["<b>bold</b>", "a\nb"])
def test_a_strangers_text_is_kept_as_it_is(text):
    figure = Figure()
    mark_spot(figure.subplots(), (0, 0), text)
    assert next(spots_of(figure)).text == text
