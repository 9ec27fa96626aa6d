"""One measurement that stands in a campaign twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from analysis.audit import audit, audit_runs
from analysis.campaigns.campaign import load
from analysis.records import Finding, Source

Make = Callable[..., object]


def found(*runs: object) -> list[Finding]:
    return [finding for finding in audit_runs(runs) if finding.code == "measured-once"]


def rows(task: Make, *, last: float = 12.5, repeat: int = 1, file: str = "a.log") -> list[object]:
    rates = [10.5, 11.5, last]
    return [
        task(f"t{n}", 100, tps=rate, repeat=repeat, source=Source(file, n + 1))
        for n, rate in enumerate(rates)
    ]


def test_repeats_with_the_same_rates_are_one_measurement(task: Make, run: Make) -> None:
    first = run("plain", *rows(task), wall_s=30.0)
    again = run("plain", *rows(task, repeat=2, file="b.log"), wall_s=30.0)
    again = replace(again, source=Source("b.log", 1, 9))
    (finding,) = found(first, again)
    assert (finding.level, finding.where) == ("warning", "b.log:1")
    assert finding.message == (
        "plain (repeat 1, a.log:1), plain (repeat 2, b.log:1): the same counts and the same rates "
        "in all 3 tasks: the same measurement is here twice"
    )
    # Within one log too, and under another name.
    (within,) = found(run("plain", *rows(task), *rows(task, repeat=2, file="b.log")))
    assert within.where == "b.log:1"
    (named,) = found(first, replace(again, id="fast"))
    assert named.message.startswith("plain, fast: the same counts")


def test_one_figure_that_differs_is_another_measurement(task: Make, run: Make) -> None:
    first = run("plain", *rows(task), wall_s=30.0)
    other = replace(run("plain", *rows(task, repeat=2), wall_s=31.0), source=Source("b.log", 1, 9))
    assert found(first, other) == []
    slower = replace(
        run("plain", *rows(task, repeat=2, last=12.4), wall_s=30.0), source=Source("b.log", 1, 9)
    )
    assert found(first, slower) == []
    # Of two tasks the printed rates may agree by chance.
    few = [run("x", *rows(task)[:2]), replace(run("y", *rows(task)[:2]), source=Source("y", 1))]
    assert found(*few) == []


def test_one_log_that_two_entries_name(tmp_path: Path, write_campaign: Make) -> None:
    entry = '[[runs]]\nid = "plain"\nlog = "plain.log"\n'
    loaded = load(write_campaign(tmp_path / "made", entry * 2))
    (finding,) = [one for one in audit(loaded) if one.code == "measured-once"]
    assert finding.where == "plain.log:1"
    assert finding.message.startswith(
        "plain (repeat 1, plain.log:1), plain (repeat 2, plain.log:1)"
    )
