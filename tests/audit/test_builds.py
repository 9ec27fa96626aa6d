"""What builds of llama.cpp count differently."""

from __future__ import annotations

import doctest
from collections.abc import Callable

import pytest

from analysis.audit import audit, audit_runs, builds
from analysis.records import Finding

Make = Callable[..., object]


@pytest.fixture(scope="session")
def found(campaign: Make) -> Callable[..., list[Finding]]:
    def look(code: str, *runs: object, **fields: object) -> list[Finding]:
        return [f for f in audit(campaign(*runs, **fields)) if f.code == code]

    return look


def test_examples() -> None:
    assert doctest.testmod(builds).failed == 0


def test_mixed_builds(task: Make, run: Make, found: Make) -> None:
    x, y = run("x", task(), build="b9831"), run("y", task(), build="b10434")
    (finding,) = found("builds-mixed", x, y)
    assert finding.message == "the build is not the same in all runs (b9831: x; b10434: y)"
    assert found("builds-mixed", x, run("y", task(), build="b9831")) == []
    assert found("builds-mixed", x, run("y", task())) == []
    assert [f for f in audit_runs([x, y]) if f.code == "builds-mixed"] == []


def test_mixed_samplers(task: Make, run: Make, found: Make) -> None:
    x, y = run("x", task(), temperature=0.0), run("y", task(), temperature=0.8)
    (finding,) = found("samplers-mixed", x, y)
    assert finding.message == (
        "the sampler is not the same in all runs (temperature 0: x; temperature 0.8: y)"
    )
    assert found("samplers-mixed", x, run("y", task(), temperature=0.0)) == []


def test_conventions_that_differ(task: Make, run: Make, found: Make) -> None:
    x, y = run("x", task(), build="b9174"), run("y", task(), build="b10570")
    (finding,) = found("rate-convention", x, y)
    assert finding.message == (
        "tok/s of x counts n tokens; tok/s of y counts n - 1 tokens: short requests differ by up "
        "to 1/n"
    )
    assert found("rate-convention", x, run("y", task())) == []


def test_acceptance_that_replays_inflate(task: Make, run: Make, found: Make) -> None:
    drafting = run("x", task("a", 192, 100, 60))
    (finding,) = found("checkpoint-inflated", drafting, conditions={"build": "b9831"})
    assert (finding.level, finding.where) == ("note", "x.log:1-9")
    assert "build b9831 counts one token too many" in finding.message
    assert found("checkpoint-inflated", drafting, conditions={"build": "b10434"}) == []
    assert found("checkpoint-inflated", drafting, conditions={"build": "b9831 or newer"}) == []
    assert (
        found("checkpoint-inflated", run("x", task("a", 192)), conditions={"build": "b9831"}) == []
    )
    vllm = run("x", *drafting.tasks, format="vllm-log", build="b9831")
    assert found("checkpoint-inflated", vllm) == []


@pytest.mark.parametrize(("build", "inflated"), [("b10200", True), ("b10201", False)])
def test_a_checkpoint_s_token_is_counted_up_to_a_build(
    build: str, inflated: bool, task: Make, run: Make, found: Make
) -> None:
    made = run("x", task("a", 192, 100, 50), build=build)
    assert bool(found("checkpoint-inflated", made)) is inflated
