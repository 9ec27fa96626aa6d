"""What was chosen, and the belief behind it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.statistics.decision import Decided
from analysis.tuning.belief import OFF, SETTING_COLUMNS, Belief

__all__ = ["BELIEF_COLUMNS", "Ask", "Choice", "Drawn"]

Floats = npt.NDArray[np.floating[Any]]

BELIEF_COLUMNS = (
    "setting",
    "method",
    "n_max",
    "p_min",
    "starts",
    "decode_tps",
    "low",
    "high",
    "speedup",
    "speedup_low",
    "speedup_high",
    "probability_best",
    "loss",
    "dropped",
)

_TAILS = (0.05, 0.5, 0.95)


@dataclass(frozen=True)
class Ask:
    """One request: a task on a setting's server.

    Attributes
    ----------
    setting, task
        What is asked of which.
    start
        Number of the setting's server start, from 1.
    logged
        Whether it is asked for the confidences of its drafts, and not for its time.
    """

    setting: str
    task: str
    start: int
    logged: bool = False


@dataclass(frozen=True, eq=False)
class Choice:
    """What is to be done, and what is believed.

    Attributes
    ----------
    ask
        The next request; null when the search has ended.
    why
        Of the next request, or of the end, in a few words.
    advised
        The setting to use as far as is known; null before the first opening is through.
    probability
        That no setting is faster than it.
    close
        That none is faster by more than `Chooser.loss`.
    expected_loss
        Against the fastest, as a share.
    drawn
        What the belief was drawn as; null before the opening is through.
    """

    ask: Ask | None
    why: str
    advised: str | None = None
    probability: float | None = None
    close: float | None = None
    expected_loss: float | None = None
    drawn: Drawn | None = None

    @cached_property
    def belief(self) -> pd.DataFrame:
        """Columns `BELIEF_COLUMNS`, one row a setting; none before the opening is through.

        Throughputs are in tok/s, with 90 % intervals. Nulls are what nothing is known of yet.
        """
        return (
            pd.DataFrame(columns=list(BELIEF_COLUMNS)) if self.drawn is None else self.drawn.table
        )


@dataclass(frozen=True, eq=False)
class Drawn:
    """Draws of the settings' throughputs, and what follows from them.

    Attributes
    ----------
    belief
        What was drawn from.
    among
        Places of the settings of which something is known.
    rates
        Their draws in tok/s, shape (n_draws, n).
    decided
        See ``decision.decide``.
    in_play
        Methods that may hold the fastest setting.
    has_log
        Methods whose thresholds are foretold.
    """

    belief: Belief
    among: npt.NDArray[np.intp]
    rates: Floats
    decided: Decided
    in_play: frozenset[str]
    has_log: frozenset[str]

    def name(self, column: int) -> str:
        """The setting of a column of the draws."""
        return str(self.belief.settings["setting"].iloc[self.among[column]])

    @property
    def table(self) -> pd.DataFrame:
        """See :attr:`Choice.belief`."""
        settings = self.belief.settings
        methods = settings["method"].to_numpy()
        off = int(np.flatnonzero(methods[self.among] == OFF)[0])
        out = settings[list(SETTING_COLUMNS)].reset_index(drop=True)
        out["starts"] = self.belief.starts
        tps = np.quantile(self.rates, _TAILS, axis=0)
        gain = np.quantile(self.rates / self.rates[:, [off]], _TAILS, axis=0)
        values = (*tps[[1, 0, 2]], *gain[[1, 0, 2]], self.decided.probability, self.decided.loss)
        for name, value in zip(BELIEF_COLUMNS[5:13], values, strict=True):
            column = np.full(len(out), np.nan)
            column[self.among] = value
            out[name] = column
        out["dropped"] = [method not in self.in_play for method in methods]
        return out
