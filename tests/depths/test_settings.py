from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from analysis.depths.acceptance import new_rounds
from analysis.depths.settings import measured_settings
from analysis.statistics.frames import task_frame
from analysis.statistics.noise import Noise
from tests.simulator import sweep, world
from tests.sweeps import read

Make = Callable[..., object]


def test_a_run_of_a_sweep_is_as_fast_as_its_curve_says() -> None:
    random = np.random.default_rng(4)
    runs = sweep(world("flat", random), (0, 2, 4), random)
    found = read(runs)
    noise = Noise()(found.tasks)
    settings = measured_settings(
        found.over_depth, found.sweeps, found.times, found.tasks, noise, baseline="plain"
    )
    assert set(settings) == {None, *found.tasks["workload"]}
    overall = settings[None]
    assert overall.runs == ("plain", "n2", "n4")
    assert overall.modelled == (True, True, True)
    curve = found.overall()
    assert np.array_equal(overall.rates[:, 1], curve.decode_tps[:, 2])
    assert np.array_equal(overall.rates[:, 0], curve.decode_tps[:, 0])


def test_two_runs_at_one_depth_are_what_each_was_measured() -> None:
    random = np.random.default_rng(4)
    runs = sweep(world("flat", random), (0, 2, 4), random)
    slower = [replace(task, decode_tps=task.decode_tps * 0.8) for task in runs[1].tasks]
    found = read([*runs, replace(runs[1], id="again", tasks=tuple(slower))])
    noise = Noise()(found.tasks)
    settings = measured_settings(
        found.over_depth, found.sweeps, found.times, found.tasks, noise, baseline="plain"
    )[None]
    by_run = dict(zip(settings.runs, settings.modelled, strict=True))
    assert by_run == {"plain": True, "n2": False, "n4": True, "again": False}
    middle = dict(zip(settings.runs, np.median(settings.rates, axis=0), strict=True))
    assert middle["again"] == pytest.approx(0.8 * middle["n2"], rel=0.02)


@pytest.mark.parametrize(("spread", "modelled"), [(0.099, True), (0.101, False)])
def test_no_curve_is_believed_where_no_step_time_describes_all_tasks(
    spread: float, modelled: bool
) -> None:
    random = np.random.default_rng(4)
    found = read(sweep(world("flat", random), (0, 2, 4), random))
    noise, times = Noise()(found.tasks), found.times.assign(spread=[0.02, spread])
    settings = measured_settings(
        found.over_depth, found.sweeps, times, found.tasks, noise, baseline="plain"
    )[None]
    assert settings.modelled == (modelled,) * 3


def test_a_measured_rate_scatters_by_runs_requests_and_luck(task: Make, run: Make) -> None:
    rows = [task(f"t{n}", 200, 160, 80, 100.0) for n in range(4)]
    tasks = task_frame([run("ngram", *rows, n_max=8, spec_type="ngram-mod")])
    levels = pd.DataFrame({"level": ["request", "run"], "sd": [0.04, 0.03], "freedom": [50.0, 1e6]})
    sweeps = pd.DataFrame({"run": [], "method": [], "n_max": [], "excluded": []})
    times = pd.DataFrame({"method": [], "spread": []})
    settings = measured_settings((), sweeps, times, tasks, levels, baseline=None)[None]
    assert settings.modelled == (False,)
    assert np.median(settings.rates) == pytest.approx(100, rel=0.01)
    # 119 forwards each that accept 80 / 119 on average; requests count for a quarter each.
    each, forwards = 80 / 119, 4 * 119
    luck = 1.5 * each / (1 + each) / forwards
    assert np.log(settings.rates).std() == pytest.approx(
        np.sqrt(0.03**2 + 0.04**2 / 4 + luck), rel=0.1
    )


def test_repeats_with_equal_counts_are_no_new_rounds(task: Make, run: Make) -> None:
    def repeats(*accepted: tuple[int, int]) -> pd.DataFrame:
        rows = [
            task(name, 100, 120, kept, 90.0, repeat=number + 1)
            for number, pair in enumerate(accepted)
            for name, kept in zip("ab", pair, strict=True)
        ]
        return task_frame([run("x", *rows, n_max=2)])

    assert len(new_rounds(repeats((60, 50)))) == 2
    assert len(new_rounds(repeats((60, 50), (60, 50), (60, 50)))) == 2
    # One text came out otherwise once: that is new.
    assert new_rounds(repeats((60, 50), (60, 50), (60, 44)))["accepted_tokens"].tolist() == [
        60, 50, 44,
    ]  # fmt: skip
    # Sampled answers are new rounds even where one has an earlier one's counts by chance.
    assert len(new_rounds(repeats((60, 50), (60, 47), (57, 44)))) == 6
