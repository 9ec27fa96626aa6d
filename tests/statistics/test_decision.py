from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.statistics.decision import BOUND, Settings, decide


def test_the_least_expected_loss_by_hand() -> None:
    # Against the fastest of each draw 1 and 0.9, 0.8 and 1, 0.9 and 0.95: geometric means.
    rates = np.array([[100.0, 80.0, 90.0], [90.0, 100.0, 95.0]])
    decided = decide(rates, (0, 2, 4))
    assert decided.loss == pytest.approx(1 - np.sqrt([0.9, 0.8, 0.9 * 0.95]))
    assert decided.probability == pytest.approx([0.5, 0.5, 0.0])
    assert (decided.chosen, decided.best, decided.given_up) == (0, 0, 0.0)


def test_not_significantly_slower_is_not_as_good() -> None:
    # 6 % slower, give or take 10 %: nothing that a test would find.
    random = np.random.default_rng(1)
    rates = 100 * np.exp(random.normal(0, 0.07, (4000, 2))) * np.array([0.94, 1.0])
    assert np.quantile(rates[:, 0] / rates[:, 1], 0.95) > 1
    assert decide(rates, (0, 4)).chosen == 1


@pytest.mark.parametrize(("lost", "chosen"), [(0.0049, 0), (0.0051, 1)])
def test_a_simpler_setting_may_lose_the_bound(lost: float, chosen: int) -> None:
    rates = np.array([[100 * (1 - lost), 100.0]])
    decided = decide(rates, (2, 4))
    assert decided.best == 1
    assert decided.chosen == chosen
    assert decided.given_up == pytest.approx(lost if chosen == 0 else 0.0)


def test_one_less_simple_is_never_taken_for_being_close() -> None:
    assert decide(np.array([[100.0, 99.9, 99.9]]), (3, 5, 2)).chosen == 2
    assert decide(np.array([[100.0, 99.9]]), (3, 5)).chosen == 0


def test_of_equal_ones_the_first() -> None:
    assert decide(np.full((3, 3), 50.0), (2, 2, 2)).chosen == 0


@given(
    st.lists(st.lists(st.floats(1, 1000), min_size=3, max_size=3), min_size=1, max_size=20),
    st.lists(st.integers(-1, 9), min_size=3, max_size=3),
)
def test_what_is_given_up_is_bounded(rates: list[list[float]], sizes: list[int]) -> None:
    decided = decide(np.array(rates), sizes)
    assert decided.loss[decided.best] == decided.loss.min()
    assert decided.probability.min() >= 0
    assert decided.probability.sum() == pytest.approx(1)
    if decided.chosen != decided.best:
        assert sizes[decided.chosen] < sizes[decided.best]
        assert decided.given_up <= BOUND


@pytest.mark.parametrize(("usual", "chosen"), [(100.9, 0), (101.1, 1)])
def test_the_usual_one_stays_unless_another_is_clearly_faster(usual: float, chosen: int) -> None:
    rates = np.array([[100.0, usual]])
    assert decide(rates, (1, 1), preferred=(0,)).chosen == chosen
    assert decide(rates, (1, 1)).chosen == 1


def test_the_usual_one_is_not_kept_against_a_simpler_one() -> None:
    # None loses 0.4 % to the best, so it is taken; and the usual one gains nothing over it.
    assert decide(np.array([[100.0, 100.0, 100.4]]), (0, 1, 1), preferred=(1,)).chosen == 0
    # None loses 0.9 %: the best is taken, for the usual one is no better than none.
    assert decide(np.array([[100.0, 100.0, 100.9]]), (0, 1, 1), preferred=(1,)).chosen == 2
    assert decide(np.array([[100.0, 100.6, 101.2]]), (0, 1, 1), preferred=(1,)).chosen == 1


def test_of_several_preferred_ones_the_first_that_is_good_enough() -> None:
    rates = np.array([[98.0, 99.5, 100.0]])
    assert decide(rates, (1, 1, 1), preferred=(0, 1)).chosen == 1
    assert decide(rates, (1, 1, 1), preferred=(1, 0)).chosen == 1
    assert decide(rates, (1, 1, 1), preferred=(0,)).chosen == 2


def test_settings_among_others() -> None:
    settings = Settings(("plain", "a", "b"), np.array([[1.0, 2.0, 3.0]]), (False, True, False))
    fewer = settings.among({"b", "plain", "never"})
    assert fewer.runs == ("plain", "b")
    assert fewer.rates.tolist() == [[1.0, 3.0]]
    assert fewer.modelled == (False, False)
