"""Which runs, tasks and kinds of text does a line name?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from analysis.cards.facts import Facts, RunFacts
from analysis.cards.wording import METHODS, workload_name

__all__ = ["Mention", "Names"]

Kind = Literal["run", "task", "workload"]

_OFF = (
    r"no[- ]speculat(?:ion|ive decoding)(?: baseline)?|without speculat(?:ion|ive decoding)"
    r"|speculati(?:on|ve decoding) (?:off|disabled)|(?:the )?(?:plain )?baseline"
    r"|plain step|off(?= \|)"
)
_DEPTH = r"(?:--)?(?:spec[-_]draft[-_])?n[-_ ]?max|max|depth"
_SHORT = 4


@dataclass(frozen=True)
class Mention:
    """A name in a text.

    Attributes
    ----------
    kind
        What it names.
    ids
        Runs (several where a method has several depths, none where the
        campaign has no such run), or the one task or workload class.
    """

    kind: Kind
    ids: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True, eq=False)
class Names:
    """Finds a campaign's names in text."""

    facts: Facts

    @cached_property
    def _methods(self) -> dict[str, tuple[str, ...]]:
        """What a method may be called, in lower case, to its runs."""
        found: dict[str, list[str]] = {}
        for run in self.facts.runs:
            for name in _method_names(run):
                found.setdefault(name.lower(), []).append(run.id)
        return {name: tuple(dict.fromkeys(runs)) for name, runs in found.items()}

    @cached_property
    def _labels(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for run in self.facts.runs:
            for name in dict.fromkeys((run.label, run.id)):
                if name.strip():
                    found.setdefault(" ".join(name.split()), []).append(run.id)
        return {name: tuple(dict.fromkeys(runs)) for name, runs in found.items()}

    @cached_property
    def _exact(self) -> re.Pattern[str] | None:
        return _any_of([*self._labels, *self.facts.task_names])

    @cached_property
    def _classes(self) -> dict[str, str]:
        return {workload_name(name).lower(): name for name in self.facts.workloads}

    @cached_property
    def _class_words(self) -> re.Pattern[str] | None:
        long = [name for name in self._classes if len(name) >= _SHORT]
        return _any_of(long, re.IGNORECASE)

    @cached_property
    def _runs(self) -> re.Pattern[str]:
        methods = "|".join(re.escape(name) for name in sorted(self._methods, key=len, reverse=True))
        method = rf"(?P<method>(?<![\w-])(?:{methods or '(?!)'})(?![\w-]))"
        depth = rf"(?<![\w-])(?:{_DEPTH})[ ]*[=:]?[ ]*(?P<depth>\d+)(?![\w]|\.\d)"
        return re.compile(
            rf"(?P<off>(?<![\w-])(?:{_OFF})(?![\w-]))"
            rf"|{method}(?:[\s,(]*(?:with |at |using )?{depth})?"
            rf"|{depth.replace('depth>', 'alone>')}(?:/(?P<other>\d+)(?![\w.]))?",
            re.IGNORECASE,
        )

    def find(self, text: str) -> tuple[Mention, ...]:
        """Every name in a text, in its order, none within another."""
        found = list(self._exactly(text))
        method: tuple[str, ...] | None = None
        for match in self._runs.finditer(text):
            if match["method"]:
                method = self._methods[match["method"].lower()]
            if any(one.start < match.end() and match.start() < one.end for one in found):
                continue
            found.append(Mention("run", self._meant(match, method), *match.span()))
        if self._class_words is not None:
            for match in self._class_words.finditer(text):
                name = self._classes[match[0].lower()]
                if not any(one.start < match.end() and match.start() < one.end for one in found):
                    found.append(Mention("workload", (name,), *match.span()))
        return tuple(_joined(sorted(found, key=lambda one: one.start), text))

    def _exactly(self, text: str) -> Iterator[Mention]:
        if self._exact is None:
            return
        tasks = set(self.facts.task_names)
        for match in self._exact.finditer(text):
            if match[0] in self._labels:
                yield Mention("run", self._labels[match[0]], *match.span())
            elif match[0] in tasks:
                yield Mention("task", (match[0],), *match.span())

    def _meant(self, match: re.Match[str], method: tuple[str, ...] | None) -> tuple[str, ...]:
        if match["off"]:
            return () if self.facts.baseline is None else (self.facts.baseline.id,)
        depth = match["depth"] or match["alone"]
        if depth is None:
            return method or ()
        of_depth = tuple(run.id for run in self.facts.runs if run.n_max == int(depth))
        if match["other"]:
            # "n_max = 4/5": both, where the campaign has both.
            second = [run.id for run in self.facts.runs if run.n_max == int(match["other"])]
            of_depth = (*of_depth, *second) if of_depth and second else ()
        if method is None:
            return of_depth
        both = tuple(run for run in of_depth if run in method)
        # "DFlash … depth 3" may go back to another method than the last one named.
        return both or (() if match["method"] else of_depth)


def _joined(found: list[Mention], text: str) -> Iterator[Mention]:
    """What is named once: an apposition, as in *No speculation (baseline)*, names nothing new."""
    for number, one in enumerate(found):
        last = found[number - 1] if number else None
        if last and last.ids == one.ids and text[last.end : one.start].strip() == "(":
            continue
        yield one


def _method_names(run: RunFacts) -> set[str]:
    names: set[str] = set()
    if run.spec_type and run.spec_type != "none":
        names |= {run.spec_type, " + ".join(METHODS.get(w, w) for w in run.spec_type.split(","))}
        names |= {word.removeprefix("draft-") for word in run.spec_type.split(",")}
    return {name for name in names if len(name) >= 3}


def _any_of(names: list[str], flags: int = 0) -> re.Pattern[str] | None:
    """The longest first, each as a word of its own."""
    kept = sorted({name for name in names if name.strip()}, key=len, reverse=True)
    if not kept:
        return None
    words = "|".join(re.escape(name) for name in kept)
    return re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", flags)
