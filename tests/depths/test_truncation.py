from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from analysis.depths.curves import DepthCurve
from analysis.depths.truncation import ceiling_tps, threshold_tps

Make = Callable[..., object]


def curve(
    survival: list[float], step_ms: list[float], plain: float, tokens: int = 100_001
) -> DepthCurve:
    """One long text about which nothing is uncertain."""
    s = np.array([[survival]])
    depths = len(survival)
    length = 1 + np.cumsum(s[0], axis=1)
    steps = np.array([step_ms])
    tps = np.concatenate([[[plain]], 1000 * length / steps[:, 1:]], axis=1)
    return DepthCurve(
        "draft-mtp",
        None,
        (depths,),
        steps,
        np.concatenate([[[1.0]], length], axis=1),
        tps,
        tuple(range(1, depths + 1)),
        np.array([100_001.0]),
        s,
    )


def test_the_ceiling_by_hand() -> None:
    # Half of the rounds accept nothing, a quarter each one and two: 1.75 tokens in
    # 0.5 * 8 (a plain step) + 0.25 * 12 + 0.25 * 14 ms.
    made = curve([0.5, 0.25], [10, 12, 14], plain=125)
    assert ceiling_tps(made, 2) == pytest.approx([1750 / 10.5], rel=1e-3)
    assert ceiling_tps(made, 1) == pytest.approx([1500 / (0.5 * 8 + 0.5 * 12)], rel=1e-3)
    unpaired = curve([0.5, 0.25], [10, 12, 14], plain=float("nan"))
    assert ceiling_tps(unpaired, 2) == pytest.approx([1750 / 11.5], rel=1e-3)


def test_a_confidence_between_knowing_nothing_and_everything() -> None:
    made = curve([0.6, 0.4, 0.3], [10, 12, 14, 16], plain=110)
    speculating = replace(
        made, decode_tps=np.where(made.decode_tps == 110, np.nan, made.decode_tps)
    )
    ceiling = ceiling_tps(speculating, 3)[0]
    fixed = made.decode_tps[0, 1:].max()
    reached = [threshold_tps(made, 3, share)[0][0] for share in (0.01, 0.3, 0.6, 0.99)]
    assert reached == sorted(reached)
    assert reached[0] == pytest.approx(fixed, rel=0.01)
    assert reached[-1] == pytest.approx(ceiling, rel=0.01)


def test_a_threshold_by_simulation() -> None:
    q, information = np.array([0.6, 0.7, 0.75]), 0.5
    made = curve(list(np.cumprod(q)), [10, 12, 14, 16], plain=110)
    tps, threshold = threshold_tps(made, 3, information)
    random = np.random.default_rng(6)
    strength = 1 / information - 1
    confidence = random.beta(strength * q, strength * (1 - q), (200_000, 3))
    kept = np.cumprod(confidence >= threshold, axis=1).astype(bool)
    accepted = np.cumprod(random.random(kept.shape) < confidence, axis=1).astype(bool)
    tokens = 1 + (kept & accepted).sum(axis=1)
    ms = np.array([10, 12, 14, 16])[kept.sum(axis=1)]
    assert tps == pytest.approx([1000 * tokens.sum() / ms.sum()], rel=0.01)
    assert 0 < threshold < 1
