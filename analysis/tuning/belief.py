"""How fast is each setting, given what was measured of some?

A setting's decode throughput is its tokens per forward over the time of a
forward. Greedy answers repeat, so the first is counted and known once a setting
has run; of others a replay foretells it. The time is measured with noise, and
the settings of a method share it: it is a curve over the tokens that a forward
drafts. So few settings tell of many, and each is known with an error that
hangs together with the others'.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.tuning.seen import Seen

__all__ = [
    "FORESEEN_COLUMNS",
    "OFF",
    "REQUEST_COLUMNS",
    "SETTING_COLUMNS",
    "Belief",
    "Learning",
    "loads_a_draft",
]

Floats = npt.NDArray[np.floating[Any]]
Places = npt.NDArray[np.intp]

OFF = "none"
"""Method of the setting without speculation."""

SETTING_COLUMNS = ("setting", "method", "n_max", "p_min")
REQUEST_COLUMNS = ("setting", "start", "task", "tokens", "forwards", "drafted", "seconds")
FORESEEN_COLUMNS = ("setting", "tokens_per_forward", "drafted_per_forward", "sd")


@dataclass(frozen=True, eq=False)
class Belief:
    """A mixture of Gaussians over the log of every setting's throughput.

    Attributes
    ----------
    settings
        As given.
    weights
        Of the mixture's parts, which differ in noise and in how smooth times are.
    means, covariances
        Of each part, shapes (parts, n) and (parts, n, n).
    run_sd
        Run noise that each part assumes, shape (parts,).
    request_sd
        Scatter of one request's time.
    starts
        Server starts of each setting, shape (n,).
    drafted
        Tokens drafted per forward, measured or foreseen, shape (n,).
    step_ms
        Expected time of a forward, shape (n,).
    length
        Expected tokens per forward, shape (n,).
    hiccups
        Requests whose time was not believed: columns `start`, `task`, and `times`, how much
        longer than usual they took.
    """

    settings: pd.DataFrame
    weights: Floats
    means: Floats
    covariances: Floats
    run_sd: Floats
    request_sd: float
    starts: npt.NDArray[np.int64]
    drafted: Floats
    step_ms: Floats
    length: Floats
    hiccups: pd.DataFrame

    def moments(self) -> tuple[Floats, Floats]:
        """Mean and covariance of the mixture as a whole."""
        mean: Floats = self.weights @ self.means
        apart = self.means - mean
        within = np.einsum("h,hij->ij", self.weights, self.covariances)
        between = np.einsum("h,hi,hj->ij", self.weights, apart, apart)
        return mean, within + between

    def draws(self, number: int, seed: int, among: Places | None = None) -> Floats:
        """Draws of the throughputs in tokens per second, shape (number, n)."""
        random = np.random.default_rng(seed)
        chosen = np.arange(self.means.shape[1]) if among is None else among
        shares = random.multinomial(number, self.weights / self.weights.sum())
        parts = []
        for part in np.flatnonzero(shares):
            covariance = self.covariances[part][np.ix_(chosen, chosen)]
            # What is known exactly needs a little of its own to have a root.
            root = np.linalg.cholesky(covariance + _JITTER * np.eye(len(chosen)))
            noise = random.standard_normal((int(shares[part]), len(chosen)))
            parts.append(self.means[part][chosen] + noise @ root.T)
        drawn: Floats = np.exp(np.concatenate(parts))
        return drawn


@dataclass(frozen=True)
class Learning:
    """How measurements become a belief; call it with frames.

    Parameters
    ----------
    run_sds, run_chances
        Run noise that is thought possible, and how likely each is beforehand.
    rough
        Standard deviations that the curve of times may have from one drafted
        token to the next, on top of a line; large where a kernel ends.
    rise_mean, rise_sd
        Of the log of the time per drafted token.
    burst_mean, burst_sd
        The same of drafters without a model of their own: they draft seldom and many at once.
    depth_sd
        The same per depth up to 8 and less beyond, whatever is drafted: a block costs what it
        costs.
    step_sd, own_sd
        What a depth and a setting have of their own: kernels suit some sizes better.
    lookup_sd
        What a drafter without a model of its own costs where it drafts nothing; but for
        that, such a forward is one without speculation, so each tells of the others.
    request_prior, request_freedom
        Scatter of one request before any was measured, and the degrees of freedom
        that this is worth.
    shared
        Share of the variance of what is foretold that a method's settings have in common.
    open_sd
        Of the log of the tokens per forward where nothing foretells them.
    """

    run_sds: tuple[float, ...] = (0.001, 0.004, 0.008, 0.014, 0.021, 0.03, 0.045)
    run_chances: tuple[float, ...] = (0.08, 0.12, 0.2, 0.22, 0.2, 0.13, 0.05)
    rough: tuple[float, ...] = (0.004, 0.012, 0.035)
    rise_mean: float = 0.07
    rise_sd: float = 0.05
    burst_mean: float = 0.2
    burst_sd: float = 0.2
    depth_sd: float = 0.01
    step_sd: float = 0.008
    own_sd: float = 0.004
    lookup_sd: float = 0.04
    request_prior: float = 0.03
    request_freedom: float = 4.0
    shared: float = 0.5
    open_sd: float = 0.4

    def __call__(
        self, settings: pd.DataFrame, requests: pd.DataFrame, foreseen: pd.DataFrame
    ) -> Belief:
        """What is believed of every setting.

        Parameters
        ----------
        settings
            Columns `SETTING_COLUMNS`: a name, a method (`OFF` without speculation),
            its depth and threshold (0 without).
        requests
            Columns `REQUEST_COLUMNS`, one row an answered and timed request: the
            server start that it belongs to, its timed tokens, forwards, drafted
            tokens and decode time in s. At least one row of a setting of each method.
        foreseen
            Columns `FORESEEN_COLUMNS`: what a replay says of settings, `sd` of the
            log of the tokens per forward; none for settings of which nothing is foretold.

        Returns
        -------
        Belief
            Of the settings in their order.
        """
        seen = Seen.of(settings, requests, self.request_prior, self.request_freedom)
        lengths = self._lengths(settings, seen, foreseen)
        drafted = _drafted(settings, seen, foreseen)
        priors = [self._prior(settings, drafted, rough) for rough in self.rough]
        usual = self._usual(settings, drafted) + float(seen.time.mean())
        parts = [
            (chance, run_sd, self._times(seen, usual, run_sd, prior))
            for (run_sd, chance), prior in itertools.product(
                zip(self.run_sds, self.run_chances, strict=True), priors
            )
        ]
        evidence = np.array([np.log(chance) + times[0] for chance, _, times in parts])
        weights = np.exp(evidence - evidence.max())
        weights /= weights.sum()
        kept = weights > _NEGLIGIBLE * weights.max()
        chosen = [part for part, keep in zip(parts, kept, strict=True) if keep]
        weights = weights[kept] / weights[kept].sum()
        times = np.stack([mean for _, _, (_, mean, _) in chosen])
        spread = np.stack([covariance for _, _, (_, _, covariance) in chosen])
        return Belief(
            settings,
            weights,
            lengths[0] - times,
            lengths[1] + spread,
            np.array([run_sd for _, run_sd, _ in chosen]),
            seen.request_sd,
            seen.starts,
            drafted,
            1000 * np.exp(weights @ times),
            np.exp(lengths[0]),
            seen.hiccups,
        )

    def _lengths(
        self, settings: pd.DataFrame, seen: Seen, foreseen: pd.DataFrame
    ) -> tuple[Floats, Floats]:
        """Mean and covariance of the log of the tokens per forward."""
        methods, names = pd.factorize(settings["method"])
        depth = np.log1p(settings["n_max"].to_numpy("float64"))
        told = foreseen.set_index("setting").reindex(settings["setting"])
        mean = np.log(told["tokens_per_forward"].to_numpy("float64"))
        sd = told["sd"].to_numpy("float64")
        open_ = np.isnan(mean)
        alike = methods[:, None] == methods[None, :]
        both = open_[:, None] & open_[None, :] & alike
        level = np.where(open_, 0.4 * depth, mean)
        prior = np.where(both, self.open_sd**2 * (0.5 + 0.5 * np.minimum.outer(depth, depth)), 0.0)
        known = np.where(open_, 0.0, sd)
        pair = np.outer(known, known) * alike
        prior += self.shared * pair + (1 - self.shared) * np.diag(known**2)
        off = methods == list(names).index(OFF)
        level[off], prior[off, :], prior[:, off] = 0.0, 0.0, 0.0
        at = np.flatnonzero((seen.starts > 0) & ~off)
        if len(at) == 0:
            return level, prior
        noise = np.diag(seen.length_sd[at] ** 2)
        gain = np.linalg.solve(prior[np.ix_(at, at)] + noise, prior[at]).T
        return level + gain @ (np.log(seen.length[at]) - level[at]), prior - gain @ prior[at]

    def _prior(self, settings: pd.DataFrame, drafted: Floats, rough: float) -> Floats:
        """Covariance of the log of the times per forward before any was measured."""
        methods, _ = pd.factorize(settings["method"])
        depth = settings["n_max"].to_numpy("float64")
        loads = loads_a_draft(settings)
        rise = np.where(loads, self.rise_sd, self.burst_sd) * drafted
        prior = np.outer(rise, rise)
        prior += rough**2 * np.minimum.outer(drafted, drafted)
        # What a draft model's forwards cost, whatever they draft, is not there without one.
        paid = _DEEP * np.log1p(depth) / np.log1p(_DEEP)
        both = np.outer(loads, loads)
        prior += both * self.depth_sd**2 * np.outer(paid, paid)
        prior += both * self.step_sd**2 * (depth[:, None] == depth[None, :])
        alike = methods[:, None] == methods[None, :]
        none = ~loads[:, None] & ~loads[None, :]
        looks = ~loads & (depth > 0)
        prior += self.lookup_sd**2 * np.outer(looks, looks)
        out: Floats = np.where(alike, prior, 0.0) + self.own_sd**2 * np.eye(len(methods))
        out += np.where(alike | none, _LEVEL_SD**2, 0.0)
        return out

    def _usual(self, settings: pd.DataFrame, drafted: Floats) -> Floats:
        """Mean of the log of the times before any was measured, but for their level.

        That is unknown; it starts near what was measured, so that its prior is no matter.
        """
        loads = loads_a_draft(settings)
        return np.where(loads, self.rise_mean * (drafted - 4.0), self.burst_mean * drafted)

    def _times(
        self, seen: Seen, mean: Floats, run_sd: float, prior: Floats
    ) -> tuple[float, Floats, Floats]:
        """Log evidence, mean and covariance of the log of the time per forward."""
        at = seen.measured
        single = seen.time_variance + run_sd**2
        root = np.linalg.cholesky(prior[np.ix_(at, at)] + np.diag(single / seen.repeats))
        half = np.linalg.solve(root, np.column_stack([seen.time - mean[at], prior[at]]))
        evidence = -0.5 * float(half[:, 0] @ half[:, 0]) - float(np.log(np.diag(root)).sum())
        # What repeats say beside their mean.
        evidence -= 0.5 * float((seen.squares / single + (seen.repeats - 1) * np.log(single)).sum())
        return (
            evidence,
            mean + half[:, 1:].T @ half[:, 0],
            prior - half[:, 1:].T @ half[:, 1:],
        )


_LEVEL_SD = 1.0
_DEEP = 8.0
_NEGLIGIBLE = 1e-2
_JITTER = 1e-8


def loads_a_draft(settings: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Whether a setting drafts with a model's layers: not without speculation, nor by n-grams."""
    out: npt.NDArray[np.bool_] = ~settings["method"].str.startswith((OFF, "ngram")).to_numpy(bool)
    return out


def _drafted(settings: pd.DataFrame, seen: Seen, foreseen: pd.DataFrame) -> Floats:
    """Tokens drafted per forward: counted, else foretold, else as many as the depth lets it."""
    rows = foreseen.set_index("setting").reindex(settings["setting"])
    told = rows["drafted_per_forward"].to_numpy("float64")
    depth = settings["n_max"].to_numpy("float64")
    out = np.where(np.isnan(told), depth, told)
    out = np.where(np.isnan(seen.drafted), out, seen.drafted)
    return np.where(settings["method"].to_numpy() == OFF, 0.0, out)
