"""Side by side: what is said of two runs, whatever times are recorded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from analysis.cards import render_sections
from analysis.summary import Summary
from tests.cards.conftest import make_run, uniform


def test_two_runs_without_wall_times_are_compared_by_decode_throughput(
    summary_of: Callable[..., Summary],
) -> None:
    runs = [
        replace(run, tasks=tuple(replace(task, wall_s=None) for task in run.tasks))
        for run in (
            make_run("plain", uniform(100.0, 0, 0), spec_type="none", n_max=None),
            make_run("low", uniform(120.0, 200, 100), n_max=2),
            make_run("high", uniform(150.0, 300, 120), n_max=3),
        )
    ]
    text = render_sections(summary_of(runs, baseline="plain"))["pairs"]
    assert (
        "**high** is 25.0 % faster than **low** over all prompts: 150.0 against 120.0 tok/s "
        "decode. It drafts 500 more tokens and accepts 100 more." in text
    )


def test_what_noise_can_do_is_said_so(summary_of: Callable[..., Summary]) -> None:
    runs = [
        make_run("plain", uniform(100.0, 0, 0), spec_type="none", n_max=None),
        make_run("low", uniform(120.0, 200, 100), n_max=2),
        make_run("high", uniform(123.6, 300, 120), n_max=3),
    ]
    summary = summary_of(runs, baseline="plain")
    (pair,) = [pair for pair in summary.pairs if (pair.first, pair.second) == ("low", "high")]
    assert (pair.tasks["low"] < pair.tasks["ratio"]).all()
    assert (pair.tasks["ratio"] < pair.tasks["high"]).all()
    text = render_sections(summary)["pairs"]
    assert "is measured 2.8 % faster (noise alone can do that) than **low**" in text
    assert "it is within noise of it on 5 of 5 tasks" in text
    assert "~1.03× [0.9" in text
