"""Whom is a clause about, what is that held against, and on which tasks?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from analysis.cards.facts import Facts
from analysis.checking.claim import Group, Place, Places
from analysis.checking.roles import Name, Roles
from analysis.checking.tokens import Token

__all__ = ["SEVERAL", "Clause"]

SEVERAL = "several runs, and nothing says which is meant"
_LISTING = {"conjunctions", "fillers", "quantifiers", "counted"}


class Clause(Roles):
    """What the parts of a clause come to; `domain` are the runs that one is the first of."""

    def __init__(self, tokens: list[Token], facts: Facts, before: Sequence[str]) -> None:
        super().__init__(tokens, facts, before)
        self.domain: Group | None = None
        self.subject, self.reference = self._subject(), self._group(self._runs["reference"])
        self._among(self._group(self._runs["among"]))
        self.places, self.other_places = (self._where(some) for some in self._places.values())
        exceeds = self.relation is not None and self.relation.kind == "beats"
        if self.places is None and exceeds is (self.reference is None):
            # "exceeds 110 tok/s on code", "a tie on code between max 2 and max 3"
            self.places, self.other_places = self.other_places, None
        if self.places is None and self.has("whole"):
            self.places = Places(stated=True)
        # "Nothing is gained beyond depth 4" is of deeper ones alone.
        self.sure = True
        # "from 129.6 tok/s": it does not say where that was.
        self.from_nowhere = self._comes_from and not (self.reference or self.other_places)

    def _group(self, names: Sequence[Name]) -> Group | None:
        if not names:
            return None
        runs = tuple(dict.fromkeys(run for one in names for run in one.token.value))
        said = next((one.quantifier for one in names if one.quantifier), "")
        if said.startswith("=") and len(runs) == 1:
            said = ""  # "the one to use of 4 configurations"
        return Group(runs, said or ("all" if len(names) > 1 else ""))

    def _subject(self) -> Group | None:
        names = self._runs["subject"]
        found = self._group(names if self._listed(names) else self._one_of(names))
        if found is None and self.relation is not None:
            if any(one.word == "nothing" for one in self.tokens):
                self.negated = not self.negated
                return Group(self.everyone, "none")
            if self.tokens[0].word == "everything":
                return Group(self.everyone, "all")
        return found

    def _listed(self, names: Sequence[Name]) -> bool:
        """Whether names stand side by side: ``max 2, max 3 and DFlash``."""
        runs = [{*one.token.value} for one in names]
        if any(one < other or other < one for one, other in pairwise(runs)):
            return False  # "the best DSpark setting, max 3"
        gaps = [self.tokens[one.at + 1 : other.at] for one, other in pairwise(names)]
        kinds = [{one.kind for one in gap} for gap in gaps]
        return all("conjunctions" in gap and gap <= _LISTING for gap in kinds)

    def _one_of(self, names: list[Name]) -> list[Name]:
        """Of several names in one clause, the one that it is about."""
        wide = max(names, key=lambda one: len(one.token.value))
        rest = [one for one in names if one is not wide]
        runs = set(wide.token.value)
        if len(runs) > 1 and all(set(one.token.value) <= runs for one in rest):
            # "DSpark's fastest depth is max 3", "no setting with DFlash".
            self.domain = self._group([wide])
            return [one._replace(quantifier=one.quantifier or wide.quantifier) for one in rest]
        compared = self.relation is not None and self.relation.kind in ("comparatives", "changes")
        same = all(one.token.value == wide.token.value for one in names)
        alone = compared and not self._runs["reference"]
        if not same and (alone or len(names) != len(self.stated)):
            self._unclear(SEVERAL)
        return names[:1] if same else names

    def _among(self, among: Group | None) -> None:
        if among is None:
            return
        kind = self.relation.kind if self.relation else ""
        inside = self.subject is not None and set(among.runs) < set(self.subject.runs)
        changed = bool(kind) or [one.figure and one.figure.unit for one in self.stated] == ["times"]
        pair = len(among.runs) == 2 and (changed if self.subject is None else inside)
        if kind == "superlatives" and (self.subject is not None or len(among.runs) > 1):
            self.domain = among
        elif pair and (self.subject is None or kind == "changes"):
            # "DSpark's acceptance shrinks from 56 % to 37 % between depths 2 and 5"
            self.reference, self.subject = Group(among.runs[:1]), Group(among.runs[1:])
        elif kind == "comparatives" and self.subject is not None and self.reference is None:
            self.domain = among
            self.reference = replace(among.without(self.subject), quantifier="all")
        elif self.subject is None:
            self.subject = among

    def _where(self, names: Sequence[Name]) -> Places | None:
        # "Among the four tasks it is slowest on creative_short"
        names = [one for one in names if one.token.kind != "pool"] or names
        options: list[tuple[Place, ...]] = []
        for one in names:
            every = one.quantifier in ("all", "any", "none", "most", "some")
            if one.token.kind in ("many", "pool"):
                options += one.token.value
            elif not (every and one.token.value[0][0]):
                options.append(one.token.value)
            else:
                options += [(task,) for task in self.every("tasks", one.token.value)]
        known = (*self.facts.task_names, *self.facts.workloads)
        if any(not any((task or name) in known for name, task in some) for some in options):
            self._unclear("no such task was measured")
        said = next((one.quantifier for one in names if one.quantifier), "all")
        if said == "only":
            self._unclear("of the other tasks it says nothing by name")
        each = any(one.token.kind in ("many", "pool") for one in names)
        said = "all" if said.startswith("=") and not each else said  # "the five code tasks"
        every_one = tuple(dict.fromkeys(options))
        return Places(every_one, said, stated=True, each=each) if names else None
