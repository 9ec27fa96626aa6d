"""Drift is told from repeats of the same texts, with what it leaves over beside it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from analysis.runner.drift import Drift, drift, witness
from analysis.runner.session import plan_of
from tests.runner.conftest import LIVE


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


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (LIVE, "plain"),
        # Whatever is shuffled to the front, the witness is the first of campaign.toml's.
        (LIVE.replace("repeats = 2", "repeats = 2\nparallel = [1, 3]\ncontext = [0, 64]"), "plain"),
        (LIVE.replace("repeats = 2", "repeats = 2\nparallel = [2, 1]"), "plain-np2"),
        (
            LIVE.replace('[[runs]]\nid = "plain"\n', "").replace('baseline = "plain"\n', ""),
            "drafted",
        ),
    ],
)
def test_a_baseline_at_the_first_values_is_the_witness(
    live_campaign: Callable[..., Path], settings: str, expected: str
) -> None:
    plan = plan_of(live_campaign(settings))
    assert witness(plan) == expected
    turned = replace(plan, steps=plan.steps[::-1])
    assert witness(turned) == expected
    assert witness(replace(plan, steps=())) is None
