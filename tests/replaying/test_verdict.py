"""Whether a threshold is worth it, for drafts that are known to tell or not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from analysis.replaying.calibration import Calibration
from analysis.replaying.costs import RoundCost
from analysis.replaying.table import Replay
from analysis.replaying.texts import guesses
from analysis.replaying.verdict import best_setting, worth_a_threshold
from analysis.statistics.decision import BOUND
from tests.replaying.drafter import answer
from tests.replaying.test_calibration import logged

STEEP = RoundCost(np.tile(10 + 4.0 * np.arange(7), (5, 1)), np.zeros((5, 7)), block=False)


def said(kind: str, cost: RoundCost | None = None) -> str:
    answers = logged(kind, count=8)
    return worth_a_threshold(Replay(draws=1)(answers, cost), Calibration()(answers)[1])


def test_an_uninformative_confidence_brings_nothing():
    assert said("uninformative").startswith("A threshold brings nothing: the confidence does not")
    assert said("uninformative", STEEP).startswith("A threshold brings nothing")


@pytest.mark.parametrize(("low", "tells"), [(0.56, True), (0.54, False)])
def test_what_tells_little_brings_nothing(low: float, tells: bool):
    """By the lower end of what the area under the curve may be."""
    scores = {"workload": None, "auc": 0.7, "auc_low": low, "auc_high": 0.8}
    frame = pd.DataFrame([{**scores, "calibration_error": 0.01}])
    table = Replay(draws=1)(logged("calibrated", count=2))
    assert worth_a_threshold(table, frame).startswith("A threshold brings nothing") is not tells


@pytest.mark.parametrize("kind", ["calibrated", "overconfident"])
def test_one_that_tells_is_worth_it_where_drafting_costs(kind: str):
    assert said(kind, STEEP).startswith("A threshold is predicted to bring")
    assert said(kind).startswith("The confidence tells right from wrong")


def test_the_best_setting_is_the_best_of_the_real_ones():
    random = np.random.default_rng(6)
    answers = [answer(random, "calibrated") for _ in range(10)]
    guessed = [made for one in answers if (made := guesses(one.rounds(6))) is not None]
    chosen = best_setting(Replay(draws=4)(guessed, STEEP))
    assert chosen is not None

    def rate(n_max: int, p_min: float) -> float:
        rounds = [one.rounds(n_max, p_min) for one in answers]
        steps = sum(STEEP.forward_ms[0, one.drafted].sum() for one in rounds)
        return 191 * len(answers) / steps

    grid = [(n, round(p, 2)) for n in range(1, 7) for p in np.arange(0, 1, 0.1)]
    best = max(rate(n, p) for n, p in grid)
    assert rate(int(chosen["n_max"]), float(chosen["p_min"])) > best * 0.99


@pytest.mark.parametrize(
    ("fixed", "cut", "taken"),
    [
        # What is cut has to be faster by more than the bound, and a depth by anything.
        ([100.0, 100.0], 100.0 / (1 - BOUND) - 0.01, ("fixed", 1)),
        ([100.0, 100.0], 100.0 / (1 - BOUND) + 0.01, ("threshold", 2)),
        ([90.0, 100.0], 100.0, ("fixed", 2)),
        ([99.9, 100.0], 99.0, ("fixed", 2)),
    ],
)
def test_the_rule_is_that_of_all_advice(
    fixed: list[float], cut: float, taken: tuple[str, int]
) -> None:
    rows = [("fixed", 1, 0.0, fixed[0]), ("fixed", 2, 0.0, fixed[1]), ("threshold", 2, 0.5, cut)]
    table = pd.DataFrame(rows, columns=["policy", "n_max", "p_min", "decode_tps"])
    chosen = best_setting(table.assign(workload=None, n_min=0))
    assert chosen is not None
    assert (chosen["policy"], chosen["n_max"]) == taken


def test_without_times_there_is_no_best_setting():
    assert best_setting(Replay(draws=2)(logged("calibrated", count=1))) is None
