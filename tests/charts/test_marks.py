import numpy as np
import pytest
from matplotlib.colors import to_rgb

from analysis.charts.marks import RunMark, method_places, run_marks
from analysis.charts.style import DARK, LIGHT, THEMES


def contrast(colour, ground):
    def luminance(name):
        parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(name)]
        return float(np.dot(parts, (0.2126, 0.7152, 0.0722)))

    low, high = sorted((luminance(colour), luminance(ground)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_a_method_is_a_hue_and_a_shape_and_the_deeper_the_stronger(many, build, theme):
    frames = build(many, baseline="run-0")
    for kind in ("draft-mtp", "ngram-mod", "draft-eagle3"):
        own = frames.runs[frames.runs["spec_type"] == kind].sort_values("n_max")
        marks = [frames.marks[run] for run in own["id"]]
        assert len({mark.shape for mark in marks}) == len({mark.hue(theme) for mark in marks}) == 1
        strength = [contrast(mark.colour(theme), theme.ground) for mark in marks]
        assert strength == sorted(strength)
        assert strength[-1] > 1.2 * strength[0] >= 3
        assert {frames.hue(kind, theme)} == {mark.hue(theme) for mark in marks}


def test_the_same_depth_has_the_same_shade_whatever_the_method(build, settings):
    frames = build([*settings, ("flash-2", "draft-dflash", 2, 1.1, 0.5)])
    assert frames.marks["flash-2"].shade == frames.marks["spark-2"].shade == 0
    assert frames.marks["flash-7"].shade == 1


def test_a_method_keeps_its_hue_from_campaign_to_campaign(build, settings):
    plain, *_, flash = settings
    alone = build([plain, flash])
    assert alone.marks["flash-7"].hue(LIGHT) == build().marks["flash-7"].hue(LIGHT)


def test_sixty_methods_look_different():
    methods = [f"method-{number}" for number in range(60)]
    places = method_places([*methods, "draft-mtp"])
    looks = {(RunMark(place).hue(LIGHT), RunMark(place).shape) for place in places.values()}
    assert len(looks) == 60
    assert places["draft-mtp"] == 2


def test_two_drafts_of_one_kind_are_two_methods(frames):
    runs = frames.runs.assign(draft=["", "a.gguf", "a.gguf", "b.gguf"], spec_type="draft-mtp")
    marks = run_marks(runs, "plain")
    assert marks["spark-2"].hue(LIGHT) == marks["spark-3"].hue(LIGHT) != marks["flash-7"].hue(LIGHT)


def test_the_baseline_is_grey_wherever_it_stands(frames, build, settings):
    last = build([*settings[1:], settings[0]])
    for drawn in (frames, last):
        assert drawn.marks["plain"].colour(LIGHT) == LIGHT.neutral
        assert drawn.marks["plain"].colour(DARK) == DARK.neutral
    assert frames.marks["flash-7"] == last.marks["flash-7"]


def test_one_sample_is_hollow_and_more_are_filled(frames, build):
    assert frames.marks["spark-2"].scatter(LIGHT)["facecolors"] == LIGHT.ground
    filled = build(repeats=2).marks["spark-2"]
    assert filled.scatter(LIGHT)["facecolors"] == filled.colour(LIGHT)


def test_synthetic_runs_are_hatched_however_often_repeated(build):
    frames = build(repeats=3, synthetic=("spark-2",))
    style = frames.marks["spark-2"].scatter(DARK)
    assert style["hatch"]
    assert style["facecolors"] == DARK.ground
    assert frames.labels["spark-2"].endswith("(synthetic)")


def test_a_campaign_without_runs_has_no_marks(frames):
    assert run_marks(frames.runs.iloc[:0], None) == {}
