from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from analysis.depths.ladder import LADDER_COLUMNS, STEPS
from analysis.summary import summarise
from tests import committed
from tests.simulator import World, sweep

Make = Callable[..., object]


def test_the_published_ladder() -> None:
    summary = committed.summary()
    assert tuple(summary.ladder.columns) == LADDER_COLUMNS
    rows = summary.ladder[summary.ladder["workload"].isna()]
    own = rows[rows["method"] == "draft-dspark"].set_index("step")
    assert list(own.index) == ["off", "fixed", "routed", "threshold", "ceiling"]
    assert own["decode_tps"].iloc[:3].round(1).tolist() == [128.5, 125.7, 145.1]
    assert own.at["fixed", "run"] == "dspark-n3"
    assert own.at["fixed", "gap_closed"] == 0
    assert own.at["ceiling", "gap_closed"] == 1
    gap = own.at["ceiling", "decode_tps"] - own.at["fixed", "decode_tps"]
    assert own.at["routed", "gap_closed"] * gap == pytest.approx(145.112 - 125.741, abs=0.01)
    assert own.at["ceiling", "low"] < own.at["ceiling", "decode_tps"] < own.at["ceiling", "high"]
    assert own.at["threshold", "decode_tps"] < own.at["ceiling", "decode_tps"]
    assert dict(own["source"]) == {
        "off": "measured",
        "fixed": "measured",
        "routed": "measured",
        "threshold": "assumed",
        "ceiling": "predicted",
    }
    # One depth alone says nothing of a ceiling.
    other = rows[rows["method"] == "draft-dflash"].set_index("step")
    assert list(other.index) == ["off", "fixed", "routed"]
    assert other["decode_tps"].round(1).tolist() == [128.5, 160.3, 179.0]
    assert (summary.routing.fixed_tps, summary.routing.routed_tps) == pytest.approx(
        (160.3, 179.0), abs=0.05
    )


def test_a_measured_p_min_has_its_place(campaign: Make) -> None:
    survival = np.tile(0.6 ** np.arange(1, 9), (13, 1))
    truth = World(survival, lambda depth: 10 + 1.0 * depth, plain_ms=9.0)
    random = np.random.default_rng(3)
    runs = sweep(truth, (0, 2, 4), random)
    faster = World(survival, lambda depth: 8 + 1.0 * depth)
    cut = [replace(run, id="cut", p_min=0.6) for run in sweep(faster, (4,), random)]
    summary = summarise(campaign(*runs, *cut, baseline="plain"))
    rows = summary.ladder[summary.ladder["workload"].isna()].set_index("step")
    assert list(rows.index) == list(STEPS)
    assert rows.at["p_min", "run"] == "cut"
    assert rows.at["p_min", "p_min"] == 0.6
    assert rows.at["p_min", "source"] == "measured"
    assert 0 < rows.at["p_min", "gap_closed"] < 1
    # It is no part of the depth curves.
    assert set(summary.step_times["run"]) == {"n2", "n4"}
    assert not pd.isna(rows.at["threshold", "p_min"])


def test_what_is_beyond_the_ceiling_of_drafting_is_no_share_of_the_way() -> None:
    """Where a draft loses everywhere, leaving it off is more than any draft can reach."""
    rows = committed.summary("truncation-demo").ladder
    own = rows[rows["workload"].isna()].set_index("step")
    assert own.at["routed", "decode_tps"] > own.at["ceiling", "decode_tps"]
    assert own["gap_closed"].isna()["routed"]
    assert 0 < own.at["threshold", "gap_closed"] < 1
