from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from analysis.records import Aggregate, Run, Source
from analysis.statistics.frames import run_frame, task_frame
from analysis.statistics.rates import decode_seconds, decode_tps, rate_convention, timed_tokens
from analysis.statistics.speedups import TaskSpeedups
from analysis.statistics.throughput import RunTotals, pooled
from tests.compared import compared

Make = Callable[..., object]


@pytest.mark.parametrize(
    ("predicted", "seconds", "tps", "convention"),
    [
        (101, 10.0, 10.1, "n"),
        (101, 10.0, 10.0, "n-1"),
        # Printed with so many digits that it may be off by 0.2 %, and by 0.3 %.
        (101, 10.0, 10.015, "n-1"),
        (101, 10.0, 10.03, None),
        # Neither, too long to tell, and nothing to tell from.
        (101, 10.0, 9.0, None),
        (5001, 500.0, 10.0, None),
        (1, 0.1, 10.0, None),
        (101, None, 10.0, None),
    ],
)
def test_the_convention_is_measured(task, run, predicted, seconds, tps, convention) -> None:
    one = run("x", task("a", predicted, tps=tps, decode_s=seconds))
    assert rate_convention(one, None) == convention


def test_or_told_by_a_build_where_that_is_sure(task: Make, run: Make) -> None:
    assert rate_convention(run("x", task(), build="b9174"), None) == "n"
    assert rate_convention(run("x", task()), "b10570") == "n-1"
    assert rate_convention(run("x", task()), "b10000") is None
    said = run("x", task(), rate_convention="n-1")
    assert rate_convention(said, "b9174") == "n-1"


@pytest.mark.parametrize(
    ("convention", "seconds", "rate"),
    [("n", 101 / 10, 10 * 100 / 101), ("n-1", 10.0, 10.0), (None, 10.0, 10.0)],
)
def test_a_rate_gives_its_time(
    task: Make, convention: str | None, seconds: float, rate: float
) -> None:
    made = task("a", 101, tps=10.0)
    assert timed_tokens(made) == 100
    assert decode_seconds(made, convention) == pytest.approx(seconds)
    assert decode_tps(made, convention) == pytest.approx(rate)


def test_each_request_of_a_pooled_row_has_a_first_token(task: Make) -> None:
    made = task("a", 104, tps=10.0, pooled=4)
    assert timed_tokens(made) == 100
    assert decode_seconds(made, None) == 10.0


@pytest.mark.parametrize("rate", [0.0, math.inf, math.nan, -3.0, None])
def test_what_was_not_timed_has_no_rate(task: Make, run: Make, rate: float | None) -> None:
    for made in (task("a", 100, tps=rate), task("a", 100, tps=rate, decode_s=0.0)):
        assert decode_tps(made, None) is None
        assert decode_seconds(made, None) is None
    frame = task_frame([run("x", task("a", 100, tps=rate), task("b", 100))])
    assert frame["decode_tps"].isna().tolist() == [True, False]
    # With a time missing the total is not known.
    assert pooled(frame, ["run"])["decode_tps"].isna().all()


@pytest.mark.parametrize("tps", [1e6, 0.0, None, math.inf])
def test_an_answer_of_one_token_was_not_decoded(task: Make, run: Make, tps: float | None) -> None:
    one = task("one", 1, tps=tps, decode_s=1e-6)
    plain = run("plain", one, task("a", 100, tps=50.0))
    fast = run("fast", one, task("a", 100, 99, 49, tps=75.0), n_max=2)
    tasks = TaskSpeedups("plain")(task_frame([plain, fast]))
    alone = tasks[tasks["task"] == "one"]
    assert alone[["decode_tps", "ms_per_forward", "speedup"]].isna().all(axis=None)
    runs = compared([plain, fast], "plain")
    # It neither adds a rate nor takes that of the others away.
    assert runs["decode_tps"].tolist() == [50.0, 75.0]
    assert runs["decode_speedup"].tolist() == [1.0, 1.5]
    assert runs["geomean_task_speedup"].tolist() == pytest.approx([1.0, 1.5])
    nothing = task_frame([run("x", one)])
    assert pooled(nothing, ["run"])[["decode_tps", "ms_per_forward"]].isna().all(axis=None)


def test_a_total_without_rows_counts_alike(run: Make) -> None:
    total = Aggregate(Source("x.log", 1), 4, predicted_tokens=404, decode_s=8.0)
    made = run("x", aggregate=total)
    row = RunTotals()(run_frame([made]), task_frame([made])).iloc[0]
    assert row["timed_tokens"] == 400
    assert row["decode_tps"] == 50.0


