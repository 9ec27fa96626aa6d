from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.records import Aggregate, Run, Source, SteadyState
from analysis.statistics.frames import run_frame
from analysis.statistics.passes import PASS_COLUMNS, busy_seconds, overlapping, pass_frame

Make = Callable[..., object]

SPANS = st.lists(
    st.tuples(st.integers(0, 50), st.integers(0, 20)).map(lambda one: (one[0], one[0] + one[1])),
    max_size=12,
)


@given(SPANS)
def test_the_busy_time_counts_each_moment_once(spans: list[tuple[int, int]]) -> None:
    moments = {second for begin, end in spans for second in range(begin, end)}
    assert busy_seconds(spans) == len(moments)


def four_at_once(task: Make, run: Make, **others: object) -> Run:
    """Four slots, 2 s each side by side, twice with a pause of 10 s between."""
    results = [
        replace(
            task(f"t{n}", 100, 0, 0, 50.0, wall_s=2.0),
            busy_s=(12.0 * (n // 4), 2 + 12.0 * (n // 4)),
        )
        for n in range(8)
    ]
    return run("four", *results, **others)


def test_walls_of_overlapping_requests_are_not_added(task: Make, run: Make) -> None:
    made = four_at_once(task, run)
    assert overlapping(made)
    row = run_frame([made]).iloc[0]
    assert row["wall_s"] == 4.0
    assert row["stated_effective_tps"] == row["aggregate_tps"] == 800 / 4.0


def test_the_clients_time_counts_where_it_is_stated(task: Make, run: Make) -> None:
    made = four_at_once(task, run, concurrency=4)
    stated = replace(made, aggregate=Aggregate(Source("x", 1), wall_s=16.0, elapsed_s=5.0))
    assert run_frame([stated]).iloc[0]["aggregate_tps"] == 160.0
    # The sum of eight walls is no time that anybody waited.
    silent = replace(stated, tasks=tuple(replace(one, busy_s=None) for one in made.tasks))
    silent = replace(silent, aggregate=Aggregate(Source("x", 1), wall_s=16.0))
    row = run_frame([silent]).iloc[0]
    assert row[["wall_s", "stated_effective_tps", "aggregate_tps"]].isna().all()


def test_what_all_clients_received_is_their_throughput(task: Make, run: Make) -> None:
    # Two clients of which one is measured: 100 tokens in 2 s, while 260 came in 2.5 s in all.
    one = replace(task("t", 100, 0, 0, 50.0, wall_s=2.0), steady=True)
    made = run("two", one, concurrency=2)
    counted = replace(made, steady_states=(SteadyState(260, 2.5), SteadyState(40, 0.5)))
    row = run_frame([counted]).iloc[0]
    assert row["aggregate_tps"] == 300 / 3.0
    # Of the prompts that were measured, each as often as the other: two clients at 50 tok/s.
    assert row["stated_effective_tps"] == 2 * 100 / 2.0
    # A window that was lost leaves what the requests say.
    assert run_frame([made]).iloc[0]["aggregate_tps"] == 100.0
    assert run_frame([replace(counted, concurrency=1)])["aggregate_tps"].isna().all()


@pytest.mark.parametrize(
    ("gap", "expected"),
    [(0.01, False), (-0.001, False), (-0.003, False), (-0.005, True), (-0.5, True)],
)
def test_clocks_that_touch_do_not_overlap(
    task: Make, run: Make, gap: float, expected: bool
) -> None:
    first = replace(task("a"), busy_s=(0.0, 2.0))
    made = run("x", first, replace(task("b"), busy_s=(2.0 + gap, 4.0)))
    assert overlapping(made) is expected
    assert run_frame([made])["aggregate_tps"].notna().tolist() == [expected]


def test_a_repeat_is_a_pass_and_a_total_is_one(task: Make, run: Make) -> None:
    rows = [task("a", 60, wall_s=1.0, repeat=n) for n in (1, 2)]
    rows += [task("b", 20, wall_s=3.0, repeat=1)]
    frame = pass_frame([run("x", *rows), run("y", rows[0], wall_s=9.0)])
    assert list(frame.columns) == list(PASS_COLUMNS)
    assert frame["wall_s"].tolist() == [4.0, 1.0, 9.0]
    assert frame["predicted_tokens"].tolist() == [80.0, 60.0, 60.0]
    assert frame["complete"].tolist() == [True, False, True]
    assert frame["share"].tolist() == [(60**2 + 20**2) / 80**2, 1.0, 1.0]
    assert frame["start"].tolist() == [1, 1, 1]


def test_totals_alone_are_a_pass(run: Make) -> None:
    total = Aggregate(Source("x", 1), predicted_tokens=300, wall_s=3.0)
    made = replace(run("x"), aggregate=total)
    assert run_frame([made]).iloc[0]["stated_effective_tps"] == 100.0
    assert pass_frame([]).empty
