from __future__ import annotations

import pytest


def test_the_clients_share_is_what_the_server_did_not_count(benchmark):
    records = [
        {"wall_s": 2.0, "timings": {"prompt_ms": 500.0, "predicted_ms": 1490.0}},
        {"wall_s": 1.0, "timings": {"prompt_ms": 100.0, "predicted_ms": 880.0}},
    ]
    assert benchmark("live").overhead(records) == pytest.approx((0.03, 3.0))
