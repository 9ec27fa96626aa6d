from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from analysis.audit import audit
from analysis.records import Finding, Run

Make = Callable[..., object]
NAMES = ("a", "b", "c", "d")


@pytest.fixture
def found(campaign: Make) -> Callable[..., list[Finding]]:
    def look(code: str, *runs: Run) -> list[Finding]:
        return [one for one in audit(campaign(*runs, baseline="plain")) if one.code == code]

    return look


def passes(
    run: Make, task: Make, id: str, times: list[float], drafted: int = 0, **others: object
) -> list[Run]:
    """One run per repeat of four tasks of 101 tokens, `times` seconds per task."""
    results = [
        [task(name, 101, drafted, drafted // 2, 100 / seconds, repeat=number) for name in NAMES]
        for number, seconds in enumerate(times, 1)
    ]
    kind = {"spec_type": "draft-mtp" if drafted else "none", "n_max": 4 if drafted else None}
    return [run(id, *rows, **kind, **others) for rows in results]


def test_a_repeat_without_a_wall_time(task: Make, run: Make, found: Make) -> None:
    whole = passes(run, task, "plain", [1.0, 1.01], wall_s=4.0)
    cut = [whole[0], replace(whole[1], aggregate=None)]
    (finding,) = found("repeat-untimed", *cut)
    assert "1 of 2 repeats have no wall time" in finding.message
    assert found("repeat-untimed", *whole) == []


def test_tasks_repeated_unequally(task: Make, run: Make, found: Make) -> None:
    whole = passes(run, task, "plain", [1.0, 1.01])
    (finding,) = found("repeats-unequal", whole[0], replace(whole[1], tasks=whole[1].tasks[:3]))
    assert "fewer repeats of d (1 of 2)" in finding.message
    assert found("repeats-unequal", *whole) == []


@pytest.mark.parametrize(("odd", "number"), [(1.3, 1), (1.02, 0)])
def test_a_repeat_far_off(task: Make, run: Make, found: Make, odd: float, number: int) -> None:
    steady = [
        made
        for id, rest in (("plain", 0.01), ("x", -0.01), ("y", 0.012))
        for made in passes(run, task, id, [1.0, 1.0 + rest, 1.0 - rest, 1.005])
    ]
    wild = passes(run, task, "z", [1.0, odd, 1.01, 0.99])
    assert [one.where for one in found("repeat-outlier", *steady, *wild)] == ["z"] * number


@pytest.mark.parametrize(
    ("blocks", "step", "number"),
    # Blocks are two steps apart: a drift that moves their ratio by 1 % is told.
    [(True, 0.02, 1), (False, 0.02, 0), (True, 0.0053, 1), (True, 0.0047, 0)],
)
def test_drift_in_blocks(
    task: Make, run: Make, found: Make, blocks: bool, step: float, number: int
) -> None:
    order = [("plain", 1), ("plain", 2), ("x", 1), ("x", 2)]
    if not blocks:
        order = [("plain", 1), ("x", 1), ("x", 2), ("plain", 2)]
    random = np.random.default_rng(1)
    runs = []
    for place, (id, repeat) in enumerate(order):
        (made,) = passes(run, task, id, [1.0])
        rows = [
            replace(
                one,
                repeat=repeat,
                decode_tps=one.decode_tps / (1 + step * place + random.normal(0, step / 100)),
                started_s=1e9 + 600 * place + 30 * number_of_task,
            )
            for number_of_task, one in enumerate(made.tasks)
        ]
        runs.append(replace(made, tasks=tuple(rows)))
    hits = found("drift-in-blocks", *sorted(runs, key=lambda one: one.id))
    assert len(hits) == number
    if hits:
        assert "plain was measured 20 minutes before x on average" in hits[0].message


@pytest.mark.parametrize(
    ("accepted", "number"),
    # The statistic of 50 and 35 is 7.4, of 50 and 37 5.5; in 1 % of cases it is above 6.6.
    [(20, 1), (35, 1), (37, 0), (48, 0)],
)
def test_acceptance_that_moves(
    task: Make, run: Make, found: Make, accepted: int, number: int
) -> None:
    first, second = passes(run, task, "x", [1.0, 1.0], drafted=100)
    rows = tuple(replace(one, accepted_tokens=accepted) for one in second.tasks)
    plain = passes(run, task, "plain", [1.0, 1.0])
    hits = found("acceptance-moves", *plain, first, replace(second, tasks=rows))
    assert len(hits) == number
