"""Goes through a README figure by figure: how is each tied to the campaign's data?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from urllib.parse import quote

from analysis import cards
from analysis.cards.facts import Facts
from analysis.checking.book import Book, Value
from analysis.checking.context import Context
from analysis.checking.figures import ABOUT, Figure, find_figures
from analysis.checking.judging import Read, judged, judged_generated
from analysis.checking.known import Known, named_run
from analysis.checking.lines import Line, read_lines
from analysis.checking.mentions import Names
from analysis.checking.raw_lines import RawLine, RawLines
from analysis.checking.rendering import Fresh, compared
from analysis.checking.sentences import read_sentence
from analysis.checking.tables import depth_of_row, names_its_run, read_cell
from analysis.checking.verdict import CheckResult, Verdict
from analysis.publishing import insert as readme
from analysis.summary import Summary

__all__ = ["Checker"]


@dataclass(frozen=True, eq=False)
class Checker:
    """A campaign made ready to check texts against it."""

    summary: Summary

    def __call__(self, text: str, file: str = "README") -> CheckResult:
        """A verdict for every figure of a text; see :func:`analysis.checking.check`."""
        lines = read_lines(text)
        fresh = compared(lines, self._card, (self._folder,))
        verdicts = tuple(
            verdict for line in lines for verdict in self._line(line, fresh.get(line.number))
        )
        return CheckResult(file, self.summary.campaign.slug, verdicts)

    @cached_property
    def _context(self) -> Context:
        facts = Facts(self.summary)
        return Context(Book(facts), Names(facts))

    @cached_property
    def _raw(self) -> RawLines:
        return RawLines(self._context)

    @cached_property
    def _known(self) -> Known:
        return Known(self._context)

    @cached_property
    def _card(self) -> str:
        """The campaign's card, rendered now, its pictures named and not drawn."""
        drawn = readme.pictures(self.summary, "figures")
        return cards.render(self.summary, {name: named for name, (_, named) in drawn.items()})

    @property
    def _folder(self) -> str:
        return f"{readme.FIGURES}/{self.summary.campaign.slug}"

    def _line(self, line: Line, fresh: Fresh | None) -> Iterator[Verdict]:
        figures = _figures(line)
        if not figures:
            return
        quoted = self._raw.match(line)
        paths = self._paths(line.text)
        stated = [one for one in figures if not _within(one, paths)]
        same_words = fresh is not None and len(fresh.figures) == len(stated)
        for order, figure in enumerate(figures):
            if _within(figure, paths):
                yield judged(line, figure, Read("name", name="the folder of the pictures"))
                continue
            read = self._read(line, figure, order, len(figures), quoted)
            if fresh is None:
                yield judged(line, figure, read)
            else:
                place = stated.index(figure)
                yield judged_generated(
                    line, figure, read, fresh.figures[place] if same_words else None
                )

    def _paths(self, text: str) -> list[tuple[int, int]]:
        path = f"<{quote(self._folder, safe='/.-_~')}/"
        found, start = [], text.find(path)
        while start >= 0:
            found.append((start, start + len(path)))
            start = text.find(path, start + 1)
        return found

    def _read(
        self, line: Line, figure: Figure, order: int, number: int, quoted: RawLine | None
    ) -> Read:
        if quoted is not None and len(quoted.figures) == number:
            value = float(quoted.figures[order].replace(",", ""))
            says = f"log line: {' '.join(quoted.text.split())}"
            return Read("raw line", (Value(value, says, quoted.source),), certain=True)
        index = _cell_index(line, figure)
        inside, name = named_run(self._context, line.text, figure)
        if not inside:
            name = self._name(line, figure, index)
        if inside or name or figure.token or line.kind in ("code", "front", "header"):
            return Read("name", name=name)
        if index is not None:
            certain = names_its_run(self._context, line, index)
            values = read_cell(self._context, line, index, figure)
            return Read("table", values, certain=certain)
        place = self._context.place(line, line.text, figure)
        return Read("sentence", read_sentence(self._context, place))

    def _name(self, line: Line, figure: Figure, index: int | None) -> str | None:
        run = None if index is None else depth_of_row(self._context, line, index)
        if run is not None:
            return f"depth of {self._context.book.facts.by_id[run].label}"
        return self._known.says(line.text, figure)


def _figures(line: Line) -> tuple[Figure, ...]:
    found = find_figures(line.text)
    if ABOUT.search(line.lead.removesuffix(":")):
        # "It is approximately:" goes for every item of the list.
        return tuple(replace(figure, about=True) for figure in found)
    return found


def _within(figure: Figure, spans: list[tuple[int, int]]) -> bool:
    return any(start <= figure.start and figure.end <= end for start, end in spans)


def _cell_index(line: Line, figure: Figure) -> int | None:
    """Which cell of its row a figure is in; null outside of tables."""
    if line.kind != "row" or line.table is None:
        return None
    end = 0
    for index, cell in enumerate(line.table.cells):
        end += len(cell) + len(" | ")
        if figure.start < end:
            return index
    return None
