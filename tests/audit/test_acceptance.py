"""Acceptance that no user gets, and acceptance of several definitions."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from analysis.audit import audit_runs
from analysis.records import Aggregate, Finding, Positions, Source

Make = Callable[..., object]


def found(code: str, *runs: object) -> list[Finding]:
    return [finding for finding in audit_runs(runs) if finding.code == code]


def test_nearly_everything_accepted(task: Make, run: Make) -> None:
    rows = [task("a", 192, 150, 148), task("b", 192, 120, 119)]
    (finding,) = found("acceptance-suspicious", run("x", *rows))
    assert (finding.level, finding.where) == ("warning", "x.log:1-9")
    assert finding.message == (
        "x: 267 of 270 drafted tokens accepted with the temperature not recorded"
    )
    (finding,) = found("acceptance-suspicious", run("x", *rows, temperature=0.8))
    assert finding.message.endswith("at temperature 0.8")


@pytest.mark.parametrize(
    "fields",
    [{"temperature": 0.0}, {"p_min": 0.75}, {"synthetic": True}],
    ids=["greedy", "doubtful drafts dropped", "by coin"],
)
def test_where_it_is_explained(task: Make, run: Make, fields: dict[str, object]) -> None:
    assert found("acceptance-suspicious", run("x", task("a", 192, 150, 150), **fields)) == []


def test_few_drafts_or_a_plain_miss_are_not_suspicious(task: Make, run: Make) -> None:
    assert found("acceptance-suspicious", run("x", task("a", 192, 99, 99))) == []
    assert found("acceptance-suspicious", run("x", task("a", 192, 150, 145))) == []
    # More accepted than drafted is another finding.
    assert found("acceptance-suspicious", run("x", task("a", 192, 150, 151))) == []


@pytest.mark.parametrize(
    ("drafted", "accepted", "suspicious"),
    [(100, 97, True), (100, 96, False), (99, 99, False), (101, 101, True)],
)
def test_acceptance_is_suspicious_from_97_in_a_hundred_drafted(
    drafted: int, accepted: int, suspicious: bool, task: Make, run: Make
) -> None:
    made = run("x", task("a", 192, drafted, accepted))
    assert bool(found("acceptance-suspicious", made)) is suspicious


def test_repeats_with_identical_counts(task: Make, run: Make) -> None:
    same = [task("a", 192, 150, 90, 40.0 + n, repeat=n) for n in (1, 2, 3)]
    (finding,) = found("repeats-identical", run("x", *same))
    assert (finding.level, finding.message) == (
        "note",
        "x: every repeat of 1 task has the same counts: its spread is that of the clock, not of "
        "the text",
    )
    parts = [run("x", one) for one in same]
    assert len(found("repeats-identical", *parts)) == 1
    assert found("repeats-identical", run("x", *same, task("a", 192, 150, 91, repeat=4))) == []
    # Equal counts of different tasks are no repeats.
    assert found("repeats-identical", run("x", task("a", 192, 9, 3), task("b", 192, 9, 3))) == []


def test_a_drafter_that_remembers(task: Make, run: Make) -> None:
    rows = [task("a", 192, 100, 20, repeat=1), task("a", 192, 100, 99, repeat=2)]
    (finding,) = found("stateful-drafter", run("x", *rows, spec_type="ngram-mod,draft-mtp"))
    assert finding.message == (
        "x: ngram-mod remembers earlier requests, and 1 task was repeated; acceptance rose in a"
    )
    assert found("stateful-drafter", run("x", rows[0], spec_type="ngram-mod")) == []
    assert found("stateful-drafter", run("x", *rows, spec_type="ngram-simple")) == []
    fresh = run("x", *rows, spec_type="ngram-mod", fresh_servers=True)
    assert found("stateful-drafter", fresh) == []


@pytest.mark.parametrize(("later", "rose"), [(29, False), (31, True)])
def test_acceptance_that_rises_by_a_tenth(later: int, rose: bool, task: Make, run: Make) -> None:
    rows = [task("a", 192, 100, 20, repeat=1), task("a", 192, 100, later, repeat=2)]
    (finding,) = found("stateful-drafter", run("x", *rows, spec_type="ngram-mod"))
    assert finding.message.endswith("; acceptance rose in a") is rose


def test_counters_since_the_start(task: Make, run: Make) -> None:
    (finding,) = found("counters-cumulative", run("x", cumulative=True))
    assert finding.message == "x: the counts are those since the engine started"
    grown = [task(f"t{n}", 100, 200 * n, 60 * n) for n in (1, 2, 3, 4)]
    (finding,) = found("counters-cumulative", run("x", *grown))
    assert "only grow from request to request" in finding.message
    # Growing is not enough: it must be impossible, and three rows are chance.
    assert found("counters-cumulative", run("x", *grown[:3])) == []
    possible = [task(f"t{n}", 1000, 200 * n, 60 * n) for n in (1, 2, 3, 4)]
    assert found("counters-cumulative", run("x", *possible)) == []
    # The last one accepts 240: of as many predicted it can't, for the first token is no draft's.
    for predicted, number in ((240, 1), (241, 0)):
        grown = [task(f"t{n}", predicted, 200 * n, 60 * n) for n in (1, 2, 3, 4)]
        assert len(found("counters-cumulative", run("x", *grown))) == number


def test_definitions_that_differ(task: Make, run: Make) -> None:
    one, other = run("x", task("a", 192, 100, 50)), run("y", task("a", 192, 100, 80))
    assert found("definitions-mixed", one, other) == []
    anywhere = run("y", *other.tasks, acceptance_definition="accepted-anywhere/drafted")
    (finding,) = found("definitions-mixed", one, anywhere)
    assert (finding.level, finding.where) == ("warning", "all runs")
    assert finding.message == (
        "acceptance is not the same quantity in all runs (accepted/drafted: x; "
        "accepted-anywhere/drafted: y)"
    )
    # A run that drafted nothing has no acceptance to compare.
    plain = run("y", task("a"), acceptance_definition="accepted/draft-steps")
    assert found("definitions-mixed", one, plain) == []


def test_curves_that_count_differently(task: Make, run: Make) -> None:
    all_rounds = Positions((0.9, 0.7))
    drafted = Positions((0.9, 0.8), definition="drafted-rounds")
    x = run("x", task("a", 192, 100, 50, positions=all_rounds))
    total = Aggregate(Source("y.log"), draft_tokens=9, accepted_tokens=5, positions=drafted)
    y = run("y", aggregate=total)
    (finding,) = found("definitions-mixed", x, y)
    assert finding.message.startswith("acceptance by position is not the same quantity")
