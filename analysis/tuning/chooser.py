"""What is measured next, and when is it enough?

The setting that is advised is the one that is expected to lose least against
the best. What is measured is what is expected to raise the throughput of the
advice most for its time; the search ends when it is hardly possible any more
that the advice loses more than a stated share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.statistics.decision import decide
from analysis.tuning.belief import OFF, Learning, loads_a_draft
from analysis.tuning.choice import Ask, Choice, Drawn

__all__ = ["ENOUGH", "LOGGED", "SPENT", "Chooser"]

Floats = npt.NDArray[np.floating[Any]]

ENOUGH = "enough"
SPENT = "spent"
LOGGED = "its drafts' confidences tell of all thresholds"


@dataclass(frozen=True)
class Chooser:
    """From everything measured so far to the next request.

    Parameters
    ----------
    loss
        Share of throughput that the advice may lose.
    risk
        Probability with which it may lose more than that in the end.
    bound
        What a smaller depth, or none, may be expected to lose, see ``decision.decide``.
    most
        Requests after which the search ends in any case; null for as many as one
        start of every setting takes, or 24 starts where there are fewer settings.
    baseline_every
        Server starts after which the baseline is measured again.
    least
        Server starts of the advised setting and of the baseline before it is enough.
    out
        A method is dropped when it holds the fastest setting with at most this probability.
    draws, seed
        Of the belief.
    learning
        How measurements become a belief.
    """

    loss: float = 0.01
    risk: float = 0.03
    bound: float = 0.0005
    most: int | None = None
    baseline_every: int = 12
    least: int = 2
    out: float = 0.005
    draws: int = 1000
    seed: int = 3
    learning: Learning = field(default_factory=Learning)

    def __call__(
        self,
        settings: pd.DataFrame,
        requests: pd.DataFrame,
        foreseen: pd.DataFrame,
        tasks: Sequence[str],
        logs: pd.DataFrame,
    ) -> Choice:
        """The next request and the belief behind it.

        Parameters
        ----------
        settings
            Columns ``belief.SETTING_COLUMNS``, without those that failed; one of
            them without speculation.
        requests
            Columns ``belief.REQUEST_COLUMNS``, in the order in which they were measured.
        foreseen
            Columns ``belief.FORESEEN_COLUMNS``.
        tasks
            What is asked at each server start, in order.
        logs
            Columns `setting`, `task`: requests that were answered for their drafts'
            confidences. Settings with a threshold are looked at once these foretell them.

        Returns
        -------
        Choice
            Deterministic: the same frames give the same.
        """
        begun = self._unfinished(settings, requests, tasks)
        if begun is not None and not self.hopeless(settings, requests, foreseen):
            return Choice(begun, "the start goes on")
        opening = _opening(settings, requests)
        if opening is not None:
            return Choice(_first(opening, requests, tasks), "every method is seen once")
        drawn = self._drawn(settings, requests, foreseen, logs)
        state = self._state(drawn)
        name, why = self._next(drawn, requests, len(tasks), state)
        spent = len(requests) + len(logs) + len(tasks)
        most = max(len(settings), _FEW) * len(tasks) if self.most is None else self.most
        if name is not None and spent > most:
            name, why = None, SPENT
        if name is None:
            return Choice(None, why, **state)
        if why == LOGGED:
            return Choice(Ask(name, tasks[0], 1, logged=True), why, **state)
        return Choice(_first(name, requests, tasks), why, **state)

    def hopeless(
        self, settings: pd.DataFrame, requests: pd.DataFrame, foreseen: pd.DataFrame
    ) -> bool:
        """Whether the start under way is not worth its end: its method can't win any more.

        A method's first start, its deepest, may be its slowest by far. After two of its
        tasks it is left when the belief gives no setting of the method a chance,
        and none would be nearly as fast as the best even if time grew evenly with depth
        from a forward without speculation on, which is little.
        """
        last = requests.iloc[-1]
        own = settings[settings["setting"] == last["setting"]]
        if own.empty or not loads_a_draft(own)[0]:
            return False
        method = own["method"].iloc[0]
        ran = requests["setting"].map(settings.set_index("setting")["method"])
        if (ran == method).sum() != _TASKS_FIRST or not (ran == OFF).any():
            return False
        seen = settings[settings["method"].isin(set(ran)) & (settings["p_min"] == 0)]
        seen = seen.reset_index(drop=True)
        belief = self.learning(seen, requests, foreseen)
        rates = belief.draws(self.draws, self.seed)
        held = (seen["method"] == method).to_numpy()
        chance = float(held[rates.argmax(axis=1)].mean())
        depth = seen["n_max"].to_numpy("float64")
        deepest = depth == depth[held].max()
        plain = float(belief.step_ms[(seen["method"] == OFF).to_numpy()].min())
        slowest = float(belief.step_ms[held & deepest].max())
        length = belief.length[held]
        # At a depth, or with a threshold that drops every draft that would be rejected.
        drafted = np.append(depth[held], length.max() - 1)
        step = plain + (slowest - plain) * drafted / depth[held].max()
        even = float((np.append(length, length.max()) / step).max())
        best = float((belief.length / belief.step_ms).max())
        return chance <= self.out and even < _NEARLY * best

    def _drawn(
        self,
        settings: pd.DataFrame,
        requests: pd.DataFrame,
        foreseen: pd.DataFrame,
        logs: pd.DataFrame,
    ) -> Drawn:
        """The belief, and what may be chosen by it."""
        methods = settings["method"].to_numpy(object)
        with_log = settings["setting"].isin(logs["setting"]).to_numpy()
        has_log = frozenset(methods[with_log])
        cut = settings["p_min"].to_numpy() > 0
        told = settings["setting"].isin([*foreseen["setting"], *requests["setting"]]).to_numpy()
        open_ = (~cut | told) & ~_is_idle(settings, requests)
        belief = self.learning(settings, requests, foreseen)
        among = np.flatnonzero(open_)
        rates = belief.draws(self.draws, self.seed, among)
        decided = decide(rates, _sizes(settings)[among].tolist(), self.bound)
        chances = np.bincount(among, decided.probability, len(settings))
        in_play = frozenset(
            str(method)
            for method in dict.fromkeys(methods)
            if method == OFF or chances[methods == method].sum() > self.out
        )
        return Drawn(belief, among, rates, decided, in_play, has_log)

    def _state(self, drawn: Drawn) -> dict[str, Any]:
        decided = drawn.decided
        logs = np.log(drawn.rates)
        lost = logs.max(axis=1) - logs[:, decided.chosen]
        return {
            "advised": drawn.name(decided.chosen),
            "probability": float(decided.probability[decided.chosen]),
            "close": float((lost <= -np.log1p(-self.loss)).mean()),
            "expected_loss": float(decided.loss[decided.chosen]),
            "drawn": drawn,
        }

    def _next(
        self, drawn: Drawn, requests: pd.DataFrame, tasks: int, state: dict[str, Any]
    ) -> tuple[str | None, str]:
        """The setting to start next, or null when it is enough; and why."""
        wanted = self._log_wanted(drawn)
        if wanted is not None:
            return wanted, LOGGED
        settings = drawn.belief.settings
        starts = drawn.belief.starts
        advised = int(drawn.among[drawn.decided.chosen])
        off = int(np.flatnonzero(settings["method"] == OFF)[0])
        if state["close"] >= 1 - self.risk and state["expected_loss"] <= self.loss:
            # One start has no error bar of its own.
            seldom = min((off, advised), key=lambda place: starts[place])
            if starts[seldom] >= self.least:
                return None, ENOUGH
            return str(settings["setting"].iloc[seldom]), "what is advised rests on one start"
        if _since_baseline(settings, requests) >= self.baseline_every:
            return str(settings["setting"].iloc[off]), "the baseline again"
        return drawn.name(self._most_telling(drawn, tasks)), "it tells most of the best"

    def _unfinished(
        self, settings: pd.DataFrame, requests: pd.DataFrame, tasks: Sequence[str]
    ) -> Ask | None:
        if requests.empty:
            return None
        last = requests.iloc[-1]
        if last["setting"] not in set(settings["setting"]):
            return None
        own = requests[requests["start"] == last["start"]]
        done = set(own["task"])
        left = [task for task in tasks if task not in done]
        if not left:
            return None
        starts = requests.loc[requests["setting"] == last["setting"], "start"].nunique()
        return Ask(str(last["setting"]), left[0], int(starts))

    def _log_wanted(self, drawn: Drawn) -> str | None:
        """The setting whose confidences are worth a pass, or null.

        A threshold can at best drop every draft that would be rejected: the
        tokens of the deepest depth for the time of a forward that drafts only
        what is accepted.
        """
        belief, rates = drawn.belief, drawn.rates
        methods = belief.settings["method"].to_numpy(object)
        cut = (belief.settings["p_min"] > 0).to_numpy()
        depth = belief.settings["n_max"].to_numpy()
        for method in dict.fromkeys(methods[cut]):
            own = np.flatnonzero((methods == method) & ~cut)
            seen = own[belief.starts[own] > 0]
            if method in drawn.has_log or len(np.unique(depth[seen])) < _DEPTHS_FIRST:
                continue
            deepest = int(seen[np.argmax(depth[seen])])
            needed = belief.length[deepest] - 1
            time = np.interp(needed, depth[own], belief.step_ms[own])
            column = int(np.flatnonzero(drawn.among == deepest)[0])
            reach = np.log(rates[:, column] * belief.step_ms[deepest] / time)
            best = np.log(rates[:, drawn.decided.chosen])
            if float((reach > best + self.loss).mean()) > self.risk:
                return str(belief.settings["setting"].iloc[deepest])
        return None

    def _most_telling(self, drawn: Drawn, tasks: int) -> int:
        """The place of the setting whose start is expected to raise the advice's throughput most.

        The knowledge gradient for correlated beliefs (Frazier, Powell and Dayanik
        2009), with a look ahead over several starts: the gain of the first alone
        can be nothing where only several could change the advice.
        """
        belief, among = drawn.belief, drawn.among
        mean, covariance = belief.moments()
        mean, covariance = mean[among], covariance[np.ix_(among, among)]
        noise = float(belief.weights @ belief.run_sd**2) + belief.request_sd**2 / tasks
        best = mean.max()
        gains = np.zeros(len(among))
        variance = np.maximum(np.diag(covariance), 1e-12)
        for starts in (1, 2, 4, 8):
            moved = covariance / np.sqrt(variance + noise / starts)
            after = sum(
                weight * (mean[:, None] + node * moved).max(axis=0)
                for node, weight in zip(_NODES, _WEIGHTS, strict=True)
            )
            gains = np.maximum(gains, (after - best) / starts)
        # Slow settings take longer to measure.
        return int(np.argmax(gains * np.exp(mean - best)))


_FEW = 24
_TASKS_FIRST = 2
"""Tasks of a method's first start after which it may be left."""
_NEARLY = 0.85
_DEPTHS_FIRST = 2
"""Depths of a method that are timed before its confidences are asked for."""

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(9)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


