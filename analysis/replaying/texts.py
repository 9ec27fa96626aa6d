"""Rounds with confidences in, answers token by token out: what would the draft say, how surely?

A drafted token is the draft's guess at one token of the answer. As far as all
guesses before it in its round came true, it was made from the answer itself, so
a draft that works token by token would make it again wherever a round begins.
What a log does not hold are the guesses at the token that followed a draft which
was accepted whole, and how a draft goes on after a wrong guess beyond the logged
depth. Both are drawn from guesses in the same situation, several times over, so
that what is not known shows as spread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.spatial import KDTree

from analysis.records import Rounds

__all__ = ["Guesses", "Texts", "guesses", "texts_of"]

Floats = npt.NDArray[np.floating[Any]]
Flags = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.int64]

_STREAK = 5
"""Guesses are alike when they follow equally many right ones; more than this count as this."""


@dataclass(frozen=True, eq=False)
class Guesses:
    """The guesses at one answer's tokens.

    Attributes
    ----------
    confidence
        Probability that the draft gave its guess at each token, shape (n,); NaN
        where no guess is logged. The first token is never guessed.
    right
        Whether the guess came true, shape (n,); false where none is logged.
    streak
        Right guesses in a row directly before, within the same draft, shape (n,).
    beyond
        Confidences that the draft went on with after a wrong guess, shape (n, m);
        NaN where the log ends.
    limited
        Whether the answer ended at its token limit, near which drafts are short.
    task, workload
        Names, for results by kind of text.
    """

    confidence: Floats
    right: Flags
    streak: Indices
    beyond: Floats
    limited: bool
    task: str = ""
    workload: str | None = None

    def __len__(self) -> int:
        return len(self.right)


def guesses(
    rounds: Rounds,
    task: str = "",
    workload: str | None = None,
    predicted: int | None = None,
) -> Guesses | None:
    """Lay a request's rounds along its answer; null where they have no confidences.

    Parameters
    ----------
    rounds
        With a confidence per drafted token.
    task, workload
        Names of the request's text.
    predicted
        Tokens of the answer. Forwards without a draft are not logged: near the
        token limit one may follow the last round.

    Returns
    -------
    Guesses or None
        One entry per token of the answer, prefill's first one included.
    """
    if rounds.confidence is None or not len(rounds.drafted):
        return None
    drafted = np.asarray(rounds.drafted, np.int64)
    accepted = np.minimum(np.asarray(rounds.accepted, np.int64), drafted)
    begins = 1 + np.concatenate(([0], np.cumsum(accepted + 1)))
    size, width = int(begins[-1]), rounds.confidence.shape[1]
    unlogged = 0 if predicted is None else max(predicted - size, 0)
    size += unlogged
    confidence, right = np.full(size, np.nan), np.zeros(size, np.bool_)
    streak, beyond = np.zeros(size, np.int64), np.full((size, width), np.nan)
    for index in range(len(drafted)):
        at, hits = int(begins[index]), int(accepted[index])
        row = rounds.confidence[index]
        upto = min(hits + (drafted[index] > hits), width)
        confidence[at : at + upto] = row[:upto]
        right[at : at + hits] = True
        streak[at : at + hits + 1] = np.arange(hits + 1)
        if drafted[index] > hits:
            rest = row[hits + 1 :]
            beyond[at + hits, : len(rest)] = rest
    right &= ~np.isnan(confidence)
    deepest = int(drafted.max())
    limited = bool(drafted[-1] < deepest) or unlogged > 0
    return Guesses(confidence, right, streak, beyond, limited, task, workload)


@dataclass(frozen=True, eq=False)
class Texts:
    """Several answers end to end, with nothing unknown in them: one draw of what the log lacks.

    Attributes
    ----------
    start, end
        Where each answer begins and ends (exclusive), shape (texts,).
    limited
        See :class:`Guesses`, shape (texts,).
    confidence, right
        Shape (tokens,); the log of the confidence, for products.
    beyond
        Confidences after a wrong guess, shape (tokens, m), NaN-free.
    miss
        Index of the first wrong guess at or after each token, shape (tokens + 1,).
    """

    start: Indices
    end: Indices
    limited: Flags
    confidence: Floats
    right: Flags
    beyond: Floats
    miss: Indices


def texts_of(answers: Sequence[Guesses], depth: int, random: np.random.Generator) -> Texts:
    """Fill in what the log lacks, at random.

    Parameters
    ----------
    answers
        At least one; those of one configuration.
    depth
        The deepest draft that will be asked for.
    random
        Source of the draws.

    Returns
    -------
    Texts
        All answers. A guess that is not logged is drawn from the logged ones
        of the same workload that follow as many right ones; the confidences
        after a wrong guess from those at the same distance behind one.
    """
    confidence = np.concatenate([one.confidence for one in answers])
    right = np.concatenate([one.right for one in answers])
    streak = np.minimum(np.concatenate([one.streak for one in answers]), _STREAK)
    sizes = np.array([len(one) for one in answers])
    end = np.cumsum(sizes)
    start = end - sizes
    workloads = [one.workload for one in answers]
    codes = np.array([workloads.index(name) for name in workloads])
    group = np.repeat(codes, sizes)
    unknown = np.isnan(confidence)
    unknown[start] = False  # prefill gives the first token
    behind = np.flatnonzero(unknown)
    # Its own streak is that of the draft accepted whole before it, which ends one token earlier.
    streak[behind] = np.minimum(streak[behind - 1] + right[behind - 1], _STREAK)
    logged = ~np.isnan(confidence)
    # The guess before one is logged wherever that one is asked for or can be a donor.
    before = np.nan_to_num(np.concatenate(([1.0], confidence[:-1])))[:, None]
    for code in np.unique(group[behind]):
        for run in np.unique(streak[behind[group[behind] == code]]):
            asked = behind[(group[behind] == code) & (streak[behind] == run)]
            donors = _donors(logged, group == code, streak, int(run))
            if len(donors):
                nearest = min(_NEAREST, len(donors))
                _, near = KDTree(before[donors]).query(before[asked], k=[*range(1, nearest + 1)])
                picked = donors[
                    near[np.arange(len(asked)), random.integers(nearest, size=len(asked))]
                ]
                confidence[asked], right[asked] = confidence[picked], right[picked]
            else:
                confidence[asked], right[asked] = 0.0, False
    confidence[start], right[start] = 1.0, True
    beyond = _beyond(answers, depth, random)
    places = np.where(right, len(right), np.arange(len(right)))
    miss = np.minimum.accumulate(np.append(places, len(right))[::-1])[::-1]
    limited = np.array([one.limited for one in answers])
    return Texts(start, end, limited, confidence, right, beyond, miss)


_NEAREST = 8
_FEW = 20
"""With fewer guesses in the same situation, those after one right guess less are asked as well."""


def _donors(logged: Flags, alike: Flags, streak: Indices, run: int) -> Indices:
    """Logged guesses after at least `run` right ones, or fewer where those are too few."""
    for among in (logged & alike, logged):
        for least in range(run, -1, -1):
            found = np.flatnonzero(among & (streak >= least))
            if len(found) >= _FEW or (least == 0 and len(found)):
                return found
    return np.empty(0, np.int64)


def _beyond(answers: Sequence[Guesses], depth: int, random: np.random.Generator) -> Floats:
    """Confidences after a wrong guess, `depth` - 1 of them: logged as far as they are."""
    width = max(depth - 1, 1)
    out = np.full((sum(len(one) for one in answers), width), np.nan)
    at = 0
    for one in answers:
        logged = one.beyond[:, :width]
        out[at : at + len(one), : logged.shape[1]] = logged
        at += len(one)
    missing = np.isnan(out)
    whole = np.flatnonzero(~missing.any(axis=1))
    if len(whole):
        drawn = out[random.choice(whole, len(out))]
        return np.where(missing, drawn, out)
    for place in range(width):
        known = out[~missing[:, place], place]
        if len(known):
            out[missing[:, place], place] = random.choice(known, int(missing[:, place].sum()))
        else:
            # Nothing was drafted so far behind a wrong guess: it goes on as it was.
            out[:, place] = out[:, place - 1] if place else 1.0
    return out
