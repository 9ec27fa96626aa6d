"""Quoted log lines, held to the digit against the campaign's own logs, whatever their format.

Two lines are the same where their words are, from some point on that a prefix may end at: a clock,
a container's name, a journal's stamp may stand before either of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from analysis.campaigns.campaign import Campaign
from analysis.checking.lines import Line
from analysis.files.inside import bytes_inside

__all__ = ["Quote", "Quotes"]

_NUMERAL = re.compile(r"\d+(?:[.,]\d+)*")
_TELLING = re.compile(r"[A-Za-z_]{2}")
_PREFIX_END = re.compile(
    r"[:|\]>)]\s+|\d\s+(?=[A-Za-z\[{\"])|\s{2,}|(?<=\d)\s[IWED]\s+|(?<=[>|])(?=\S)"
)
MOST_PREFIXES, SHORTEST, LONGEST = 8, 6, 4_000
NEAR = 4
"""So many lines behind the one quoted last a line follows it."""
LIKE = 0.5
"""The share of its figures that a line must have in common with the one that it quotes."""
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
    """What a quoted line is: the log's line, and the figures here and there."""

    raw: _Raw
    stated: tuple[str, ...]
    there: tuple[str, ...]


def _ends(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Words and numerals of a line, and of what is left of it where a prefix may end."""
    text = text[:LONGEST].strip()
    ends = islice(_PREFIX_END.finditer(text), MOST_PREFIXES)
    for start in (0, *(found.end() for found in ends)):
        rest = text[start:]
        shape = " ".join(_NUMERAL.sub(" # ", rest).split())
        if _TELLING.search(rest) and len(shape) >= SHORTEST:
            yield shape, tuple(_NUMERAL.findall(rest))


class Quotes:
    """The log lines that a campaign's runs were read from."""

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        self.work = WORK
        self.last = ("", 0)
        self.blocks = {str(run.source) for run in campaign.runs}

    @cached_property
    def _known(self) -> dict[str, dict[tuple[str, ...], list[_Raw]]]:
        """Lines by their words, then by their numerals."""
        found: dict[str, dict[tuple[str, ...], list[_Raw]]] = {}
        for raw in self._lines():
            for shape, numerals in _ends(raw.text):
                found.setdefault(shape, {}).setdefault(numerals, []).append(raw)
        return found

    def _lines(self) -> Iterator[_Raw]:
        for run in self.campaign.runs:
            source = run.source
            path = self.campaign.folder / source.file
            data = bytes_inside(path, self.campaign.folder)
            if data is None:
                # The log is not there any more: nothing can be quoted from it.
                continue
            lines = re.split(r"\r\n|\r|\n", data.decode("utf-8-sig", errors="replace"))
            first = source.first_line or 1
            for number, line in enumerate(lines[first - 1 : source.last_line], start=first):
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
        for shape, stated in _ends(line.text):
            alike = self._known.get(shape) if stated else None
            if alike:
                quote = self._chosen(alike, stated, None if block else run, block)
                self.last = (quote.raw.file, quote.raw.number) if quote else self.last
                return quote
        return None

    def _chosen(
        self,
        alike: Mapping[tuple[str, ...], list[_Raw]],
        stated: tuple[str, ...],
        run: str | None,
        block: str | None,
    ) -> Quote | None:
        """The line that was meant: the one that follows the last quoted, or shares most figures."""
        titled = run is not None or block is not None

        def own(raw: _Raw) -> bool:
            return block in (None, raw.block) and run in (None, raw.run)

        exact = [raw for raw in alike.get(stated, ()) if own(raw)]
        best: tuple[float, _Raw, tuple[str, ...]] | None = None
        seen = 0
        for there, raws in [(stated, exact)] if exact else alike.items():
            same = sum(mine == theirs for mine, theirs in zip(stated, there, strict=True))
            for raw in raws if exact or self.work > 0 else ():
                self.work -= not exact
                if exact or own(raw):
                    seen += 1
                    file, number = self.last
                    follows = raw.file == file and 0 < raw.number - number <= NEAR
                    score = same / len(stated) + 0.5 * follows
                    best = (score, raw, there) if best is None or score > best[0] else best
        # A title names the run, or the lines before were its: that line alone can be meant.
        if best is None or (best[0] < LIKE and not (titled and seen == 1)):
            return None
        return Quote(best[1], stated, best[2])
