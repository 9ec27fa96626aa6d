from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.records import Run, SteadyState, Surroundings
from analysis.statistics.frames import run_frame, task_frame
from analysis.statistics.speedups import TaskSpeedups
from analysis.statistics.throughput import RunTotals, pooled
from tests.compared import compared as runs_compared

Make = Callable[..., object]


@pytest.fixture
def two(task: Make, run: Make) -> list[Run]:
    """Of 99 and 49 timed tokens: plain 0.99 s + 0.98 s; drafted 0.495 s + 1.225 s."""
    return [
        run("plain", task("a", 100, 0, 0, 100.0), task("b", 50, 0, 0, 50.0), wall_s=2.5),
        run(
            "fast", task("a", 100, 120, 60, 200.0), task("b", 50, 40, 20, 40.0), wall_s=2.0, n_max=2
        ),
    ]


def compared(runs: list[Run], baseline: str | None) -> pd.DataFrame:
    return runs_compared(runs, baseline).set_index("id")


def test_totals_by_hand(two: list[Run]) -> None:
    rows = compared(two, None)
    plain, fast = rows.loc["plain"], rows.loc["fast"]
    assert (plain["predicted_tokens"], fast["predicted_tokens"]) == (150, 150)
    assert (fast["draft_tokens"], fast["accepted_tokens"]) == (160, 80)
    assert fast["acceptance_rate"] == 0.5
    assert pd.isna(plain["acceptance_rate"])
    assert (plain["effective_tps"], fast["effective_tps"]) == (60.0, 75.0)
    assert (plain["decode_s"], fast["decode_s"]) == pytest.approx((1.97, 1.72))
    assert plain["decode_tps"] == pytest.approx(148 / 1.97)
    assert fast["decode_tps"] == pytest.approx(148 / 1.72)
    assert (plain["non_decode_s"], fast["non_decode_s"]) == pytest.approx((0.53, 0.28))
    assert (plain["forwards"], fast["forwards"]) == (148, 89)  # 99 + 49; 120/2 + (50 - 20 - 1)
    assert plain["mean_accepted_length"] == 1.0
    assert fast["mean_accepted_length"] == pytest.approx(148 / 89)
    assert plain["ms_per_forward"] == pytest.approx(1970 / 148)
    assert fast["ms_per_forward"] == pytest.approx(1720 / 89)


def powered(task: Make, run: Make, *watts: float | None) -> Run:
    """Two requests of 1 and 3 s, 100 tokens each."""
    results = [
        replace(task(name, 100, wall_s=wall), surroundings=Surroundings(watts=power))
        for name, wall, power in zip("ab", (1.0, 3.0), watts, strict=True)
    ]
    return run("x", *results)


def test_energy_per_token_by_hand(task: Make, run: Make) -> None:
    # 200 W for 1 s and 100 W for 3 s are 500 J for 200 tokens.
    made = powered(task, run, 200.0, 100.0)
    assert compared([made], None).loc["x", "joules_per_token"] == 500 / 200
    # Both at once: 125 W on average, while 400 tokens came in 2 s.
    together = replace(made, concurrency=2, steady_states=(SteadyState(400, 2.0),))
    assert compared([together], None).loc["x", "joules_per_token"] == 125 / 200
    # A request whose power nobody told leaves the energy of all unknown.
    assert pd.isna(compared([powered(task, run, 200.0, None)], None).loc["x", "joules_per_token"])
    assert pd.isna(compared([run("x", task("a"))], None).loc["x", "joules_per_token"])


def test_speedups_by_hand(two: list[Run]) -> None:
    fast = compared(two, "plain").loc["fast"]
    assert not fast["baseline"]
    assert fast["speedup"] == 75 / 60
    assert fast["decode_speedup"] == pytest.approx(1.97 / 1.72)
    assert fast["geomean_task_speedup"] == pytest.approx(math.sqrt(2.0 * 0.8))
    assert fast["n_common_tasks"] == 2
    assert fast["time_saved"] == pytest.approx(0.2)
    cost = (1720 / 89) / (1970 / 148)
    assert fast["step_cost_ratio"] == pytest.approx(cost)
    assert fast["break_even_acceptance"] == pytest.approx((cost - 1) / (160 / 89))
    assert fast["mean_accepted_length"] / cost == pytest.approx(fast["decode_speedup"])


