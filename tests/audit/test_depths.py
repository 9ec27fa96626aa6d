from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from analysis.audit import audit
from analysis.records import Finding, Positions, Rounds, Run, Source

Make = Callable[..., object]


@pytest.fixture
def at(task: Make, run: Make) -> Callable[..., Run]:
    """``at(depth, *ms, **fields)``: tasks of 50 forwards that take so many ms each."""

    def make(depth: int, *ms: float, **others: object) -> Run:
        rows = [
            task(f"t{place}", 101, 50 * depth, 50, 101 / (0.05 * step))
            for place, step in enumerate(ms)
        ]
        settings = {"spec_type": "draft-mtp", "n_max": depth, **others}
        return run(f"n{depth}", *rows, **settings)

    return make


def found(campaign: Make, code: str, *runs: Run) -> list[Finding]:
    return [finding for finding in audit(campaign(*runs)) if finding.code == code]


def test_one_depth(at: Make, campaign: Make, task: Make, run: Make) -> None:
    (finding,) = found(campaign, "one-depth", at(4, 20, 20))
    assert finding.where == "draft-mtp"
    assert "depth 4 only" in finding.message
    assert not found(campaign, "one-depth", at(2, 18, 18), at(4, 20, 20))
    assert not found(campaign, "one-depth", at(1, 18, 18))
    counted = task("a", 101, 200, 50, 100.0, positions=Positions((0.5, 0.3, 0.1, 0.1), rounds=50))
    known = run("n4", counted, spec_type="draft-mtp", n_max=4)
    assert not found(campaign, "one-depth", known)


def test_depth_unknown(at: Make, campaign: Make) -> None:
    (finding,) = found(campaign, "depth-unknown", at(2, 18), at(4, 20, n_max=None))
    assert finding.where == "n4"
    assert finding.level == "warning"
    assert not found(campaign, "depth-unknown", at(2, 18), at(4, 20))


def test_drafts_cut_short(at: Make, campaign: Make) -> None:
    (finding,) = found(campaign, "drafts-cut-short", at(2, 18), at(4, 20, p_min=0.75))
    assert "p_min 0.75" in finding.message
    assert not found(campaign, "drafts-cut-short", at(4, 20, p_min=0.0))


def test_step_time_varies(at: Make, campaign: Make) -> None:
    (finding,) = found(campaign, "step-time-varies", at(2, 15, 25), at(4, 20, 21))
    assert finding.where == "n2"
    assert "25%" in finding.message
    assert "19.8 ms" in finding.message


@pytest.mark.parametrize(("apart", "varies"), [(1.9, False), (2.1, True)])
def test_step_time_varies_from_a_tenth_on(
    apart: float, varies: bool, at: Make, campaign: Make
) -> None:
    runs = at(2, 20 - apart, 20 + apart), at(4, 20, 20)
    assert bool(found(campaign, "step-time-varies", *runs)) is varies


def test_step_times_that_jump(at: Make, campaign: Make) -> None:
    # 2 ms a depth, and 3 more from 3 to 5; run noise is the prior's 2 %, 0.6 ms on a step.
    line = [at(2, 18, 18), at(3, 20, 20), at(4, 22, 22)]
    (finding,) = found(campaign, "step-time-jumps", *line, at(6, 31, 31))
    assert (finding.level, finding.where) == ("note", "draft-mtp")
    assert (
        "from depth 4 to 6 a forward takes 8.9 ms more, 5.0 ms of it (23% of a forward)"
        in finding.message
    )
    assert not found(campaign, "step-time-jumps", *line, at(6, 27, 27))
    assert not found(campaign, "step-time-jumps", *line, at(6, 26, 26))
    # Two depths make one step, and nothing to compare it with.
    assert not found(campaign, "step-time-jumps", line[0], at(6, 40, 40))


def test_bursts(task: Make, run: Make, campaign: Make) -> None:
    def rounds(length: int) -> Run:
        accepted = np.tile(np.repeat([2, 0], length), 60 // length)
        drafted = np.full(len(accepted), 2)
        counts = (len(accepted) + int(accepted.sum()) + 1, 2 * len(accepted), int(accepted.sum()))
        made = [
            task(name, *counts, rounds=Rounds(drafted, accepted), source=Source("made.log", place))
            for place, name in enumerate(("a", "b", "c"), 1)
        ]
        return run("n2", *made, n_max=2, spec_type="draft-mtp")

    (finding,) = found(campaign, "acceptance-bursty", rounds(6))
    assert (finding.level, finding.where) == ("warning", "draft-mtp")
    assert "more than the depth model's 2.6" in finding.message
    assert not found(campaign, "acceptance-bursty", rounds(1))
    assert not found(campaign, "acceptance-bursty", rounds(2))
