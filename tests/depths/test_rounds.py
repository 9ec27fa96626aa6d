from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.depths.rounds import COUNT_COLUMNS, dispersion, position_counts
from analysis.records import Positions, Rounds, Run, Source, TaskResult
from tests.simulator import sweep, world

Make = Callable[..., object]


def table(frame: pd.DataFrame, definition: str) -> list[tuple[float, float]]:
    rows = frame[frame["definition"] == definition].sort_values("position")
    return list(zip(rows["denominator"], rows["accepted"], strict=True))


def counted(task: Make, run: Make, drafted: list[int], accepted: list[int]) -> pd.DataFrame:
    rounds = Rounds(np.array(drafted, dtype=np.int32), np.array(accepted, dtype=np.int32))
    return position_counts([run("x", task("code_cpp", rounds=rounds), n_max=3)])


def test_three_denominators_by_hand(task: Make, run: Make) -> None:
    frame = counted(task, run, [3, 3, 1, 0, 2], [3, 0, 1, 0, 1])
    assert list(frame.columns) == list(COUNT_COLUMNS)
    assert set(frame["workload"]) == {"code"}
    assert set(frame["rounds"]) == {4}
    # Position 2: drafted in rounds 1, 2 and 5; round 2 had failed before.
    assert table(frame, "at-risk") == [(4, 3), (2, 1), (1, 1)]
    assert table(frame, "all-rounds") == [(4, 3), (4, 1), (4, 1)]
    assert table(frame, "drafted-rounds") == [(4, 3), (3, 1), (2, 1)]


def test_truncation_lowers_all_rounds_but_not_the_conditional(task: Make, run: Make) -> None:
    # Everything drafted is accepted, half of the rounds draft one token only.
    frame = counted(task, run, [1, 2] * 10, [1, 2] * 10)
    assert table(frame, "all-rounds")[1] == (20, 10)
    assert table(frame, "drafted-rounds")[1] == (10, 10)
    assert table(frame, "at-risk")[1] == (10, 10)


def test_printed_rates_become_counts(task: Make, run: Make) -> None:
    printed = Positions((0.8, 0.5, 0.25), rounds=40)
    frame = position_counts([run("x", task(positions=printed), n_max=3)])
    assert table(frame, "all-rounds") == [(40, 32), (40, 20), (40, 10)]
    assert table(frame, "at-risk") == [(40, 32), (32, 20), (20, 10)]
    assert frame["squared"].isna().all()


def test_counts_are_taken_before_rates(task: Make, run: Make) -> None:
    printed = Positions((0.8, 0.5), accepted=(33, 20), rounds=None)
    frame = position_counts([run("x", task(positions=printed), n_max=2)])
    assert table(frame, "all-rounds") == [(41, 33), (41, 20)]  # 33 / 0.8


def test_a_cut_draft_has_no_conditional_in_printed_rates(task: Make, run: Make) -> None:
    printed = Positions((0.8, 0.5), rounds=40)
    frame = position_counts([run("x", task(positions=printed), n_max=2, p_min=0.5)])
    assert set(frame["definition"]) == {"all-rounds"}


def test_the_other_definition_stays_what_it_is(task: Make, run: Make) -> None:
    printed = Positions((0.8, 0.7), rounds=40, definition="drafted-rounds")
    frame = position_counts([run("x", task(positions=printed), n_max=2)])
    assert set(frame["definition"]) == {"drafted-rounds"}


def test_rates_without_any_number_of_rounds_count_drafts(task: Make, run: Make) -> None:
    drafted = task("a", 100, 78, 60, positions=Positions((0.9, 0.6)))
    frame = position_counts([run("x", drafted, n_max=2)])
    assert set(frame["rounds"]) == {39}
    unknown = task("a", 100, None, None, positions=Positions((0.9, 0.6)))
    assert position_counts([run("x", unknown)]).empty


def test_a_failed_request_counts_nothing(task: Make, run: Make) -> None:
    failed = task(error="HTTP 500", positions=Positions((0.9,), rounds=4))
    assert position_counts([run("x", failed, n_max=1)]).empty


@pytest.mark.parametrize(("persistence", "expected"), [(0.0, 1.0), (0.5, 3.0)])
def test_correlated_rounds_are_seen(persistence: float, expected: float) -> None:
    random = np.random.default_rng(1)
    truth = world("flat", random, persistence=persistence)
    counts = position_counts(sweep(truth, (4,), random, repeats=6, rounds=True))
    # A luck that stays with probability p: correlations p, p², …: (1 + p) / (1 - p).
    assert dispersion(counts) == pytest.approx(expected, rel=0.2)


def test_without_rounds_nothing_is_known_of_correlation(task: Make, run: Make) -> None:
    printed = Positions((0.8, 0.5), rounds=40)
    assert dispersion(position_counts([run("x", task(positions=printed), n_max=2)])) is None


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=40))
def test_dispersion_is_at_least_one(rounds: list[tuple[int, int]]) -> None:
    drafted, accepted = (np.array(column, dtype=np.int32) for column in zip(*rounds, strict=True))
    result = TaskResult("a", Source("a.log"), rounds=Rounds(drafted, accepted))
    counts = position_counts([Run(Source("a.log"), "made", (result,), id="x")])
    value = dispersion(counts)
    assert value is None if counts.empty else 1 <= value <= 19 * (1 + 1e-12)
    assert (counts["accepted"] <= counts["denominator"]).all()