def test_break_even_is_where_it_stops_to_pay(task: Make, run: Make) -> None:
    # Every draft of two is accepted at 0.4: 100 forwards give 80 more tokens in 1.8 plain steps.
    plain = run("plain", task("a", 100, 0, 0, 100.0))
    even = run("even", task("a", 181, 200, 80, 100.0), n_max=2)
    row = compared([plain, even], "plain").loc["even"]
    assert row["step_cost_ratio"] == pytest.approx(1.8)
    assert row["break_even_acceptance"] == pytest.approx(row["acceptance_rate"]) == 0.4
    assert row["mean_accepted_length"] == pytest.approx(row["step_cost_ratio"])


def test_the_baseline_against_itself(two: list[Run]) -> None:
    plain = compared(two, "plain").loc["plain"]
    assert plain["baseline"]
    assert plain["speedup"] == plain["decode_speedup"] == plain["step_cost_ratio"] == 1
    assert plain["geomean_task_speedup"] == pytest.approx(1)
    assert plain["time_saved"] == 0
    assert pd.isna(plain["break_even_acceptance"])


@pytest.mark.parametrize("baseline", [None, "never measured"])
def test_no_baseline_no_speedup(two: list[Run], baseline: str | None) -> None:
    rows = compared(two, baseline)
    names = ["speedup", "decode_speedup", "geomean_task_speedup", "step_cost_ratio"]
    assert rows[[*names, "break_even_acceptance", "time_saved"]].isna().all(axis=None)
    assert not rows["baseline"].any()
    assert rows["effective_tps"].notna().all()


def test_other_tasks_are_compared_on_the_common_ones(task: Make, run: Make) -> None:
    plain = run("plain", task("a", 100, 0, 0, 100.0), task("b", 50, 0, 0, 50.0), wall_s=2.5)
    more = run("more", task("a", 100, 0, 0, 200.0), task("c", 300, 0, 0, 10.0), wall_s=31.0)
    row = compared([plain, more], "plain").loc["more"]
    assert row["n_common_tasks"] == 1
    assert row["decode_speedup"] == 2.0
    assert row["geomean_task_speedup"] == pytest.approx(2.0)
    # Neither total is of task a alone, so there is nothing to divide.
    assert pd.isna(row["speedup"])
    assert pd.isna(row["time_saved"])


def test_other_tasks_with_their_own_wall_times_have_a_speedup(task: Make, run: Make) -> None:
    plain = run(
        "plain", task("a", 100, 0, 0, 100.0, wall_s=1.25), task("b", 50, 0, 0, 50.0, wall_s=9.0)
    )
    more = run(
        "more", task("a", 100, 0, 0, 200.0, wall_s=1.0), task("c", 300, 0, 0, 10.0, wall_s=31.0)
    )
    row = compared([plain, more], "plain").loc["more"]
    assert row["speedup"] == 1.25


def test_nothing_in_common_is_null(task: Make, run: Make) -> None:
    rows = compared([run("plain", task("a"), wall_s=1.0), run("x", task("b"), wall_s=1.0)], "plain")
    names = ["speedup", "decode_speedup", "geomean_task_speedup", "n_common_tasks"]
    assert rows.loc["x", names].isna().all()
    assert rows.loc["plain", "speedup"] == 1


def test_no_wall_time_no_effective_throughput(task: Make, run: Make) -> None:
    row = compared([run("plain", task("a")), run("x", task("a", tps=150.0))], "plain").loc["x"]
    assert row[["wall_s", "effective_tps", "non_decode_s", "speedup", "time_saved"]].isna().all()
    assert row["decode_speedup"] == 1.5


