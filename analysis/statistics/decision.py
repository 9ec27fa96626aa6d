"""Which of several settings, when it is not sure how fast each of them is?

One rule for all advice: the setting that is expected to lose least against
the best, whichever that is. Another is taken in its place where it is expected
to lose hardly more: no speculation, which is simpler; and on one kind of text
the setting that is advised for all of them, or else the one that measured
fastest of those as good. Whether a difference is significant plays no part: what can't be told
apart is not as good for that, and with more data the same rule loses less.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["ALIKE", "BOUND", "MEASURED", "NONE", "Decided", "Predicted", "Settings", "decide"]

Floats = npt.NDArray[np.floating[Any]]

BOUND = 0.005
"""Share of throughput that a simpler setting may be expected to lose."""

ALIKE = 0.01
"""The same on one kind of text, of what a reader expects to be advised there."""

NONE, MEASURED, _DEPTH, _THRESHOLD = range(4)
"""From simple to less so: no speculation, a setting that was measured, one that was not, and
that with a confidence threshold. Depths are as simple as each other."""


@dataclass(frozen=True, eq=False)
class Settings:
    """Draws of how fast each measured configuration is on some tasks.

    Attributes
    ----------
    runs
        Run ids, that without speculation among them.
    rates
        Decode throughput, shape (n_draws, n_runs).
    modelled
        Whether a run's draws are those of its method's depth curve, which has
        seen its other depths too.
    """

    runs: tuple[str, ...]
    rates: Floats
    modelled: tuple[bool, ...]

    def among(self, runs: Collection[str]) -> Settings:
        """The same of these runs alone."""
        places = [place for place, run in enumerate(self.runs) if run in runs]
        return Settings(
            tuple(self.runs[place] for place in places),
            self.rates[:, places],
            tuple(self.modelled[place] for place in places),
        )


@dataclass(frozen=True, eq=False)
class Predicted:
    """Draws of how fast settings would be that no run had.

    Attributes
    ----------
    runs
        For each the run from whose log it is predicted, by id.
    depths, thresholds
        Its ``n_max`` and ``p_min``, 0 for none.
    rates
        Decode throughput, shape (n_draws, n), draws of the same numbers as those of
        the :class:`Settings` that it goes with.
    """

    runs: tuple[str, ...]
    depths: tuple[int, ...]
    thresholds: tuple[float, ...]
    rates: Floats

    def among(self, kept: Sequence[int]) -> Predicted:
        """The same of the settings at these places alone."""
        return Predicted(
            tuple(self.runs[place] for place in kept),
            tuple(self.depths[place] for place in kept),
            tuple(self.thresholds[place] for place in kept),
            self.rates[:, list(kept)],
        )

    @property
    def sizes(self) -> list[int]:
        """For :func:`decide`."""
        return [_THRESHOLD if threshold else _DEPTH for threshold in self.thresholds]


@dataclass(frozen=True, eq=False)
class Decided:
    """What was chosen among settings, by their places.

    Attributes
    ----------
    chosen
        The setting to take.
    best
        The one with the least expected loss; another than `chosen` where a
        simpler one loses hardly more.
    given_up
        What `chosen` is expected to lose against `best`, as a share.
    loss
        Expected loss of each against the fastest of each draw, shape (n,).
    probability
        Share of draws in which each is the fastest, shape (n,).
    """

    chosen: int
    best: int
    given_up: float
    loss: Floats
    probability: Floats


def decide(
    rates: Floats,
    sizes: Sequence[float],
    bound: float = BOUND,
    *,
    preferred: Sequence[int] = (),
    alike: float = ALIKE,
) -> Decided:
    """Choose by least expected loss.

    Parameters
    ----------
    rates
        Draws of each setting's throughput, shape (n_draws, n), the settings'
        errors as dependent as they are.
    sizes
        What is smaller where two are as good: `NONE`, `MEASURED` and so on, shape (n,).
    bound
        What a smaller one may be expected to lose.
    preferred
        Places of settings, the first that is good enough is taken: one that is expected to
        lose at most `alike`, and to gain more than `bound` over every smaller one.
    alike
        See there.

    Returns
    -------
    Decided
        Of equally small ones that which is expected to lose least, of equal ones the first.

    Examples
    --------
    >>> decide(np.array([[100.0, 100.2, 80.0], [100.0, 100.4, 130.0]]), (0, 2, 4)).chosen
    2
    >>> decide(np.array([[100.0, 100.2, 80.0], [100.0, 100.4, 90.0]]), (0, 2, 4)).chosen
    0
    """
    # In logs, so that noise of a rate makes it neither better nor worse.
    logs = np.log(rates)
    loss = _share(logs.max(axis=1, keepdims=True) - logs)
    best = int(np.argmin(loss))
    given_up = _share(logs[:, [best]] - logs)
    close = [place for place in range(len(sizes)) if given_up[place] <= bound]
    chosen = min(close, key=lambda place: (sizes[place], given_up[place], place))
    chosen = chosen if sizes[chosen] < sizes[best] else best
    for place in preferred:
        behind = _share(logs[:, [place]] - logs)
        smaller = [one for one in range(len(sizes)) if sizes[one] < sizes[place]]
        enough = given_up[place] <= alike and sizes[place] <= sizes[chosen]
        if enough and all(behind[one] > bound for one in smaller):
            chosen = place
            break
    winners = np.argmax(rates, axis=1)
    probability = np.bincount(winners, minlength=len(sizes)) / len(rates)
    return Decided(chosen, best, float(given_up[chosen]), loss, probability)


def _share(apart: Floats) -> Floats:
    """Share that is lost, from draws of the log of a ratio, settings along the last axis."""
    lost: Floats = -np.expm1(-apart.mean(axis=0))
    return lost
