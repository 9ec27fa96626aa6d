"""Truncation: what could cutting drafts short gain?

Drafting deeper than what will be accepted is waste. The ceiling stops each
round after its last accepted token, which needs to know the future; a
confidence threshold (llama.cpp's p_min) only guesses.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import betaincc

from analysis.depths.curves import DepthCurve, round_lengths

__all__ = ["ceiling_tps", "threshold_tps"]

Floats = npt.NDArray[np.floating[Any]]


_THINNED = 100
_GRID = np.round(np.arange(0, 1, 0.05), 2)


def ceiling_tps(curve: DepthCurve, depth: int) -> Floats:
    """Decode throughput when every round drafts exactly what will be accepted.

    A round that accepts l of at most `depth` tokens costs T(l); one that would
    accept nothing is a plain step, or a forward without a draft where the
    plain step is not known.

    Parameters
    ----------
    curve
        Of ``curves.depth_curves``.
    depth
        Cap of a round's draft.

    Returns
    -------
    numpy.ndarray
        Draws, shape (n_draws,).
    """
    s = curve.survival[:, :, :depth]
    share = _shares(s)
    cost = curve.step_ms[:, : depth + 1].copy()
    plain = 1000 / curve.decode_tps[:, 0]
    cost[:, 0] = np.where(np.isnan(plain), cost[:, 0], np.fmin(plain, cost[:, 0]))
    length, overshoot = round_lengths(s)
    rounds = (curve.tokens - 1 + overshoot[..., -1]) / length[..., -1]
    ms = (rounds * np.einsum("dtl,dl->dt", share, cost)).sum(axis=1)
    out: Floats = 1000 * (curve.tokens - 1).sum() / ms
    return out


def threshold_tps(curve: DepthCurve, depth: int, information: float) -> tuple[Floats, float]:
    """Decode throughput with the best threshold on an idealised confidence.

    Assumed: the confidence is calibrated (a token drafted with confidence c is
    accepted with probability c), is beta-distributed around the conditional
    acceptance of its task and position, explains the share `information` of
    the variance of acceptance, and differs independently from position to
    position. Drafting stops before the first token below the threshold.

    Parameters
    ----------
    curve
        Of ``curves.depth_curves``.
    depth
        Cap of a round's draft.
    information
        Between 0 (the confidence says nothing beyond the mean) and 1 (it is
        the future itself), both excluded.

    Returns
    -------
    tuple of numpy.ndarray and float
        Draws of the throughput, shape (n,), and the threshold, the same for all texts.
    """
    step = max(len(curve.survival) // _THINNED, 1)
    s = curve.survival[::step, :, :depth]
    cost = curve.step_ms[::step, : depth + 1]
    before = np.concatenate([np.ones_like(s[..., :1]), s[..., :-1]], axis=-1)
    q = np.clip(s / np.maximum(before, 1e-12), 1e-6, 1 - 1e-6)
    middle = np.median(q, axis=0, keepdims=True)
    cost_middle = np.median(cost, axis=0, keepdims=True)
    tried = [
        float(_truncated(middle, cost_middle, curve.tokens, float(at), information)[0])
        for at in _GRID
    ]
    best = float(_GRID[int(np.argmax(tried))])
    return _truncated(q, cost, curve.tokens, best, information), best


def _truncated(
    q: Floats, cost: Floats, tokens: Floats, threshold: float, information: float
) -> Floats:
    """Throughput draws at one threshold; `q` (n, n_tasks, depth), `cost` (n, depth + 1)."""
    strength = 1 / information - 1
    yes, no = strength * q, strength * (1 - q)
    kept = betaincc(yes, no, threshold) if threshold > 0 else np.ones_like(q)
    # E[c; c >= threshold] of a beta distribution is its mean times a tail of the next one.
    accepted = q * (betaincc(yes + 1, no, threshold) if threshold > 0 else 1.0)
    drafted = np.cumprod(kept, axis=-1)
    survived = np.cumprod(accepted, axis=-1, dtype="float64")
    length, overshoot = round_lengths(survived)
    rounds = (tokens - 1 + overshoot[..., -1]) / length[..., -1]
    ms = (rounds * np.einsum("dtl,dl->dt", _shares(drafted), cost)).sum(axis=1)
    out: Floats = 1000 * (tokens - 1).sum() / ms
    return out


def _shares(reached: Floats) -> Floats:
    """Probability of each length 0, 1, … from that of reaching 1, 2, …."""
    padded = np.concatenate(
        [np.ones_like(reached[..., :1]), reached, np.zeros_like(reached[..., :1])], axis=-1
    )
    shares: Floats = padded[..., :-1] - padded[..., 1:]
    return shares
