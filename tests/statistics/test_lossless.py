"""Greedy outputs against the baseline, judged by what the baseline does itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.records import Run, TaskResult
from analysis.statistics.lossless import Lossless, first_difference

Make = Callable[..., object]
A, B, C = (5, 6, 7, 8), (5, 6, 9, 8), (5, 1, 1, 1)


@pytest.fixture(scope="session")
def greedy(run: Make, task: Make) -> Callable[..., Run]:
    """``greedy(id, a=[tokens of repeat 1, of repeat 2, …], …)``: a run at temperature 0."""

    def make(id: str, *, stated: dict[str, object] | None = None, **tasks: Sequence) -> Run:
        made: list[TaskResult] = [
            task(
                name,
                repeat=repeat,
                output_hash=f"sha256:{hash(tokens)}",
                tokens=tokens,
            )
            for name, outputs in tasks.items()
            for repeat, tokens in enumerate(outputs, start=1)
        ]
        settings = {"temperature": 0.0, "prompt_set": "sha256:1", **(stated or {})}
        return run(id, *made, **settings)

    return make


def rows(*runs: Run, baseline: str | None = "plain") -> list[tuple]:
    frame = Lossless(baseline)(runs).astype(object)
    return [tuple(row) for row in frame.where(frame.notna(), None).itertuples(index=False)]


def test_equal_outputs_are_identical(greedy: Make):
    assert rows(greedy("plain", a=[A, A]), greedy("fast", a=[A, A])) == [
        ("fast", "a", 2, 2, None, 2, None, "identical")
    ]


def test_another_output_differs_where_the_baseline_repeats_itself(greedy: Make):
    # A and B part at their third token, A and C at their second: the earliest is 2.
    assert rows(greedy("plain", a=[A, A]), greedy("fast", a=[A, B, C])) == [
        ("fast", "a", 3, 1, 2, 2, None, "differs")
    ]


def test_an_unsteady_baseline_gives_no_verdict(greedy: Make):
    # C parts from A and from B at token 2; A and B from each other at 3.
    assert rows(greedy("plain", a=[A, B]), greedy("fast", a=[C])) == [
        ("fast", "a", 1, 0, 2, 2, 3, "unstable")
    ]


def test_any_of_an_unsteady_baselines_outputs_is_identical(greedy: Make):
    assert rows(greedy("plain", a=[A, B]), greedy("fast", a=[B])) == [
        ("fast", "a", 1, 1, None, 2, 3, "identical")
    ]


def test_the_closest_baseline_output_says_where(greedy: Make):
    # (5, 6, 9, 1) follows B to its fourth token, and A only to its third.
    assert rows(greedy("plain", a=[A, B]), greedy("fast", a=[(5, 6, 9, 1)]))[0][4] == 4


def test_one_baseline_output_is_no_control(greedy: Make):
    assert rows(greedy("plain", a=[A]), greedy("fast", a=[B]))[0][-1] == "no-control"
    assert rows(greedy("plain", a=[A]), greedy("fast", a=[A]))[0][-1] == "identical"


def test_hashes_alone_give_a_verdict_without_a_place(run: Make, task: Make):
    def hashed(id: str, *hashes: str) -> Run:
        made = [task("a", repeat=n, output_hash=text) for n, text in enumerate(hashes, start=1)]
        return run(id, *made, temperature=0.0, prompt_set="p")

    assert rows(hashed("plain", "x", "x"), hashed("fast", "y")) == [
        ("fast", "a", 1, 0, None, 2, None, "differs")
    ]


def test_each_task_and_run_is_judged_by_itself_in_order(greedy: Make):
    found = rows(
        greedy("fast", b=[A], a=[B]),
        greedy("plain", a=[A, A], b=[A, A], c=[A, A]),
        greedy("other", a=[A]),
    )
    assert [(row[0], row[1], row[-1]) for row in found] == [
        ("fast", "b", "identical"),
        ("fast", "a", "differs"),
        ("other", "a", "identical"),
    ]


@pytest.mark.parametrize(
    "stated",
    [
        {"synthetic": True},
        {"temperature": 0.8},
        {"temperature": None},
        {"prompt_set": "sha256:2"},
        {"prompt_set": None},
    ],
)
def test_what_is_not_greedy_real_and_of_the_same_prompts_is_left_out(
    greedy: Make, stated: dict[str, object]
):
    assert rows(greedy("plain", a=[A, A]), greedy("fast", a=[B], stated=stated)) == []


def test_failed_requests_and_a_missing_baseline_are_left_out(greedy: Make, run: Make, task: Make):
    failed = run("fast", task("a", error="timeout"), temperature=0.0, prompt_set="sha256:1")
    assert rows(greedy("plain", a=[A]), failed) == []
    assert rows(greedy("fast", a=[A]), baseline=None) == []
    assert rows(greedy("fast", a=[A])) == []
    assert rows() == []


tokens = st.lists(st.integers(0, 3), max_size=6)


@given(tokens, tokens)
def test_the_first_difference_is_where_the_common_beginning_ends(one: list[int], other: list[int]):
    place = first_difference(one, other)
    assert place == first_difference(other, one)
    if place is None:
        assert one == other
    else:
        assert one[: place - 1] == other[: place - 1]
        assert one[place - 1 : place] != other[place - 1 : place]
