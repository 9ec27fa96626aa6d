"""Quoted log lines, held to the digit against the campaign's own logs, whatever their format.

Two lines are the same where their words are, from some point on that a prefix may end at: a clock,
a container's name, a journal's stamp may stand before either of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from analysis.campaigns.campaign import Campaign
from analysis.checking.lines import Line

__all__ = ["Quote", "Quotes"]

_NUMERAL = re.compile(r"\d+(?:[.,]\d+)*")
_TELLING = re.compile(r"[A-Za-z_]{2}")
_PREFIX_END = re.compile(
    r"[:|\]>)]\s+|\d\s+(?=[A-Za-z\[{\"])|\s{2,}|(?<=\d)\s[IWED]\s+|(?<=[>|])(?=\S)"
)
MOST_PREFIXES, LONGEST = 8, 4_000
WORK = 200_000
"""Lines that are looked at for the nearest one, in all of a README."""


@dataclass(frozen=True)
class _Raw:
    """One line of a log; `block` is the range of lines that its run was read from."""

    run: str
    file: str
    number: int
    text: str
    block: str = ""


@dataclass(frozen=True)
class Quote:
    """What a quoted line is: the log's line, and how many of its figures are the same."""

    raw: _Raw
    stated: tuple[str, ...]
    there: tuple[str, ...]

    @property
    def agrees(self) -> bool:
        """Whether it is quoted to the digit."""
        return self.stated == self.there

    @property
    def source(self) -> str:
        """``FILE:LINE``."""
        return f"{self.raw.file}:{self.raw.number}"


def _ends(text: str) -> Iterator[str]:
    """A line, and what is left of it where a prefix may end."""
    text = text[:LONGEST].strip()
    yield text
    for number, found in enumerate(_PREFIX_END.finditer(text)):
        if number >= MOST_PREFIXES:
            return
        rest = text[found.end() :]
        if _TELLING.search(rest) and _NUMERAL.search(rest):
            yield rest


def _shape(text: str) -> str:
    """A line without its numerals and the width of its gaps."""
    return " ".join(_NUMERAL.sub(" # ", text).split())


class Quotes:
    """The log lines that a campaign's runs were read from."""

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        self.work = WORK
        self.last: dict[str, int] = {}

    @cached_property
    def _by_shape(self) -> dict[str, list[tuple[_Raw, str]]]:
        found: dict[str, list[tuple[_Raw, str]]] = {}
        for raw in self._lines():
            for rest in _ends(raw.text):
                found.setdefault(_shape(rest), []).append((raw, rest))
        return found

    @cached_property
    def _exact(self) -> dict[tuple[str, tuple[str, ...]], list[_Raw]]:
        found: dict[tuple[str, tuple[str, ...]], list[_Raw]] = {}
        for shape, entries in self._by_shape.items():
            for raw, rest in entries:
                found.setdefault((shape, tuple(_NUMERAL.findall(rest))), []).append(raw)
        return found

    @cached_property
    def blocks(self) -> dict[str, str]:
        """Run of each range of lines, as ``FILE:FIRST-LAST``."""
        return {str(run.source): run.id for run in self.campaign.runs}

    def _lines(self) -> Iterator[_Raw]:
        for run in self.campaign.runs:
            source = run.source
            path = self.campaign.folder / source.file
            try:
                if not path.resolve().is_relative_to(self.campaign.folder.resolve()):
                    continue
                text = path.read_bytes().decode("utf-8-sig", errors="replace")
            except (OSError, ValueError):
                # The log is not there any more: nothing can be quoted from it.
                continue
            lines = re.split(r"\r\n|\r|\n", text)
            first = source.first_line or 1
            for number, line in enumerate(lines[first - 1 : source.last_line], start=first):
                if _NUMERAL.search(line) and _TELLING.search(line):
                    yield _Raw(run.id, source.file, number, line, str(source))

    def match(self, line: Line, run: str | None) -> Quote | None:
        """The log line that a line quotes; null where no log has its words.

        Parameters
        ----------
        line
            Of a README.
        run
            The run that the titles above name, if they do.
        """
        if line.kind not in ("code", "quote") and not line.text.lstrip().startswith(("{", '"')):
            return None
        block = next((title for title in reversed(line.titles) if title in self.blocks), None)
        for rest in _ends(line.text):
            shape, stated = _shape(rest), tuple(_NUMERAL.findall(rest))
            if len(shape) < 6 or not stated:
                continue
            alike = self._by_shape.get(shape)
            if not alike:
                continue
            same = self._own(self._exact.get((shape, stated), ()), run, block)
            if same:
                self.last = {same[0].file: same[0].number}
                return Quote(same[0], stated, stated)
            return self._nearest(alike, stated, run, block)
        return None

    def _own(self, found: Sequence[_Raw], run: str | None, block: str | None) -> list[_Raw]:
        if block is not None:
            return [one for one in found if one.block == block]
        if run is not None:
            return [one for one in found if one.run == run]
        near = [one for one in found if self._follows(one)]
        return near or list(found)

    def _nearest(
        self,
        alike: Sequence[tuple[_Raw, str]],
        stated: tuple[str, ...],
        run: str | None,
        block: str | None,
    ) -> Quote | None:
        """The line that was meant: the one that follows the last quoted, or shares most figures."""
        best: tuple[float, _Raw, tuple[str, ...]] | None = None
        own = 0
        for raw, rest in alike[: max(self.work, 0)]:
            self.work -= 1
            if (block is not None and raw.block != block) or (
                block is None and run is not None and raw.run != run
            ):
                continue
            own += 1
            there = tuple(_NUMERAL.findall(rest))
            same = sum(mine == theirs for mine, theirs in zip(stated, there, strict=True))
            score = same / len(stated) + 0.5 * self._follows(raw)
            if best is None or score > best[0]:
                best = score, raw, there
        # A title names the run, or the lines before were its: that line alone can be meant.
        titled = own == 1 and (run is not None or block is not None)
        if best is None or (best[0] < 0.5 and not titled):
            return None
        self.last = {best[1].file: best[1].number}
        return Quote(best[1], stated, best[2])

    def _follows(self, raw: _Raw) -> bool:
        """Whether a line stands right behind the one quoted last."""
        return 0 < raw.number - self.last.get(raw.file, -9) <= 4
