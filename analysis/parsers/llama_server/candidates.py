r"""How sure was a draft of each token? The candidates that a server prints at ``-lv 5``.

Of each drafted position the first candidate is the drafted token, or the one
that was dropped for its probability. Only probabilities are kept: what the
tokens say is nobody's business here.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.parsers.llama_server.trace import Indices, clock, stands

__all__ = ["Candidate", "Confidences", "Drafts", "candidates", "joined"]

_NEEDLE = b", draft candidate   0, pos "
_FIRST = re.compile(
    rb" - seq_id (\d{1,4}), draft candidate   0, pos +(\d{1,3}): +-?\d{1,9} \( *(\d\.\d{3})\) '"
)
# Clocks, containers and colours, the level letter, and a tag or none. A text that was logged has
# quotes and braces before it.
_TAG = re.compile(rb"[^\"'`{}()=]*(?:^|[ m])D (?:spec +\w{1,12}: ?)?$")
_USUAL = (b" D spec        draft: ", b" D ")
_CHILD = re.compile(rb"\[\d{1,6}\] ")
_LONGEST_PREFIX = 200


Candidate = tuple[int, int, int, float, float]
"""The token that a draft chose, or dropped, at one place.

Index of its line within the block; slot and place in the draft (places count
from 0 or 1, by drafter); its probability as printed, with three digits; the
time by the server's clock, NaN without one.
"""


@dataclass(frozen=True, eq=False)
class Confidences:
    """What is known of the drafts of some rounds.

    Attributes
    ----------
    probability
        Of each token, shape (n, deepest), NaN behind a draft's end.
    at_s
        When each draft was whole, by the server's clock, shape (n,); NaN where
        nothing is known.
    """

    probability: npt.NDArray[np.float32]
    at_s: npt.NDArray[np.float64]

    @classmethod
    def of(cls, drafts: Sequence[tuple[Sequence[float], float]]) -> Confidences:
        """Put the probabilities of each draft, and when it was whole, into arrays.

        Examples
        --------
        >>> Confidences.of([([0.5], 1.0), ([], np.nan), ([0.25, 1.0], 3.0)]).probability
        array([[0.5 ,  nan],
               [ nan,  nan],
               [0.25, 1.  ]], dtype=float32)
        """
        width = max((len(row) for row, _ in drafts), default=0)
        out = np.full((len(drafts), width), np.nan, np.float32)
        for index, (row, _) in enumerate(drafts):
            out[index, : len(row)] = row
        return cls(out, np.array([at_s for _, at_s in drafts], np.float64))

    @classmethod
    def unknown(cls, rounds: int) -> Confidences:
        """Nothing known of so many rounds."""
        return cls(np.empty((rounds, 0), np.float32), np.full(rounds, np.nan))

    def __getitem__(self, which: npt.NDArray[np.bool_]) -> Confidences:
        return Confidences(self.probability[which], self.at_s[which])


def joined(parts: Sequence[Confidences]) -> Confidences | None:
    """Those of all rounds of a request; null where nothing is known of any."""
    width = max(part.probability.shape[1] for part in parts)
    whole = np.full((sum(len(part.at_s) for part in parts), width), np.nan, np.float32)
    at = 0
    for part in parts:
        whole[at : at + len(part.at_s), : part.probability.shape[1]] = part.probability
        at += len(part.at_s)
    if np.isnan(whole).all():
        return None
    return Confidences(whole, np.concatenate([part.at_s for part in parts]))


def candidates(raw: bytes, starts: Indices) -> list[Candidate]:
    """Find the chosen tokens of a block.

    Parameters
    ----------
    raw
        The bytes of some whole lines.
    starts
        Where each line begins.

    Returns
    -------
    list of Candidate
        In the order of their lines.
    """
    if _NEEDLE not in raw:
        return []
    found = list(_FIRST.finditer(raw))
    at = np.array([match.start() for match in found], np.int64)
    lines = np.searchsorted(starts, at, side="right") - 1
    begins = starts[lines]
    buffer = np.frombuffer(raw, np.uint8)
    seconds, after, right = clock(buffer, begins)
    seconds[~right] = np.nan
    usual = right & np.logical_or.reduce(
        [stands(buffer, after, tag) & (after + len(tag) == at) for tag in _USUAL]
    )
    return [
        (line, int(match[1]), int(match[2]), float(match[3]), at_s)
        for match, line, begin, at_s, known in zip(
            found, lines.tolist(), begins.tolist(), seconds.tolist(), usual.tolist(), strict=True
        )
        if known or _is_servers(raw[begin : min(match.start(), begin + _LONGEST_PREFIX)])
    ]


def _is_servers(before: bytes) -> bool:
    """Whether what stands before a candidate is a server's: a text that was logged has other words.

    The slots of several servers under one router can't be told apart by number: theirs are left.
    """
    return bool(_TAG.match(before)) and not _CHILD.match(before)


class Drafts:
    """The drafts of a server that were begun and not verified yet, by slot."""

    def __init__(self) -> None:
        self._open: dict[int, tuple[int, list[float], float]] = {}
        self._waiting: deque[Candidate] = deque()

    def __bool__(self) -> bool:
        return bool(self._open or self._waiting)

    def begin(self, found: Iterable[Candidate]) -> None:
        """Go on to a block's candidates; those of the block before it count as read."""
        self._upto(None)
        self._waiting.extend(found)

    def verified(self, line: int, slot: int, drafted: int) -> tuple[Sequence[float], float]:
        """End a slot's draft with the round in a line: its confidences, and when it was whole.

        Empty where the draft before that line is not this round's: a drafter
        that prints nothing leaves none, and so do lines that were lost.
        """
        self._upto(line)
        _, sure, at_s = self._open.pop(slot, (0, [], np.nan))
        return (sure, at_s) if drafted and drafted <= len(sure) <= drafted + 1 else ((), np.nan)

    def _upto(self, line: int | None) -> None:
        waiting = self._waiting
        while waiting and (line is None or waiting[0][0] < line):
            _, slot, place, probability, at_s = waiting.popleft()
            first, sure, _ = self._open.get(slot, (place, [], np.nan))
            if place != first + len(sure):
                # A place that was there already, or a gap: another draft begins.
                first, sure = place, []
            sure.append(probability)
            self._open[slot] = (first, sure, at_s)
