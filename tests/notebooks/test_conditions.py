"""The answers on requests at once and context follow from the data."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from analysis.notebooks.conditions import (
    points_table,
    what_twice_as_many_give,
    where_context_stops_it,
    where_requests_stop_it,
)
from analysis.summary import Summary
from tests import committed
from tests.conditions.world import Machine, measured


@pytest.fixture(scope="module")
def summary(campaign: Callable[..., object]) -> Summary:
    random = np.random.default_rng(1)
    runs = measured(Machine(token_ms=0.9), random, slots=(1, 4, 8))
    return committed.summarised(campaign(*runs, baseline=runs[0].id))


def test_the_answer_says_where_it_stops(summary: Summary) -> None:
    answer = where_requests_stop_it(summary)
    (row,) = summary.axes.turns.to_dict("records")
    assert answer.said == (
        f"n3-x1 pays up to about {row['value']:.0f} requests at once "
        f"(90 % interval: {row['low']:.0f} to {row['high']:.0f}).",
        "The speedup of all requests together is 2.19× at 1 and 0.79× at 8 requests at once. Of "
        "what is drafted 55.9\N{NO-BREAK SPACE}% and 56.8\N{NO-BREAK SPACE}% are accepted.",
    )
    assert answer.table.at["n3-x1", "it"] == "stops"
    assert answer.table.at["n3-x1", "speedup of"] == "all requests together"
    assert answer.chart is not None


def test_what_is_predicted_is_called_so(summary: Summary) -> None:
    answer = what_twice_as_many_give(summary)
    assert answer.said[0].startswith("Predicted: n3-x1 with 16 requests at once gives")
    assert answer.table.at["n3-x1", "requests at once"] == "16"


def test_what_did_not_vary_has_no_column_and_no_answer(summary: Summary) -> None:
    table = points_table(summary)
    assert "concurrency" in table
    assert not {"context_tokens", "temperature"} & set(table)
    assert list(table.index) == list(summary.axes.points["run"])
    answer = where_context_stops_it(summary)
    assert "One value alone" in answer.said[0]
    assert answer.table.empty
    assert answer.chart is None
