from __future__ import annotations

import os
import signal

import pytest

from analysis.runner.interrupts import Interrupts
from analysis.runner.progress import Progress, outcome


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


def test_what_came_of_a_request() -> None:
    assert outcome(RECORD) == "50.0 tok/s, 4/9 accepted"
    assert outcome(RECORD | {"draft_tokens": 0}) == "50.0 tok/s"
    assert outcome(RECORD | {"timings": {"predicted_n": 1, "predicted_ms": 0}}) == (
        "no rate, 4/9 accepted"
    )
    failed = {"record": "error", "kind": "http", "message": "HTTP 500"}
    assert outcome(failed) == "failed (http): HTTP 500"
