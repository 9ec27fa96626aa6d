"""Which run, task and comparison is a figure of a sentence about?

The nearest name decides: in the sentence, then in the line, the line that
introduces a list, the lines above and the titles. A name that no run of the
campaign has stands in the way of those farther off.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from analysis.checking.book import Book, Scope
from analysis.checking.figures import Figure, find_figures
from analysis.checking.lines import Line
from analysis.checking.mentions import Mention, Names

__all__ = ["Context", "Place"]

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[^\sa-z])")
_COMPARED = re.compile(
    r"(?:\b(?:than|against|over|versus|vs\.?|behind|beats?|compared (?:to|with)|relative to"
    r"|throughput of|slowest,?|as fast as|the)|×)\s*(?:the\s+)?$",
    re.IGNORECASE,
)
_TOWARDS = re.compile(
    r"\b(?:than|against|over|versus|vs|compared (?:to|with)|relative to|throughput of|slowest"
    r"|as fast as|the)\b",
    re.IGNORECASE,
)
_DIRECT = re.compile(
    r"(?:\s*\(?(?:tok/s|decode|effective)\)?)*[\s,(]*(?:with|for|by|of|at|in|on)?\s*", re.IGNORECASE
)
_ON = re.compile(r"[^.;\d]{0,30}?(?:\bon|\bfor|\bin|\()\s*", re.IGNORECASE)
_OVERALL = re.compile(r"\boverall\b|\bover all\b|\bfull benchmark\b|\btotal\b", re.IGNORECASE)


@dataclass(frozen=True)
class Place:
    """A figure where it stands: its text, and the sentence's bounds in it."""

    line: Line
    text: str
    figure: Figure
    start: int
    end: int

    @property
    def sentence(self) -> str:
        """The sentence."""
        return self.text[self.start : self.end]

    @property
    def after(self) -> str:
        """What follows the figure and its unit in the sentence."""
        return self.text[self.figure.stop : self.end]

    @property
    def ahead(self) -> str:
        """What stands before it in the sentence."""
        return self.text[self.start : self.figure.start]


