"""What does a round of a replay cost: verifying so many tokens, and drafting them?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.depths.curves import DepthCurve
from analysis.records import Rounds
from analysis.replaying.walk import Walked

__all__ = ["BLOCK_DRAFTERS", "RoundCost", "curve_cost", "fitted"]

Floats = npt.NDArray[np.floating[Any]]

BLOCK_DRAFTERS = frozenset({"draft-dflash", "draft-dspark"})
"""Drafters that give a whole block at once: a draft that is cut was paid for whole."""


@dataclass(frozen=True, eq=False)
class RoundCost:
    """Draws of the time of a forward that verifies 0, 1, … drafted tokens.

    Attributes
    ----------
    forward_ms
        With its drafting, shape (n_draws, depths + 1); depth 0 is a forward without a draft.
    draft_ms
        The part of it that is drafting, same shape; zeros where the log does not split them.
    block
        Whether a draft costs the same however early it is cut.
    """

    forward_ms: Floats
    draft_ms: Floats
    block: bool

    def spent_ms(self, walked: Walked, n_max: int) -> Floats:
        """Total time of a replay, shape (n_draws, texts).

        Parameters
        ----------
        walked
            Of a policy with the depth `n_max`.
        n_max
            What a block drafter drafts each time.

        Returns
        -------
        numpy.ndarray
            Milliseconds. A draft that works token by token pays one step of
            drafting for each token that it dropped, a block drafter the block.
        """
        forward, draft = self.forward_ms[:, : n_max + 1], self.draft_ms[:, : n_max + 1]
        if self.block:
            whole = forward - draft + draft[:, -1:]
            whole[:, 0] = np.where(draft[:, -1] > 0, forward[:, 0] + draft[:, -1], forward[:, 0])
            drafted_nothing = walked.by_length[:, :1] - walked.dropped_whole[:, None]
            counts = walked.by_length.copy()
            counts[:, :1] = walked.dropped_whole[:, None]
            return whole @ counts.T + forward[:, :1] * drafted_nothing.T
        steps = np.arange(1, n_max + 1)
        step = (draft[:, 1:] / steps).mean(axis=1, keepdims=True) if n_max else draft[:, :1]
        spent: Floats = forward @ walked.by_length.T + step * walked.dropped[None, :]
        return spent


def curve_cost(curve: DepthCurve, times: pd.DataFrame, block: bool) -> RoundCost:
    """Times of a forward as a sweep of depths measured them.

    Parameters
    ----------
    curve
        Of the method, all tasks.
    times
        Its rows of ``depths.cost.StepTimes``; where they split drafting off, so
        does the cost.
    block
        Whether the drafter gives whole blocks.

    Returns
    -------
    RoundCost
        A forward without a draft is a plain step where that was measured. A
        block costs the drafting that was split off at each depth; where none was, it
        costs what the line through the depths has at depth 0 above a plain step.
    """
    forward = curve.step_ms.copy()
    plain = 1000 / curve.decode_tps[:, 0]
    above = np.nan_to_num(np.maximum(forward[:, 0] - plain, 0.0))
    forward[:, 0] = np.where(np.isnan(plain), forward[:, 0], plain)
    depths = np.arange(forward.shape[1])
    drafting = times[times["draft_ms"].notna()].groupby("n_max")["draft_ms"].mean()
    if block and len(drafting):
        spent = np.interp(depths, drafting.index.to_numpy("float64"), drafting.to_numpy("float64"))
        spent = np.tile(np.where(depths > 0, spent, 0.0), (len(forward), 1))
    elif block:
        spent = np.where(depths > 0, above[:, None], 0.0)
    else:
        each = drafting / drafting.index.to_numpy("float64")
        spent = np.tile((float(each.mean()) if len(each) else 0.0) * depths, (len(forward), 1))
    return RoundCost(forward, np.minimum(spent, forward), block)


_SHORT = 6
"""So many rounds must be shorter than the deepest, or nothing says what a shorter one costs."""


def fitted(rounds: Iterable[Rounds], block: bool, draws: int = 200) -> RoundCost | None:
    """Times of a forward from a log's own clock, where its rounds have several lengths.

    Verification is a line over the number of drafted tokens, from the moment at
    which a draft was whole to the end of its round; drafting is a line through
    zero, or the median of a block. Both are told robustly: by medians, and by a
    slope that half of the pairs of rounds exceed.

    Parameters
    ----------
    rounds
        Of the requests of one server start, with `at_s`, `whole_s` and confidences.
    block
        Whether the drafter gives whole blocks.
    draws
        Of the curve, by resampling rounds.

    Returns
    -------
    RoundCost or None
        Null where too few rounds are shorter than the deepest. The times are
        those of a server that logs at ``-lv 5``.
    """
    parts = [_timed(one) for one in rounds if one.at_s is not None and one.whole_s is not None]
    if not parts:
        return None
    length, verify, draft = (np.concatenate(column) for column in zip(*parts, strict=True))
    deepest = int(length.max(initial=0))
    if (length < deepest).sum() < _SHORT or deepest < 2:
        return None
    random = np.random.default_rng(13)
    depths = np.arange(deepest + 1)
    forward, drafting = np.empty((draws, deepest + 1)), np.empty((draws, deepest + 1))
    at = {int(value): np.flatnonzero(length == value) for value in np.unique(length)}
    for index in range(draws):
        picked = {value: random.choice(rows, len(rows)) for value, rows in at.items()}
        middle = float(np.median(verify[picked[deepest]]))
        slopes = np.concatenate(
            [(middle - verify[rows]) / (deepest - value)
             for value, rows in picked.items() if value < deepest]
        )  # fmt: skip
        line = middle - max(float(np.median(slopes)), 0.0) * (deepest - depths)
        whole = float(np.median(draft[picked[deepest]]))
        spent = np.where(depths > 0, whole, 0.0) if block else whole * depths / deepest
        drafting[index] = spent
        forward[index] = np.maximum(line, 0.05 * middle) + spent
    return RoundCost(1000 * forward, 1000 * drafting, block)


def _timed(rounds: Rounds) -> tuple[Floats, Floats, Floats]:
    """Drafted tokens, seconds of verification and of drafting of each round but the first."""
    if rounds.at_s is None or rounds.whole_s is None:
        none = np.empty(0)
        return none, none, none
    verify = rounds.at_s[1:] - rounds.whole_s[1:]
    draft = rounds.whole_s[1:] - rounds.at_s[:-1]
    right = (verify > 0) & (draft > 0)
    return np.asarray(rounds.drafted[1:], "float64")[right], verify[right], draft[right]
