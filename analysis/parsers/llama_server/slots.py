"""To which request of a server does a line belong?"""

from __future__ import annotations

from typing import cast

import numpy as np

from analysis.parsers.llama_server.candidates import Confidences
from analysis.parsers.llama_server.figures import Whole
from analysis.parsers.llama_server.lines import ServerLine
from analysis.parsers.llama_server.marks import (
    Accepted,
    Cached,
    Cancelled,
    Decoded,
    Header,
    Launched,
    Mark,
    PerPosition,
    Prefilled,
    Released,
    Round,
    Total,
)
from analysis.parsers.llama_server.request import Request
from analysis.parsers.llama_server.run import ServerRun
from analysis.parsers.llama_server.totals import Statistics
from analysis.parsers.llama_server.trace import Trace

__all__ = ["Slots"]

_PROGRESS = frozenset((Launched, Released, Header, Round))
_BEHIND = frozenset((PerPosition, Released))
"""What a request that nothing is known of does not begin with."""


class Slots:
    """The slots of one server process, and the request that each is at.

    A slot's lines belong to the task that it was launched with, as far as the
    log has launches: what names another task is a text that was logged. An
    acceptance line is believed after the times of its slot and task, once.

    Parameters
    ----------
    run
        What the requests add up to.
    """

    def __init__(self, run: ServerRun) -> None:
        self.run = run
        self._at: dict[int | None, Request] = {}
        self._header: Request | None = None
        self._latest: Request | None = None
        self._tagged = False
        self._traced = False

    def close(self) -> None:
        """End all requests: the log, or the server, ends here."""
        for slot in list(self._at):
            self._end(slot, complete=False)

    def take_rounds(self, rounds: Trace, sure: Confidences | None = None) -> None:
        """Give rounds, of one slot or several, to their requests, with the drafts' confidences."""
        self._traced = self._tagged = self.run.active = True
        self.run.time(float(rounds.at_s[0]))
        keys = rounds.slot << 32 | rounds.task
        if (keys == keys[0]).all():
            self._rounds_of(rounds, sure)
            return
        for key in dict.fromkeys(keys.tolist()):
            own = keys == key
            self._rounds_of(rounds[own], None if sure is None else sure[own])

    def _rounds_of(self, rounds: Trace, sure: Confidences | None) -> None:
        request = self._request(int(rounds.slot[0]), int(rounds.task[0]))
        if request:
            request.add_rounds(rounds.drafted, rounds.accepted, rounds.at_s, rounds.restored, sure)

    def take(
        self, said: Mark, line: ServerLine, number: int, sure: Confidences | None = None
    ) -> None:
        """Give what line `number` of the log says to its request.

        `sure` is that of the draft which a round verified.
        """
        if isinstance(said, Statistics):
            self._statistics(said, number)
        elif isinstance(said, Cached):
            now = self._at.get(line.slot)
            if now is not None and now.task == line.task:
                now.cached = said.tokens
        elif not isinstance(said, Cancelled) and (request := self._request_of(line, said)):
            request.at(line.at_s)
            if type(said) in _PROGRESS:
                said = cast("Launched | Released | Header | Round", said)
                self._progress(said, request, line, sure)
            else:
                self._figure(said, request, number)

    def take_whole(self, said: Whole, last_line: int) -> None:
        """Take what follows a request's prompt times, which are taken, in lines that belong to it.

        Parameters
        ----------
        said
            All its figures, in lines that stand together.
        last_line
            The number of the last of them.
        """
        own = said.request
        request = self._request(cast("int", own.slot), cast("int", own.task))
        if request:
            request.decoded, request.total_s = own.decoded, own.total_s
            self._latest = request
            self.run.timed()
            request.saw(cast("int", own.last_line))
            request.at(own.ended_s)
            if own.accepted is not None:
                self._figure(own.accepted, request, cast("int", own.last_line))
            if own.rates:
                request.rates = own.rates
        if said.statistics is not None:
            self._statistics(said.statistics, last_line - said.done)
        if said.done and request:
            self._released(own.slot)

    def take_launched(self, said: Whole, last_line: int) -> None:
        """Take a request from its launch to its end; see :meth:`take_whole`."""
        self._tagged, self._header = True, None
        request = said.request
        if request.slot in self._at:
            self._end(request.slot, complete=True)
        self.run.busy(request.slot or 0)
        self.run.timed()
        self._latest = request
        if said.statistics is not None:
            self._statistics(said.statistics, last_line - said.done)
        self.run.idle(request.slot or 0)
        self.run.finished(request)

    def _released(self, slot: int | None) -> None:
        self.run.idle(slot or 0)
        self._end(slot, complete=True)

    def _statistics(self, said: Statistics, number: int) -> None:
        before = self.run.counted(said)
        if self._latest:
            self._latest.counted(said, before)
            self._latest.saw(number)

    def _progress(
        self,
        said: Launched | Released | Header | Round,
        request: Request,
        line: ServerLine,
        sure: Confidences | None,
    ) -> None:
        if isinstance(said, Launched):
            request.launched = True
            self.run.busy(line.slot or 0)
        elif isinstance(said, Released):
            self._released(line.slot)
        elif isinstance(said, Header):
            self._header = request
        else:
            self._round(said, request, line.at_s, sure)

    def _request(self, slot: int, task: int) -> Request | None:
        now = self._at.get(slot)
        if now is None or (now.task != task and not now.launched):
            self._end(slot, complete=True)
            now = self._at[slot] = Request(slot, task)
        return now if now.task == task else None

    def _request_of(self, line: ServerLine, said: Mark) -> Request | None:
        if line.slot is None or line.task is None:
            return self._untagged(said)
        self._tagged = True
        if not isinstance(said, Header):
            self._header = None
        latest = self._latest
        if isinstance(said, PerPosition) and latest and latest.task == line.task:
            return latest
        if type(said) in _BEHIND and line.slot not in self._at:
            return None
        now = self._at.get(line.slot)
        again = isinstance(said, Prefilled) and now is not None and now.decoded is not None
        if again or isinstance(said, Launched):
            self._end(line.slot, complete=True)
        return self._request(line.slot, line.task)

    def _untagged(self, said: Mark) -> Request | None:
        if isinstance(said, PerPosition) and self._latest:
            return self._latest
        if self._tagged:
            return self._header  # whose figures stand on lines of their own
        now = self._at.get(None)
        if now and (isinstance(said, Prefilled) or (isinstance(said, Decoded) and now.decoded)):
            self._end(None, complete=True)
        return self._at.setdefault(None, Request(None, None))

    def _end(self, slot: int | None, *, complete: bool) -> None:
        request = self._at.pop(slot, None)
        if request:
            request.complete = request.complete or complete
            self.run.finished(request)

    def _round(
        self, said: Round, request: Request, at_s: float | None, sure: Confidences | None
    ) -> None:
        if not said.traced and self._traced:
            return  # debug output repeats what the trace of a round has said
        self._traced = self._traced or said.traced
        request.add_rounds(
            np.array([said.drafted]),
            np.array([said.accepted]),
            np.array([np.nan if at_s is None else at_s], np.float64),
            np.array([said.restored]),
            sure,
        )

    def _figure(self, said: Mark, request: Request, number: int) -> None:
        if isinstance(said, Accepted) and (request.decoded is None or request.accepted):
            self._latest = request.without_times(said, number)
            self.run.untimed(self._latest)
            return
        request.saw(number)
        if isinstance(said, Prefilled):
            request.prefilled = said
        elif isinstance(said, Decoded):
            request.decoded = said
            self._latest = request
            self.run.timed()
        elif isinstance(said, Total):
            request.total_s = said.seconds
        elif isinstance(said, Accepted):
            request.accepted = said
            self._latest = request
        elif isinstance(said, PerPosition):
            request.rates = said.rates
