"""Noise: how much do times scatter, and at which level?

Three things move a measured time. What is a request's own; what all requests
of one server start share (clocks, temperature, where memory lies), here called
run noise; and what a whole campaign shares (machine, build, day). Only repeats
with a server start of their own show the second. Its scatter is the machine's
and not the configuration's, so it is pooled over configurations. Where nothing
was repeated, a stated prior stands in and is named as such.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.statistics.scatter import NO_SCATTER, Scatter, between_configurations, scatter
from analysis.statistics.task_tables import Floats, TaskTable, tables

__all__ = ["NOISE_COLUMNS", "Believed", "Noise", "Term"]

Term = tuple[float, float]
"""A variance and the degrees of freedom that it is known with."""

NOISE_COLUMNS = {"level": "object", "sd": "float64", "freedom": "float64", "source": "object"}

_FINEST = (0.0005, 0.5)
_POINTS = 40
"""Standard deviations of run noise that are tried beside none, as shares of the time."""
_PARTS = (0.9, 0.7, 0.5, 0.3, 0.1)
"""Parts of what is left open of a request's variance, by their tails."""
_UPPER = 0.95
"""The upper end of a 90 % interval."""
_HALVINGS = 40
_HEAVIEST = 4.0
"""Fewest degrees of freedom of a Student's t that stands for a mixture."""


@dataclass(frozen=True)
class Noise:
    """Relative scatter of times at each level.

    It is estimated from the time of a forward, which hardly depends on the text.

    Parameters
    ----------
    run_prior, run_freedom
        Standard deviation of what a server start shares, as a share of the
        time, where no repeats show it, and how many degrees of freedom this is
        worth. On desktop GPUs 1 to 2 % is common.
    run_absent, run_scale, run_tail
        Repeats are read with a wider prior: the chance that there is no run noise
        at all, and else the scale and the degrees of freedom of half of a Student's t.
    enough
        Degrees of freedom from which repeats are said to show a level by themselves.
    request_prior, request_freedom
        The same of one request, where neither repeats nor other configurations show it.
    campaign_least
        Least standard deviation of what a campaign shares. Two campaigns differ
        by at least as much as two runs of one, so run noise is taken where it is more.
    """

    run_prior: float = 0.02
    run_freedom: float = 10.0
    run_absent: float = 0.3
    run_scale: float = 0.03
    run_tail: float = 4.0
    enough: float = 2.0
    request_prior: float = 0.02
    request_freedom: float = 10.0
    campaign_least: float = 0.01

    def __call__(self, tasks: pd.DataFrame) -> pd.DataFrame:
        """Estimate the noise of a campaign.

        Parameters
        ----------
        tasks
            A task frame; synthetic runs count, their time is real.

        Returns
        -------
        pandas.DataFrame
            Columns `NOISE_COLUMNS`, rows ``request``, ``run`` and ``campaign``
            in that order. `sd` is a standard deviation of the logarithm of
            times. `freedom` is what it is known with: for Student's quantile, or
            for draws ``sd * sqrt(freedom / chi2(freedom))``. `source` is ``repeats``,
            ``configurations`` (a request's scatter about what its task and its
            configuration take), ``prior``, or ``repeats and prior``. The mean of
            m server starts has the run noise ``sd / sqrt(m)``.
        """
        return self.levels(tables(_steps(tasks)))

    def levels(self, made: Mapping[str, TaskTable]) -> pd.DataFrame:
        """The same from the tables of the time of each forward, by run."""
        found = scatter(made)
        request = self._request(found, made)
        run = self.run(found, (request[0] ** 2, request[1]))
        campaign = (max(self.campaign_least, run[0]), run[1], "prior")
        rows = [("request", *request), ("run", *run), ("campaign", *campaign)]
        return pd.DataFrame(rows, columns=list(NOISE_COLUMNS)).astype(NOISE_COLUMNS)

    def run(self, found: Scatter, request: Term | None = None) -> tuple[float, float, str]:
        """Run noise, its degrees of freedom and where it comes from.

        `request` is the variance of one request; its prior where null.
        """
        each = request or (self.request_prior**2, self.request_freedom)
        believed = self.believed(found, each)
        if believed is None:
            return self.run_prior, self.run_freedom, "prior"
        variance, freedom = believed.term(1.0, 0.0)
        alone = found.freedom >= self.enough
        return variance**0.5, freedom, "repeats" if alone else "repeats and prior"

    def believed(self, found: Scatter, request: Term) -> Believed | None:
        """What repeats and the prior say of both levels; null without repeats.

        Parameters
        ----------
        found
            What starts scatter by.
        request
            Variance of one request.
        """
        if found.freedom == 0 or found.start_variance <= NO_SCATTER:
            return None
        from scipy.special import chdtri  # noqa: PLC0415 - reading a log must not wait for it

        sd = np.concatenate([[0.0], np.geomspace(*_FINEST, _POINTS)])
        prior = (1 + (sd / self.run_scale) ** 2 / self.run_tail) ** (-(self.run_tail + 1) / 2)
        prior *= (1 - self.run_absent) * np.gradient(sd) / (prior @ np.gradient(sd))
        prior[0] += self.run_absent
        of_request = request[0] * request[1] / chdtri(request[1], np.array(_PARTS))
        run, each = (part.ravel() for part in np.meshgrid(sd**2, of_request))
        start = run + found.share * each
        fits = -0.5 * found.freedom * (np.log(start) + found.start_variance / start)
        weights = np.tile(prior, len(_PARTS)) * np.exp(fits - fits.max())
        return Believed(run, each, weights / weights.sum())

    def _request(self, found: Scatter, made: Mapping[str, TaskTable]) -> tuple[float, float, str]:
        if found.request_freedom >= self.enough and found.request_variance > NO_SCATTER:
            return found.request_variance**0.5, found.request_freedom, "repeats"
        variance, freedom = between_configurations(made)
        if freedom >= self.enough:
            return variance**0.5, freedom, "configurations"
        return self.request_prior, self.request_freedom, "prior"