def _sweep(task: Make, run: Make, length: int, convention: str, measured: bool) -> list[Run]:
    """A plain run and two drafting ones with the times that such a server would print."""
    runs = []
    for name, depth, step in (("plain", 0, 8.0), ("n2", 2, 11.0), ("n5", 5, 16.0)):
        rows = []
        for place, kept in enumerate((0.3, 0.8)):
            n = length + place
            accepted = int(kept * depth / (1 + kept * depth) * (n - 1))
            forwards = n - 1 - accepted
            seconds = forwards * step / 1000
            counted = n if convention == "n" else n - 1
            time = {"decode_s": seconds} if measured else {}
            rows.append(task(f"t{place}", n, forwards * depth, accepted, counted / seconds, **time))
        spec_type = "draft-mtp" if depth else "none"
        told = {"rate_convention": convention, "spec_type": spec_type, "n_max": depth or None}
        runs.append(run(name, *rows, **told))
    return runs


@pytest.mark.parametrize("measured", [True, False])
@pytest.mark.parametrize("convention", ["n", "n-1"])
@pytest.mark.parametrize("length", [5, 17, 54, 192, 2000])
def test_tokens_per_forward_over_the_cost_ratio_is_the_decode_speedup(
    task: Make, run: Make, length: int, convention: str, measured: bool
) -> None:
    runs = _sweep(task, run, length, convention, measured)
    tasks = TaskSpeedups("plain")(task_frame(runs))
    rows = compared(runs, "plain").set_index("id")
    assert rows["ms_per_forward"].tolist() == pytest.approx([8.0, 11.0, 16.0])
    ratio = rows["mean_accepted_length"] / rows["step_cost_ratio"]
    assert ratio.tolist() == pytest.approx(rows["decode_speedup"].tolist(), rel=1e-9)
    # So does a task's, and rates by row and in all are one another's.
    plain = tasks[tasks["run"] == "plain"].set_index("task")["ms_per_forward"]
    cost = tasks["ms_per_forward"] / tasks["task"].map(plain)
    assert (tasks["mean_accepted_length"] / cost).tolist() == pytest.approx(
        tasks["speedup"].tolist(), rel=1e-9
    )
    single = pooled(tasks, ["run", "task"])
    assert single["decode_tps"].tolist() == pytest.approx(tasks["decode_tps"].tolist(), rel=1e-9)
    # Breaking even is accepting as much as a forward costs more.
    drafting = rows.drop(index="plain")
    needed = drafting["break_even_acceptance"] * drafting["draft_tokens"] / drafting["forwards"]
    assert needed.tolist() == pytest.approx((drafting["step_cost_ratio"] - 1).tolist())


def test_break_even_of_a_drafter_that_drafts_seldom(task: Make, run: Make) -> None:
    # 90 forwards, 20 of which drafted 4: 9 more tokens, 1.1 plain steps a forward.
    plain = run("plain", task("a", 100, 0, 0, 100.0))
    ngram = run("ngram", task("a", 100, 80, 9, 99 / (90 * 0.011)), n_max=16, p_min=0.5)
    row = compared([plain, ngram], "plain").iloc[1]
    assert row["step_cost_ratio"] == pytest.approx(1.1)
    assert row["acceptance_rate"] == 9 / 80
    # 9 of 80 is what it takes, where (R - 1) / 16 would be 0.6 %.
    assert row["break_even_acceptance"] == pytest.approx(9 / 80)
    assert row["decode_speedup"] == pytest.approx(1.0)


def test_a_forward_that_costs_more_than_any_draft_brings(task: Make, run: Make) -> None:
    plain = run("plain", task("a", 101, 0, 0, 100.0))
    slow = run("slow", task("a", 101, 100, 50, 100 / (50 * 0.04)), n_max=2)
    row = compared([plain, slow], "plain").iloc[1]
    assert row["break_even_acceptance"] == pytest.approx(1.5)  # R = 4, 2 drafted a forward
    assert np.isfinite(row["decode_speedup"])
    assert not pd.isna(row["acceptance_rate"])


@pytest.mark.parametrize(
    ("build", "convention"),
    [("b9750", "n"), ("b9751", None), ("b10433", None), ("b10434", "n-1")],
)
def test_what_a_build_tells_ends_where_it_is_not_sure(
    build: str, convention: str | None, task: Make, run: Make
) -> None:
    assert rate_convention(run("x", task(), build=build), None) == convention
