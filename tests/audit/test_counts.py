from __future__ import annotations

from collections.abc import Callable

import pytest

from analysis.audit import audit, audit_runs
from analysis.campaigns.campaign import PROJECT_ROOT, load
from analysis.records import Aggregate, Finding, Run, Source

Make = Callable[..., object]


@pytest.fixture(scope="session")
def found(campaign: Make) -> Callable[..., list[Finding]]:
    """``found(code, *runs)``: the findings with this code in a campaign of these runs."""

    def look(code: str, *runs: Run, baseline: str | None = None) -> list[Finding]:
        return [f for f in audit(campaign(*runs, baseline=baseline)) if f.code == code]

    return look


def totals(**counts: object) -> Aggregate:
    return Aggregate(Source("x.log", 5, 12), **counts)


# ---- rows that do not sum to the aggregate


def test_rows_that_sum_to_the_aggregate(task: Make, run: Make, found: Make) -> None:
    rows = (task("a", 100, 60, 30), task("b", 50, 20, 10))
    stated = totals(predicted_tokens=150, draft_tokens=80, accepted_tokens=40)
    assert found("sum-mismatch", run("x", *rows, aggregate=stated)) == []


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            {"predicted_tokens": 151},
            "x: the rows have 150 predicted tokens, the aggregate says 151",
        ),
        ({"draft_tokens": 0}, "x: the rows have 80 draft tokens, the aggregate says 0"),
        ({"accepted_tokens": 39}, "x: the rows have 40 accepted tokens, the aggregate says 39"),
    ],
)
def test_rows_that_do_not_sum(
    wrong: dict[str, int], message: str, task: Make, run: Make, found: Make
) -> None:
    rows = (task("a", 100, 60, 30), task("b", 50, 20, 10))
    stated = {"predicted_tokens": 150, "draft_tokens": 80, "accepted_tokens": 40, **wrong}
    (finding,) = found("sum-mismatch", run("x", *rows, aggregate=totals(**stated)))
    assert (finding.level, finding.where, finding.message) == ("error", "x.log:5-12", message)


def test_a_total_or_a_part_that_is_not_known_proves_nothing(
    task: Make, run: Make, found: Make
) -> None:
    rows = (task("a", 100, None, None), task("b", 50, 20, 10))
    assert found("sum-mismatch", run("x", *rows, aggregate=totals(draft_tokens=99))) == []
    assert found("sum-mismatch", run("x", *rows, aggregate=totals())) == []
    assert found("sum-mismatch", run("x", *rows)) == []
    assert found("sum-mismatch", run("x", aggregate=totals(predicted_tokens=9))) == []


def test_failed_requests_are_not_part_of_the_sum(task: Make, run: Make, found: Make) -> None:
    rows = (task("a", 100, 60, 30), task("b", None, None, None, None, error="HTTP 500"))
    stated = totals(predicted_tokens=100, draft_tokens=60, accepted_tokens=30)
    assert found("sum-mismatch", run("x", *rows, aggregate=stated)) == []


# ---- rates


@pytest.mark.parametrize(
    ("accepted", "drafted", "stated", "decimals"),
    [
        (155, 239, 0.649, 3),  # 0.64854
        (116, 222, 0.522, 3),  # 0.52252 was rounded to 0.5225 before it was printed
        (157, 170, 0.923, 3),  # 0.92353, the same way
        (94, 194, 0.484, 3),  # 0.48454, the same way
        (1, 8, 0.1, 1),  # 0.125
        (1405, 3243, 0.4332, 4),  # 0.43324
        (0, 0, 0.0, 3),  # nothing drafted has no rate
        (30, 60, 0.5, None),
    ],
)
def test_a_rate_within_rounding(
    accepted: int,
    drafted: int,
    stated: float,
    decimals: int | None,
    task: Make,
    run: Make,
    found: Make,
) -> None:
    row = task("a", 999, drafted, accepted, reported_rate=stated, rate_decimals=decimals)
    assert found("rate-mismatch", run("x", row)) == []


@pytest.mark.parametrize(
    ("accepted", "drafted", "stated", "decimals", "shown"),
    [
        (155, 239, 0.653, 3, "0.649"),
        (116, 222, 0.521, 3, "0.523"),
        (116, 222, 0.524, 3, "0.523"),
        (1, 8, 0.2, 1, "0.1"),
        (1405, 3243, 0.4334, 4, "0.4332"),
    ],
)
def test_a_rate_that_was_changed(
    accepted: int,
    drafted: int,
    stated: float,
    decimals: int,
    shown: str,
    task: Make,
    run: Make,
    found: Make,
) -> None:
    row = task("a", 999, drafted, accepted, reported_rate=stated, rate_decimals=decimals)
    (finding,) = found("rate-mismatch", run("x", row))
    assert (finding.level, finding.where) == ("error", "made.log:1")
    assert finding.message == f"x, a: the row says {stated}, {accepted}/{drafted} is {shown}"


def test_the_rate_of_an_aggregate(task: Make, run: Make, found: Make) -> None:
    right = totals(draft_tokens=3243, accepted_tokens=1405, acceptance_rate=0.4332)
    wrong = totals(draft_tokens=3243, accepted_tokens=1405, acceptance_rate=0.4334)
    assert found("rate-mismatch", run("x", aggregate=right)) == []
    (finding,) = found("rate-mismatch", run("x", aggregate=wrong))
    assert finding.message == "x: the aggregate says 0.4334, 1405/3243 is 0.4332"
    assert finding.where == "x.log:5-12"


# ---- counts that can't be