def test_failed_requests_are_never_averaged_in(task: Make, run: Make) -> None:
    failed = task("b", None, None, None, None, error="HTTP 500")
    runs = [run("plain", task("a"), task("b", tps=50.0)), run("x", task("a", tps=200.0), failed)]
    row = compared(runs, "plain").loc["x"]
    assert row["predicted_tokens"] == 100
    assert row["decode_tps"] == 200.0
    assert row["n_common_tasks"] == 1
    assert row["decode_speedup"] == 2.0


def test_a_run_in_which_everything_failed(task: Make, run: Make) -> None:
    failed = task("a", None, None, None, None, error="HTTP 500")
    rows = compared([run("plain", task("a"), wall_s=1.0), run("x", failed, wall_s=3.0)], "plain")
    names = ["predicted_tokens", "effective_tps", "decode_tps", "forwards", "speedup"]
    assert rows.loc["x", names].isna().all()
    rows = compared([run("x", failed), run("y", failed)], "x")
    assert rows[names].isna().all(axis=None)


def test_repeats_are_pooled_tokens_over_time(task: Make, run: Make) -> None:
    # 1 s and 3 s for 100 tokens each: 50 tok/s, although the mean of the rates is 66.7.
    plain = [
        run("plain", task("a", 100, 0, 0, 100.0), wall_s=1.5),
        run("plain", task("a", 100, 0, 0, 100 / 3, repeat=2), wall_s=3.5),
    ]
    fast = run("fast", task("a", 100, 0, 0, 100.0), wall_s=1.25)
    rows = compared([*plain, fast], "plain")
    assert rows.loc["plain", "decode_tps"] == pytest.approx(50.0)
    assert rows.loc["plain", "effective_tps"] == 40.0
    assert rows.loc["fast", "decode_speedup"] == pytest.approx(2.0)
    assert rows.loc["fast", "geomean_task_speedup"] == pytest.approx(2.0)
    assert rows.loc["fast", "speedup"] == 2.0
    tasks = TaskSpeedups("plain")(task_frame([*plain, fast]))
    assert list(tasks["speedup"]) == pytest.approx([2.0, 2 / 3, 2.0])


def test_pooled_rows_count_every_request(task: Make, run: Make) -> None:
    frame = task_frame([run("x", task("a", 100, 60, 40, 100.0, pooled=4), task("b", 20, 10, 5))])
    row = pooled(frame, ["run"]).iloc[0]
    assert row["n_tasks"] == 2
    assert row["forwards"] == (100 - 40 - 4) + (20 - 5 - 1)
    assert row["mean_accepted_length"] == pytest.approx((120 - 5) / 70)


def test_a_sum_with_an_unknown_part_is_unknown(task: Make, run: Make) -> None:
    frame = task_frame([run("x", task("a", tps=None), task("b", drafted=None, accepted=None))])
    row = pooled(frame, ["run"]).iloc[0]
    assert row["predicted_tokens"] == 200
    unknown = ["decode_s", "draft_tokens", "accepted_tokens", "forwards", "decode_tps"]
    assert row[[*unknown, "acceptance_rate", "mean_accepted_length", "ms_per_forward"]].isna().all()


def test_pooling_keeps_the_order_of_first_appearance(task: Make, run: Make) -> None:
    frame = task_frame(
        [run("z", task("translation"), task("code_cpp")), run("a", task("qa_factual"))]
    )
    groups = pooled(frame, ["run", "workload"])
    assert list(zip(groups["run"], groups["workload"], strict=True)) == [
        ("z", "creative"),
        ("z", "code"),
        ("a", "reasoning"),
    ]


def test_task_speedups_are_null_without_their_counterpart(task: Make, run: Make) -> None:
    frame = task_frame([run("plain", task("a")), run("x", task("a", tps=150.0), task("b"))])
    assert TaskSpeedups("plain")(frame)["speedup"].fillna(-1).tolist() == [1.0, 1.5, -1]
    assert TaskSpeedups(None)(frame)["speedup"].isna().all()
    assert TaskSpeedups("gone")(frame)["speedup"].isna().all()


