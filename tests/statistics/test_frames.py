from __future__ import annotations

import math
from collections.abc import Callable

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.records import Run, TaskResult, forwards
from analysis.statistics.frames import RUN_COLUMNS, TASK_COLUMNS, run_frame, task_frame

Make = Callable[..., object]


def only(frame: pd.DataFrame) -> pd.Series:
    assert len(frame) == 1
    return frame.iloc[0]


@pytest.mark.parametrize(
    ("predicted", "drafted", "accepted", "n_max", "expected"),
    [
        (192, 0, 0, None, 191),  # no speculation: every token but the first
        (192, 160, 110, 2, 81),  # counted: 192 - 110 - 1; at least 160 / 2 = 80
        (36, 66, 15, 3, 22),  # counted 20 hides two forwards: 66 / 3
        (36, 67, 15, 3, 23),  # a part of a forward is a forward
        (36, 66, 15, 0, 20),  # depth 0 gives no lower bound
        (1, 0, 0, None, 0),  # the one token came from prefill
        (5, 8, 9, None, 0),  # impossible counts never become negative work
    ],
)
def test_forwards(
    predicted: int, drafted: int, accepted: int, n_max: int | None, expected: int
) -> None:
    assert forwards(predicted, drafted, accepted, n_max) == expected


def test_a_request_that_drafted(task: Make, run: Make) -> None:
    row = only(task_frame([run("fast", task("code_cpp", 100, 120, 60, 200.0), n_max=2)]))
    assert (row["run"], row["task"], row["workload"], row["repeat"]) == (
        "fast",
        "code_cpp",
        "code",
        1,
    )
    assert row["acceptance_rate"] == 0.5
    assert row["timed_tokens"] == 99
    assert row["decode_s"] == 99 / 200
    assert row["forwards"] == 60  # 120 / 2, although 100 - 60 - 1 = 39
    assert row["mean_accepted_length"] == 99 / 60
    assert row["ms_per_forward"] == pytest.approx(495 / 60)


def test_a_request_without_drafts_has_a_plain_step(task: Make, run: Make) -> None:
    row = only(task_frame([run("plain", task(predicted=100, tps=50.0))]))
    assert pd.isna(row["acceptance_rate"])
    assert row["forwards"] == 99
    assert row["mean_accepted_length"] == 1.0
    assert row["ms_per_forward"] == 20.0  # 50 tok/s


def test_a_request_of_one_token_has_no_step(task: Make, run: Make) -> None:
    row = task_frame([run("a", task(predicted=1, tps=None, decode_s=0.0))]).loc[0]
    assert (row["forwards"], row["decode_s"]) == (0, 0.0)
    assert pd.isna(row["ms_per_forward"])


def test_measured_decode_time_wins_over_the_rate(task: Make, run: Make) -> None:
    row = only(task_frame([run("a", task(predicted=100, tps=50.0, decode_s=1.6))]))
    assert (row["decode_s"], row["decode_tps"]) == (1.6, 50.0)
    row = only(task_frame([run("a", task(predicted=100, tps=None, decode_s=1.6))]))
    assert row["decode_tps"] == 99 / 1.6


def test_what_the_source_does_not_say_is_null(task: Make, run: Make) -> None:
    row = only(task_frame([run("a", task(predicted=None, drafted=None, accepted=None, tps=None))]))
    for name in ("predicted_tokens", "acceptance_rate", "decode_s", "wall_s", "forwards"):
        assert pd.isna(row[name]), name


def test_counts_without_a_rate_still_give_forwards(task: Make, run: Make) -> None:
    row = only(
        task_frame([run("a", task(predicted=30, drafted=20, accepted=10, tps=None), n_max=2)])
    )
    assert row["forwards"] == 19
    assert row["mean_accepted_length"] == 29 / 19
    assert pd.isna(row["ms_per_forward"])


def test_a_failed_request_keeps_its_error_and_nulls(task: Make, run: Make) -> None:
    failed = task("qa_factual", None, None, None, None, error="HTTP 500")
    frame = task_frame([run("a", task(), failed)])
    assert list(frame["error"].isna()) == [True, False]
    assert frame["error"].iloc[1] == "HTTP 500"
    assert frame.iloc[1][["predicted_tokens", "decode_tps", "forwards"]].isna().all()


def test_a_pooled_row_has_one_prefill_token_for_each_request(task: Make, run: Make) -> None:
    row = only(task_frame([run("a", task("qa_factual", 100, 60, 40, 100.0, pooled=4))]))
    assert row["forwards"] == 56  # 100 - 40 - 4
    assert row["mean_accepted_length"] == 96 / 56


def test_a_pooled_row_also_needs_enough_forwards_for_its_drafts(task: Make, run: Make) -> None:
    row = only(task_frame([run("a", task("qa_factual", 20, 40, 10, 100.0, pooled=2), n_max=2)]))
    assert row["forwards"] == 20  # 40 / 2; counted 20 - 10 - 2 = 8


def test_requests_that_failed_within_a_pooled_row_gave_no_prefill_token(
    task: Make, run: Make
) -> None:
    pooled = task("qa_factual", 100, 60, 40, 100.0, pooled=3, failed=1)
    row = only(task_frame([run("a", pooled)]))
    assert row["forwards"] == 57  # 100 - 40 - 3


def test_half_a_character_in_a_name_is_written_out(task: Make, run: Make) -> None:
    row = only(task_frame([run("x", task("a\udcffb", error="\ud800"))]))
    assert (row["task"], row["error"]) == ("a\\udcffb", "\\ud800")


