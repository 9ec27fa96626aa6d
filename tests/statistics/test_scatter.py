from __future__ import annotations

import numpy as np
import pytest

from analysis.statistics.scatter import (
    Scatter,
    _SharedStarts,
    _unshared,
    _unsteady,
    between_configurations,
    scatter,
)
from analysis.statistics.task_tables import tables
from tests.statistics.starts import rows


def beyond_requests(found: Scatter) -> float:
    """What starts scatter beyond what their requests explain."""
    return max(found.start_variance - found.share * found.request_variance, 0.0)


def test_two_starts_of_one_task_by_hand() -> None:
    found = scatter(tables(rows({"a": [[1.0], [1.02]]})))
    # Effects are ±0.01 / 1.01 about the mean: variance 2 × (0.01 / 1.01)² / 1.
    assert found.start_variance == pytest.approx(2 * (0.01 / 1.01) ** 2)
    assert (found.freedom, found.share, found.request_freedom) == (1.0, 1.0, 0.0)


def test_what_all_requests_of_a_start_share_is_run_noise() -> None:
    found = scatter(
        tables(rows({"a": [[1.0, 2.0], [1.02, 2.04]], "b": [[1.0, 2.0], [0.98, 1.96]]}))
    )
    assert found.request_variance == pytest.approx(0.0, abs=1e-6)
    assert beyond_requests(found) == pytest.approx(2e-4, rel=0.03)
    assert found.freedom == 2.0


def test_what_cancels_within_a_start_is_no_run_noise() -> None:
    found = scatter(tables(rows({"a": [[1.0, 2.1], [1.1, 2.0]]})))
    assert beyond_requests(found) == 0.0
    assert found.request_variance > 1e-3


def test_starts_are_compared_on_the_tasks_that_they_share() -> None:
    nan = float("nan")
    whole = scatter(tables(rows({"a": [[1.0], [1.03], [0.98]]})))
    found = scatter(tables(rows({"a": [[1.0, 5.0], [1.03, nan], [0.98, nan]]})))
    assert (found.freedom, found.start_variance) == (2.0, pytest.approx(whole.start_variance))


def test_a_configuration_that_scatters_more_keeps_it_to_itself() -> None:
    random = np.random.default_rng(6)
    steady = {f"r{place}": random.normal(1, 0.005, (3, 4)).tolist() for place in range(4)}
    usual = scatter(tables(rows(steady)))
    found = scatter(tables(rows({**steady, "odd": [[1.0] * 4, [1.2] * 4, [1.0] * 4]})))
    assert list(found.own) == ["odd"]
    assert found.own["odd"][0] > 100 * found.start_variance
    assert found.start_variance == pytest.approx(usual.start_variance, rel=1e-6)


def test_what_all_repeats_share_is_left_out() -> None:
    random = np.random.default_rng(2)
    together = random.normal(0, 0.05, 4)[:, None]
    both = {
        name: (1 + together + random.normal(0, 0.002, (4, 3))).tolist() for name in ("a", "b", "c")
    }
    found = scatter(tables(rows(both)))
    assert found.paired
    assert found.freedom == pytest.approx(2 * 3)
    assert found.start_variance < 1e-5


def test_a_request_s_variance_by_hand() -> None:
    # Of two equal tasks one is 1 % longer where the other is 1 % shorter: the starts as wholes
    # do not scatter, each request has 2 × 0.01² about its task's mean, and half of a request's
    # variance is in its start's.
    found = scatter(tables(rows({"a": [[1.01, 0.99], [0.99, 1.01]]})))
    assert found.start_variance == pytest.approx(0.0, abs=1e-12)
    assert found.request_variance == pytest.approx(2 * 2e-4, rel=1e-3)
    assert (found.request_freedom, found.share) == pytest.approx((1.0, 0.5))


@pytest.mark.parametrize(("ratio", "own"), [(18.1, ["b"]), (17.9, [])])
def test_how_much_more_is_more(ratio: float, own: list[str]) -> None:
    """A table of F has 18.0 for 2 and 4 degrees of freedom at 1 %, which is 2 % for two of them."""
    assert _unsteady({"a": 4.0, "b": 2 * ratio}, {"a": 4.0, "b": 2.0}) == own


@pytest.mark.parametrize(("ratio", "paired"), [(32.5, True), (32.1, False)])
def test_how_much_is_shared(ratio: float, paired: bool) -> None:
    """For 2 and 2 degrees of freedom F is above x in 1 of 1 + x cases: 32.3 at 3 %."""
    together, apart = ratio**0.5 * np.array([1, -1, 0]), np.array([1, -1, 0])
    blocks = {
        name: _SharedStarts((1, 2, 3), whole, 1.0, 0.0, 0.0)
        for name, whole in (("a", together + apart), ("b", together - apart))
    }
    wholes, found = _unshared(blocks)
    assert found is paired
    assert wholes["a"] == pytest.approx(apart if paired else together + apart)


@pytest.mark.parametrize(("tasks", "freedom"), [(2, 0.0), (3, 2.0)])
def test_configurations_show_a_request_s_noise_on_three_tasks(tasks: int, freedom: float) -> None:
    made = tables(rows({"a": [[1.0] * tasks], "b": [[1.0, 1.02, 1.04][:tasks]]}))
    variance, found = between_configurations(made)
    assert found == freedom
    # Of what two requests are apart, half is one's.
    expected = float(np.log([1.0, 1.02, 1.04]).var(ddof=1)) / 2 if freedom else 0.0
    assert variance == pytest.approx(expected)