@dataclass(frozen=True, eq=False)
class Context:
    """Names in texts, looked up once."""

    book: Book
    names: Names
    _cache: dict[str, tuple[Mention, ...]] = field(default_factory=dict)

    def mentions(self, text: str) -> tuple[Mention, ...]:
        """Every name in a text."""
        if text not in self._cache:
            self._cache[text] = self.names.find(text)
        return self._cache[text]

    def runs(self, text: str) -> list[Mention]:
        """Every run or method in a text."""
        return [one for one in self.mentions(text) if one.kind == "run"]

    def place(self, line: Line, text: str, figure: Figure) -> Place:
        """A figure with the bounds of its sentence."""
        ends = [0, *[found.end() for found in _SENTENCE.finditer(text)], len(text)]
        start = max(end for end in ends if end <= figure.start)
        return Place(line, text, figure, start, min(end for end in ends if end >= figure.end))

    # ---- subject

    def subject(self, place: Place, apart_from: str | None = None) -> str | None:
        """Id of the run that the figure belongs to; null where that is open.

        `apart_from` is a run that it can't be, as a ratio is not of what it is
        measured by.
        """
        runs = [one for one in self.runs(place.text) if one.ids != (apart_from,)]
        direct = self._direct(place, runs) or self._listed(place, runs)
        if direct is not None:
            return _only(direct)
        before = [one for one in runs if one.end <= place.figure.start]
        if re.search(r"(?:against|than)\s*$", place.ahead):
            # "133.9 against 113.2 tok/s": the second figure is that of the other side.
            return self.comparator(place)
        for one in reversed(before):
            if not _COMPARED.search(place.text[: one.start]) and len(one.ids) < 2:
                return _only(one)
        if any(one.start >= place.start for one in before if len(one.ids) > 1):
            return None
        return self._above(place.line)

    def _direct(self, place: Place, runs: Sequence[Mention]) -> Mention | None:
        """A run named right behind the figure: ``1.2× with X``, ``17 ms … at depth 2``."""
        figure = place.figure
        for one in runs:
            if not figure.stop <= one.start < place.end:
                continue
            gap = place.text[figure.stop : one.start]
            for task in self.mentions(place.text):
                if task.kind == "task" and figure.stop <= task.start < one.start:
                    gap = gap.replace(place.text[task.start : task.end], "")
            if _DIRECT.fullmatch(gap) or re.fullmatch(r"[^,;]{0,40}\bat\s*", gap):
                return one
        return None

    def _listed(self, place: Place, runs: Sequence[Mention]) -> Mention | None:
        """As many figures of a kind as runs before them belong to them one by one."""
        inside = [one for one in runs if place.start <= one.start < place.end]
        same = [
            found
            for found in find_figures(place.text)
            if place.start <= found.start < place.end
            and found.unit == place.figure.unit
            and not found.token
            and not any(one.start <= found.start < one.end for one in runs)
        ]
        if len(same) < 2:
            return None
        named = [
            one
            for one in inside
            if one.end <= same[0].start and not _COMPARED.search(place.text[: one.start])
        ]
        if len(named) != len(same):
            return None
        order = [found.start for found in same].index(place.figure.start)
        return named[order]

    def _above(self, line: Line) -> str | None:
        """The run that the lines above are about."""
        for text in (line.lead, *reversed(line.before)):
            named = [
                one
                for one in self.runs(text)
                if not _COMPARED.search(text[: one.start]) and len(one.ids) < 2
            ]
            if named:
                return _only(named[-1] if text != line.lead else named[0])
        for title in reversed(line.titles):
            named = self.runs(title)
            if len(named) == 1:
                return _only(named[0])
            if named:
                return None
        return None

    # ---- comparison

    def comparator(self, place: Place) -> str | None:
        """Id of the run that the figure compares with: named, the pair's other one, or baseline."""
        runs = self.runs(place.text)
        for one in runs:
            if place.figure.stop <= one.start < place.end:
                gap = place.text[place.figure.stop : one.start]
                if _TOWARDS.search(gap):
                    return _only(one)
        for one in reversed(runs):
            inside = place.start <= one.start and one.end <= place.figure.start
            if inside and _COMPARED.search(place.text[: one.start]):
                return _only(one)
        pair = self.pair(place.line)
        subject = None if re.search(r"(?:against|than)\s*$", place.ahead) else self.subject(place)
        if pair is not None and subject in pair:
            return pair[0] if subject == pair[1] else pair[1]
        baseline = self.book.facts.baseline
        return None if baseline is None else baseline.id

    def pair(self, line: Line) -> tuple[str, str] | None:
        """The two runs that the nearest title sets side by side."""
        for title in (*reversed(line.titles), *reversed(line.passed)):
            named = [one.ids[0] for one in self.runs(title) if len(one.ids) == 1]
            if len(named) == 2 and named[0] != named[1]:
                return named[0], named[1]
        return None

    # ---- scope

    def scopes(self, place: Place, run: str) -> list[Scope]:
        """What of the run the figure may be about, the likeliest first."""
        named = self.mentions(place.text)
        tasks = [
            one for one in named if one.kind == "task" and place.start <= one.start < place.end
        ]
        for one in tasks:
            gap = place.text[place.figure.stop : one.start]
            if one.start >= place.figure.stop and _ON.fullmatch(gap):
                return [Scope(run, task=one.ids[0])]
        ahead = [one for one in tasks if one.end <= place.figure.start]
        if ahead and not _OVERALL.search(place.text[ahead[-1].end : place.end]):
            return [Scope(run, task=ahead[-1].ids[0])]
        if _OVERALL.search(place.sentence):
            return [Scope(run)]
        classes = [one for one in named if one.kind == "workload" and one.start < place.end]
        if classes:
            return [Scope(run, workload=classes[-1].ids[0])]
        return [*self._titled(place.line, run), Scope(run)]

    def _titled(self, line: Line, run: str) -> list[Scope]:
        for title in reversed(line.titles):
            for one in self.mentions(title):
                if one.kind == "task":
                    return [Scope(run, task=one.ids[0])]
                if one.kind == "workload":
                    return [Scope(run, workload=one.ids[0])]
        return []

    def groups(self, place: Place) -> Iterable[list[Scope]]:
        """Sets of runs and tasks that a range may span."""
        book = self.book
        run_sets: list[Sequence[str]] = []
        single = self.subject(place)
        if single is not None:
            run_sets.append([single])
        pair = self.pair(place.line)
        if pair is not None:
            run_sets.append(pair)
        run_sets.append([run.id for run in book.facts.drafting])
        run_sets.append([run.id for run in book.facts.compared])
        sample = Scope(run_sets[-1][0]) if run_sets[-1] else None
        classes = (
            [scope.workload for scope in self.scopes(place, sample.run) if scope.workload]
            if sample
            else []
        )
        for runs in run_sets:
            for name in classes:
                yield [Scope(run, task=task) for run in runs for task in book.tasks_of(name)]
            if not classes:
                names = book.facts.task_names
                yield [Scope(run, task=task) for run in runs for task in names]
                yield [Scope(run) for run in runs]


def _only(mention: Mention) -> str | None:
    return mention.ids[0] if len(mention.ids) == 1 else None
