"""Reliability of drafts whose chances are known."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.records import Rounds
from analysis.replaying.calibration import RELIABILITY_COLUMNS, SCORE_COLUMNS, Calibration
from analysis.replaying.texts import Guesses, guesses
from tests.replaying.drafter import answer


def logged(kind: str, seed: int = 1, count: int = 12) -> list[Guesses]:
    random = np.random.default_rng(seed)
    made = [guesses(answer(random, kind).rounds(6)) for _ in range(count)]
    return [one for one in made if one is not None]


def test_by_hand():
    rounds = Rounds(
        np.array([2, 2, 2], np.int32),
        np.array([2, 1, 0], np.int32),
        None,
        np.array([[0.91, 0.95], [0.93, 0.31], [0.35, 0.99]], np.float32),
    )
    made = guesses(rounds, "a", "code")
    assert made is not None
    bins, scores = Calibration(resamples=20)([made])
    assert tuple(bins.columns) == RELIABILITY_COLUMNS
    assert tuple(scores.columns) == SCORE_COLUMNS
    # 0.99 stands behind a wrong guess and does not count.
    assert bins[["from", "guesses", "accepted"]].to_numpy().tolist() == [[0.3, 2, 0], [0.9, 3, 1]]
    assert bins["confidence"].tolist() == pytest.approx([0.33, 0.93])
    (score,) = scores.to_dict("records")
    assert score["calibration_error"] == pytest.approx((2 * 0.33 + 3 * 0.07) / 5)
    assert (score["auc"], score["guesses"]) == (1.0, 5)


def test_kinds_of_drafts_are_told_apart():
    by_kind = {
        kind: Calibration()(logged(kind))[1].iloc[0]
        for kind in ("calibrated", "overconfident", "uninformative")
    }
    assert by_kind["calibrated"]["calibration_error"] < 0.05
    assert by_kind["overconfident"]["calibration_low"] > 0.1
    assert by_kind["calibrated"]["auc_low"] > 0.65
    assert by_kind["uninformative"]["auc_low"] < 0.5 < by_kind["uninformative"]["auc_high"]


def test_intervals_of_a_calibrated_draft_cover_its_confidence():
    inside = []
    for seed in range(12):
        bins, _ = Calibration(resamples=200)(logged("calibrated", seed, 8))
        inside += (bins["low"] <= bins["confidence"]).tolist()
        inside += (bins["confidence"] <= bins["high"]).tolist()
    # Both ends of a 90 % interval: 95 % of the ends hold.
    assert 0.9 <= np.mean(inside) <= 0.995


def test_one_outcome_only_has_no_power_to_tell():
    rounds = Rounds(
        np.array([2], np.int32), np.array([2], np.int32), None, np.array([[0.5, 0.6]], np.float32)
    )
    made = guesses(rounds)
    assert made is not None
    _, scores = Calibration(resamples=10)([made])
    assert scores["auc"].isna().all()
