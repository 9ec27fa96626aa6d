from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from analysis.records import Run
from analysis.statistics.frames import task_frame
from analysis.statistics.noise import NOISE_COLUMNS, Believed, Noise
from analysis.statistics.scatter import scatter
from analysis.statistics.task_tables import tables
from analysis.statistics.uncertainty import half_width
from tests.statistics.starts import rows

TOKENS = (192, 54, 192, 192, 192, 192, 192, 192, 48, 17, 36, 192, 192)


def simulated(
    random: np.random.Generator, runs: int, starts: int, request: float, run: float
) -> pd.DataFrame:
    """A task frame's columns that the noise is read from."""
    parts = []
    for place in range(runs):
        steps = random.lognormal(np.log(8 + place), 0.01, len(TOKENS))
        for start in range(1, starts + 1):
            noise = random.normal(0, request, len(TOKENS)) + random.normal(0, run)
            parts.append(
                pd.DataFrame(
                    {
                        "run": f"r{place}",
                        "repeat": start,
                        "start": start,
                        "task": [f"t{task}" for task in range(len(TOKENS))],
                        "decode_s": np.array(TOKENS) * steps / 1000 * np.exp(noise),
                        "ms_per_forward": steps * np.exp(noise),
                        "error": None,
                    }
                )
            )
    return pd.concat(parts, ignore_index=True)


@pytest.mark.parametrize(("request_sd", "run_sd"), [(0.01, 0.02), (0.05, 0.0), (0.02, 0.01)])
def test_both_levels_are_found_again(request_sd: float, run_sd: float) -> None:
    random = np.random.default_rng(3)
    found = [Noise()(simulated(random, 4, 3, request_sd, run_sd)) for _ in range(30)]
    variance = pd.concat(found).assign(square=lambda all: all["sd"] ** 2)
    mean = variance.groupby("level")["square"].mean() ** 0.5
    assert mean["request"] == pytest.approx(request_sd, rel=0.1)
    # Of starts whose requests scatter by 5 %, nothing tells run noise below about 1 %.
    assert mean["run"] == pytest.approx(run_sd, abs=0.2 * max(run_sd, request_sd))
    assert all(frame["source"].tolist() == ["repeats", "repeats", "prior"] for frame in found)


def test_one_run_each_leaves_the_prior() -> None:
    frame = Noise()(simulated(np.random.default_rng(5), 3, 1, 0.03, 0.02)).set_index("level")
    assert list(frame.columns) == [name for name in NOISE_COLUMNS if name != "level"]
    assert frame["source"].to_dict() == {
        "request": "configurations",
        "run": "prior",
        "campaign": "prior",
    }
    assert frame.at["run", "sd"] == Noise().run_prior
    # 24 degrees of freedom; what a task costs a configuration more than another adds 1 %.
    assert frame.at["request", "sd"] == pytest.approx((0.03**2 + 0.01**2) ** 0.5, rel=0.35)


def test_nothing_at_all_leaves_the_priors() -> None:
    frame = Noise()(simulated(np.random.default_rng(4), 1, 1, 0.03, 0.02))
    assert set(frame["source"]) == {"prior"}
    assert Noise()(task_frame([]))["sd"].tolist() == [0.02, 0.02, 0.02]


def test_copies_show_no_noise() -> None:
    same = [[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]]
    found = scatter(tables(rows({"a": same, "b": same})))
    assert Noise().run(found) == (0.02, 10.0, "prior")


def test_one_repeated_pair_is_read_with_the_prior() -> None:
    apart = [
        Noise().run(scatter(tables(rows({"a": [[1.0], [1 + apart]]}))))
        for apart in (0.001, 0.02, 0.06, 0.3)
    ]
    assert {source for *_, source in apart} == {"repeats and prior"}
    sds = [sd for sd, *_ in apart]
    # Two starts that happen to agree do not show that there is no run noise.
    assert 0.005 < sds[0] < sds[1] < sds[2] < 0.06
    # Student's t of one degree of freedom would take 0.21 / sqrt(2) six times.
    assert 0.06 < sds[3] < 0.15


def test_what_is_believed_is_as_wide_as_its_mixture() -> None:
    found = scatter(tables(rows({"a": [[1.0, 2.0], [1.03, 2.0], [1.01, 2.05]]})))
    believed = Noise().believed(found, (0.01**2, 8.0))
    assert believed is not None
    variance, freedom = believed.term(1.0, 0.5)
    random = np.random.default_rng(2)
    picked = random.choice(len(believed.weights), 200_000, p=believed.weights)
    sd = np.sqrt(believed.run[picked] + 0.5 * believed.request[picked])
    inside = np.abs(random.normal(0, sd)) < half_width(variance**0.5, freedom)
    assert inside.mean() == pytest.approx(0.9, abs=0.003)
    assert believed.term(0.0, 0.0)[0] == 0.0


def test_a_mixture_is_no_heavier_than_a_t_of_four() -> None:
    believed = Believed(np.array([1e-6, 1.0]), np.zeros(2), np.array([0.9, 0.1]))
    # Twice the squared mean over the variance would be 0.22 degrees of freedom.
    assert believed.term(1.0, 0.0)[1] == 4.0


@pytest.mark.parametrize(("tasks", "source"), [(2, "prior"), (3, "configurations")])
def test_two_degrees_of_freedom_are_enough(tasks: int, source: str) -> None:
    made = tables(rows({"a": [[1.0] * tasks], "b": [[1.0, 1.02, 1.04][:tasks]]}))
    assert Noise().levels(made).set_index("level").at["request", "source"] == source


def test_many_repeats_leave_nothing_to_the_prior() -> None:
    random = np.random.default_rng(8)
    found = scatter(
        tables(rows({f"r{n}": random.normal(1, 0.02, (12, 1)).tolist() for n in range(6)}))
    )
    sd, freedom, source = Noise().run(found, (1e-8, 100.0))
    assert source == "repeats"
    assert sd == pytest.approx(found.start_variance**0.5, rel=0.05)
    assert freedom == pytest.approx(found.freedom, rel=0.35)


def test_repeats_on_one_server_are_one_start(task: Callable, run: Callable) -> None:
    def made(**others: bool) -> Run:
        results = [task("t", 100, 0, 0, rate, repeat=n) for n, rate in enumerate((100, 101, 99), 1)]
        return replace(run("a", *results), **others)

    assert task_frame([made()])["start"].tolist() == [1, 1, 1]
    assert task_frame([made(fresh_servers=True)])["start"].tolist() == [1, 2, 3]
    assert task_frame([made(), made()])["start"].tolist() == [1, 1, 1, 2, 2, 2]
    assert Noise()(task_frame([made()])).set_index("level").at["run", "source"] == "prior"
    assert scatter(tables(rows({}))).freedom == 0.0
