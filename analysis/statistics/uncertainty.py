"""How sure is it that one run is faster than another?

A rate is total units over total time, each task its mean over repeats, so that
no task weighs more for having been repeated. What a log ratio of two rates is
off by comes from three levels (see ``noise.py``): with shares `w` of the tasks
in the time, the variance of the log of a rate is

    run variance × Σ_r a_r² + request variance × Σ_i w_i² / m_i

with `m_i` the server starts that have task `i`, and `a_r` the sum of `w_i / m_i`
over the tasks of start `r`. In a balanced design this is the scatter of whole
starts over their number. Student's quantile takes the degrees of freedom of
the sum (Satterthwaite).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from analysis.statistics.noise import Believed, Noise, Term
from analysis.statistics.scatter import Scatter
from analysis.statistics.task_tables import TaskTable

__all__ = [
    "LEVEL",
    "Known",
    "Side",
    "Significance",
    "half_width",
    "known",
    "significance",
    "uncertainty",
]

Significance = Literal["faster", "slower", "not significant", "not known"]
_PRIOR = "prior"
"""What all variances come from that no repeats show: they are off alike."""
LEVEL = 0.9
"""Coverage of all intervals."""


def significance(low: float | None, high: float | None) -> Significance:
    """What an interval of a ratio says: 1 inside it is a state of its own.

    Examples
    --------
    >>> significance(1.02, 1.1), significance(0.97, 1.0), significance(None, None)
    ('faster', 'not significant', 'not known')
    """
    if low is None or high is None or np.isnan(low) or np.isnan(high):
        return "not known"
    if low > 1:
        return "faster"
    return "slower" if high < 1 else "not significant"


@dataclass(frozen=True, eq=False)
class Known:
    """What a campaign shows of how much one kind of rate scatters.

    Attributes
    ----------
    found
        What repeats show of it.
    run, request
        Variance and degrees of freedom of both levels.
    believed
        Both levels together where repeats show them; null with the prior alone.
    """

    found: Scatter
    run: Term
    request: Term
    believed: Believed | None


def known(found: Scatter, levels: pd.DataFrame, noise: Noise) -> Known:
    """What repeats of a rate show, and the campaign's levels where they show too little.

    Parameters
    ----------
    found
        Of the rate's tables.
    levels
        Frame of ``noise.Noise``.
    noise
        The settings that it was made with.
    """
    stated = {
        str(level): (float(sd) ** 2, float(freedom))
        for level, sd, freedom in zip(levels["level"], levels["sd"], levels["freedom"], strict=True)
    }
    request = (found.request_variance, found.request_freedom)
    if found.request_freedom < noise.enough or not found.request_variance:
        request = stated["request"]
    believed = noise.believed(found, request)
    run = stated["run"] if believed is None else believed.term(1.0, 0.0)
    return Known(found, run, request, believed)


@dataclass(frozen=True, eq=False)
class Side:
    """One of two runs that are compared, on the tasks that both have.

    Attributes
    ----------
    table
        What it did.
    known
        What its campaign shows of scatter; the same object for runs of one campaign.
    run
        Its id.
    campaign
        What all runs of the campaign share; nothing between runs of one.
    """

    table: TaskTable
    known: Known
    run: str
    campaign: Term | None = None

    def coefficients(self) -> tuple[float, float]:
        """Of the run and of the request variance in that of the log of the rate."""
        weights, present = self.table.shares(), self.table.present
        number = np.maximum(present.sum(axis=0), 1)
        starts = (present / number) @ weights
        run = float(starts.sum() ** 2 if self.table.one_start else (starts**2).sum())
        return run, float((weights**2 / number).sum()) * self.table.share


def uncertainty(sides: Sequence[Side], between_tasks: Term | None = None) -> tuple[float, float]:
    """Standard deviation of a log ratio of rates, and its degrees of freedom.

    Parameters
    ----------
    sides
        Two runs, of one campaign or of two.
    between_tasks
        What requests add, where the two sides' tasks show it: used unless
        repeats show more.
    """
    terms: dict[object, list[Term]] = {}
    shared: dict[int, tuple[Known, float, float]] = {}
    for side in sides:
        of_run, of_request = side.coefficients()
        source = _PRIOR if side.known.believed is None else id(side.known)
        if side.campaign is not None:
            terms.setdefault(source, []).append(side.campaign)
        own = side.known.found.own.get(side.run)
        if own is not None and not side.table.one_start:
            # Of whole starts, its requests are in it.
            terms.setdefault((id(side.known), side.run), []).append((own[0] * of_run, own[1]))
            continue
        _, run, request = shared.get(id(side.known), (side.known, 0.0, 0.0))
        shared[id(side.known)] = (side.known, run + of_run, request + of_request)
    for one, of_run, of_request in shared.values():
        if one.believed is not None:
            terms.setdefault(id(one), []).append(one.believed.term(of_run, of_request))
            continue
        terms.setdefault(_PRIOR, []).append((of_run * one.run[0], one.run[1]))
        if between_tasks is None or one.found.request_freedom > 0:
            alone = (of_request * one.request[0], one.request[1])
            terms.setdefault((id(one), "request"), []).append(alone)
    if between_tasks is not None:
        names = [name for name in terms if isinstance(name, tuple) and name[1] == "request"]
        if sum(part[0] for name in names for part in terms[name]) < between_tasks[0]:
            terms = {name: parts for name, parts in terms.items() if name not in names}
            terms["tasks"] = [between_tasks]
    total, spread = 0.0, 0.0
    for parts in terms.values():
        variance = sum(part[0] for part in parts)
        total += variance
        spread += variance**2 / min(part[1] for part in parts)
    return (total**0.5, total**2 / spread) if spread > 0 else (0.0, float("inf"))


def half_width(sd: float, freedom: float, level: float = LEVEL) -> float:
    """Half the width of the interval of a log ratio."""
    from scipy.special import stdtrit  # noqa: PLC0415 - reading a log must not wait for it

    return float(stdtrit(min(max(freedom, 1.0), 1e6), 0.5 + level / 2)) * sd
