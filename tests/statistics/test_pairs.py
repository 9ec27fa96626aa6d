from __future__ import annotations

from collections.abc import Callable

import pytest

from analysis.records import Run
from analysis.statistics.frames import task_frame
from analysis.statistics.pairs import PairDifference

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


def test_a_pair_side_by_side(two: list[Run], task: Make, run: Make) -> None:
    other = run("other", task("b", 50, 10, 5, 60.0), task("c"), n_max=1)
    frame = PairDifference("fast", "other")(task_frame([*two, other]))
    assert len(frame) == 1
    row = frame.iloc[0]
    assert (row["task"], row["workload"]) == ("b", "other")
    assert (row["decode_tps_first"], row["decode_tps_second"]) == (40.0, 60.0)
    assert row["draft_tokens_second"] - row["draft_tokens_first"] == -30
    assert row["accepted_tokens_second"] - row["accepted_tokens_first"] == -15
    assert row["ratio"] == 1.5
