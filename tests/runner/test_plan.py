from __future__ import annotations

import os
import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.runner.configurations import Configuration
from analysis.runner.interrupts import Interrupts
from analysis.runner.plan import Planned, interleaved
from analysis.runner.progress import Progress, duration, outcome


def planned(*ids: str) -> list[Planned]:
    return [Planned(Configuration(id), (), None, None) for id in ids]


@given(st.integers(1, 8), st.integers(1, 6), st.integers(0, 2**32 - 2))
def test_every_second_repeat_runs_backwards(n: int, repeats: int, seed: int) -> None:
    names = [f"run-{number}" for number in range(n)]
    steps = interleaved(planned(*names), repeats, seed)
    order = [step.planned.id for step in steps]
    parts = [order[start : start + n] for start in range(0, len(order), n)]
    assert [step.repeat for step in steps] == [r for r in range(1, repeats + 1) for _ in range(n)]
    assert sorted(parts[0]) == sorted(names)
    assert all(
        part == (parts[0] if at % 2 == 0 else parts[0][::-1]) for at, part in enumerate(parts)
    )
    assert steps == interleaved(planned(*names), repeats, seed)


def test_steady_drift_meets_all_configurations_alike() -> None:
    steps = interleaved(planned("a", "b", "c"), 2, 1)
    places: dict[str, int] = {}
    for at, step in enumerate(steps):
        places[step.planned.id] = places.get(step.planned.id, 0) + at
    assert len(set(places.values())) == 1


def test_an_interrupt_waits_until_a_record_is_written() -> None:
    interrupts = Interrupts()
    done = []

    def work() -> None:
        with interrupts.handled():
            with interrupts.held_back():
                os.kill(os.getpid(), signal.SIGTERM)
                done.append("written")
            done.append("never")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["written"]
    # Afterwards the signals are Python's again.
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_what_is_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Interrupts().handled():
            os.kill(os.getpid(), signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


class Terminal:
    """Keeps what is written, and says that it is a terminal."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return True


RECORD = {
    "record": "request",
    "run": "d",
    "repeat": 2,
    "task": "qa_factual",
    "draft_tokens": 9,
    "accepted_tokens": 4,
    "timings": {"predicted_n": 8, "predicted_ms": 160.0},
}


def test_on_a_terminal_there_is_a_bar() -> None:
    terminal = Terminal()
    progress = Progress(2, terminal)
    with progress.shown():
        progress.starting("d", 2)
        progress.asking("d", 2, "qa_factual")
        progress.done(RECORD, 0.1)
        progress.say("a line\x1b[2J")
    assert "d #2: qa_factual" in terminal.text
    assert "50.0 tok/s, 4/9 accepted" in terminal.text
    assert "1/2" in terminal.text
    assert "a line?[2J" in terminal.text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (59.6, "1 min 0 s"), (3599.6, "1 h 0 min"), (7320, "2 h 2 min")],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_what_came_of_a_request() -> None:
    assert outcome(RECORD) == "50.0 tok/s, 4/9 accepted"
    assert outcome(RECORD | {"draft_tokens": 0}) == "50.0 tok/s"
    assert outcome(RECORD | {"timings": {"predicted_n": 1, "predicted_ms": 0}}) == (
        "no rate, 4/9 accepted"
    )
    failed = {"record": "error", "kind": "http", "message": "HTTP 500"}
    assert outcome(failed) == "failed (http): HTTP 500"
