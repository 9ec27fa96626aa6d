"""Figures in quoted log lines, against the campaign's own logs, whatever their format."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from analysis.checking.context import Context
from analysis.checking.lines import Line

__all__ = ["RawLine", "RawLines"]

_NUMERAL = re.compile(r"\d+(?:[.,]\d+)*")
_TELLING = re.compile(r"[A-Za-z_]{2}")


@dataclass(frozen=True)
class RawLine:
    """One line of a log; `block` is the range of lines that its run was read from."""

    run: str
    file: str
    number: int
    text: str
    block: str = ""

    @property
    def source(self) -> str:
        """``FILE:LINE``."""
        return f"{self.file}:{self.number}"

    @cached_property
    def figures(self) -> tuple[str, ...]:
        """Its numerals in order."""
        return tuple(_NUMERAL.findall(self.text))


def _shape(text: str) -> str:
    """A line without its numerals and the width of its gaps."""
    return " ".join(_NUMERAL.sub(" # ", text).split())


@dataclass(frozen=True, eq=False)
class RawLines:
    """The log lines that a campaign's runs were read from."""

    context: Context

    @cached_property
    def _by_shape(self) -> dict[str, list[RawLine]]:
        found: dict[str, list[RawLine]] = {}
        for line in self._lines():
            found.setdefault(_shape(line.text), []).append(line)
        return found

    @cached_property
    def _blocks(self) -> dict[str, str]:
        """Run of each range of lines, as ``FILE:FIRST-LAST``."""
        runs = self.context.book.facts.summary.campaign.runs
        return {str(run.source): run.id for run in runs}

    def _lines(self) -> Iterator[RawLine]:
        campaign = self.context.book.facts.summary.campaign
        for run in campaign.runs:
            source = run.source
            path = campaign.folder / source.file
            try:
                if not path.resolve().is_relative_to(campaign.folder.resolve()):
                    continue
                text = path.read_bytes().decode("utf-8-sig", errors="replace")
            except (OSError, ValueError):
                # The log is not there any more: nothing can be quoted from it.
                continue
            lines = re.split(r"\r\n|\r|\n", text)
            first = source.first_line or 1
            for number, line in enumerate(lines[first - 1 : source.last_line], start=first):
                if _NUMERAL.search(line) and _TELLING.search(line):
                    yield RawLine(run.id, source.file, number, line, str(source))

    def match(self, line: Line) -> RawLine | None:
        """The log line that a line quotes: the same words, of the run that the titles name.

        Null where no log line has its words. Of several the one with the same
        figures is taken, unless a title says which lines of which log are
        quoted, or which run. A file may hold several runs, so that its name
        alone is no run's.
        """
        if not self._quotes(line):
            return None
        alike = self._by_shape.get(_shape(line.text), [])
        block = next((title for title in reversed(line.titles) if title in self._blocks), None)
        run = self._blocks[block] if block else self._run(line)
        own = [one for one in alike if one.block == block] if block else []
        own = own or [one for one in alike if one.run == run] or alike
        stated = tuple(_NUMERAL.findall(line.text))

        def same(one: RawLine) -> int:
            return sum(mine == theirs for mine, theirs in zip(stated, one.figures, strict=True))

        best = max(own, key=same, default=None)
        # Without a run and without a single figure in common nothing ties the two.
        if best is None or (run is None and stated and not same(best)):
            return None
        return best

    def _quotes(self, line: Line) -> bool:
        quoted = line.kind == "code" or re.search(r"\w=\s*\d|\"\w+\":", line.text)
        return bool(quoted) and line.kind in ("code", "text")

    def _run(self, line: Line) -> str | None:
        for title in reversed(line.titles):
            named = [one for one in self.context.runs(title) if len(one.ids) == 1]
            if len(named) == 1:
                return named[0].ids[0]
        return None
