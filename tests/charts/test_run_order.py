from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from analysis.charts.run_order import run_order


@pytest.fixture
def timed(build):
    """Three passes over everything, ten seconds a request."""
    frames = build(repeats=3)
    tasks = frames.tasks.sort_values("repeat", kind="stable").reset_index(drop=True)
    return replace(frames, tasks=tasks.assign(started_s=1e9 + 10.0 * tasks.index))


def test_every_request_stands_at_its_time_and_over_its_own_median(timed, dots):
    axes = run_order(timed).figure().axes[0]
    own = timed.tasks[timed.tasks["run"] == "spark-3"]
    middle = own.groupby("task")["decode_tps"].transform("median")
    expected = pd.DataFrame(
        {"x": (own["started_s"] - 1e9) / 60, "y": own["decode_tps"] / middle}
    ).to_numpy()
    assert np.asarray(dots(axes)["spark-3"].get_offsets()) == pytest.approx(expected)


def test_a_machine_that_slows_down_is_said(timed):
    late = timed.tasks["repeat"] == 3
    slow = timed.tasks["decode_tps"].where(~late, timed.tasks["decode_tps"] * 0.5)
    said = run_order(replace(timed, tasks=timed.tasks.assign(decode_tps=slow))).alt
    assert "36 requests" in said
    assert "lowest 0.5" in said


def test_without_times_or_repeats_there_is_no_order(build, timed):
    assert run_order(build(repeats=3)) is None
    twice = timed.tasks[timed.tasks["repeat"] < 3]
    assert run_order(replace(timed, tasks=twice)) is None