def _opening(settings: pd.DataFrame, requests: pd.DataFrame) -> str | None:
    """What is measured before anything can be believed: the baseline and every method's deepest."""
    done = set(requests["setting"])
    off = settings[settings["method"] == OFF]
    order = [str(off["setting"].iloc[0])]
    rest = settings[(settings["method"] != OFF) & (settings["p_min"] == 0)]
    for _, own in rest.groupby("method", sort=False):
        order.append(str(own["setting"].iloc[int(np.argmax(own["n_max"]))]))
    return next((name for name in order if name not in done), None)


def _is_idle(settings: pd.DataFrame, requests: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Settings that ran and drafted nothing, and all of a method whose deepest is one of them."""
    ran = requests[requests["setting"].isin(settings["setting"])]
    drafted = ran.groupby("setting", sort=False)["drafted"].sum()
    idle = settings["setting"].isin(drafted.index[drafted == 0]) & (settings["method"] != OFF)
    deepest = settings.groupby("method", sort=False)["n_max"].transform("max") == settings["n_max"]
    nothing = set(settings.loc[idle & deepest & (settings["p_min"] == 0), "method"])
    out: npt.NDArray[np.bool_] = (idle | settings["method"].isin(nothing)).to_numpy(bool)
    return out


def _first(setting: str, requests: pd.DataFrame, tasks: Sequence[str]) -> Ask:
    starts = requests.loc[requests["setting"] == setting, "start"].nunique()
    return Ask(setting, tasks[0], int(starts) + 1)


def _since_baseline(settings: pd.DataFrame, requests: pd.DataFrame) -> int:
    off = set(settings.loc[settings["method"] == OFF, "setting"])
    order = requests.drop_duplicates("start")["setting"].isin(off).to_numpy()[::-1]
    return int(np.argmax(order)) if order.any() else len(order)


def _sizes(settings: pd.DataFrame) -> Floats:
    off = settings["method"].to_numpy() == OFF
    size = settings["n_max"].to_numpy("float64") + 0.5 * (settings["p_min"].to_numpy() > 0)
    out: Floats = np.where(off, -1.0, size)
    return out
