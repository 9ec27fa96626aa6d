"""Drift is told from repeats of the same texts, with what it leaves over beside it."""

from __future__ import annotations

import math

import pytest

from analysis.runner.drift import Drift, drift, witness


def repeats(*walls: dict[str, float], places: tuple[int, ...] = ()) -> list[dict]:
    made: list[dict] = []
    for number, own in enumerate(walls, start=1):
        place = places[number - 1] if places else number
        made.append({"record": "run", "repeat": number, "place": place})
        made += [
            {
                "record": "request",
                "repeat": number,
                "task": task,
                "predicted_tokens": 100,
                "wall_s": wall_s,
            }
            for task, wall_s in own.items()
        ]
    return made


def test_two_repeats_have_a_change_and_no_scatter() -> None:
    found = drift("plain", repeats({"a": 1.0, "b": 3.0}, {"a": 2.0, "b": 3.0}))
    assert found == Drift("plain", 2, pytest.approx(4 / 5 - 1), None)
    assert str(found) == (
        "drift: plain became 20.0% slower from the first to the last of its 2 repeats"
    )


def test_steady_drift_leaves_nothing_over() -> None:
    walls = [{"a": math.exp(0.01 * place)} for place in (2, 5, 9)]
    found = drift("plain", repeats(*walls, places=(2, 5, 9)))
    assert found is not None
    assert found.change == pytest.approx(math.exp(-0.07) - 1)
    assert found.scatter == pytest.approx(0, abs=1e-12)


def test_what_is_no_drift_is_scatter() -> None:
    found = drift("plain", repeats({"a": 1.0}, {"a": 1.1}, {"a": 1.0}))
    assert found is not None
    assert found.change == pytest.approx(0, abs=1e-12)
    # The middle one lies two thirds of log 1.1 off, the others one third: one degree is left.
    assert found.scatter == pytest.approx(math.log(1.1) * math.sqrt(6) / 3)
    assert "faster" in str(found)


def test_only_tasks_of_every_repeat_count() -> None:
    found = drift("plain", repeats({"a": 1.0, "b": 9.0}, {"a": 1.0}))
    assert found is not None
    assert found.change == pytest.approx(0)


@pytest.mark.parametrize(
    "records", [[], repeats({"a": 1.0}), repeats({"a": 1.0}, {"b": 1.0}), repeats({}, {})]
)
def test_what_tells_nothing(records: list[dict]) -> None:
    assert drift("plain", records) is None


def test_a_baseline_is_the_witness_where_there_is_one() -> None:
    assert witness({"fast": "draft-mtp", "plain": "none"}) == "plain"
    assert witness({"fast": "draft-mtp", "more": "draft-mtp"}) == "fast"
