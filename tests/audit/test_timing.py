"""Times that can't be true, and throughputs that are none."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from analysis.audit import audit, audit_runs
from analysis.records import Aggregate, Finding, Source

Make = Callable[..., object]
PLACE = Source("x.log", 12)


def found(code: str, *runs: object) -> list[Finding]:
    return [finding for finding in audit_runs(runs) if finding.code == code]


def test_a_request_shorter_than_its_decoding(task: Make, run: Make) -> None:
    (finding,) = found("wall-too-short", run("x", task("a", 192, tps=10.0, wall_s=15.0)))
    assert (finding.level, finding.where) == ("error", "made.log:1")
    # 191 tokens at 10.05 tok/s at the most: the first may come from prefill, the rate is rounded.
    assert finding.message == "x, a: 15.00 s in all, 19.00 s of them decoding"
    assert found("wall-too-short", run("x", task("a", 192, tps=10.0, wall_s=19.0))) == []
    measured = task("a", 192, tps=10.0, decode_s=14.0, wall_s=15.0)
    assert found("wall-too-short", run("x", measured)) == []


def test_a_total_shorter_than_the_decoding_of_its_rows(task: Make, run: Make) -> None:
    rows = [task("a", 192, tps=10.0), task("b", 192, tps=10.0)]
    (finding,) = found("wall-too-short", run("x", *rows, wall_s=20.0))
    assert finding.where == "x.log:9"
    assert finding.message == "x: 20.00 s in all, 38.01 s of decoding in the rows"
    assert found("wall-too-short", run("x", *rows, wall_s=38.5)) == []
    # Elapsed time may be shorter with several requests at once.
    assert (
        found("wall-too-short", run("x", *rows, aggregate=Aggregate(PLACE, elapsed_s=20.0))) == []
    )
    # A row without a rate, or a mean of several, leaves the sum unknown.
    for other in (task("c", 192, tps=None), task("c", 192, tps=1.0, pooled=3)):
        assert found("wall-too-short", run("x", *rows, other, wall_s=20.0)) == []


def test_a_cold_first_request(task: Make, run: Make) -> None:
    cold = [task("a", 192, tps=10.0)] + [task(f"t{n}", 192, tps=20.0) for n in range(4)]
    (finding,) = found("cold-first-request", run("x", *cold))
    assert finding.message == (
        "x: a step of the first request took 100.0 ms, of the others 50.0 ms"
    )
    assert found("cold-first-request", run("x", *cold[1:], cold[0])) == []
    assert found("cold-first-request", run("x", *cold[:4])) == []
    warm = [task("a", 192, tps=18.0), *cold[1:]]
    assert found("cold-first-request", run("x", *warm)) == []


@pytest.mark.parametrize(("slower", "cold"), [(1.29, False), (1.31, True)])
def test_a_first_request_is_cold_from_a_third_more(
    slower: float, cold: bool, task: Make, run: Make
) -> None:
    rows = [task("a", 192, tps=20.0 / slower)] + [task(f"t{n}", 192, tps=20.0) for n in range(4)]
    assert bool(found("cold-first-request", run("x", *rows))) is cold


def test_a_later_request_as_slow_is_not_the_cold_start(task: Make, run: Make) -> None:
    rates = [10.0, 20.0, 20.0, 9.0, 20.0]
    rows = [task(f"t{n}", 192, tps=rate) for n, rate in enumerate(rates)]
    assert found("cold-first-request", run("x", *rows)) == []


def test_too_few_tokens(task: Make, run: Make, campaign: Make) -> None:
    def notes(*rows: object) -> list[str]:
        findings = audit(campaign(run("x", *rows)))
        return [f.message for f in findings if f.code == "too-few-tokens"]

    assert notes(task("a", 192)) == ["x: 192 predicted tokens in 1 request"]
    assert notes(task("a", 192), task("b", 208)) == []
    assert notes(task("a", 192), task("b", None)) == []


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (
            {"quoted_tps": 89.0, "quoted_is_mean": True},
            "x: 89 tok/s is quoted, a mean of rates",
        ),
        (
            {"quoted_tps": 89.0, "quoted_is_mean": True, "predicted_tokens": 800, "wall_s": 10.0},
            "x: 89 tok/s is quoted, a mean of rates; 800 tokens in 10.00 s are 80.00 tok/s",
        ),
        (
            {"quoted_tps": 53.5, "wall_s": 29.7},
            "x: 53.5 tok/s is quoted, without its tokens and its time",
        ),
    ],
)
def test_a_quoted_throughput(run: Make, fields: dict[str, object], said: str) -> None:
    (finding,) = found("mean-of-rates", run("x", aggregate=Aggregate(PLACE, **fields)))
    assert (finding.level, finding.where, finding.message) == ("warning", "x.log:12", said)


def test_a_mean_is_told_by_the_rows_that_it_is_of(task: Make, run: Make) -> None:
    rows = [task("a", 100, tps=80.0), task("b", 100, tps=100.0)]
    total = Aggregate(PLACE, predicted_tokens=200, wall_s=4.0, quoted_tps=90.0)
    (finding,) = found("mean-of-rates", run("x", *rows, aggregate=total))
    assert finding.message == (
        "x: 90 tok/s is quoted, a mean of rates; 200 tokens in 4.00 s are 50.00 tok/s"
    )


def test_a_throughput_that_is_tokens_over_time(run: Make) -> None:
    total = Aggregate(PLACE, predicted_tokens=1419, wall_s=17.67, quoted_tps=80.31)
    assert found("mean-of-rates", run("x", aggregate=total)) == []


@pytest.mark.parametrize("drafted", [False, True])
def test_a_rate_with_a_digit_too_many(drafted: bool, task: Make, run: Make) -> None:
    def requests(rate: float, at: int = 2, number: int = 5) -> list[object]:
        # 191 tokens after the first in 91 forwards of 50 ms, or at 50 ms each.
        usual = 191 / (91 * 0.05) if drafted else 20.0
        counts = (192, 200, 100) if drafted else (192, 0, 0)
        rates = [usual] * number
        rates[at] = usual * rate
        return [
            task(f"t{n}", *counts, tps=tps, source=Source("made.log", n + 1))
            for n, tps in enumerate(rates)
        ]

    (finding,) = found("rate-outlier", run("x", *requests(10.0)))
    assert (finding.level, finding.where) == ("warning", "made.log:3")
    said = "5.00 ms per forward (419.8 tok/s)" if drafted else "5.00 ms per token (200.0 tok/s)"
    assert finding.message == (f"x, t2: {said}, the median of the run's 5 requests is 50.00 ms")
    assert len(found("rate-outlier", run("x", *requests(0.3)))) == 1
    for close in (2.9, 0.35, 1.0):
        assert found("rate-outlier", run("x", *requests(close))) == []
    # Too few to know what is usual; and a slow first request is a cold one, a fast one is not.
    assert found("rate-outlier", run("x", *requests(10.0, number=4))) == []
    assert found("rate-outlier", run("x", *requests(0.1, at=0))) == []
    assert len(found("rate-outlier", run("x", *requests(10.0, at=0)))) == 1


def test_the_rate_of_a_few_tokens_is_no_outlier(task: Make, run: Make) -> None:
    usual = [task(f"t{n}", 192, tps=20.0) for n in range(5)]
    assert found("rate-outlier", run("x", *usual, task("short", 9, tps=200.0))) == []
    # A request that drafted nothing among those that did takes another step.
    drafted = [task(f"d{n}", 192, 200, 100, tps=20.0) for n in range(5)]
    assert found("rate-outlier", run("x", *drafted, task("plain", 192, tps=90.0))) == []


def test_a_request_of_few_tokens_is_judged_from_ten_on(task: Make, run: Make) -> None:
    usual = [task(f"t{n}", 192, tps=20.0) for n in range(5)]
    assert found("rate-outlier", run("x", *usual, task("short", 9, tps=200.0))) == []
    assert len(found("rate-outlier", run("x", *usual, task("short", 10, tps=200.0)))) == 1


@pytest.mark.parametrize(("wall_s", "short"), [(19.81, False), (19.79, True)])
def test_a_hundredth_of_a_wall_time_may_be_rounding(
    wall_s: float, short: bool, task: Make, run: Make
) -> None:
    # 20 s of decoding were measured.
    made = task("a", 192, tps=10.0, decode_s=20.0, wall_s=wall_s)
    assert bool(found("wall-too-short", run("x", made))) is short


@pytest.mark.parametrize(("second", "few"), [(207, True), (208, False)])
def test_too_few_tokens_are_less_than_400(
    second: int, few: bool, task: Make, run: Make, campaign: Make
) -> None:
    findings = audit(campaign(run("x", task("a", 192), task("b", second))))
    assert ("too-few-tokens" in {finding.code for finding in findings}) is few


@pytest.mark.parametrize(("quoted", "another"), [(80.7, False), (80.9, True), (79.3, False)])
def test_a_quoted_throughput_may_be_a_hundredth_off(
    quoted: float, another: bool, run: Make
) -> None:
    total = Aggregate(PLACE, predicted_tokens=800, wall_s=10.0, quoted_tps=quoted)
    assert bool(found("mean-of-rates", run("x", aggregate=total))) is another
