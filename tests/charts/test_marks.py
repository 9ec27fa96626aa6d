from analysis.charts.marks import run_marks
from analysis.charts.style import DARK, LIGHT


def test_sixty_configurations_look_different(many, build):
    frames = build(many, baseline=None)
    looks = {(mark.colour(LIGHT), mark.shape) for mark in frames.marks.values()}
    assert len(looks) == 30


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
