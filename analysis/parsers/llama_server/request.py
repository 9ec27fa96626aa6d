"""What do a slot's lines say about one request?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from analysis.parsers.llama_server.candidates import Confidences, joined
from analysis.parsers.llama_server.marks import Accepted, Decoded, Prefilled, shares
from analysis.parsers.llama_server.totals import DraftStatistics, Statistics
from analysis.records import Positions, Rounds, Source, TaskResult

__all__ = ["Request", "convention", "since"]

_PRINTED = 0.0051
"""Half of the last digit that a time per token is printed with, and a little for its own."""


@dataclass(slots=True)
class Request:
    """The lines of one request, as they come."""

    slot: int | None
    task: int | None
    launched: bool = False
    first_line: int | None = None
    last_line: int | None = None
    prefilled: Prefilled | None = None
    decoded: Decoded | None = None
    total_s: float | None = None
    accepted: Accepted | None = None
    cached: int | None = None
    rates: tuple[float, ...] = ()
    statistics: list[tuple[Statistics, Statistics | None]] = field(default_factory=list)
    complete: bool = False
    began_s: float | None = None
    ended_s: float | None = None
    _rounds: list[tuple[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike]] = field(default_factory=list)
    _sure: list[Confidences] = field(default_factory=list)
    _replay: bool = False

    def saw(self, line: int) -> None:
        """Note that a figure stands in this line."""
        self.first_line = line if self.first_line is None else self.first_line
        self.last_line = line

    def at(self, at_s: float | None) -> None:
        """Note when a line of this request was written."""
        if at_s is not None:
            self.began_s = at_s if self.began_s is None else min(self.began_s, at_s)
            self.ended_s = at_s if self.ended_s is None else max(self.ended_s, at_s)

    def add_rounds(
        self,
        drafted: npt.NDArray[np.int64],
        accepted: npt.NDArray[np.int64],
        at_s: npt.NDArray[np.float64],
        restored: npt.NDArray[np.bool_],
        sure: Confidences | None = None,
    ) -> None:
        """Take some rounds; the one after a restored one is its replay and not a round."""
        if not len(drafted):
            return
        if self._replay or restored.any():
            keep = np.ones(len(drafted), np.bool_)
            keep[0] = not self._replay
            for index in np.flatnonzero(restored[:-1]):
                keep[index + 1] = not keep[index]
            self._replay = bool(restored[-1] and keep[-1])
            drafted, accepted, at_s = drafted[keep], accepted[keep], at_s[keep]
            sure = None if sure is None else sure[keep]
        self._sure.append(sure or Confidences.unknown(len(drafted)))
        self._rounds.append((drafted.astype(np.int32), accepted.astype(np.int32), at_s))

    def counted(self, now: Statistics, before: Statistics | None) -> None:
        """Take the totals of an implementation after this request, and those before it."""
        self.statistics.append((now, before))

    def without_times(self, accepted: Accepted, line: int) -> Request:
        """A request that is only known by its acceptance line, and by the rounds so far."""
        alone = Request(self.slot, self.task, accepted=accepted)
        alone._rounds, alone._sure = list(self._rounds), list(self._sure)
        alone.saw(line)
        return alone

    def result(self, name: str, file: str, first_s: float | None, drafts: bool) -> TaskResult:
        """The record of the request.

        Parameters
        ----------
        name
            Its task.
        file
            How the log is called.
        first_s
            The log's first time, which rounds are counted from.
        drafts
            Whether the server is known to speculate. A request of it that ends
            with its times may have been cut before its acceptance line.
        """
        decoded, prefilled, accepted = self.decoded, self.prefilled, self.accepted
        known = accepted is not None or (decoded is not None and (self.complete or not drafts))
        rounds = self._as_rounds(first_s) if self._rounds else None
        own = self._own_statistics() if self.statistics else []
        return TaskResult(
            name,
            Source(file, self.first_line, self.last_line),
            predicted_tokens=decoded.tokens if decoded else None,
            draft_tokens=(accepted.drafted if accepted else 0) if known else None,
            accepted_tokens=(accepted.accepted if accepted else 0) if known else None,
            reported_rate=accepted.rate if accepted else None,
            rate_decimals=accepted.decimals if accepted else None,
            decode_tps=decoded.per_second if decoded else None,
            decode_s=decoded.seconds if decoded else None,
            wall_s=self.total_s,
            prompt_tokens=prefilled.tokens if prefilled else None,
            cached_tokens=self.cached,
            prompt_s=prefilled.seconds if prefilled else None,
            draft_s=_draft_s(own) if own else None,
            positions=self._positions(rounds, own),
            rounds=rounds,
            busy_s=self._busy_s(),
        )

    def _busy_s(self) -> tuple[float, float] | None:
        """From its launch, or its own time before its last line, to its last line."""
        began, ended = self.began_s, self.ended_s
        if began is None or ended is None:
            return None
        if not self.launched and self.total_s is not None:
            began = min(began, ended - self.total_s)
        return (began, ended) if self.launched or self.total_s is not None else None

    def _as_rounds(self, first_s: float | None) -> Rounds:
        drafted, accepted, at_s = (
            np.concatenate([part[column] for part in self._rounds]) for column in range(3)
        )
        timed = first_s is not None and len(at_s) > 0 and not np.isnan(at_s).any()
        begin = first_s if timed and first_s is not None else np.nan
        since_s = at_s - begin if timed else None
        sure = joined(self._sure)
        if sure is None:
            return Rounds(drafted, accepted, since_s)
        whole_s = sure.at_s - begin if timed else None
        return Rounds(drafted, accepted, since_s, sure.probability, whole_s)

    def _positions(self, rounds: Rounds | None, own: list[DraftStatistics]) -> Positions | None:
        """The printed shares, with the counts behind them where the rounds are all there."""
        rates = self.rates or (self.accepted.per_position if self.accepted else ())
        if not rates and len(own) == 1 and own[0] == self.statistics[0][0].totals:
            # Totals that are this request's alone: their shares are, too.
            rates = shares(self.statistics[0][0].shares)
        if not rates:
            return None
        if rounds is not None and self.accepted is not None:
            sums = int(rounds.drafted.sum()), int(rounds.accepted.sum())
            if sums == (self.accepted.drafted, self.accepted.accepted):
                counts = [int((rounds.accepted > place).sum()) for place in range(len(rates))]
                return Positions(rates, tuple(counts), len(rounds.drafted))
        return Positions(rates, rounds=own[0].drafts if len(own) == 1 else None)

    def _own_statistics(self) -> list[DraftStatistics]:
        """What each implementation did for this request.

        The totals are those of all slots: a difference is this request's only
        if its tokens add up to what the request itself says.
        """
        said = self.accepted
        drafted, accepted = (said.drafted, said.accepted) if said else (0, 0)
        parts = []
        for now, before in self.statistics:
            part = since(now.totals, before.totals if before else None)
            if part.drafts < 0 or part.drafted_tokens < 0 or part.accepted_tokens < 0:
                return []
            drafted -= part.drafted_tokens
            accepted -= part.accepted_tokens
            parts.append(part)
        return [] if drafted or accepted else parts


def _draft_s(own: list[DraftStatistics]) -> float | None:
    known = [part.draft_s for part in own if part.draft_s is not None]
    return sum(known) if len(known) == len(own) else None


def since(now: DraftStatistics, before: DraftStatistics | None) -> DraftStatistics:
    """What happened between two totals, or up to the first."""
    if before is None:
        return now

    spent = None
    if now.draft_s is not None and before.draft_s is not None:
        spent = max(now.draft_s - before.draft_s, 0.0)
    return DraftStatistics(
        now.implementation,
        now.drafts - before.drafts,
        now.drafted_tokens - before.drafted_tokens,
        now.accepted_tokens - before.accepted_tokens,
        spent,
    )


def convention(decoded: Decoded) -> Literal["n", "n-1"] | None:
    """Over how many of a request's tokens its time was divided; ``None`` where both would do.

    Builds up to June 2026 divided by all n, later ones by n - 1, because the
    first token comes from prefill.

    Examples
    --------
    >>> convention(Decoded(140, 1.66716, 11.99, 83.38))
    'n-1'
    >>> convention(Decoded(263, 18.1654, 69.07, 14.48))
    'n'
    """
    if decoded.seconds is None or decoded.per_token_ms is None or decoded.tokens < 2:
        return None
    spent_ms = decoded.seconds * 1000
    all_of_them = abs(spent_ms / decoded.tokens - decoded.per_token_ms) < _PRINTED
    but_one = abs(spent_ms / (decoded.tokens - 1) - decoded.per_token_ms) < _PRINTED
    if all_of_them == but_one:
        return None
    return "n" if all_of_them else "n-1"
