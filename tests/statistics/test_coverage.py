"""A run that did only some of the tasks is shown, and never chosen."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from analysis.cards import render_sections
from analysis.charts import frames_of
from analysis.charts.throughput import throughput
from analysis.records import TaskResult
from analysis.statistics.coverage import Coverage, ranked
from analysis.summary import Summary, summarise

Make = Callable[..., object]
TASKS = {"code_python": 192, "qa_factual": 100, "translation": 50}


@pytest.fixture
def summary(run: Make, task: Make, campaign: Make) -> Callable[..., Summary]:
    """``summary(**{id: {task: tok/s}})``; the run `plain` is the baseline."""

    def result(name: str, rate: float, drafted: int) -> TaskResult:
        return task(  # type: ignore[return-value]
            name, predicted_tokens=TASKS[name], draft_tokens=drafted,
            accepted_tokens=drafted // 2, decode_tps=rate,
        )  # fmt: skip

    def make(**rates: dict[str, float]) -> Summary:
        runs = [
            run(
                name,
                *(result(one, rate, 0 if name == "plain" else 40) for one, rate in own.items()),
                spec_type="none" if name == "plain" else "draft-dflash",
                n_max=None if name == "plain" else 2 + len(name),
            )
            for name, own in rates.items()
        ]
        return summarise(campaign(*runs, baseline="plain" if "plain" in rates else None))  # type: ignore[arg-type]

    return make


PLAIN = {"code_python": 100.0, "qa_factual": 100.0, "translation": 50.0}
WHOLE = {"code_python": 150.0, "qa_factual": 120.0, "translation": 60.0}
EASY = {"code_python": 160.0}


def test_what_is_missing_is_counted(summary: Callable[..., Summary]) -> None:
    runs = summary(plain=PLAIN, whole=WHOLE, easy=EASY).runs.set_index("id")
    assert list(runs["ranked_tasks"]) == [3, 3, 3]
    assert list(runs["missing_tasks"]) == [0, 0, 2]


def test_runs_are_ranked_on_what_the_widest_shares_with_the_baseline(
    summary: Callable[..., Summary],
) -> None:
    two = {name: WHOLE[name] for name in ("code_python", "translation")}
    made = summary(plain=PLAIN, two=two, easy=EASY)
    assert Coverage("plain").reference(made.runs, made.tasks) == set(two)
    fair = ranked(made.runs, made.workloads, made.tasks, "plain")
    assert list(fair.runs["id"]) == ["plain", "two"]
    # 191 timed tokens at 100 tok/s and 49 at 50 tok/s, without the task that nobody else did.
    plain = fair.runs.set_index("id").at["plain", "decode_tps"]
    assert plain == pytest.approx(240 / (1.91 + 0.98))
    assert set(fair.workloads["run"]) == {"plain", "two"}


def test_the_same_tasks_change_nothing(summary: Callable[..., Summary]) -> None:
    made = summary(plain=PLAIN, whole=WHOLE)
    fair = ranked(made.runs, made.workloads, made.tasks, "plain")
    assert fair.runs is made.runs
    assert fair.workloads is made.workloads


def test_without_a_baseline_the_run_with_most_tasks_decides(
    summary: Callable[..., Summary],
) -> None:
    runs = summary(whole=WHOLE, easy=EASY).runs.set_index("id")
    assert list(runs["missing_tasks"]) == [0, 2]


def test_a_partial_run_is_never_recommended(summary: Callable[..., Summary]) -> None:
    made = summary(plain=PLAIN, whole=WHOLE, easy=EASY)
    assert set(made.recommendations["run"]) == {"whole"}
    assert made.routing is not None
    assert made.routing.fixed_run == "whole"
    assert set(made.ladder["run"].dropna()) <= {"whole"}


def test_a_class_is_compared_on_the_tasks_that_both_have(
    run: Make, task: Make, campaign: Make
) -> None:
    def result(name: str, rate: float, drafted: int) -> object:
        return task(
            name, predicted_tokens=100, draft_tokens=drafted, accepted_tokens=0, decode_tps=rate
        )

    rates = {"code_python": 100.0, "code_cpp": 50.0}
    plain = run("plain", *(result(*one, 0) for one in rates.items()), spec_type="none", n_max=None)
    drafts = run("drafts", result("code_python", 150.0, 40), spec_type="draft-mtp", n_max=2)
    made = summarise(campaign(plain, drafts, baseline="plain"))  # type: ignore[arg-type]
    rows = made.workloads.set_index(["run", "workload"])["speedup"]
    assert rows["drafts", "code"] == pytest.approx(1.5)


def test_the_card_and_the_chart_say_how_much_was_done(summary: Callable[..., Summary]) -> None:
    made = summary(plain=PLAIN, whole=WHOLE, easy=EASY)
    sections = render_sections(made)
    assert "**Use whole: " in sections["summary"]
    assert re.search(r"\| easy \(1 of 3 tasks\) \| ~?1.60× \|", sections["summary"])
    assert re.search(r"\| easy \(1 of 3 tasks\) \|.* ~?1.60× \[", sections["overall"])
    assert "**easy (1 of 3 tasks)** " not in sections["workloads"]
    chart = throughput(frames_of(made))
    assert chart is not None
    assert "whole is fastest" in chart.alt
    assert ("easy (1 of 3 tasks)", "160.0", "–") in chart.values.rows  # type: ignore[union-attr]


def test_one_task_is_one(summary: Callable[..., Summary]) -> None:
    made = summary(plain=EASY, whole=EASY, other={"qa_factual": 90.0})
    assert "| other (0 of 1 task) |" in render_sections(made)["overall"]
    assert frames_of(made).labels["other"] == "other (0 of 1 task)"


def test_runs_that_share_nothing_with_the_baseline_are_not_ranked(
    summary: Callable[..., Summary],
) -> None:
    made = summary(plain={"translation": 50.0}, fast=EASY, slow={"code_python": 80.0})
    assert set(made.recommendations["run"].dropna()) == set()
    assert "(0 of 1 task)" in render_sections(made)["overall"]