@dataclass(frozen=True, eq=False)
class Believed:
    """What is left open of the noise: variances that may be true, and how likely each is.

    Attributes
    ----------
    run, request
        Variances of both levels, shape (n,).
    weights
        Shape (n,), 1 in sum.
    """

    run: Floats
    request: Floats
    weights: Floats

    def term(self, of_run: float, of_request: float) -> Term:
        """A variance in which both have a part, as one with degrees of freedom.

        Student's interval of it is as wide at 90 % as that of the mixture.
        """
        from scipy.special import ndtr, stdtrit  # noqa: PLC0415 - as above

        variances = of_run * self.run + of_request * self.request
        mean = float(self.weights @ variances)
        if mean <= NO_SCATTER:
            return mean, 1e6
        spread = float(self.weights @ (variances - mean) ** 2)
        sd = np.sqrt(np.maximum(variances, NO_SCATTER))
        low, high = 0.0, 10 * float(sd.max())
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            inside = float(self.weights @ ndtr(middle / sd))
            low, high = (middle, high) if inside < _UPPER else (low, middle)
        freedom = min(max(2 * mean**2 / spread, _HEAVIEST), 1e6) if spread > 0 else 1e6
        return (low / float(stdtrit(freedom, _UPPER))) ** 2, freedom


def _steps(tasks: pd.DataFrame) -> pd.DataFrame:
    """Rows with the time of their forwards: `units` is what `seconds` were spent on."""
    seconds = tasks["decode_s"].astype("float64")
    units = 1000 * seconds / tasks["ms_per_forward"]
    out = tasks[["run", "repeat", "start", "task"]].assign(units=units, seconds=seconds)
    return out[tasks["error"].isna() & np.isfinite(units) & (units > 0) & (seconds > 0)]
