"""What is every quantity of a campaign, and from which raw line does it come?

The values are those of the summary's frames; nothing is measured here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from analysis.cards.facts import Facts, RunFacts, TaskFacts
from analysis.statistics.columns import DERIVED, RunRow, columns

__all__ = ["Book", "Scope", "Value"]


@dataclass(frozen=True)
class Scope:
    """What a figure is about: a run over everything, over a class, or on one task."""

    run: str
    workload: str | None = None
    task: str | None = None


@dataclass(frozen=True)
class Value:
    """A recomputed quantity.

    Attributes
    ----------
    value
        As a plain number: shares from 0 to 1, times in the quantity's unit.
    says
        The quantity in words, with what it is about.
    source
        Files and lines of the raw records.
    """

    value: float
    says: str
    source: str


@dataclass(frozen=True, eq=False)
class Book:
    """Looks quantities up by name and scope; null where the data does not have one."""

    facts: Facts

    @cached_property
    def _rows(self) -> dict[tuple[str, str], TaskFacts]:
        return {(row.run, str(row.task)): row for row in self.facts.tasks}

    @cached_property
    def _classes(self) -> dict[tuple[str, str], TaskFacts]:
        return {(row.run, name): row for name, rows in self.facts.workloads.items() for row in rows}

    @cached_property
    def _sources(self) -> dict[tuple[str, str | None], str]:
        found: dict[tuple[str, str | None], dict[str, None]] = {}
        tasks = self.facts.summary.tasks
        for run, task, source in zip(tasks["run"], tasks["task"], tasks["source"], strict=True):
            found.setdefault((str(run), str(task)), {})[str(source)] = None
        for run, source in zip(
            self.facts.summary.runs["id"], self.facts.summary.runs["source"], strict=True
        ):
            found.setdefault((str(run), None), {})[str(source)] = None
        return {key: ", ".join(sources) for key, sources in found.items()}

    def source(self, *scopes: Scope) -> str:
        """Where the raw records of scopes stand."""
        found: dict[str, None] = {}
        for scope in scopes:
            tasks: Iterable[str | None] = [scope.task]
            if scope.task is None and scope.workload is not None:
                tasks = self.tasks_of(scope.workload)
            for task in tasks:
                found[self._sources.get((scope.run, task), "")] = None
        return ", ".join(source for source in found if source)

    def tasks_of(self, workload: str) -> tuple[str, ...]:
        """Tasks of a class, in the order of the logs."""
        names = (str(row.task) for row in self.facts.tasks if row.workload == workload)
        return tuple(dict.fromkeys(names))

    def name(self, scope: Scope) -> str:
        """A scope in words."""
        run = self.facts.by_id[scope.run].label
        if scope.task is not None:
            return f"{run} on {scope.task}"
        return f"{run} on {scope.workload}" if scope.workload is not None else run

    def _row(self, scope: Scope) -> RunFacts | TaskFacts | None:
        if scope.task is not None:
            return self._rows.get((scope.run, scope.task))
        if scope.workload is not None:
            return self._classes.get((scope.run, scope.workload))
        return self.facts.by_id.get(scope.run)

    def get(self, column: str, scope: Scope) -> float | None:
        """A quantity by the name of its column."""
        row = self._row(scope)
        if column == "speedup" and row is not None and scope.run == self._plain:
            return 1.0
        found = getattr(row, column, None)
        return None if found is None or isinstance(found, str) else float(found)

    @property
    def _plain(self) -> str | None:
        return None if self.facts.baseline is None else self.facts.baseline.id

    def value(self, column: str, scope: Scope, words: str | None = None) -> Value | None:
        """A quantity with its words and source."""
        found = self.get(column, scope)
        if found is None:
            return None
        return Value(found, f"{words or spoken(column)} of {self.name(scope)}", self.source(scope))

    def ratio(self, column: str, top: Scope, bottom: Scope) -> Value | None:
        """One scope's quantity over another's."""
        above, below = self.get(column, top), self.get(column, bottom)
        if above is None or not below:
            return None
        says = f"{spoken(column)} of {self.name(top)} over {self.name(bottom)}"
        return Value(above / below, says, self.source(top, bottom))

    def change(self, column: str, after: Scope, before: Scope) -> Value | None:
        """One scope's quantity minus another's."""
        late, early = self.get(column, after), self.get(column, before)
        if late is None or early is None:
            return None
        says = f"{spoken(column)} of {self.name(after)} minus {self.name(before)}"
        return Value(late - early, says, self.source(after, before))

    def extreme(self, column: str, scopes: Sequence[Scope], role: str) -> Value | None:
        """The lowest or highest of a quantity over several scopes."""
        found = [
            (value, scope) for scope in scopes if (value := self.get(column, scope)) is not None
        ]
        if not found:
            return None
        pick = min if role == "low" else max
        value, scope = pick(found, key=lambda item: item[0])
        word = "lowest" if role == "low" else "highest"
        says = f"{word} {spoken(column)} of {len(found)}: {self.name(scope)}"
        return Value(value, says, self.source(scope))


_SPOKEN = {column.name: column.spoken for column in (*columns(RunRow), *DERIVED)}


def spoken(column: str) -> str:
    """A column in words."""
    return _SPOKEN.get(column, column.replace("_", " "))
