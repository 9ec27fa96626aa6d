"""The replay of one log against what the same drafts give under other settings."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from analysis.replaying.costs import RoundCost
from analysis.replaying.table import REPLAY_COLUMNS, Replay
from analysis.replaying.texts import Guesses, guesses
from tests.replaying.drafter import KINDS, Answer, answer

SETTINGS = [(6, 0.2), (6, 0.4), (6, 0.6), (6, 0.8), (6, 0.9), (2, 0.0), (3, 0.0), (4, 0.0)]


def logged(answers: list[Answer]) -> list[Guesses]:
    made = [guesses(one.rounds(6), f"task {n}", "ab"[n % 2]) for n, one in enumerate(answers)]
    return [one for one in made if one is not None]


def row(table: pd.DataFrame, n_max: int, p_min: float) -> pd.Series:
    whole = table[table["workload"].isna() & (table["n_max"] == n_max) & (table["n_min"] == 0)]
    policy = "threshold" if p_min else "fixed"
    (found,) = whole[(whole["policy"] == policy) & np.isclose(whole["p_min"], p_min)].to_dict(
        "records"
    )
    return pd.Series(found)


def errors(kind: str, seeds: range) -> tuple[np.ndarray, np.ndarray, float]:
    """Relative errors of tokens per forward and of drafted tokens, and the coverage."""
    lengths, drafts, inside = [], [], []
    for seed in seeds:
        random = np.random.default_rng(seed)
        answers = [answer(random, kind) for _ in range(8)]
        table = Replay(sampled=False)(logged(answers))
        for n_max, p_min in SETTINGS:
            real = [one.rounds(n_max, p_min) for one in answers]
            forwards = sum(len(one.drafted) for one in real)
            drafted = sum(int(one.drafted.sum()) for one in real)
            length = 191 * len(answers) / forwards
            told = row(table, n_max, p_min)
            lengths.append(told["mean_accepted_length"] / length - 1)
            drafts.append(told["draft_tokens"] / drafted - 1)
            inside.append(told["low"] <= length <= told["high"])
    return np.array(lengths), np.array(drafts), float(np.mean(inside))


def check(kind: str, seeds: range) -> None:
    lengths, drafts, coverage = errors(kind, seeds)
    by_setting = lengths.reshape(-1, len(SETTINGS)).mean(axis=0)
    assert np.abs(by_setting).max() < 0.01
    assert np.abs(lengths).mean() < 0.01
    assert np.abs(lengths).max() < 0.04
    assert np.abs(drafts).max() < 0.06
    assert coverage >= 0.85


def test_one_log_holds_every_more_cautious_setting():
    check("calibrated", range(2))


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_many_logs_hold_them(kind: str):
    check(kind, range(100, 120))


def test_rows_of_every_policy_and_workload():
    random = np.random.default_rng(2)
    cost = RoundCost(np.tile(np.linspace(10, 16, 7), (3, 1)), np.zeros((3, 7)), block=False)
    table = Replay(draws=3)(logged([answer(random, "calibrated", 60) for _ in range(4)]), cost)
    assert tuple(table.columns) == REPLAY_COLUMNS
    assert set(table["policy"]) == {
        "fixed", "threshold", "product", "additive", "pausing", "bandit"
    }  # fmt: skip
    assert set(table["workload"].dropna()) == {"a", "b"}
    whole = table[table["workload"].isna()]
    parts = table[table["workload"].notna()]
    assert whole["forwards"].sum() == pytest.approx(parts["forwards"].sum())
    curve = whole[(whole["policy"] == "threshold") & (whole["n_max"] == 6) & (whole["n_min"] == 0)]
    assert curve["p_min"].tolist() == [round(0.05 * step, 2) for step in range(20)]
    assert curve["draft_tokens"].is_monotonic_decreasing
    plain = row(table, 6, 0.0)
    assert plain["decode_tps"] == pytest.approx(
        1000 * 4 * 59 / (plain["forwards"] * 10 + plain["draft_tokens"])
    )
    assert (table["low"] <= table["mean_accepted_length"]).all()
    assert (table["decode_tps_low"] < table["decode_tps_high"]).all()


def test_sampled_answers_have_wider_intervals_and_the_same_draws_the_same_rows():
    random = np.random.default_rng(2)
    answers = logged([answer(random, "calibrated", 60) for _ in range(3)])
    greedy, sampled = Replay(sampled=False)(answers), Replay()(answers)
    assert (sampled["high"] - sampled["low"] > greedy["high"] - greedy["low"]).mean() > 0.95
    pd.testing.assert_frame_equal(greedy, Replay(sampled=False)(answers))
