"""Findings on greedy outputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from analysis.audit import audit
from analysis.records import Finding, Run

Make = Callable[..., object]


@pytest.fixture(scope="session")
def found(campaign: Make) -> Callable[..., list[Finding]]:
    def look(*runs: Run) -> list[Finding]:
        findings = audit(campaign(*runs, baseline="plain"))
        return [finding for finding in findings if finding.code.startswith("greedy-")]

    return look


@pytest.fixture(scope="session")
def greedy(run: Make, task: Make) -> Callable[..., Run]:
    def make(id: str, **tasks: Sequence[tuple[int, ...]]) -> Run:
        made = [
            task(name, repeat=repeat, output_hash=str(tokens), tokens=tokens)
            for name, outputs in tasks.items()
            for repeat, tokens in enumerate(outputs, start=1)
        ]
        return run(id, *made, temperature=0.0, prompt_set="p")

    return make


def test_a_difference_with_a_control_that_holds_is_a_warning(greedy: Make, found: Make):
    plain = greedy("plain", a=[(1, 2, 3)] * 2, b=[(1,)] * 2)
    (finding,) = found(plain, greedy("fast", a=[(1, 2, 4)], b=[(1,)]))
    assert (finding.level, finding.code, finding.where) == ("warning", "greedy-differs", "fast")
    assert finding.message == (
        "fast does not give the baseline's greedy output in 1 of 2 tasks, although the baseline "
        "repeats its own there: a (from token 3)"
    )


def test_a_difference_without_a_control_is_a_note(greedy: Make, found: Make):
    (finding,) = found(greedy("plain", a=[(1, 2)]), greedy("fast", a=[(1, 3)]))
    assert (finding.level, finding.code) == ("note", "greedy-unstable")
    assert "the baseline was measured once, so nothing follows from it" in finding.message


def test_a_difference_where_the_control_fails_is_a_note(greedy: Make, found: Make):
    plain = greedy("plain", a=[(1, 2), (1, 4)])
    (finding,) = found(plain, greedy("fast", a=[(1, 3)]))
    assert (finding.level, finding.code) == ("note", "greedy-unstable")
    assert "does not repeat its own everywhere either" in finding.message


def test_equal_outputs_are_said_once_for_the_campaign(greedy: Make, found: Make):
    plain = greedy("plain", a=[(1,)], b=[(2,)])
    (finding,) = found(plain, greedy("fast", a=[(1,)]), greedy("deep", b=[(2,)]))
    assert (finding.level, finding.code, finding.where) == ("note", "greedy-identical", "campaign")
    assert finding.message == "greedy outputs are the baseline's in all 2 tasks of fast, deep"


def test_nothing_is_said_where_nothing_was_compared(run: Make, task: Make, found: Make):
    assert found(run("plain", task("a")), run("fast", task("a"))) == []
