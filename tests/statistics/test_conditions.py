from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from analysis.records import Run
from analysis.statistics.conditions import unlike

Make = Callable[..., object]


def found(plain: Run, *others: Run) -> dict[str, dict[str, str]]:
    return unlike([replace(plain, id="plain"), *others], "plain")


@pytest.mark.parametrize(
    ("name", "own", "plain", "said"),
    [
        ("concurrency", 4, 1, "4 against 1"),
        ("concurrency", 4, None, "4 against not recorded"),
        ("concurrency", None, 4, "not recorded against 4"),
        ("prompt_set", "mine", "mtp-bench", "mine against mtp-bench"),
        ("max_tokens", 512, 192, "512 against 192"),
        ("temperature", 0.7, 0.0, "0.7 against 0"),
        ("context_tokens", 16384, 0, "16384 against 0"),
    ],
)
def test_what_differs_is_named(
    task: Make, run: Make, name: str, own: object, plain: object, said: str
) -> None:
    assert found(run("p", task(), **{name: plain}), run("x", task(), **{name: own})) == {
        "x": {name: said}
    }


@pytest.mark.parametrize(
    ("name", "own", "plain"),
    [
        ("concurrency", 1, None),
        ("concurrency", None, None),
        ("concurrency", 4, 4),
        ("temperature", None, 0.0),
        ("prompt_set", "mine", None),
        ("context_tokens", 0, None),
    ],
)
def test_what_one_side_does_not_say_is_not_held_against_it(
    task: Make, run: Make, name: str, own: object, plain: object
) -> None:
    assert found(run("p", task(), **{name: plain}), run("x", task(), **{name: own})) == {}


def test_repeats_that_differ_among_themselves_are_like_nothing(task: Make, run: Make) -> None:
    parts = [run("x", task(repeat=n), temperature=t) for n, t in ((1, 0.0), (2, 0.7))]
    assert found(run("p", task(), temperature=0.0), *parts) == {
        "x": {"temperature": "0 and 0.7 against 0"}
    }


@pytest.mark.parametrize(("number", "is_limit"), [(3, True), (2, False)])
def test_a_limit_that_the_texts_show(task: Make, run: Make, number: int, is_limit: bool) -> None:
    def texts(longest: int) -> list[object]:
        return [task(f"t{n}", longest if n < number else 20 + n) for n in range(5)]

    differs = found(run("p", *texts(192)), run("x", *texts(128)))
    assert bool(differs) is is_limit
    if is_limit:
        assert differs["x"] == {"longest": "128 against 192"}
    assert found(run("p", *texts(192)), run("x", *texts(192))) == {}


def test_several_at_once_that_only_the_times_show(task: Make, run: Make) -> None:
    rows = [replace(task(name), busy_s=(0.0, 2.0)) for name in ("a", "b")]
    differs = found(run("p", task(), concurrency=1), run("x", *rows))
    assert differs == {"x": {"concurrency": "several against 1"}}


def test_without_a_baseline_nothing_differs(task: Make, run: Make) -> None:
    assert unlike([run("x", task())], None) == {}
