"""Whom is a clause about, what is that held against, and on which tasks?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from analysis.cards.facts import Facts
from analysis.checking.claim import Group, Place, Places
from analysis.checking.quantities import SPEED
from analysis.checking.roles import Named, Roles
from analysis.checking.tokens import Token

__all__ = ["SEVERAL", "Clause"]

SEVERAL = "several runs, and nothing says which is meant"
_LISTING = {"conjunctions", "fillers", "quantifiers", "counted"}


class Clause(Roles):
    """What the parts of a clause come to."""

    def __init__(self, tokens: list[Token], facts: Facts, before: Sequence[str]) -> None:
        super().__init__(tokens, facts, before)
        self.domain: Group | None = None
        subject = self._runs["subject"]
        self.reference = _group(self._runs["reference"])
        self.subject = _group(subject if self._listed(subject) else self._one_of(subject))
        if self.subject is None and self.relation is not None:
            if any(one.word == "nothing" for one in tokens):
                self.subject, self.negated = Group(self.everyone, "none"), not self.negated
            elif self._all_of_them():
                self.subject = Group(self.drafting, "all")
            elif tokens[0].word == "everything":
                self.subject = Group(self.everyone, "all")
        among = _group(self._runs["among"])
        if among is not None:
            self._among(among)
        self.places, self.other_places = (self._made(some) for some in self._places.values())
        exceeds = self.relation is not None and self.relation.kind == "beats"
        if exceeds and self.reference is None and self.places is None:
            self.places, self.other_places = self.other_places, None  # "exceeds 110 tok/s on code"
        if self.places is None and self.has("whole"):
            self.places = Places(stated=True)
        # "Nothing is gained beyond depth 4" is of deeper ones alone.
        self.sure = not any(one.kind == "references" and one.word == "beyond" for one in tokens)
        self.sure = self.sure and not (among is not None and self._runs["reference"])
        # "from 129.6 tok/s": it does not say where that was.
        self.from_nowhere = self._comes_from and not (self.reference or self.other_places)

    @property
    def one_thing(self) -> bool:
        """Whether its quantities are of one thing: of drafts, or of speed."""
        kinds = ({"drafted", "accepted", "acceptance"}, {"drafted", "wasted"},
                 {*SPEED, "predicted", "speedup", "decode_speedup"})  # fmt: skip
        return len(self.quantities) < 2 or any(self.quantities <= kind for kind in kinds)

    def _all_of_them(self) -> bool:
        return any(
            one.kind == "quantifiers" and one.value == "all" and next_.kind == "pronouns"
            for one, next_ in pairwise(self.tokens)
        )

    def _one_of(self, names: list[Named]) -> list[Named]:
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
        if not same and ((compared and not self.reference) or len(names) != len(self.stated)):
            self._unclear(SEVERAL)
        return names[:1] if same else names

    def _listed(self, names: Sequence[Named]) -> bool:
        """Whether names stand side by side: ``max 2, max 3 and DFlash``."""
        runs = [{*one.token.value} for one in names]
        if any(one < other or other < one for one, other in pairwise(runs)):
            return False  # "the best DSpark setting, max 3"
        gaps = [self.tokens[one.at + 1 : other.at] for one, other in pairwise(names)]
        kinds = [{one.kind for one in gap} for gap in gaps]
        return all("conjunctions" in gap and gap <= _LISTING for gap in kinds)

    def _multiplied(self) -> bool:
        """``doubles its speed between depth 2 and depth 4``."""
        return [one.figure.unit for one in self.stated if one.figure] == ["times"]

    def _among(self, among: Group) -> None:
        if len(self._runs["among"]) > len(among.runs):
            self._unclear("it names the same run twice")
        kind = self.relation.kind if self.relation else ""
        inside = self.subject is not None and set(among.runs) < set(self.subject.runs)
        if kind == "changes" and len(among.runs) == 2 and inside:
            # "DSpark's acceptance shrinks from 56 % to 37 % between depths 2 and 5"
            self.reference, self.subject = Group(among.runs[:1]), Group(among.runs[1:])
        elif kind == "superlatives" and (self.subject is not None or len(among.runs) > 1):
            self.domain = among
        elif kind == "comparatives" and self.subject is not None and self.reference is None:
            self.domain = among
            self.reference = replace(among.without(self.subject), quantifier="all")
        elif self.subject is None and len(among.runs) == 2 and (kind or self._multiplied()):
            self.reference, self.subject = Group(among.runs[:1]), Group(among.runs[1:])
        elif self.subject is None:
            self.subject = among

    def _made(self, names: Sequence[Named]) -> Places | None:
        options: list[tuple[Place, ...]] = []
        for one in names:
            every = one.quantifier in ("all", "none", "most", "some") and one.token.value[0][0]
            if one.token.kind == "many" or not every:
                options += one.token.value if one.token.kind == "many" else [one.token.value]
            else:
                options += [(task,) for task in self.every("tasks", one.token.value)]
        known = (*self.facts.task_names, *self.facts.workloads)
        if not all(
            any((task or workload) in known for workload, task in some if task or workload)
            for some in options
        ):
            self._unclear("no such task was measured")
        said = next((one.quantifier for one in names if one.quantifier), "all")
        if said == "only":
            self._unclear("of the other tasks it says nothing by name")
        each = any(one.token.kind == "many" for one in names)
        said = "all" if said.startswith("=") and not each else said  # "the five code tasks"
        every = tuple(dict.fromkeys(options))
        return Places(every, said, stated=True, each=each) if names else None


def _group(names: Sequence[Named]) -> Group | None:
    if not names:
        return None
    runs = tuple(dict.fromkeys(run for one in names for run in one.token.value))
    said = next((one.quantifier for one in names if one.quantifier), "")
    if said.startswith("=") and len(runs) == 1:
        said = ""  # "the one to use of 4 configurations"
    return Group(runs, said or ("all" if len(names) > 1 else ""))
