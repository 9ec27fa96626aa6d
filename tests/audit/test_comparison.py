from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from analysis.audit import CHECKS, audit, audit_runs
from analysis.records import Finding, Run

Make = Callable[..., object]


@pytest.fixture(scope="session")
def found(campaign: Make) -> Callable[..., list[Finding]]:
    def look(code: str, *runs: Run, baseline: str | None = None) -> list[Finding]:
        return [f for f in audit(campaign(*runs, baseline=baseline)) if f.code == code]

    return look


def test_outputs_that_diverged(task: Make, run: Make, found: Make) -> None:
    same = run("x", task("a", 54), task("b", 192), task("c", 17))
    other = run("y", task("a", 60), task("b", 192), task("c", 17))
    third = run("z", task("a", 57), task("b", 192), task("c", 15))
    assert found("outputs-diverged", same, run("y", *same.tasks)) == []
    (finding,) = found("outputs-diverged", same, other, third)
    assert (finding.level, finding.where) == ("warning", "campaign")
    assert finding.message == (
        "predicted tokens differ between configurations in 2 of 3 tasks: a (54 to 60), c (15 to 17)"
    )


def test_one_configuration_cannot_diverge(task: Make, run: Make, found: Make) -> None:
    assert found("outputs-diverged", run("x", task("a", 54), task("b", 60))) == []


def test_a_task_in_one_run_only_or_of_unknown_length_did_not_diverge(
    task: Make, run: Make, found: Make
) -> None:
    x, y = run("x", task("a", 54), task("b", 60)), run("y", task("a", 54), task("c", 61))
    assert found("outputs-diverged", x, y) == []
    assert found("outputs-diverged", x, run("y", task("a", None))) == []


def test_a_failed_request_did_not_diverge(task: Make, run: Make, found: Make) -> None:
    failed = task("a", None, None, None, None, error="HTTP 500")
    assert found("outputs-diverged", run("x", task("a", 54)), run("y", failed)) == []


def test_logs_alone_are_not_compared(task: Make, run: Make) -> None:
    findings = audit_runs([run("x", task("a", 54)), run("y", task("b", 60), task("a", 55))])
    assert [f.code for f in findings] == ["single-run"]


def test_a_missing_task(task: Make, run: Make, found: Make) -> None:
    x, y = run("x", task("a"), task("b"), task("c")), run("y", task("b"))
    assert found("task-missing", x, run("y", *x.tasks)) == []
    (finding,) = found("task-missing", x, y)
    assert (finding.level, finding.where) == ("warning", "y")
    assert finding.message.startswith("y has no result for a, c: ")


def test_a_failed_task_is_a_missing_one(task: Make, run: Make, found: Make) -> None:
    failed = task("b", None, None, None, None, error="HTTP 500")
    (finding,) = found("task-missing", run("x", task("a"), task("b")), run("y", task("a"), failed))
    assert finding.message.startswith("y has no result for b: ")


def test_no_baseline(task: Make, run: Make, found: Make) -> None:
    (finding,) = found("no-baseline", run("x", task("a", 100, 90, 60)))
    assert (finding.level, finding.where) == ("warning", "campaign")
    assert found("no-baseline", run("x", task()), baseline="x") == []


def test_a_run_that_drafted_nothing_may_be_the_baseline(task: Make, run: Make, found: Make) -> None:
    fast, still = run("x", task("a", 100, 90, 60)), run("y", task("a"))
    (finding,) = found("baseline-undeclared", fast, still)
    assert (finding.level, finding.where) == ("warning", "y")
    assert found("no-baseline", fast, still) == []
    assert found("baseline-undeclared", fast, still, baseline="y") == []
    # Counts that are missing, a method that found nothing, and a simulation are no baseline.
    for other in (
        run("y", task("a"), task("b", 100, None, None)),
        run("y", task("a"), spec_type="ngram-mod"),
        run("y", task("a"), synthetic=True),
    ):
        assert found("baseline-undeclared", fast, other) == []
        assert len(found("no-baseline", fast, other)) == 1


def test_a_baseline_that_drafted(task: Make, run: Make, found: Make) -> None:
    drafted = run("x", task("a"), task("b", 100, 90, 60), spec_type="none")
    (finding,) = found("baseline-drafted", drafted, baseline="x")
    assert (finding.level, finding.where) == ("error", "x")
    assert "drafted 90 tokens" in finding.message
    assert len(found("baseline-drafted", drafted)) == 1
    assert len(found("baseline-drafted", replace(drafted, spec_type=None), baseline="x")) == 1
    assert found("baseline-drafted", run("x", task("a"), spec_type="none"), baseline="x") == []
    assert found("baseline-drafted", replace(drafted, spec_type="draft-mtp")) == []


def test_one_repeat_only(task: Make, run: Make, found: Make) -> None:
    (finding,) = found("single-run", run("x", task()), run("y", task()))
    assert finding.level == "note"
    assert found("single-run", run("x", task()), run("x", task(repeat=2))) == []
    assert found("single-run") == []


def test_a_synthetic_run_is_named(task: Make, run: Make, found: Make) -> None:
    assert found("synthetic-acceptance", run("x", task())) == []
    coins = [run("coin", task(), synthetic=True), run("coin", task(repeat=2), synthetic=True)]
    (finding,) = found("synthetic-acceptance", run("x", task()), *coins)
    assert (finding.level, finding.where) == ("warning", "coin")


@pytest.mark.parametrize("code", CHECKS)
def test_every_code_is_explained(code: str) -> None:
    check = CHECKS[code]
    assert check.code == code
    assert check.level in {"error", "warning", "note"}
    assert "\n" not in f"{check.title}{check.why}{check.remedy}"
    assert check.title[0].isupper()
    assert not check.title.endswith(".")
    assert check.why.endswith(".")
    assert check.remedy.endswith(".")


def test_a_method_that_drafted_nothing_is_said_to_be_no_speculation(
    task: Make, run: Make, found: Make
) -> None:
    plain = run("plain", task("a"), task("b"), spec_type="none")
    idle = run("idle", task("a", 100, 0, 0), task("b", 100, 0, 0), spec_type="ngram-simple")
    (finding,) = found("nothing-drafted", plain, idle, baseline="plain")
    assert (finding.level, finding.where) == ("warning", "idle")
    seldom = run("idle", task("a", 100, 0, 0), task("b", 100, 1, 0), spec_type="ngram-simple")
    unsaid = run("idle", task("a", 100, 0, 0), task("b", 100, None, None), spec_type="ngram-simple")
    for other in (seldom, unsaid):
        assert found("nothing-drafted", plain, other, baseline="plain") == []
    assert found("nothing-drafted", plain, idle) == []
