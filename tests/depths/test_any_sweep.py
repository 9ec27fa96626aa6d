"""Whatever a campaign's counts are, the depth model answers, and without NaN where it must not."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analysis.audit import audit
from analysis.campaigns.campaign import Campaign
from analysis.records import Run, Source, TaskResult
from analysis.results import as_json, results
from analysis.summary import Summary, summarise

Make = Callable[..., object]


def checked(campaign: Campaign) -> Summary:
    """A campaign's summary once what always holds has been looked at."""
    summary = summarise(campaign, audit(campaign))
    as_json(results(summary))
    positions, depths = summary.positions, summary.depths
    known = positions[positions["survival"].notna()]
    assert ((known["low"] <= known["survival"]) & (known["survival"] <= known["high"])).all()
    assert positions[["low", "high"]].notna().all(axis=None)
    assert ((positions["low"] >= 0) & (positions["high"] <= 1)).all()
    told = depths[depths["decode_tps"].notna()]
    assert ((told["low"] <= told["decode_tps"]) & (told["decode_tps"] <= told["high"])).all()
    assert np.isfinite(told[["ms_per_forward", "mean_accepted_length", "decode_tps"]]).all(
        axis=None
    )
    assert (told["mean_accepted_length"] >= 1).all()
    assert (told["mean_accepted_length"] <= told["n_max"] + 1.001).all()
    best = summary.best_depths
    assert best[["probability", "decode_tps", "low", "high"]].notna().all(axis=None)
    assert np.isfinite(summary.ladder["decode_tps"]).all()
    return summary


def sweep(
    task: Make, run: Make, rows: dict[int, list[tuple[int, int, int, float]]], **others: object
) -> list[Run]:
    """Runs by depth from (predicted, drafted, accepted, tok/s) of each task."""
    return [
        run(
            f"n{depth}" if depth else "plain",
            *(task(f"t{place}", *row) for place, row in enumerate(cells)),
            n_max=depth or None,
            spec_type="draft-mtp" if depth else "none",
            **(others if depth else {}),
        )
        for depth, cells in rows.items()
    ]


PLAIN = {0: [(100, 0, 0, 100.0)] * 3}


def test_nothing_accepted(task: Make, run: Make, campaign: Make) -> None:
    rows = {depth: [(100, 99 * depth, 0, 60.0 - depth)] * 3 for depth in (2, 3, 5)}
    summary = checked(campaign(*sweep(task, run, PLAIN | rows), baseline="plain"))
    assert (summary.best_depths["n_max"] == 0).all()
    pooled = summary.positions[summary.positions["workload"].isna()].set_index("position")
    assert pooled.at[1, "survival"] < 0.02
    verdicts = summary.depths.set_index("n_max")["position_verdict"]
    assert "pays" not in set(verdicts)
    assert set(verdicts[1]) == {"does not pay"}


def test_everything_accepted(task: Make, run: Make, campaign: Make) -> None:
    rows = {k: [(25 * (k + 1) + 1, 25 * k, 25 * k, 150.0 + 10 * k)] * 3 for k in (2, 3, 5)}
    summary = checked(campaign(*sweep(task, run, PLAIN | rows), baseline="plain"))
    pooled = summary.positions[summary.positions["workload"].isna()].set_index("position")
    assert pooled.at[5, "survival"] > 0.95
    assert pooled.at[5, "high"] <= 1
    overall = summary.best_depths[summary.best_depths["workload"].isna()].iloc[0]
    assert overall["n_max"] >= 5


def test_one_token(task: Make, run: Make, campaign: Make) -> None:
    rows = {0: [(1, 0, 0, 100.0)], 2: [(1, 0, 0, 90.0)], 3: [(1, 0, 0, 90.0)]}
    summary = checked(campaign(*sweep(task, run, rows), baseline="plain"))
    assert summary.positions.empty
    assert summary.depths.empty


def test_one_token_among_others(task: Make, run: Make, campaign: Make) -> None:
    one, more = (1, 0, 0, 100.0), (100, 120, 40, 90.0)
    rows = {0: [one, (100, 0, 0, 100.0)], 2: [one, more], 3: [one, (100, 180, 40, 80.0)]}
    summary = checked(campaign(*sweep(task, run, rows), baseline="plain"))
    assert set(summary.positions["task"].dropna()) == {"t1"}


def test_one_task(task: Make, run: Make, campaign: Make) -> None:
    rows = {0: [(100, 0, 0, 100.0)], 2: [(100, 80, 60, 150.0)], 4: [(100, 120, 70, 160.0)]}
    summary = checked(campaign(*sweep(task, run, rows), baseline="plain"))
    assert summary.depths["decode_tps"].notna().all()


