from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.depths.draft_lengths import rounds_by_depth
from tests.simulator import request, world


@given(st.integers(1, 12), st.integers(1, 60), st.integers(1, 4), st.data())
def test_rounds_draft_what_was_drafted(
    depth: int, forwards: int, requests: int, data: st.DataObject
) -> None:
    drafted = data.draw(st.integers(1, depth * forwards))
    rounds = rounds_by_depth(depth, forwards, drafted, requests)
    assert (rounds >= -1e-12).all()
    assert rounds @ np.arange(1, depth + 1) == pytest.approx(drafted)
    assert rounds.sum() <= forwards + 1e-6


def test_pooled_requests_end_once_each() -> None:
    # Four requests of ten rounds of three, each of which ends one token short.
    assert rounds_by_depth(3, 40, 116, 4) == pytest.approx([0, 4, 36])


def test_short_drafts_at_the_end_are_where_they_happen() -> None:
    random = np.random.default_rng(4)
    truth = world("flat", random)
    counted, told = np.zeros(5), np.zeros(5)
    for _ in range(40):
        for place in range(len(truth.tasks)):
            made = request(truth, place, 5, random)
            counted += np.bincount(made.rounds.drafted, minlength=6)[1:]
            told += rounds_by_depth(5, len(made.rounds.drafted), made.draft_tokens)
    assert told == pytest.approx(counted, rel=0.25)
