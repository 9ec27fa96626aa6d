"""Quoted log lines, held to the digit against the campaign's own logs, whatever their format.

Two lines are the same where their words are, from some point on that a prefix may end at: a clock,
a container's name, a journal's stamp may stand before either of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from analysis.campaigns.campaign import Campaign
from analysis.checking.lines import Line
from analysis.checking.verdict import LISTED, Verdict, shown
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


@dataclass(frozen=True)
class _Raw:
    """One line of a log."""

    run: str
    file: str
    number: int
    text: str


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
    def _known(self) -> Mapping[str, Mapping[Numerals, list[_Raw]]]:
        """Lines by their words, then by their numerals."""
        found: dict[str, dict[Numerals, list[_Raw]]] = defaultdict(lambda: defaultdict(list))
        for run in self.campaign.runs:
            source, folder = run.source, self.campaign.folder
            # From a log that is not there any more nothing can be quoted.
            data = bytes_inside(folder / source.file, folder) or b""
            lines = re.split(r"\r\n|\r|\n", data.decode("utf-8-sig", errors="replace"))
            first = source.first_line or 1
            for number, line in enumerate(lines[first - 1 : source.last_line], start=first):
                for shape, numerals in _ends(line):
                    found[shape][numerals].append(_Raw(run.id, source.file, number, line))
        return found

    def verdict(self, line: Line, titled: str | None) -> Verdict | None:
        """What the logs say to a line; null where it is none of a log.

        Parameters
        ----------
        line
            Of a README.
        titled
            The run that the titles above name, if they do; where one of them is the name of a log
            and its lines, its run is.
        """
        said = line.text.lstrip()
        if not (line.kind in ("code", "quote") or said.startswith(("{", '"'))):
            return None
        run = next((self.sources[one] for one in line.titles[::-1] if one in self.sources), titled)
        ends = ((stated, self._known.get(shape)) for shape, stated in _ends(said) if stated)
        stated, alike = next((one for one in ends if one[1]), ((), None))
        held = self._held(line, stated, alike, run) if alike else None
        numerals = _NUMERAL.findall(said)
        if held is not None or line.kind != "quote" or not numerals:
            return held
        says, figures = "no log of the campaign has this line", tuple(numerals[:LISTED])
        return Verdict(line.number, shown(said), "untied", "quote", says, figures)

    def _held(
        self, line: Line, stated: Numerals, alike: Mapping[Numerals, list[_Raw]], run: str | None
    ) -> Verdict | None:
        """Against the line that follows the one quoted last, or shares most figures."""

        def likeness(there: Numerals, raw: _Raw) -> float:
            follows = raw.file == self.last[0] and 0 < raw.number - self.last[1] <= NEAR
            same = sum(mine == theirs for mine, theirs in zip(stated, there, strict=True))
            return same / len(stated) + 0.5 * follows

        found = [(stated, raw) for raw in alike.get(stated, ()) if run in (None, raw.run)]
        if not found and self.work > 0:
            others = [(there, raw) for there, raws in alike.items() for raw in raws]
            self.work -= len(others)
            found = [one for one in others if run in (None, one[1].run)]
        there, raw = max(found, key=lambda one: likeness(*one), default=((), None))
        # A title names the run: its only line of these words alone can be meant.
        sure = run is not None and len(found) == 1
        if raw is None or (likeness(there, raw) < LIKE and not sure):
            return None
        self.last = (raw.file, raw.number)
        wrong = tuple(mine for mine, theirs in zip(stated, there, strict=True) if mine != theirs)
        return Verdict(
            line=line.number,
            text=shown(line.text),
            status="differs" if wrong else "verified",
            kind="quote",
            says="the log's line has other figures" if wrong else "a log line",
            figures=(wrong or stated)[:LISTED],
            recomputed=shown(raw.text),
            source=f"{raw.file}:{raw.number}",
        )
