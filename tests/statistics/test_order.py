import pandas as pd
import pytest

from analysis.statistics.order import RunOrder


def frame(rows):
    made = pd.DataFrame(rows, columns=["run", "repeat", "task", "started_s", "decode_tps"])
    return made.assign(workload="code", error=None)


SERIES = frame(
    [
        ("a", 1, "t", 5.0, 10.0),
        ("a", 2, "t", 15.0, 20.0),
        ("a", 3, "t", 10.0, 40.0),
        ("a", 1, "u", 6.0, 7.0),
        ("a", 2, "u", 7.0, 7.0),
    ]
)


def test_each_request_over_the_median_of_its_repeats_in_the_order_of_time():
    rows = RunOrder(least_requests=3)(SERIES)
    assert rows["repeat"].tolist() == [1, 3, 2]
    assert rows["elapsed_s"].tolist() == [0.0, 5.0, 10.0]
    assert rows["ratio"].tolist() == pytest.approx([0.5, 2.0, 1.0])
    assert set(rows["task"]) == {"t"}  # the other one has two repeats


@pytest.mark.parametrize(("least", "found"), [(3, 3), (4, 0)])
def test_few_requests_are_no_series(least, found):
    assert len(RunOrder(least_requests=least)(SERIES)) == found


@pytest.mark.parametrize("spoilt", [{"started_s": None}, {"decode_tps": 0.0}, {"error": "timeout"}])
def test_what_has_no_time_no_rate_or_failed_is_left_out(spoilt):
    assert RunOrder(least_requests=1)(SERIES.assign(**spoilt)).empty
