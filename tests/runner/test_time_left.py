"""How long a sweep still takes, against sums made by hand and against a recorded sweep."""

from __future__ import annotations

import json
from datetime import datetime

import pytest

from analysis.campaigns.campaign import PROJECT_ROOT
from analysis.runner.time_left import TimeLeft, duration


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (59.6, "1 min 0 s"), (3599.6, "1 h 0 min"), (7320, "2 h 2 min")],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_a_start_is_no_part_of_a_request() -> None:
    left = TimeLeft({("a", 1): 3, ("a", 2): 3})
    left.done("a", 1, spent_s=12.0, wall_s=2.0)
    left.done("a", 1, spent_s=2.5, wall_s=2.0)
    # One more at 2.25 s, three more behind another start of 10 s.
    assert left.between() == (pytest.approx(4 * 2.25 + 10), pytest.approx(4 * 2.25 + 10))
    assert str(left) == "19 s left"


@pytest.mark.parametrize(("fast", "said"), [(3.8, "about 40 s left"), (3.2, "33 s to 41 s left")])
def test_figures_that_are_close_are_one(fast: float, said: str) -> None:
    left = TimeLeft({("slow", 1): 1, ("fast", 1): 1, ("new", 1): 10})
    left.done("slow", 1, 5.0, 4.0)
    left.done("fast", 1, fast + 1, fast)
    assert str(left) == said


def test_what_has_not_run_lies_between_what_has() -> None:
    left = TimeLeft({("slow", 1): 1, ("fast", 1): 2, ("new", 1): 10})
    assert str(left) == ""
    left.done("slow", 1, 5.0, 4.0)
    assert str(left) == "about 50 s left"
    left.done("fast", 1, 2.0, 1.0)
    # One of the fast, ten between 1 and 4 s, one start of 1 s.
    assert left.between() == (pytest.approx(1 + 10 + 1), pytest.approx(1 + 40 + 1))
    assert str(left) == "12 s to 42 s left"


def test_what_has_all_run_is_one_figure() -> None:
    left = TimeLeft({("a", 1): 1, ("b", 1): 2})
    left.done("a", 1, 5.0, 4.0)
    left.done("b", 1, 2.0, 1.0)
    assert str(left) == "1 s left"
    left.done("b", 1, 1.0, 1.0)
    assert str(left) == "0 s left"


@pytest.mark.parametrize("campaign", ["live-demo", "conditions-demo"])
def test_a_recorded_sweep_was_as_long_as_was_said_after_its_first_tenth(campaign: str) -> None:
    ended = []
    for file in sorted((PROJECT_ROOT / "raw" / campaign / "live").glob("*.jsonl")):
        for record in map(json.loads, file.read_text().splitlines()):
            if record["record"] == "run":
                began = datetime.fromisoformat(record["started"]).timestamp()
            elif record["record"] == "request":
                end = began + record["at_s"] + record["wall_s"]
                ended.append((end, record["run"], record["repeat"], record["wall_s"]))
    ended.sort()
    missing: dict[tuple[str, int], int] = {}
    for _, run, repeat, _ in ended:
        missing[run, repeat] = missing.get((run, repeat), 0) + 1
    left = TimeLeft(missing)
    now = ended[0][0] - ended[0][3]
    for number, (end, run, repeat, wall_s) in enumerate(ended, start=1):
        left.done(run, repeat, end - now, wall_s)
        now = end
        if number >= len(ended) / 10:
            low, high = left.between()
            true = ended[-1][0] - now
            # The mean of all requests so far was 47 % off after the first tenth of the one, and
            # 33 % after three quarters of the other.
            assert 0.88 * low - 10 <= true <= 1.12 * high + 10, number
