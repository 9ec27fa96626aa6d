from __future__ import annotations

import pytest

from tests.noise_truth import Cell, covered


def test_intervals_hold_what_is_true() -> None:
    for cell in (Cell(1, 0.02, 0.02), Cell(3, 0.02, 0.01), Cell(2, 0.02, 0.01, partial=True)):
        found = covered(cell, range(10))
        assert all(0.7 <= share <= 1 for share, _ in found.values()), (cell, found)
        # And not by being wide.
        assert found["decode"][1] < 0.12


@pytest.mark.slow
@pytest.mark.parametrize("run", [0.0, 0.01, 0.02, 0.03])
@pytest.mark.parametrize("request_noise", [0.01, 0.03, 0.1])
@pytest.mark.parametrize("repeats", [2, 3, 5])
def test_intervals_cover(repeats: int, request_noise: float, run: float) -> None:
    found = covered(Cell(repeats, request_noise, run), range(60))
    # 60 campaigns of three configurations that share a baseline: give or take 3 to 4 %.
    assert {kind: share for kind, (share, _) in found.items() if not 0.8 <= share <= 0.985} == {}


@pytest.mark.slow
@pytest.mark.parametrize("request_noise", [0.01, 0.03, 0.1])
def test_one_run_each_covers_at_its_prior(request_noise: float) -> None:
    found = covered(Cell(1, request_noise, 0.02), range(60))
    assert min(share for share, _ in found.values()) >= 0.85


@pytest.mark.slow
@pytest.mark.parametrize(
    "cell",
    [
        Cell(3, 0.02, 0.01, partial=True),
        Cell(3, 0.02, 0.01, sampled=True),
        Cell(2, 0.02, 0.01, drift=0.03),
        Cell(3, 0.02, 0.01, outlier=0.1),
        Cell(2, 0.02, 0.02, configurations=2),
        Cell(2, 0.02, 0.0, configurations=2),
    ],
    ids=str,
)
def test_intervals_cover_what_campaigns_also_are(cell: Cell) -> None:
    found = covered(cell, range(60))
    assert {kind: share for kind, (share, _) in found.items() if not 0.8 <= share <= 0.985} == {}
