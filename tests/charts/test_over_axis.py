"""Charts over an axis, by their artists."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.charts import frames_of
from analysis.charts.over_axis import context_length, over_temperature, requests_at_once
from analysis.charts.style import DARK
from tests import committed
from tests.conditions.world import Machine, measured


@pytest.fixture(scope="module")
def summary(campaign):
    runs = measured(Machine(), np.random.default_rng(4), slots=(1, 2, 4), contexts=(0, 4096))
    return committed.summarised(campaign(*runs, baseline=runs[0].id))


def line(axes, gid):
    (found,) = [one for one in axes.lines if one.get_gid() == gid]
    return found


def test_requests_at_once_stand_where_they_were_measured(summary):
    figure = requests_at_once(frames_of(summary)).figure()
    speedup, rates, accepted = figure.axes
    rows = summary.axes.slices[0].rows
    (marks,) = speedup.containers
    np.testing.assert_allclose(marks[0].get_xdata(), [1, 2, 4])
    np.testing.assert_allclose(marks[0].get_ydata(), rows["speedup"])
    ends = marks[2][0].get_segments()
    np.testing.assert_allclose([end[0][1] for end in ends], rows["speedup_low"])
    np.testing.assert_allclose(line(rates, "with").get_ydata(), rows["effective_tps"])
    np.testing.assert_allclose(line(accepted, "accepted").get_ydata(), rows["acceptance_rate"])
    assert list(line(speedup, "as fast").get_ydata()) == [1.0, 1.0]
    assert [text.get_text() for text in rates.texts] == ["with", "without"]
    assert speedup.get_xscale() == "log"


def test_the_prediction_is_hollow_dotted_and_beyond(summary):
    figure = requests_at_once(frames_of(summary)).figure()
    rates = figure.axes[1]
    ahead = summary.axes.ahead(summary.axes.slices[0])
    dotted = line(rates, "with to predicted")
    assert dotted.get_xdata()[1] == 8
    assert dotted.get_ydata()[1] == pytest.approx(ahead["effective_tps"])
    assert dotted.get_linestyle() != "-"


def test_contexts_have_a_linear_axis_and_decode_rates(summary):
    chart = context_length(frames_of(summary))
    speedup, rates, _ = chart.figure().axes
    assert speedup.get_xscale() == "linear"
    own = next(one for one in summary.axes.slices if one.axis == "context_tokens")
    np.testing.assert_allclose(line(rates, "with").get_ydata(), own.rows["decode_tps"])
    assert "4,096" in chart.alt
    assert len(chart.values.rows) == 2


def test_what_is_predicted_is_called_so_in_the_values(summary):
    chart = requests_at_once(frames_of(summary))
    assert [row[-1] for row in chart.values.rows] == ["measured"] * 3 + ["predicted"]
    assert "predicted" in chart.caption


def test_without_the_axis_no_chart(summary, dspark):
    assert over_temperature(frames_of(summary)) is None
    assert requests_at_once(dspark) is None


def test_it_is_drawn_the_same_again(summary):
    chart = requests_at_once(frames_of(summary))
    assert chart.png(DARK) == chart.png(DARK)
