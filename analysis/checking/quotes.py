"""Quoted log lines, held to the digit against the campaign's own logs, whatever their format.

Two lines are the same where their words are, from some point on that a prefix may end at: a clock,
a container's name, a journal's stamp may stand before either of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from analysis.campaigns.campaign import Campaign
from analysis.checking.lines import Line
from analysis.checking.verdict import LISTED, Status, Verdict, shown
from analysis.files.inside import bytes_inside

__all__ = ["Quotes"]

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
Numerals = tuple[str, ...]


class _Raw(NamedTuple):
    """One line of a log, and its numerals from where a prefix may end."""

    run: str
    file: str
    number: int
    text: str
    numerals: Numerals


def _ends(text: str) -> Iterator[tuple[str, Numerals]]:
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
        self.sources = {str(run.source): run.id for run in campaign.runs}

    @cached_property
    def _known(self) -> Mapping[tuple[str, Numerals | None], list[_Raw]]:
        """Lines by their words and numerals, and by their words alone."""
        found: dict[tuple[str, Numerals | None], list[_Raw]] = defaultdict(list)
        for run in self.campaign.runs:
            source, folder = run.source, self.campaign.folder
            # From a log that is not there any more nothing can be quoted.
            data = bytes_inside(folder / source.file, folder) or b""
            lines = re.split(r"\r\n|\r|\n", data.decode("utf-8-sig", errors="replace"))
            first = source.first_line or 1
            for number, line in enumerate(lines[first - 1 : source.last_line], start=first):
                for shape, numerals in _ends(line):
                    raw = _Raw(run.id, source.file, number, line, numerals)
                    found[shape, numerals].append(raw)
                    found[shape, None].append(raw)
        return found

    def verdict(self, line: Line, run: str | None) -> Verdict | None:
        """What the logs say to a line of a README; null where it is none of a log.

        `run` is the one that the titles above name, if they do; where one of them is the name of a
        log and its lines, its run is.
        """
        run = next((self.sources[one] for one in line.titles[::-1] if one in self.sources), run)
        said = line.text.lstrip()
        if not (line.kind in ("code", "quote") or said.startswith(("{", '"'))):
            return None
        ends = ((shape, stated) for shape, stated in _ends(said) if stated)
        shape, stated = next((one for one in ends if (one[0], None) in self._known), ("", ()))

        def wrong(raw: _Raw) -> Numerals:
            pairs = zip(stated, raw.numerals, strict=True)
            return tuple(mine for mine, theirs in pairs if mine != theirs)

        def likeness(raw: _Raw) -> float:
            follows = raw.file == self.last[0] and 0 < raw.number - self.last[1] <= NEAR
            return 1 - len(wrong(raw)) / len(stated) + LIKE * follows

        found = [raw for raw in self._known.get((shape, stated), ()) if run in (None, raw.run)]
        if not found and self.work > 0:
            others = self._known.get((shape, None), ())
            self.work -= len(others)
            found = [raw for raw in others if run in (None, raw.run)]
        best = max(found, key=likeness, default=None)
        # A title names the run: its only line of these words alone can be meant.
        sure = run is not None and len(found) == 1
        if best is None or (likeness(best) < LIKE and not sure):
            says, figures = "no log of the campaign has this line", _NUMERAL.findall(said)[:LISTED]
            unknown = Verdict(line.number, shown(said), "untied", "quote", says, tuple(figures))
            return unknown if line.kind == "quote" and figures else None
        self.last = (best.file, best.number)
        status: Status = "differs" if wrong(best) else "verified"
        says = "the log's line has other figures" if wrong(best) else "a log line"
        told = ((wrong(best) or stated)[:LISTED], shown(best.text), f"{best.file}:{best.number}")
        return Verdict(line.number, shown(said), status, "quote", says, *told)
