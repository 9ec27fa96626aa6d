"""Whom is a clause about, what is that held against, and where is it so?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from analysis.cards.facts import Facts
from analysis.checking.claim import Group, Place, Places
from analysis.checking.parts import LISTING, Name, Parts
from analysis.checking.tokens import Token

__all__ = ["Clause"]

SEVERAL = "several runs, and nothing says which is meant"
_EVERY = ("all", "any", "none", "most", "some")


class Clause(Parts):
    """What the parts of a clause come to; `domain` are the runs that one is the first of."""

    def __init__(self, tokens: list[Token], facts: Facts, named: Sequence[str]) -> None:
        super().__init__(tokens, facts, named)
        self.domain: Group | None = None
        self.subject, self.reference = self._subject(), _group(self._runs["reference"])
        self._among(_group(self._runs["among"]))
        self.places, self.other_places = (self._where(some) for some in self._places.values())
        exceeds = self.relation is not None and self.relation.kind == "beats"
        if self.places is None and exceeds is (self.reference is None):
            # "exceeds 110 tok/s on code", "a tie on code between max 2 and max 3"
            self.places, self.other_places = self.other_places, None
        if self.places is None and self.has("whole"):
            self.places = Places(stated=True)

    def _subject(self) -> Group | None:
        names = self._runs["subject"]
        found = _group(names if self._listed(names) else self._one_of(names))
        if found is None and self.relation is not None:
            if "nothing" in self.words:
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
        return all("conjunctions" in gap and gap <= LISTING for gap in kinds)

    def _one_of(self, names: list[Name]) -> list[Name]:
        """Of several names in one clause, the one that it is about."""
        wide = max(names, key=lambda one: len(one.token.value))
        rest = [one for one in names if one is not wide]
        runs = set(wide.token.value)
        if len(runs) > 1 and all(set(one.token.value) <= runs for one in rest):
            # "DSpark's fastest depth is max 3", "no setting with DFlash".
            self.domain = _group([wide])
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
            if one.token.kind in ("many", "pool"):
                options += one.token.value
            elif one.quantifier in _EVERY and one.token.value[0][0]:
                options += [(task,) for task in self.every("tasks", one.token.value)]
            else:
                options.append(one.token.value)
        said = next((one.quantifier for one in names if one.quantifier), "all")
        if said == "only":
            self._unclear("of the other tasks it says nothing by name")
        each = any(one.token.kind in ("many", "pool") for one in names)
        said = "all" if said.startswith("=") and not each else said  # "the five code tasks"
        return Places(tuple(dict.fromkeys(options)), said, True, each) if names else None


def _group(names: Sequence[Name]) -> Group | None:
    if not names:
        return None
    runs = tuple(dict.fromkeys(run for one in names for run in one.token.value))
    said = next((one.quantifier for one in names if one.quantifier), "")
    return Group(runs, said or ("all" if len(names) > 1 else ""))
