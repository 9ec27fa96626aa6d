"""Lines and events are the same however a stream is cut into pieces."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.runner.deadline import ExchangeError
from analysis.runner.event_stream import events, lines

STREAM = st.lists(
    st.sampled_from(
        [b"\n", b"\r", b"\r\n", b"data: a", b"b", b":", b"id", "é\u2028".encode(), b" "]
    )
).map(b"".join)


def cut(data: bytes, at: list[int]) -> list[bytes]:
    places = [0, *sorted(place % (len(data) + 1) for place in at), len(data)]
    return [data[begin:end] for begin, end in pairwise(places)]


@given(STREAM, st.lists(st.integers(0, 10**6), max_size=8))
def test_pieces_do_not_matter(data: bytes, at: list[int]) -> None:
    assert list(lines(cut(data, at))) == list(lines([data]))
    assert list(events(cut(data, at))) == list(events([data]))


@given(STREAM)
def test_lines_end_at_three_things_only(data: bytes) -> None:
    plain = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    assert list(lines([data])) == plain.split(b"\n")[:-1]


@pytest.mark.parametrize(("length", "fits"), [(16, True), (17, False)])
def test_a_line_is_as_long_as_it_may_be(length: int, fits: bool) -> None:
    pieces = [b"x"] * length
    if fits:
        assert list(lines([*pieces, b"\n"], longest=16)) == [b"x" * 16]
    else:
        with pytest.raises(ExchangeError, match="longer than"):
            list(lines(pieces, longest=16))


def test_what_events_hold() -> None:
    data = b": hi\ndata: 1\nretry: 3\ndata:2\n\nid: 7\n\nerror: {}\ndata: [DONE]\n"
    assert list(events([data])) == [("data", b"1\n2"), ("error", b"{}"), ("data", b"[DONE]")]
    # Anything else that is not finished is none.
    assert list(events([b"data: 1\n"])) == []
