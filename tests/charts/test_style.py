import itertools

import matplotlib as mpl
import pytest
from matplotlib.colors import to_rgb

from analysis.charts.style import MAX_HEIGHT, THEMES, WIDTH, applied, new_figure, readable_on


def luminance(colour):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return sum(part * share for part, share in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_marks_stand_out_and_text_more_so(theme):
    for colour in (*theme.palette, theme.neutral):
        assert contrast(colour, theme.ground) >= 3
    for colour in (theme.ink, theme.muted):
        assert contrast(colour, theme.ground) >= 4.5


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_no_two_colours_of_a_theme_are_the_same(theme):
    for one, other in itertools.combinations((*theme.palette, theme.neutral), 2):
        assert one != other


@pytest.mark.parametrize("ground", ["#000000", "#ffffff", "#808080", "#4a86f7", "#e42536"])
def test_text_on_a_colour_has_the_better_contrast(ground):
    other = {"#000000": "#ffffff", "#ffffff": "#000000"}
    chosen = readable_on(ground)
    assert contrast(chosen, ground) >= contrast(other[chosen], ground)


def test_a_theme_leaves_nothing_behind():
    mpl.rcParams["axes.facecolor"] = "red"
    before = dict(mpl.rcParams)
    try:
        with applied(THEMES[1]):
            assert mpl.rcParams["axes.facecolor"] == THEMES[1].ground
        assert dict(mpl.rcParams) == before
    finally:
        mpl.rcdefaults()


def test_figures_have_one_width_and_a_limit_in_height():
    with applied(THEMES[0]):
        figure = new_figure("Why?", 1e6)
    assert tuple(figure.get_size_inches()) == (WIDTH, MAX_HEIGHT)
