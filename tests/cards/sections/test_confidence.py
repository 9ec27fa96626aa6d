"""The section on confidences: with times, without, and where there are none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from analysis.cards import render_sections
from analysis.records import Rounds, Run
from analysis.summary import Summary
from tests.cards.conftest import make_run, plain, uniform
from tests.replaying.drafter import answer


def with_confidences(run: Run, kind: str = "calibrated") -> Run:
    random = np.random.default_rng(3)
    tasks = []
    for task in run.tasks:
        rounds: Rounds = answer(random, kind).rounds(run.n_max or 1)
        tasks.append(
            replace(
                task,
                rounds=rounds,
                draft_tokens=int(rounds.drafted.sum()),
                accepted_tokens=int(rounds.accepted.sum()),
            )
        )
    return replace(run, tasks=tuple(tasks), p_min=0.0)


def test_it_says_what_the_confidence_is_worth_and_tables_what_was_replayed(
    summary_of: Callable[..., Summary],
) -> None:
    run = with_confidences(make_run("deep", uniform(150.0, 1, 0), "draft-simple", 4, "Deep | 4"))
    found = summary_of([run, plain()], baseline="plain")
    text = render_sections(found)["confidence"]
    assert text.count("replayed, not measured") == 1
    assert "Deep" in text.split(": ", 1)[0]
    assert "area under the curve" in text
    (fixed,) = [line for line in text.splitlines() if line.startswith("| fixed | 4 ")]
    drafted = sum(task.draft_tokens or 0 for task in run.tasks)
    assert f"| {drafted:,} |" in fixed
    assert "Decode tok/s" in text


def test_an_uninformative_confidence_is_said(summary_of: Callable[..., Summary]) -> None:
    run = with_confidences(
        make_run("deep", uniform(150.0, 1, 0), "draft-simple", 4), "uninformative"
    )
    text = render_sections(summary_of([run, plain()], baseline="plain"))["confidence"]
    assert "A threshold brings nothing" in text


def test_there_is_none_without_confidences(summary_of: Callable[..., Summary]) -> None:
    runs = [make_run("deep", uniform(150.0, 100, 50)), plain()]
    assert not render_sections(summary_of(runs, baseline="plain")).get("confidence")


def test_a_synthetic_run_or_a_cut_log_is_not_replayed(summary_of: Callable[..., Summary]) -> None:
    run = with_confidences(make_run("deep", uniform(150.0, 1, 0), "draft-simple", 4))
    for other in (replace(run, synthetic=True), replace(run, p_min=0.5)):
        assert summary_of([other, plain()], baseline="plain").replays.table.empty
