"""Confidences of drafted tokens, as servers print them at -lv 5."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis import parsers
from analysis.parsers import Document
from analysis.parsers.llama_server.reader import Reader
from analysis.records import Rounds
from tests.parsers.server_log import Asked, clock, new

TEXTS = ["'", "\n", "''", " (   0.999) '", "é", "\r\n", " | task 3 | accepted  9/ 9 draft tokens"]


def candidates(
    sure: list[float], slot: int = 0, at_ms: float = 1100.0, first: int = 0, tag: str = "spec"
) -> list[str]:
    """Three candidates of each place, the first one with its probability."""
    begin = {"spec": "D spec        draft: ", "bare": "D "}[tag]
    return [
        f"{clock(at_ms + place)} {begin} - seq_id {slot}, draft candidate {rank:3d}, "
        f"pos {first + place:3d}: {198 + place:6d} ({value if not rank else 0.001:8.3f}) "
        f"'{TEXTS[(place + rank) % len(TEXTS)]}'"
        for place, value in enumerate(sure)
        for rank in range(3)
    ]


def request(
    drafts: list[tuple[list[float], int, int]], task: int = 0, slot: int = 0, **how: object
) -> list[str]:
    """A request whose rounds have these (confidences, drafted, accepted)."""
    predicted = 2 + sum(hits + 1 for _, _, hits in drafts) - bool(drafts)
    asked = Asked(predicted=predicted, rounds=tuple((drafted, hits) for _, drafted, hits in drafts))
    lines = new(asked, task, slot)
    found = [n for n, line in enumerate(lines) if " draft tokens" in line]
    assert len(found) == len(drafts)
    for place, (sure, _, _) in reversed(list(zip(found, drafts, strict=True))):
        lines[place:place] = candidates(sure, slot, **how)
    return lines


def rounds(lines: list[str], task: int = 0) -> Rounds:
    (run,) = parsers.parse(Document("server.log", "\n".join(lines) + "\n"))
    found = run.tasks[task].rounds
    assert found is not None
    return found


def test_every_round_has_the_confidences_of_its_draft():
    found = rounds(request([([0.5, 0.25, 0.75], 3, 1), ([0.9], 1, 1), ([0.125, 0.1], 2, 0)]))
    assert found.confidence is not None
    expected = [[0.5, 0.25, 0.75], [0.9, np.nan, np.nan], [0.125, 0.1, np.nan]]
    np.testing.assert_allclose(found.confidence, np.float32(expected))


def test_a_token_that_was_dropped_follows_the_drafted_ones():
    found = rounds(request([([0.5, 0.25], 1, 1), ([0.9, 0.8], 2, 2)]))
    assert found.confidence is not None
    np.testing.assert_allclose(found.confidence, np.float32([[0.5, 0.25], [0.9, 0.8]]))


@pytest.mark.parametrize("how", [{"first": 1, "tag": "bare"}, {"tag": "bare"}])
def test_block_drafters_print_without_a_tag_and_may_count_from_one(how: dict):
    found = rounds(request([([0.5, 0.25, 0.75], 3, 1)], **how))
    assert found.confidence is not None
    np.testing.assert_allclose(found.confidence, np.float32([[0.5, 0.25, 0.75]]))


def test_a_drafter_that_prints_none_leaves_none_and_a_chain_leaves_some():
    assert rounds(request([([], 3, 1), ([], 2, 2)])).confidence is None
    mixed = rounds(request([([], 3, 1), ([0.5, 0.25], 2, 2)]))
    assert mixed.confidence is not None
    np.testing.assert_allclose(mixed.confidence, np.float32([[np.nan, np.nan], [0.5, 0.25]]))


def test_lines_that_were_lost_cost_their_round_only():
    lines = request([([0.5, 0.25, 0.75], 3, 1), ([0.9], 1, 1)])
    lost = next(n for n, line in enumerate(lines) if "candidate   0, pos   1" in line)
    found = rounds(lines[:lost] + lines[lost + 1 :])
    assert found.confidence is not None
    assert np.isnan(found.confidence[0]).all()
    assert found.confidence[1, 0] == np.float32(0.9)


def test_two_slots_at_once_keep_theirs():
    one = request([([0.5, 0.25], 2, 1), ([0.75], 1, 1)], task=0, slot=0)
    other = request([([0.9, 0.8], 2, 2), ([0.7], 1, 0)], task=1, slot=1)
    mixed = [
        line for pair in itertools.zip_longest(one, other, fillvalue="") for line in pair if line
    ]
    (run,) = parsers.parse(Document("server.log", "\n".join(mixed) + "\n"))
    found = {task.rounds.confidence[0, 0]: task.rounds for task in run.tasks}
    assert set(found) == {np.float32(0.5), np.float32(0.9)}
    np.testing.assert_allclose(
        found[np.float32(0.9)].confidence, np.float32([[0.9, 0.8], [0.7, np.nan]])
    )


def test_a_text_that_quotes_a_candidate_is_none():
    (quoted, *_) = candidates([0.9])
    lines = request([([0.5], 1, 1)])
    place = next(n for n, line in enumerate(lines) if " draft tokens" in line)
    lines.insert(place, f'{clock(1099)} D srv request: {{"content": "{quoted}"}}')
    found = rounds(lines)
    assert found.confidence is not None
    np.testing.assert_allclose(found.confidence, np.float32([[0.5]]))


def test_when_a_draft_was_whole_is_by_the_same_clock_as_its_round():
    found = rounds(request([([0.5, 0.25], 2, 1)], at_ms=1000.0))
    assert found.whole_s is not None
    assert found.at_s is not None
    assert found.whole_s[0] < found.at_s[0]
    assert found.whole_s[0] - found.at_s[0] == pytest.approx((1001 - 1000 * _first_ms()) / 1000)


def _first_ms() -> float:
    lines = new(Asked(predicted=40, rounds=((2, 1),)))
    (line,) = [line for line in lines if " draft tokens" in line]
    minutes, seconds, millis, micros = line.split(" ", 1)[0].split(".")
    return int(minutes) * 60 + int(seconds) + int(millis) / 1000 + int(micros) / 1e6


@given(cut=st.integers(1, 400), seed=st.integers(0, 9))
def test_pieces_of_any_length_give_the_same(cut: int, seed: int):
    random = np.random.default_rng(seed)
    drafts = []
    for _ in range(6):
        drafted = int(random.integers(1, 5))
        sure = np.round(random.random(drafted), 3).tolist()
        drafts.append((sure, drafted, int(random.integers(0, drafted + 1))))
    raw = ("\n".join(request(drafts)) + "\n").encode()
    whole = Reader("a.log", "llama-server").read([raw])
    parts = Reader("a.log", "llama-server").read(
        [raw[at : at + cut] for at in range(0, len(raw), cut)]
    )
    first, second = (reader[0].record().tasks[0].rounds for reader in (whole, parts))
    np.testing.assert_array_equal(first.confidence, second.confidence)
    np.testing.assert_array_equal(first.whole_s, second.whole_s)


TALK = (
    "D que    start_loop: processing new tasks",
    "D que  process_new_: processing task, id = 2",
    "D srv        decode: n_batch (effective) = 2048, off = 0",
    "D slot process_toke: id  0 | task 0 | n_gen = 2, n_remaining = 94, next token:  5367 'load'",
    "D slot handle_last_: id  0 | task 0 | generate_draft: id=3725, #tokens=39, #draft=6",
    "D set_adapters_lora: adapters = (nil)",
    "D spec common_specu: called impl draft-simple, hist size = 39, call_count = 1, gen = 6",
)


@pytest.mark.parametrize("minutes", [0, 7, 1234567])
def test_a_debug_log_s_talk_changes_nothing(minutes: int):
    plain = request([([0.5, 0.25], 2, 1), ([0.9], 1, 1)])
    shown = [line.replace("0.01.", f"{minutes}.01.") for line in plain]
    mixed = [
        each
        for line in shown
        for each in (*(f"{minutes}.01.000.000 {said}" for said in TALK), line)
    ]
    first, second = (
        parsers.parse(Document("server.log", "\n".join(lines) + "\n"))[0].tasks[0]
        for lines in (shown, mixed)
    )
    assert first.predicted_tokens == second.predicted_tokens == 5
    assert (first.draft_tokens, first.decode_s) == (second.draft_tokens, second.decode_s)
    np.testing.assert_array_equal(first.rounds.confidence, second.rounds.confidence)
    np.testing.assert_array_equal(first.rounds.at_s, second.rounds.at_s)


def test_rounds_that_only_debug_lines_tell_have_confidences_too():
    lines = [
        line.replace(" I slot   operator()", " D slot   operator()").replace(
            " draft tokens", " draft tokens, new n_tokens = 40"
        )
        if " draft tokens" in line
        else line
        for line in request([([0.5, 0.25], 2, 1), ([0.9], 1, 1)])
    ]
    found = rounds(lines)
    assert found.drafted.tolist() == [2, 1]
    np.testing.assert_allclose(found.confidence, np.float32([[0.5, 0.25], [0.9, np.nan]]))