def test_a_baseline_slower_than_everything(task: Make, run: Make, campaign: Make) -> None:
    rows = {k: [(100, 60 * k, 39, 100.0 - k)] * 3 for k in (2, 3)}
    slow = {0: [(100, 0, 0, 1.0)] * 3}
    summary = checked(campaign(*sweep(task, run, slow | rows), baseline="plain"))
    assert (summary.best_depths["n_max"] > 0).all()
    assert (summary.best_depths["speedup_low"] > 10).all()
    assert (summary.depths["break_even_acceptance"] < 0).all()


def test_a_depth_far_away_is_a_gap_to_bridge(task: Make, run: Make, campaign: Make) -> None:
    rows = {1: [(100, 60, 39, 150.0)] * 3, 12: [(100, 600, 49, 80.0)] * 3}
    summary = checked(campaign(*sweep(task, run, PLAIN | rows), baseline="plain"))
    assert set(summary.depths["n_max"]) == set(range(1, 16))


def test_p_min_and_synthetic_runs_among_them(task: Make, run: Make, campaign: Make) -> None:
    rows = {k: [(100, 60 * k, 39, 100.0)] * 3 for k in (2, 3)}
    alone = checked(campaign(*sweep(task, run, PLAIN | rows), baseline="plain"))
    cut = sweep(task, run, {5: [(100, 90, 45, 140.0)] * 3}, p_min=0.5)
    coin = sweep(task, run, {7: [(100, 140, 79, 500.0)] * 3}, synthetic=True)
    mixed = checked(campaign(*sweep(task, run, PLAIN | rows), *cut, *coin, baseline="plain"))
    assert mixed.depths.equals(alone.depths)
    assert mixed.positions.equals(alone.positions)
    assert {"drafts-cut-short", "synthetic-acceptance"} <= {one.code for one in mixed.findings}


def test_an_unknown_depth_is_a_finding(task: Make, run: Make, campaign: Make) -> None:
    unknown = run("x", task("t0", 100, 120, 40, 90.0), spec_type="draft-mtp")
    summary = checked(campaign(unknown))
    assert summary.depths.empty
    assert "depth-unknown" in {one.code for one in summary.findings}


def test_no_times_no_costs(task: Make, run: Make, campaign: Make) -> None:
    rows = {k: [(100, 60 * k, 39, None)] * 3 for k in (2, 3)}
    summary = checked(campaign(*sweep(task, run, rows)))
    assert summary.depths.empty
    assert summary.positions["survival"].notna().all()


@st.composite
def results_at(draw: st.DrawFn, depth: int, task: str) -> TaskResult:
    forwards = draw(st.integers(1, 80))
    if not depth:
        return TaskResult(
            task,
            Source("any.log", 1),
            predicted_tokens=forwards,
            draft_tokens=0,
            accepted_tokens=0,
            decode_tps=draw(st.floats(0.1, 2000)),
        )
    drafted = draw(st.integers(0, forwards * depth)) if draw(st.booleans()) else forwards * depth
    accepted = draw(st.integers(0, drafted))
    return TaskResult(
        task,
        Source("any.log", 1),
        predicted_tokens=max(forwards + accepted + draw(st.integers(-2, 1)), 1),
        draft_tokens=drafted,
        accepted_tokens=accepted,
        decode_tps=draw(st.floats(0.1, 2000)),
    )


@st.composite
def campaigns(draw: st.DrawFn) -> tuple[Run, ...]:
    names = [f"t{place}" for place in range(draw(st.integers(1, 3)))]
    runs = []
    for depth in draw(st.lists(st.sampled_from([0, 1, 2, 3, 5, 8]), min_size=1, unique=True)):
        rows = tuple(draw(results_at(depth, name)) for name in names if draw(st.booleans()))
        p_min = draw(st.sampled_from([None, 0.0, 0.4]))
        runs.append(
            Run(
                Source("any.log", 1),
                "any",
                rows,
                id=f"n{depth}",
                spec_type="draft-mtp" if depth else "none",
                n_max=depth or None,
                p_min=p_min if depth else None,
            )
        )
    return tuple(runs)


@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(campaigns())
def test_any_counts_have_an_answer(campaign: Make, runs: tuple[Run, ...]) -> None:
    baseline = "n0" if any(run.id == "n0" for run in runs) else None
    summary = checked(campaign(*runs, baseline=baseline))
    for row in results(summary)["positions"]:
        assert not math.isnan(row["low"])


def test_pooled_rows_are_read_too(task: Make, run: Make, campaign: Make) -> None:
    rows = [
        run(
            f"n{depth}",
            task("t0", 400, 4 * 60 * depth, 156, 100.0, pooled=4),
            n_max=depth,
            spec_type="draft-mtp",
        )
        for depth in (2, 3)
    ]
    summary = checked(campaign(*rows))
    assert summary.depths["decode_tps"].notna().all()
