"""What thresholds bring, and reliability, by the artists of their charts."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.charts.labels import percent
from analysis.charts.reliability import reliability
from analysis.charts.truncation import truncation


def test_the_curve_and_the_depths_stand_where_the_replay_says(frames):
    chart = truncation(frames)
    (axes,) = chart.figure().axes
    (curve,) = [line for line in axes.lines if line.get_gid() == "threshold"]
    rows = frames.replay[
        (frames.replay["policy"] == "threshold")
        & (frames.replay["n_max"] == 4)
        & (frames.replay["n_min"] == 0)
    ].sort_values("p_min")
    np.testing.assert_allclose(curve.get_ydata(), rows["mean_accepted_length"])
    np.testing.assert_allclose(
        curve.get_xdata(), rows["draft_tokens"] / (rows["forwards"] * rows["mean_accepted_length"])
    )
    names = [text.get_text() for text in axes.texts]
    assert [name for name in names if name.startswith("n_max")] == [
        f"n_max {n}" for n in (1, 2, 3, 4)
    ]
    assert "p_min 0.4" in names
    assert "no threshold" in chart.alt


def test_reliability_shows_each_bin_and_the_line_of_an_honest_draft(frames):
    chart = reliability(frames)
    (axes,) = chart.figure().axes
    (honest,) = [line for line in axes.lines if line.get_gid() == "as sure"]
    assert honest.get_xydata().tolist() == [[0, 0], [1, 1]]
    whole = frames.reliability[frames.reliability["workload"].isna()]
    offsets = axes.collections[-1].get_offsets()
    np.testing.assert_allclose(offsets, whole[["confidence", "accepted"]])
    assert percent(whole["accepted"].iloc[-1]) in chart.alt


@pytest.mark.parametrize("chart", [truncation, reliability])
def test_no_confidences_no_chart(dspark, chart):
    assert chart(dspark) is None
