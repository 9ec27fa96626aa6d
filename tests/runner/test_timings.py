"""Timings are believed or refused, and nothing else ever comes of them."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.runner.deadline import ExchangeError
from analysis.runner.timings import read_timings, since_first_token

RIGHT: dict[str, Any] = {
    "cache_n": 0,
    "prompt_n": 44,
    "prompt_ms": 276.98,
    "prompt_per_second": 158.86,
    "predicted_n": 140,
    "predicted_ms": 1667.16,
    "predicted_per_second": 83.375,
    "draft_n": 242,
    "draft_n_accepted": 130,
}
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=3),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=2), st.integers(), max_size=1),
)


@given(st.dictionaries(st.sampled_from([*RIGHT, "else"]), VALUES), st.booleans())
def test_any_value_is_believed_or_refused(changed: dict[str, Any], whole: bool) -> None:
    sent = {**RIGHT, **changed} if whole else changed
    since_first_token(sent)
    with suppress(ExchangeError):
        found = read_timings(sent, 192, 2.0)
        assert 1 <= found.predicted_tokens <= 192
        assert 0 <= found.accepted_tokens <= found.draft_tokens
        assert all(0 <= value < 2**53 for value in found.sent.values())


def changed(**values: Any) -> dict[str, Any]:
    return {**RIGHT, **values}


@pytest.mark.parametrize(
    ("sent", "wall_s", "believed"),
    [
        (RIGHT, 1.95, True),
        # Builds divide n or n - 1 tokens by the time; 1 % beside either is none of them.
        (changed(predicted_per_second=83.97), 1.95, True),
        (changed(predicted_per_second=84.9), 1.95, False),
        (changed(predicted_per_second=82.6), 1.95, True),
        (changed(predicted_per_second=82.5), 1.95, False),
        # Too short a time is none, and a rate by it says nothing.
        (changed(predicted_ms=0.009, predicted_per_second=0.0), 1.95, True),
        (changed(predicted_ms=0.02, predicted_per_second=0.0), 1.95, False),
        (changed(predicted_per_second=None), 1.95, True),
        # 1.944 s of work fit into 5 % and 50 ms less, and no further.
        (RIGHT, 1.81, True),
        (RIGHT, 1.80, False),
        # One token: nothing was timed.
        (
            changed(predicted_n=1, predicted_ms=0.001, predicted_per_second=0, draft_n_accepted=0),
            1.0,
            True,
        ),
        (changed(predicted_n=193, predicted_per_second=115.2), 1.95, False),
        (changed(predicted_n=192, predicted_per_second=115.2), 1.95, True),
        (changed(draft_n=129), 1.95, False),
        (changed(draft_n=130), 1.95, True),
        (changed(predicted_n=140.0, draft_n=242.0), 1.95, True),
        (changed(layers=[1, 2], note="new"), 1.95, True),
    ],
)
def test_thresholds(sent: dict[str, Any], wall_s: float, believed: bool) -> None:
    if believed:
        found = read_timings(sent, 192, wall_s)
        assert set(found.sent) == {key for key in RIGHT if sent[key] is not None}
        assert type(found.sent["predicted_n"]) is int
    else:
        with pytest.raises(ExchangeError):
            read_timings(sent, 192, wall_s)


@pytest.mark.parametrize(
    ("timings", "since"),
    [
        (changed(), 1.66716),
        (changed(predicted_n=0), None),
        (changed(predicted_ms=float("nan")), None),
        (changed(predicted_ms=-1), None),
        (changed(predicted_ms="1"), None),
        (None, None),
        ([], None),
    ],
)
def test_how_long_ago_the_first_token_was(timings: object, since: float | None) -> None:
    assert since_first_token(timings) == since
