"""Workloads: what is said of drafts that a class accepts."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from analysis.cards import render_sections
from analysis.summary import Summary
from tests.cards.conftest import make_run, uniform


@pytest.mark.parametrize(
    ("accepted", "said"),
    [
        (0, "It accepts none of its drafts."),
        (30, "It accepts only 10.0 % of its drafts: most of the drafting is wasted."),
        (240, "It accepts 80.0 % of its drafts."),
    ],
)
def test_how_many_drafts_are_accepted(
    summary_of: Callable[..., Summary], accepted: int, said: str
) -> None:
    runs = [
        make_run("plain", uniform(100.0, 0, 0), spec_type="none", n_max=None),
        make_run("drafts", uniform(60.0, 300, accepted), n_max=3),
    ]
    assert said in render_sections(summary_of(runs, baseline="plain"))["workloads"]


@pytest.mark.parametrize(
    ("tps", "said"),
    [(60.0, "leave speculation off (drafts: 0.60×)"), (160.0, "use drafts (1.60×)")],
)
def test_one_kind_of_text(summary_of: Callable[..., Summary], tps: float, said: str) -> None:
    plain = [row for row in uniform(100.0, 0, 0) if row[0] == "code_python"]
    fast = [row for row in uniform(tps, 30, 20) if row[0] == "code_python"]
    runs = [
        make_run("plain", plain, spec_type="none", n_max=None),
        make_run("drafts", fast, spec_type="draft-mtp", n_max=3),
    ]
    text = render_sections(summary_of(runs, baseline="plain"))["summary"]
    assert f"- **Code and structured output:** {said}" in text
    assert "An MTP draft model" in text


def test_what_choosing_by_workload_gains_has_its_interval(
    summary_of: Callable[..., Summary],
) -> None:
    by_task = dict.fromkeys(("code_python", "json_output"), 160.0)
    prose = dict.fromkeys(("qa_factual", "translation", "explain_concept"), 95.0)
    summary = summary_of(
        [
            make_run("plain", uniform(100.0, 0, 0), spec_type="none", n_max=None),
            make_run("drafts", uniform({**by_task, **prose}, 300, 200), n_max=3),
        ],
        baseline="plain",
    )
    # 960 tokens in 384 / 160 + 576 / 95 s with drafts throughout, else in 384 / 160 + 576 / 100.
    assert (
        "Choosing by workload would generate 117.6 tok/s on these prompts, against 113.4 with "
        "**drafts** throughout: +3.7 %. The 90 % interval of that gain is "
    ) in render_sections(summary)["recommendation"]
    assert summary.routing.gain_low < 1.037 < summary.routing.gain_high
