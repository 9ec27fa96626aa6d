from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from analysis.records import Run
from analysis.statistics.points import AXES, Points, points

Make = Callable[..., object]


@pytest.fixture
def at(task: Make, run: Make) -> Callable[..., Run]:
    def make(id: str, depth: int = 0, **others: object) -> Run:
        kind = "draft-mtp" if depth else "none"
        row = task("a", 100, 100 * bool(depth), 50 * bool(depth))
        return replace(run(id, row), spec_type=kind, n_max=depth or None, **others)

    return make


def test_a_run_without_speculation_at_each_value_makes_points(at: Callable[..., Run]) -> None:
    runs = [
        at("plain"),
        at("n2", 2),
        at("plain-4", concurrency=4),
        at("n2-4", 2, concurrency=4),
        at("n3-4", 3, concurrency=4),
    ]
    found = points(runs, "plain")
    assert [(point.baseline, point.runs) for point in found.points] == [
        ("plain", ("n2",)),
        ("plain-4", ("n2-4", "n3-4")),
    ]
    assert found.home is found.points[0]
    assert set(found.elsewhere) == {"plain-4", "n2-4", "n3-4"}
    assert found.series == {"n2": "n2", "n2-4": "n2", "n3-4": "n3-4"}
    assert found.axes == ("concurrency",)


def test_what_has_no_run_without_speculation_at_its_value_is_no_point(
    at: Callable[..., Run],
) -> None:
    runs = [at("plain"), at("n2", 2), at("n2-4", 2, concurrency=4)]
    assert points(runs, "plain") == Points()
    assert points([*runs, at("plain-4", concurrency=4)], None) == Points()
    assert points([*runs, at("plain-8", concurrency=8)], "plain") == Points()


@pytest.mark.parametrize(
    ("name", "value"), [("prompt_set", "others"), ("max_tokens", 64), ("synthetic", True)]
)
def test_what_differs_otherwise_is_not_compared(
    at: Callable[..., Run], name: str, value: object
) -> None:
    alike = {"prompt_set": "mine", "max_tokens": 32}
    runs = [at("plain", **alike), at("n2", 2, **alike)]
    runs += [at("plain-4", concurrency=4, **alike)]
    odd = at("n2-4", 2, concurrency=4, **{**alike, name: value})
    assert points([*runs, odd], "plain") == Points()
    found = points([*runs, odd, at("n3-4", 3, concurrency=4, **alike)], "plain")
    assert found.points[1].runs == ("n3-4",)
    # It was measured there, and is no part of what is said of home.
    assert "n2-4" in found.elsewhere


def test_a_grid_has_axes_that_vary_while_the_others_stay(at: Callable[..., Run]) -> None:
    runs = [
        at(f"{name}-{number}-{context}", depth, concurrency=number, context_tokens=context)
        for number in (1, 4)
        for context in (0, 8192)
        for name, depth in (("plain", 0), ("n2", 2))
    ]
    found = points(runs, "plain-1-0")
    assert [point.at[:2] for point in found.points] == [(1, 0), (1, 8192), (4, 0), (4, 8192)]
    assert found.axes == ("concurrency", "context_tokens")
    # Along the diagonal neither axis varies alone.
    diagonal = points([run for run in runs if run.id.endswith(("1-0", "4-8192"))], "plain-1-0")
    assert len(diagonal.points) == 2
    assert diagonal.axes == ()


def test_repeats_that_differ_are_at_no_point(at: Callable[..., Run]) -> None:
    runs = [at("plain"), at("n2", 2), at("plain-4", concurrency=4), at("n2-4", 2, concurrency=4)]
    assert len(points(runs, "plain").points) == 2
    assert points([*runs, replace(runs[-1], concurrency=8)], "plain") == Points()


def test_two_that_differ_in_nothing_recorded_are_told_by_their_order(
    at: Callable[..., Run],
) -> None:
    runs = [at("plain"), at("a", 2), at("b", 2)]
    runs += [at("p4", concurrency=4), at("c", 2, concurrency=4), at("d", 2, concurrency=4)]
    series = points(runs, "plain").series
    assert (series["c"], series["d"]) == ("a", "b")


def test_axes_are_conditions_of_runs() -> None:
    assert set(AXES) <= set(Run.__dataclass_fields__)