def test_more_accepted_than_drafted(task: Make, run: Make, found: Make) -> None:
    assert found("accepted-exceeds-drafted", run("x", task("a", 100, 30, 30))) == []
    assert found("accepted-exceeds-drafted", run("x", task("a", 100, None, 30))) == []
    (finding,) = found("accepted-exceeds-drafted", run("x", task("a", 100, 30, 31)))
    assert (finding.level, finding.where) == ("error", "made.log:1")
    assert finding.message == "x, a: 31 accepted of 30 drafted"


def test_no_token_of_the_target_s_own(task: Make, run: Make, found: Make) -> None:
    assert found("predicted-not-above-accepted", run("x", task("a", 31, 40, 30))) == []
    assert found("predicted-not-above-accepted", run("x", task("a", 0, 0, 0))) == []
    # The last draft may reach n_max tokens behind the stop token.
    behind = run("x", task("a", 10, 12, 12), n_max=4)
    assert found("predicted-not-above-accepted", behind) == []
    assert len(found("predicted-not-above-accepted", run("x", task("a", 8, 12, 12), n_max=4))) == 1
    served = run("x", task("a", 2, 6, 4), format="llama-server")
    assert found("predicted-not-above-accepted", served) == []
    (finding,) = found("predicted-not-above-accepted", run("x", task("a", 30, 40, 30)))
    assert finding.level == "error"
    assert finding.message == "x, a: 30 predicted, 30 of them from drafts"


# ---- depth: 13 rows of 192 tokens with 91 accepted leave 100 forwards each


def thirteen(task: Make, drafted: int) -> tuple[object, ...]:
    return tuple(task(f"t{number}", 192, drafted, 91) for number in range(13))


@pytest.mark.parametrize("drafted", [200, 150, 204])
def test_a_depth_that_agrees(drafted: int, task: Make, run: Make, found: Make) -> None:
    made = run("x", *thirteen(task, drafted), n_max=2, spec_type="draft-mtp")
    assert found("depth-contradicted", made) == []


@pytest.mark.parametrize(
    ("drafted", "said"),
    [(149, "1.49 tokens drafted per forward, far below"), (205, "2.05 tokens drafted per forward")],
)
def test_a_depth_is_contradicted_a_token_beyond_what_agrees(
    drafted: int, said: str, task: Make, run: Make, found: Make
) -> None:
    made = run("x", *thirteen(task, drafted), n_max=2, spec_type="draft-mtp")
    (finding,) = found("depth-contradicted", made)
    assert said in finding.message


def test_a_depth_that_is_too_small_for_the_drafts(task: Make, run: Make, found: Make) -> None:
    made = run("x", *thirteen(task, 500), n_max=2, spec_type="draft-mtp")
    (finding,) = found("depth-contradicted", made)
    assert (finding.level, finding.where) == ("warning", "x.log:1-9")
    assert finding.message == "x: 5.00 tokens drafted per forward, more than n_max 2"


def test_a_depth_that_is_never_reached(task: Make, run: Make, found: Make) -> None:
    made = run("x", *thirteen(task, 200), n_max=5, spec_type="draft-mtp")
    (finding,) = found("depth-contradicted", made)
    assert finding.message == "x: 2.00 tokens drafted per forward, far below n_max 5"


def test_what_cuts_drafts_short_is_no_contradiction(task: Make, run: Make, found: Make) -> None:
    rows = thirteen(task, 200)
    for others in ({"p_min": 0.5}, {"spec_type": "ngram-mod"}):
        made = run("x", *rows, n_max=5, **{"spec_type": "draft-mtp", **others})
        assert found("depth-contradicted", made) == []


def test_no_depth_no_drafts_no_check(task: Make, run: Make, found: Make) -> None:
    for made in (
        run("x", *thirteen(task, 500)),
        run("x", *thirteen(task, 0), n_max=5, spec_type="draft-mtp"),
        run("x", task("a", None, None, None), n_max=5),
        run("x", n_max=5),
    ):
        assert found("depth-contradicted", made) == []


def test_a_stop_token_inside_a_draft_is_no_contradiction(
    task: Make, run: Make, found: Make
) -> None:
    # 36 predicted, 15 accepted: 20 forwards are counted, 22 were needed for 66 tokens.
    made = run("x", task("a", 36, 66, 15), n_max=3, spec_type="draft-dspark")
    assert found("depth-contradicted", made) == []


# ---- the registry


def test_the_raw_campaigns_hold_no_error() -> None:
    for slug in ("qwen3.6-35b-a3b-dspark", "qwen3.6-35b-a3b-dflash"):
        findings = audit(load(PROJECT_ROOT / "raw" / slug))
        assert not [f for f in findings if f.level == "error"]
        assert not [f for f in findings if f.code == "depth-contradicted"]


def test_errors_come_first_and_parsers_are_heard(task: Make, run: Make, campaign: Make) -> None:
    note = Finding("note", "made-up", "x.log:1", "a note")
    cut = Finding("warning", "row-cut", "x.log:2", "cut")
    made = run("x", task("a", 30, 40, 30), findings=(note, cut))
    findings = audit(campaign(made))
    levels = [finding.level for finding in findings]
    assert levels == sorted(levels, key=["error", "warning", "note"].index)
    assert [f.code for f in findings] == [
        "predicted-not-above-accepted",
        "row-cut",
        "no-baseline",
        "made-up",
        "too-few-tokens",
        "single-run",
    ]


def test_logs_alone_are_named_by_their_source_and_need_no_baseline(task: Make, run: Make) -> None:
    findings = audit_runs([run("", task("a", 30, 40, 30)), run("", task("b"))])
    assert [f.code for f in findings if f.level != "note"] == ["predicted-not-above-accepted"]
    assert findings[0].message == "a: 30 predicted, 30 of them from drafts"


def test_nothing_to_audit() -> None:
    assert audit_runs([]) == ()
