"""A log's pieces in, servers' runs out: where does one server end and another begin?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import cast, get_args

from analysis.parsers.llama_server.blocks import Block, blocks
from analysis.parsers.llama_server.candidates import Confidences, Drafts, candidates
from analysis.parsers.llama_server.figures import Whole, whole
from analysis.parsers.llama_server.lines import (
    ServerLine,
    learned,
    lines_of,
    looks_like_server,
    usual_line,
)
from analysis.parsers.llama_server.marks import (
    Decoded,
    Header,
    Launched,
    Mark,
    Prefilled,
    Released,
    Round,
    mark,
)
from analysis.parsers.llama_server.run import ServerRun, Told
from analysis.parsers.llama_server.setup import SetupMark, Started, setup_mark
from analysis.parsers.llama_server.slots import Slots
from analysis.parsers.llama_server.trace import Trace
from analysis.parsers.text.headings import heading
from analysis.parsers.text.prefixes import Prefixes

__all__ = ["Reader"]

_MARKS = frozenset(get_args(Mark))
_AFTER_ROUNDS = frozenset((Launched, Released, Started, Round, Decoded))
"""What may end a request: its rounds are taken before."""

_TIMES = frozenset((Prefilled, Decoded))
_ABOVE = 8_000
_MOST_WRAPPED = 4
_CONTINUES = (b"#", b"dur(")
_MAY_BE_WRAPPED = re.compile(rb"(?:eval time|total time|draft acceptance)\b[^\n]{0,200}$")
_FINISHED = re.compile(
    rb"(?:eval time = *[\d.]+ ms / *\d+ tokens \([^()]{0,100}\)"
    rb"|total time = *[\d.]+ ms / *\d+ tokens"
    rb"|\d generated\)(?:, mean [a-z ]{3,20}= *\d+\.\d\d"
    rb"(?:, acceptance rate[^()]{0,40}\([^()]{0,4000}\))?)?)\W*$"
)
"""How lines with figures end."""
_SLACK_S = 1.0
"""Threads may print a little out of order; a clock that goes back farther began anew."""


class Reader:
    """Reads a log piece by piece.

    Parameters
    ----------
    file, format
        How the log and its format are called.
    told
        Called with a run and every request as soon as that is complete.
    prefixes
        What the log's head shows to stand before its lines; learned as they
        come without it.
    """

    def __init__(
        self,
        file: str,
        format: str,
        told: Told | None = None,
        prefixes: Prefixes | None = None,
    ) -> None:
        self._learns = prefixes is None
        self._prefixes = prefixes or Prefixes()
        self._new_run: Callable[[], ServerRun] = lambda: ServerRun(file, format, told)
        # A router's log holds several servers side by side, told apart by their ports.
        self._servers: dict[int | None, Slots] = {}
        self._done: list[ServerRun] = []
        self._drafts = Drafts()

    def read(self, pieces: Iterable[bytes]) -> list[ServerRun]:
        """Read all pieces; gives every run, in the order of their beginnings."""
        for block in blocks(pieces):
            self._block(block)
        for server in self._servers.values():
            self._close(server)
        return sorted(self._done, key=lambda run: run.first_line or 0)

    def _block(self, block: Block) -> None:
        if self._learns:
            learned((block.raw[start:end] for _, start, end in block.said), self._prefixes)
        rounds, at = block.rounds, 0
        self._drafts.begin(candidates(block.raw, block.starts))
        read_to = -1
        for index, start, end in block.said:
            if index <= read_to:
                continue
            found = block.requests.get(index)
            raw = b"" if found else block.raw[start:end]
            if b"prompt eval" in raw:
                found = whole(block.raw, start, block.first_line + index)
            if found is not None:
                if len(rounds):
                    upto = int(rounds.line.searchsorted(index))
                    self._rounds(rounds[at:upto], block)
                    at = upto
                read_to = index + found.last
                self._figures(found, index, block)
                continue
            text = _whole(raw, index, block)
            usual = usual_line(text)
            lines = (usual,) if usual else lines_of(text, self._prefixes)
            for line in lines:
                said = _meaning(line, raw)
                if said is None:
                    continue
                if len(rounds) and type(said) in _AFTER_ROUNDS:
                    upto = int(rounds.line.searchsorted(index))
                    self._rounds(rounds[at:upto], block)
                    at = upto
                self._line(said, line, index, block)
        if len(rounds):
            self._rounds(rounds[at:], block)

    def _figures(self, found: Whole, index: int, block: Block) -> None:
        """Take the figures of a request that stand together."""
        request = found.request
        if not request.launched:
            line = ServerLine(b"", request.slot, request.task, None, request.began_s, True)
            self._line(cast("Prefilled", request.prefilled), line, index, block)
        server = self._server(None)
        run = server.run
        if run.first_line is None:
            self._begin(run, index, block)
            run.saw(block.first_line + index)
        last = block.first_line + index + found.last
        run.saw(last)
        if request.launched:
            run.time(request.began_s)
            server.take_launched(found, last)
        else:
            server.take_whole(found, last)

    def _rounds(self, rounds: Trace, block: Block) -> None:
        if not len(rounds):
            return
        server = self._server(None)
        for index in (int(rounds.line[0]), int(rounds.line[-1])):
            server.run.saw(block.first_line + index)
        server.take_rounds(rounds, self._confidences(rounds))

    def _confidences(self, rounds: Trace) -> Confidences | None:
        if not self._drafts:
            return None
        columns = (rounds.line.tolist(), rounds.slot.tolist(), rounds.drafted.tolist())
        return Confidences.of([self._drafts.verified(*one) for one in zip(*columns, strict=True)])

    def _line(self, said: Mark | SetupMark, line: ServerLine, index: int, block: Block) -> None:
        server = self._server(line.child)
        run = server.run
        if (isinstance(said, Started) and run.starts_anew(said)) or _went_back(run, said, line):
            self._close(server)
            del self._servers[line.child]
            server = self._server(line.child)
            run = server.run
        if run.first_line is None:
            self._begin(run, index, block)
        number = block.first_line + index
        run.saw(number)
        run.time(line.at_s, own=line.own_clock)
        if isinstance(said, Round) and self._drafts and line.slot is not None:
            sure = self._drafts.verified(index, line.slot, said.drafted)
            server.take(said, line, number, Confidences.of([sure]))
        elif type(said) in _MARKS:
            server.take(cast("Mark", said), line, number)
        else:
            run.set_up(cast("SetupMark", said), number)

    def _server(self, child: int | None) -> Slots:
        if child not in self._servers:
            self._servers[child] = Slots(self._new_run())
        return self._servers[child]

    def _close(self, server: Slots) -> None:
        server.close()
        if server.run.first_line is not None:
            self._done.append(server.run)

    def _begin(self, run: ServerRun, index: int, block: Block) -> None:
        before = max((done.last_line or 0 for done in self._done), default=0)
        above = self._text_above(block, index, max(before - block.first_line + 1, 0))
        found = heading(above)
        # A log's own lines are no headings: only a text with some Markdown has labels.
        if "```" in above or above.lstrip().startswith("#"):
            run.label = found.label
        run.command = found.command or None

    def _text_above(self, block: Block, index: int, first: int) -> str:
        """What stands above a line and is no log, back to the line with index `first`."""
        end = int(block.starts[index])
        start = max(int(block.starts[min(first, index)]), end - _ABOVE)
        kept = [
            line
            for line in block.raw[start:end].split(b"\n")
            if not looks_like_server(line, self._prefixes)
        ]
        return b"\n".join(kept).decode("utf-8", "replace")


def _meaning(line: ServerLine, raw: bytes) -> Mark | SetupMark | None:
    if not line.text:
        return Header() if line.slot is not None and b"print_timing" in raw else None
    text = line.text.decode("utf-8", "replace")
    return mark(text) or (setup_mark(text) if line.slot is None else None)


def _went_back(run: ServerRun, said: Mark | SetupMark, line: ServerLine) -> bool:
    """Whether a log that shows no starts goes on with another server's request."""
    return (
        not run.launches
        and line.own_clock
        and line.at_s is not None
        and run.clock_s is not None
        and line.at_s < run.clock_s - _SLACK_S
        and type(said) in _TIMES
    )


def _joined(raw: bytes, index: int, block: Block) -> bytes:
    """A line with the rest of its figures from the next ones, cut anywhere or at a space."""
    rests: list[bytes] = []
    for number in range(index + 1, index + 1 + _MOST_WRAPPED):
        rests.append(block.line(number).strip(b" \t>"))
        for between in (b"", b" "):
            whole = between.join([raw.rstrip(), *rests])
            if _FINISHED.search(whole):
                return whole
    return raw


def _whole(raw: bytes, index: int, block: Block) -> bytes:
    """A line with those that it was wrapped into by a narrow terminal or text."""
    if _MAY_BE_WRAPPED.search(raw) and not _FINISHED.search(raw):
        return _joined(raw, index, block)
    if b"#calls" not in raw or b"#acc tokens" in raw:
        return raw
    parts = [raw]
    for number in range(index + 1, index + 1 + _MOST_WRAPPED):
        part = block.line(number).strip(b" \t>")
        if not part.startswith(_CONTINUES):
            break
        parts.append(part)
    return b" ".join(parts)