def test_workload_classes(task: Make, run: Make) -> None:
    frame = task_frame(
        [run("a", task("translation"), task("json_output"), task("my_task"), task("mine"))],
        {"mine": "legal", "json_output": "structured"},
    )
    assert list(frame["workload"]) == ["creative", "structured", "other", "legal"]


def test_frames_have_the_same_columns_and_types_when_empty(task: Make, run: Make) -> None:
    for frame, columns in ((task_frame([]), TASK_COLUMNS), (run_frame([]), RUN_COLUMNS)):
        assert list(frame.columns) == list(columns)
        assert frame.empty
    full = task_frame([run("a", task())])
    assert {name: str(kind) for name, kind in full.dtypes.items()} == dict(TASK_COLUMNS)
    assert {name: str(kind) for name, kind in task_frame([]).dtypes.items()} == dict(TASK_COLUMNS)


def test_repeats_are_one_row(task: Make, run: Make) -> None:
    parts = [
        run("a", task(repeat=1), task("qa_factual", repeat=1), wall_s=2.0, label="A"),
        run("b", task(), wall_s=9.0),
        run("a", task(repeat=2), task("qa_factual", repeat=2), wall_s=2.5),
    ]
    frame = run_frame(parts)
    assert list(frame["id"]) == ["a", "b"]
    first = frame.iloc[0]
    assert (first["repeats"], first["n_requests"], first["wall_s"]) == (2, 4, 4.5)
    assert (first["label"], frame.iloc[1]["label"]) == ("A", "b")
    assert first["source"] == "a.log:1-9, a.log:1-9"


def test_wall_time_is_stated_or_summed_or_null(task: Make, run: Make) -> None:
    def wall(made: Run, *more: Run) -> object:
        return only(run_frame([made, *more]))["wall_s"]

    timed = (task(wall_s=1.5), task("qa_factual", wall_s=0.5))
    assert wall(run("a", *timed)) == 2.0
    assert wall(run("a", *timed, wall_s=2.25)) == 2.25
    assert pd.isna(wall(run("a", task(wall_s=1.5), task("qa_factual"))))
    assert pd.isna(wall(run("a", task())))
    # One of two repeats without a time costs that repeat, not the configuration.
    assert wall(run("a", *timed, wall_s=2.0), run("a", task(repeat=2))) == 2.0
    # Half of the work would be another figure.
    untimed = (task(), task("qa_factual"))
    assert pd.isna(wall(run("a", *untimed), run("a", task(repeat=2), wall_s=1.0)))


def test_a_repeat_without_a_time_has_no_part_in_the_rate(task: Make, run: Make) -> None:
    whole = [run("a", task(repeat=n, predicted=90 + n), wall_s=2.0 + n) for n in (1, 2)]
    row = only(run_frame([*whole, run("a", task(repeat=3, predicted=500))]))
    assert (row["wall_s"], row["stated_effective_tps"]) == (7.0, (91 + 92) / 7)


def test_a_repeat_with_some_tasks_only_shifts_no_rate(task: Make, run: Make) -> None:
    easy = [task("easy", 100, repeat=n, wall_s=0.5) for n in (1, 2, 3)]
    row = only(run_frame([run("a", *easy, task("hard", 100, wall_s=2.0))]))
    assert (row["wall_s"], row["stated_effective_tps"]) == (3.5, 200 / 2.5)
    # Where no repeat has every task, each task is averaged first.
    hard = task("hard", 100, repeat=2, wall_s=2.0)
    row = only(run_frame([run("a", easy[0], easy[2], hard)]))
    assert (row["wall_s"], row["stated_effective_tps"]) == (3.0, 200 / 2.5)


def test_a_failed_request_has_no_part_in_a_summed_wall_time(task: Make, run: Make) -> None:
    made = run("a", task(wall_s=1.5), task("qa_factual", None, None, None, None, error="timeout"))
    assert only(run_frame([made]))["wall_s"] == 1.5


def test_settings_that_repeats_disagree_on_are_null(task: Make, run: Make) -> None:
    same = [run("a", task(), temperature=0.0, build="b1"), run("a", temperature=0.0, build="b2")]
    row = only(run_frame(same))
    assert row["temperature"] == 0.0
    assert row["build"] is None
    assert pd.isna(row["concurrency"])


def test_synthetic_in_one_repeat_is_synthetic(run: Make) -> None:
    assert only(run_frame([run("a"), run("a", synthetic=True)]))["synthetic"]


@given(
    predicted=st.integers(1, 5000),
    share=st.floats(0, 1),
    n_max=st.integers(1, 16),
    tps=st.floats(0.5, 5000),
)
def test_lengths_and_times_agree_with_the_rate(
    task: Callable[..., TaskResult],
    run: Callable[..., Run],
    predicted: int,
    share: float,
    n_max: int,
    tps: float,
) -> None:
    accepted = int(share * (predicted - 1))
    drafted = n_max * max(predicted - accepted - 1, -(-accepted // n_max))
    row = only(task_frame([run("a", task("t", predicted, drafted, accepted, tps), n_max=n_max)]))
    if row["forwards"] and drafted:
        # Tokens per forward over time per forward is the decode rate.
        rate = 1000 * row["mean_accepted_length"] / row["ms_per_forward"]
        assert math.isclose(rate, tps, rel_tol=1e-9)
        assert 0 < row["mean_accepted_length"] <= n_max + 1
