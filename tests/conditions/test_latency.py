from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from analysis.conditions.latency import Latency
from analysis.statistics.frames import task_frame

Make = Callable[..., object]


def latency(task: Make, run: Make, number: int, **others: object) -> object:
    rows = [
        task(f"t{n}", 11, tps=None, decode_s=0.01 * (n + 1), first_token_s=0.1 * n, **others)
        for n in range(number)
    ]
    return Latency()(task_frame([run("x", *rows)])).iloc[0]


def test_percentiles_of_hand_computed_requests(task: Make, run: Make) -> None:
    row = latency(task, run, 11)
    # Ten timed tokens each: 1, 2, … 11 ms a token.
    assert row["ms_per_token_p50"] == pytest.approx(6.0)
    assert row["ms_per_token_p90"] == pytest.approx(10.0)
    assert row["first_token_s_p50"] == pytest.approx(0.5)


@pytest.mark.parametrize(("number", "known"), [(9, False), (10, True)])
def test_a_percentile_needs_a_request_beyond_it(
    task: Make, run: Make, number: int, *, known: bool
) -> None:
    row = latency(task, run, number)
    assert np.isfinite(row["ms_per_token_p90"]) == known
    assert np.isnan(row["ms_per_token_p99"])


def test_rows_that_pool_requests_have_no_latency(task: Make, run: Make) -> None:
    rows = [task("a", 100, tps=50.0, pooled=4)]
    assert Latency()(task_frame([run("x", *rows)])).empty
