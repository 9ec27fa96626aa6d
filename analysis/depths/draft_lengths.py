"""Draft lengths: how deep were the rounds of a request whose totals alone are known?"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["rounds_by_depth"]

Floats = npt.NDArray[np.floating[Any]]


def rounds_by_depth(depth: int, forwards: int, drafted: int, requests: int = 1) -> Floats:
    """How many rounds drafted 1, 2, …, `depth` tokens.

    All draft `depth` but the last ones before a limit on tokens: as fewer
    tokens are left, drafts get shorter, and no two are equally short. What a
    request is missing to full drafts is thus a sum of different numbers up to
    `depth`, and all such sums count alike.

    Parameters
    ----------
    depth
        Tokens of a full draft.
    forwards, drafted
        Of all requests.
    requests
        How many there are.

    Returns
    -------
    numpy.ndarray
        Shape (depth,), expected numbers; they draft `drafted` tokens in total.

    Examples
    --------
    >>> rounds_by_depth(3, 10, 30)
    array([ 0.,  0., 10.])
    >>> rounds_by_depth(3, 10, 29)
    array([0., 1., 9.])
    >>> rounds_by_depth(3, 10, 27)
    array([0.5, 0.5, 8.5])
    """
    missing, more = divmod(max(depth * forwards - drafted, 0), requests)
    short = (requests - more) * _short_rounds(depth, missing)
    short += more * _short_rounds(depth, missing + 1) if more else 0
    out = np.zeros(depth)
    out[:-1] = short[1:-1][::-1]
    # Full drafts, and what a limit does not explain is rounds without any.
    left = drafted - float(out @ np.arange(1, depth + 1))
    out[-1] = left / depth
    if left < 0 or out.sum() > forwards + 1e-9:
        # Too few rounds to tell: full drafts and one with the rest.
        out[:] = 0
        out[-1] = drafted // depth
        if drafted % depth:
            out[drafted % depth - 1] += 1
    return out


def _short_rounds(depth: int, missing: int) -> Floats:
    """Expected rounds that lack 1, …, `depth` tokens when they lack `missing` in all.

    The mean over all sets of different numbers up to `depth` with this sum;
    index 0 is unused. A sum too large for any is reduced by `depth` at a time:
    those rounds drafted nothing.
    """
    largest = depth * (depth + 1) // 2
    missing -= max(-(-(missing - largest) // depth), 0) * depth
    ways = np.zeros((depth + 1, missing + 1))
    ways[0, 0] = 1
    for part in range(1, depth + 1):
        ways[part] = ways[part - 1]
        ways[part, part:] += ways[part - 1, : max(missing + 1 - part, 0)]
    short = np.zeros(depth + 1)
    shares = {missing: 1.0}
    for part in range(depth, 0, -1):
        after: dict[int, float] = {}
        for left, share in shares.items():
            taken = ways[part - 1, left - part] / ways[part, left] if left >= part else 0.0
            short[part] += share * taken
            for rest, portion in ((left - part, taken), (left, 1 - taken)):
                if portion > 0:
                    after[rest] = after.get(rest, 0.0) + share * portion
        shares = after
    return short