RATES = st.lists(st.floats(1, 1000), min_size=1, max_size=5)


@settings(max_examples=15)
@given(RATES)
def test_any_run_against_itself_is_1(task: Make, run: Make, rates: list[float]) -> None:
    tasks = [task(f"t{i}", 10 + i, 8, 4, rate) for i, rate in enumerate(rates)]
    row = compared([run("x", *tasks, wall_s=3.0, n_max=2)], "x").loc["x"]
    for name in ("speedup", "decode_speedup", "geomean_task_speedup", "step_cost_ratio"):
        assert row[name] == pytest.approx(1), name


@settings(max_examples=15)
@given(RATES, st.floats(0.01, 100))
def test_twice_the_time_is_half_the_throughput(
    task: Make, run: Make, rates: list[float], factor: float
) -> None:
    def made(id: str, scale: float) -> Run:
        tasks = [task(f"t{i}", 10 + i, 8, 4, rate / scale) for i, rate in enumerate(rates)]
        return run(id, *tasks, wall_s=3.0 * scale, n_max=2)

    rows = compared([made("x", 1.0), made("y", factor)], "x")
    for name in ("effective_tps", "decode_tps"):
        assert rows.loc["y", name] * factor == pytest.approx(rows.loc["x", name])
    for name in ("speedup", "decode_speedup", "geomean_task_speedup"):
        assert rows.loc["y", name] == pytest.approx(1 / factor), name
    assert rows.loc["y", "ms_per_forward"] == pytest.approx(
        rows.loc["x", "ms_per_forward"] * factor
    )
    assert rows.loc["y", "mean_accepted_length"] == rows.loc["x", "mean_accepted_length"]


@settings(max_examples=15)
@given(RATES, st.randoms(use_true_random=False))
def test_the_order_of_tasks_does_not_matter(
    task: Make, run: Make, rates: list[float], random: object
) -> None:
    tasks = [task(f"t{i}", 10 + i, 8, 4, rate) for i, rate in enumerate(rates)]
    mixed = list(tasks)
    random.shuffle(mixed)
    rows = compared([run("x", *tasks, wall_s=3.0), run("y", *mixed, wall_s=3.0)], "x")
    for name in ("speedup", "decode_speedup", "geomean_task_speedup"):
        assert rows.loc["y", name] == pytest.approx(1), name


def test_a_synthetic_run_has_a_cost_but_no_speedup(task: Make, run: Make, two: list[Run]) -> None:
    coin = run("coin", task("a", 100, 120, 60, 200.0), task("b", 50, 40, 20, 40.0), wall_s=2.0,
               n_max=2, synthetic=True)  # fmt: skip
    runs = [two[0], coin]
    row = compared(runs, "plain").loc["coin"]
    for name in ("speedup", "decode_speedup", "geomean_task_speedup", "time_saved"):
        assert pd.isna(row[name])
    assert row["step_cost_ratio"] == pytest.approx((1720 / 89) / (1970 / 148))
    tasks = TaskSpeedups("plain")(task_frame(runs))
    assert tasks.loc[tasks["run"] == "coin", "speedup"].isna().all()
    assert tasks.loc[tasks["run"] == "plain", "speedup"].eq(1).all()


def test_counts_of_two_definitions_have_no_common_rate(run, task):
    one = run("a", task("x", drafted=10, accepted=5))
    other = run(
        "a",
        task("x", drafted=10, accepted=9, repeat=2),
        acceptance_definition="accepted-anywhere/drafted",
    )
    tasks = task_frame([one, other])
    assert pooled(tasks, ["run"])["acceptance_rate"].isna().all()
    totals = RunTotals()(run_frame([one, other]), tasks)
    assert totals["acceptance_rate"].isna().all()
    assert totals["draft_tokens"].tolist() == [20]
    alone = task_frame([one])
    assert pooled(alone, ["run"])["acceptance_rate"].tolist() == [0.5]
