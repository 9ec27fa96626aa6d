import pandas as pd
import pytest
from matplotlib.colors import to_hex

from analysis.charts import LIGHT
from analysis.charts.drafted import drafted


def bars(axes):
    return {patch.get_gid(): patch for patch in axes.patches if patch.get_gid()}


def test_bars_start_at_zero_and_add_up(frames):
    found = bars(drafted(frames).figure().axes[0])
    for row in frames.runs[frames.runs["id"] != "plain"].itertuples():
        kept, wasted = found[f"{row.id}:accepted"], found[f"{row.id}:wasted"]
        assert kept.get_x() == 0
        assert kept.get_width() == row.accepted_tokens
        assert wasted.get_x() == row.accepted_tokens
        assert wasted.get_x() + wasted.get_width() == row.draft_tokens


def test_what_drafts_nothing_has_no_bar(frames):
    assert not any(name.startswith("plain") for name in bars(drafted(frames).figure().axes[0]))


def test_counts_and_rate_are_written(frames):
    texts = {text.get_text() for text in drafted(frames).figure().axes[0].texts}
    row = frames.runs.set_index("id").loc["flash-7"]
    share = row["accepted_tokens"] / row["draft_tokens"]
    assert f"{share:.1%}".replace("%", "\xa0%") + f" of {row['draft_tokens']:,}" in texts
    assert f"{row['accepted_tokens']:,}" in texts


def test_accepted_is_solid_and_wasted_is_pale(frames):
    found = bars(drafted(frames).figure().axes[0])
    assert found["spark-2:accepted"].get_facecolor()[3] == 1
    assert found["spark-2:wasted"].get_facecolor()[3] < 0.5


def test_synthetic_bars_are_hatched(build):
    chart = drafted(build(synthetic=("spark-3",)))
    found = bars(chart.figure().axes[0])
    assert found["spark-3:accepted"].get_hatch()
    assert not found["spark-2:accepted"].get_hatch()
    assert "spark-3 (synthetic)" in chart.alt


def test_a_bar_has_the_colour_of_its_configuration(frames):
    found = bars(drafted(frames).figure().axes[0])
    assert to_hex(found["flash-7:accepted"].get_facecolor()) == frames.marks["flash-7"].colour(
        LIGHT
    )


@pytest.mark.parametrize("drafts", [0, pd.NA])
def test_nothing_drafted_is_no_chart(frames, drafts):
    frames.runs["draft_tokens"] = pd.array([drafts] * 4, dtype="Int64")
    assert drafted(frames) is None


def test_more_accepted_than_drafted_is_not_drawn(frames):
    frames.runs.loc[frames.runs["id"] == "spark-2", "accepted_tokens"] = 10**6
    assert "spark-2:accepted" not in bars(drafted(frames).figure().axes[0])


def test_everything_and_nothing_accepted(frames):
    frames.runs.loc[1, "accepted_tokens"] = 0
    frames.runs.loc[2, "accepted_tokens"] = frames.runs.loc[2, "draft_tokens"]
    chart = drafted(frames)
    assert "(0.0\xa0%)" in chart.alt
    assert "(100.0\xa0%)" in chart.alt
    assert chart.png()
