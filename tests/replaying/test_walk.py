"""Replays of texts that are worked out by hand, and of settings that were logged."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.records import Rounds
from analysis.replaying.policies import Additive, Bandit, Fixed, Pausing, Product, Threshold
from analysis.replaying.texts import guesses, texts_of
from analysis.replaying.walk import walk
from tests.replaying.drafter import answer

NAN = np.nan


def rounds(*each: tuple[int, int, list[float]]) -> Rounds:
    width = max(len(sure) for _, _, sure in each)
    return Rounds(
        np.array([drafted for drafted, _, _ in each], np.int32),
        np.array([accepted for _, accepted, _ in each], np.int32),
        None,
        np.array([sure + [NAN] * (width - len(sure)) for _, _, sure in each], np.float32),
    )


# Three of four guesses right, then one of four, then none of four: 1 + 4 + 2 + 1 tokens.
LOG = rounds(
    (4, 3, [0.9, 0.8, 0.5, 0.3]), (4, 1, [0.6, 0.4, 0.7, 0.1]), (4, 0, [0.2, 0.9, 0.8, 0.7])
)  # fmt: skip


def replayed(policy: Fixed, log: Rounds = LOG):
    made = guesses(log)
    assert made is not None
    return walk(texts_of([made], 4, np.random.default_rng(1)), policy)


def test_guesses_stand_at_their_tokens():
    made = guesses(LOG)
    assert made is not None
    assert made.right.tolist() == [False, True, True, True, False, True, False, False]
    expected = [NAN, 0.9, 0.8, 0.5, 0.3, 0.6, 0.4, 0.2]
    np.testing.assert_allclose(made.confidence, expected, rtol=1e-6)
    np.testing.assert_allclose(made.beyond[6], [0.7, 0.1, NAN, NAN], rtol=1e-6)
    np.testing.assert_allclose(made.beyond[7], [0.9, 0.8, 0.7, NAN], rtol=1e-6)
    assert not made.limited


def test_the_forward_that_no_line_tells_is_counted():
    # Nine tokens of which the rounds give eight: near the limit no draft was made for the last one.
    made = guesses(LOG, predicted=9)
    assert made is not None
    assert made.limited
    found = walk(texts_of([made], 4, np.random.default_rng(1)), Fixed(4))
    assert (int(found.tokens[0]), int(found.forwards[0]), int(found.rounds[0])) == (8, 4, 3)


def test_rounds_without_confidences_have_no_guesses():
    assert guesses(Rounds(np.array([2], np.int32), np.array([1], np.int32))) is None


@pytest.mark.parametrize(
    ("policy", "forwards", "drafted", "accepted", "dropped"),
    [
        # As logged.
        (Fixed(4), 3, 12, 4, 0),
        # 2 of 2; none of 2 (token 4 was guessed wrong); 1 of 2; none of 2.
        (Fixed(2), 4, 8, 3, 0),
        # 0.9 0.8 0.5 and 0.3 is dropped; 0.6 and 0.4 is dropped; 0.2 is dropped.
        (Threshold(4, 0.45), 3, 4, 4, 3),
        # Behind the wrong guess 0.4 the draft goes on with 0.7 and drops 0.1.
        (Threshold(4, 0.35), 3, 6, 4, 3),
        # 0.9 · 0.8 = 0.72, times 0.5 falls below; 0.3; 0.6 · 0.4; 0.2.
        (Product(4, 0.45), 4, 3, 3, 4),
        # Fewer than three tokens are no draft: only the first draft stays.
        (Threshold(4, 0.45, 3), 4, 3, 3, 4),
        (Threshold(4, 0.95), 7, 0, 0, 7),
    ],
)
def test_by_hand(policy: Fixed, forwards: int, drafted: int, accepted: int, dropped: int):
    found = replayed(policy)
    assert found.tokens.tolist() == [7]
    assert [int(part[0]) for part in (found.forwards, found.drafted, found.accepted)] == [
        forwards,
        drafted,
        accepted,
    ]
    assert int(found.dropped[0]) == dropped
    assert int(found.by_length.sum()) == forwards
    assert int((found.by_length[0] * np.arange(policy.n_max + 1)).sum()) == drafted


def test_additive_depth_halves_after_a_miss_and_grows_after_a_whole_draft():
    policy, state = Additive(4), {}
    now = np.array([True, True, True])
    assert policy.caps(state, 3).tolist() == [4, 4, 4]
    policy.learn(state, now, np.array([4, 4, 0]), np.array([4, 1, 0]))
    assert policy.caps(state, 3).tolist() == [4, 2, 4]
    policy.learn(state, np.array([True, True, False]), np.array([4, 2, 4]), np.array([0, 2, 0]))
    assert policy.caps(state, 3).tolist() == [2, 3, 4]


def test_pausing_waits_after_two_rounds_in_vain():
    policy, state, now = Pausing(3, patience=2, pause=2), {}, np.array([True])
    seen = []
    for accepted in (0, 0, 0, 0, 1, 0):
        cap = policy.caps(state, 1)
        seen.append(int(cap[0]))
        policy.learn(state, now, cap, np.minimum(cap, accepted))
    assert seen == [3, 3, 0, 0, 3, 3]


def test_a_bandit_ends_at_the_depth_that_gives_most_per_time():
    policy = Bandit(3, step_ms=(1.0, 1.1, 1.2, 9.0))
    state: dict = {}
    for _ in range(60):
        depth = policy.caps(state, 1)
        policy.learn(state, np.array([True]), depth, depth)
    assert int(state["tried"][0].argmax()) == 1


@pytest.mark.parametrize("kind", ["calibrated", "overconfident", "uninformative"])
def test_what_was_logged_comes_out_as_logged(kind: str):
    random = np.random.default_rng(4)
    logs = [answer(random, kind).rounds(6) for _ in range(4)]
    answers = [made for log in logs if (made := guesses(log)) is not None]
    found = walk(texts_of(answers, 6, random), Fixed(6))
    assert found.forwards.tolist() == [len(log.drafted) for log in logs]
    assert found.drafted.tolist() == [int(log.drafted.sum()) for log in logs]
    assert found.accepted.tolist() == [int(log.accepted.sum()) for log in logs]


@given(
    seed=st.integers(0, 50), n_max=st.integers(1, 6), p_min=st.sampled_from([0.0, 0.3, 0.7, 1.0])
)
def test_counts_add_up(seed: int, n_max: int, p_min: float):
    random = np.random.default_rng(seed)
    made = guesses(answer(random, "calibrated", tokens=40).rounds(6))
    assert made is not None
    texts = texts_of([made], 6, random)
    for policy in (Fixed(n_max, p_min), Product(n_max, p_min), Additive(n_max), Pausing(n_max)):
        found = walk(texts, policy)
        assert (found.forwards + found.accepted >= found.tokens).all()
        assert (found.accepted <= found.drafted).all()
        assert (found.rounds <= found.forwards).all()
        assert found.by_length.sum() == found.forwards.sum()
