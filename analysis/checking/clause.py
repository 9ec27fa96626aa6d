"""Whom is a clause about, what is that held against, and which figure is of whom, and where?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from analysis.cards.facts import Facts
from analysis.checking.claim import Group, Place, Places
from analysis.checking.clauses import RELATIONS
from analysis.checking.tokens import Token, stands
from analysis.checking.vocabulary import LINKS

__all__ = ["Clause", "is_range"]

_STRANGE = {
    "unknown": '"{}" is not understood',
    "hedges": '"{}" is no statement of what was measured',
    "estimates": '"{}" is no statement of what was measured',
}
"""Why a clause with a word of a kind is not read."""
_BACK = ("states", "comparatives", "changes", "superlatives")
"""What leads back to the subject once a side of the relation has its names."""
_RANGING = LINKS["ranging"] - {"between"}
_EVERY = ("all", "any", "none", "most", "some", "one")


class Name(NamedTuple):
    """A run's or a place's name, with the quantifier before it."""

    at: int
    token: Token
    quantifier: str


class Clause:
    """The parts of a statement, each with the side of the relation that it is on.

    `why` says what is not understood. `figures` are values of the subject and of the reference,
    `by` is the amount of the relation, `counts` are the numbers of "9 of 13"; `domain` are the
    runs that one is the first of, `meant` is the quantity that it was read as.
    """

    def __init__(self, tokens: list[Token], facts: Facts) -> None:
        self.tokens, self.facts = tokens, facts
        self.everyone = tuple(run.id for run in facts.real if run.predicted_tokens)
        self.drafting = tuple(run.id for run in facts.drafting)
        self.negated = self.has("negations")
        self.degree = next((str(one.value) for one in tokens if one.kind == "degrees"), "")
        relations = [one for one in tokens if one.kind in RELATIONS]
        self.relation = relations[0] if len(relations) == 1 else None
        self.why = self._strange(relations)
        self.quantities, self.timed = self._nouns()
        self.counts, self.by = self._amounts()
        self.noun, self.passive, self.meant = "", False, ""
        self.domain: Group | None = None
        self.figures: dict[str, list[Token]] = {"subject": [], "reference": []}
        self._runs: dict[str, list[Name]] = {"subject": [], "reference": [], "among": []}
        self._places: dict[str, list[Name]] = {"subject": [], "reference": []}
        self._side, self._quantifier = "subject", ""
        for at, token in enumerate(tokens):
            self._take(at, token)
        if self._quantifier.startswith("=") and not self.has("superlatives"):
            self._unclear("it counts what it does not name")  # "the same in all three"
        self.subject, self.reference = self._subject(), _group(self._runs["reference"])
        self._among(_group(self._runs["among"]))
        self.places, self.other_places = (self._where(some) for some in self._places.values())
        exceeds = self.relation is not None and self.relation.kind == "beats"
        if self.places is None and exceeds is (self.reference is None):
            # "exceeds 110 tok/s on code", "a tie on code between max 2 and max 3"
            self.places, self.other_places = self.other_places, None
        if self.places is None and self.has("whole"):
            self.places = Places(stated=True)

    def has(self, *kinds: str) -> bool:
        """Whether it has a token of a kind."""
        return any(token.kind in kinds for token in self.tokens)

    @property
    def words(self) -> set[str]:
        """Its phrases, in lower case."""
        return {one.word for one in self.tokens}

    @property
    def stated(self) -> list[Token]:
        """All its values."""
        return self.figures["subject"] + self.figures["reference"]

    @property
    def sequence(self) -> list[str]:
        """Its quantities, by name, and its values, each as an empty text, as they stand."""
        nouns = [one for one in self.tokens if one.kind == "quantities" or one in self.stated]
        return ["" if one.kind == "figure" else str(one.value) for one in nouns]

    def behind(self, token: Token) -> list[Token]:
        """What stands behind a token."""
        return self.tokens[self.tokens.index(token) + 1 :]

    def every(self, noun: str, within: Sequence[Place] = ()) -> list[Place]:
        """All classes; or all tasks, those of some classes where any is named."""
        if noun == "classes":
            return [(name, None) for name in self.facts.workloads]
        classes = {workload for workload, _ in within if workload}
        rows = [str(row.task) for row in self.facts.tasks if row.workload in classes]
        return [(None, task) for task in dict.fromkeys(rows or self.facts.task_names)]

    # ---- what kind of clause

    def _strange(self, relations: Sequence[Token]) -> str:
        for one in self.tokens:
            if one.kind in _STRANGE:
                return _STRANGE[one.kind].format(one.text)
            if one.kind == "run" and not one.value:
                return "it names a run that this campaign does not have"
        kinds = [one.kind for one in self.tokens]
        several = len(relations) > 1 or kinds.count("negations") > 1
        return "several relations in one clause" if several else ""

    def _unclear(self, why: str) -> None:
        self.why = self.why or why

    def _nouns(self) -> tuple[set[str], bool]:
        """The quantities that it names, and whether time is among them as a noun."""
        nouns = {str(one.value) for one in self.tokens if one.kind == "quantities"}
        actions = {str(one.value) for one in self.tokens if one.kind == "actions"}
        # "needs 535 more drafted tokens", "generates fewer drafts": the noun says of what.
        said = nouns | (actions & {"accepted", "wasted", "drafted"} if nouns - actions else actions)
        effective = any(one.kind == "whole" and one.value == "effective" for one in self.tokens)
        said = {"effective"} if effective and said <= {"throughput", "speedup"} else said
        return said, "time" in nouns

    def _amounts(self) -> tuple[tuple[Token, ...], Token | None]:
        """The two numbers of "9 of 13 tasks", and else the amount of the relation."""
        places = [at for at, one in enumerate(self.tokens) if one.kind == "figure"]
        numbers = [self.tokens[at] for at in places]
        if len(numbers) == 2 and any(self._stands("n_of_m", at) for at in places):
            few, many = sorted(numbers, key=lambda one: one.value)  # "3,243, of which 1,405"
            return (few, many), None
        if any(self._stands("n_of_m_tasks", at) for at in places[:-2]):
            self._unclear("it counts tasks, and has another number")
        held = places if self.relation else []
        amounts = [self.tokens[at] for at in held if self._stands("amount", at)]
        return (), amounts[-1] if amounts else None

    def _stands(self, rule: str, at: int) -> bool:
        return stands(rule, self.tokens[:at], self.tokens[at:]) is not None

    # ---- the tokens one by one

    def _take(self, at: int, token: Token) -> None:
        kind, side = token.kind, self._side
        if kind == "break" or (kind in _BACK and (side == "among" or self._runs[side])):
            self._side = "subject"
        if kind in ("references", "equals") or (kind == "beats" and token is self.relation):
            self.passive = kind == "beats" and self._stands("passive", at)
            self._side = "reference"
            if self._runs["reference"] and self._stands("against", at):
                self._unclear("it holds something against several")
        elif kind == "prepositions":
            self._preposition(at, token.word)
        elif kind == "quantifiers":
            self._quantifier = str(token.value)
        elif kind == "figure":
            self._figure(at, token)
        elif kind == "run":
            if self._runs[side] and not self._stands("listed", at):
                self._side = "subject"  # "of the five runs DFlash is the fastest"
            self._name(self._runs[self._side], at, token)
        elif kind == "scope":
            self._name(self._there(at), at, token)
        elif kind == "counted":
            self._counted(at, token)

    def _preposition(self, at: int, word: str) -> None:
        if word == "from" and self._stands("from", at) and not self.words & _RANGING:
            self._side = "reference"
        elif word in LINKS["among"] or (word == "of" and self._side == "subject"):
            self._side = "among"
        elif word == "to" or (self._side == "among" and word != "of"):
            self._side = "subject"

    def _figure(self, at: int, token: Token) -> None:
        if token not in (*self.counts, self.by):
            if self._stands("counts", at):
                if self._quantifier in ("", "only"):
                    self._quantifier = f"={int(token.value)}"
                return
            # "fewer than max 5 with 1,300"
            self.figures["reference" if self._side == "reference" else "subject"].append(token)
        self._quantifier = ""  # "only 492 with n_max 5"
        if self._stands("times_of", at):
            self._side = "reference"  # "2.33 times the baseline's"

    def _name(self, names: list[Name], at: int, token: Token) -> None:
        names.append(Name(at, token, self._quantifier))
        self._quantifier = ""

    def _there(self, at: int) -> list[Name]:
        """The places of the side that a place is on.

        "Faster than max 5 on code" is of both; "on code_cpp it is faster than max 5 on JSON" not.
        """
        named = self._runs["reference"]
        apart = named and self._places["subject"] and not self._stands("listed", at)
        led = at > 0 and self.tokens[at - 1].kind in ("prepositions", "references")
        other = apart or (self._side == "reference" and led and not named)
        return self._places["reference" if other else "subject"]

    def _counted(self, at: int, token: Token) -> None:
        near = self.tokens[max(0, at - 3) : at]
        beside, many = [one.kind for one in near], any(one in self.counts for one in near)
        if beside[-1:] != ["scope"] and (many or not self.noun):
            self.noun = str(token.value)  # "the fastest run on 9 of 13 tasks"
        if self._stands("every_run", at):
            rest = self._side == "reference" and token.word in LINKS["rest"]
            if self._quantifier or rest:
                self._quantifier = self._quantifier or "all"
                whole = replace(token, value=self.everyone, group=True)
                self._name(self._runs[self._side], at, whole)
        elif self._quantifier in _EVERY and self._stands("of_class", at):
            return  # all five tasks of a class: the class has the quantifier
        elif self._quantifier and token.value in ("tasks", "classes"):
            places = self._there(at)
            within = places.pop().token.value if "scope" in beside and places else ()
            every = [(one,) for one in self.every(token.value, within)]
            if self._side != "among":  # "Among the four tasks it is slowest on creative_short"
                self._name(places, at, replace(token, kind="many", value=every))
            self._quantifier = ""

    # ---- what they come to

    def _subject(self) -> Group | None:
        found = _group(self._one_of(self._runs["subject"]))
        if found is None and self.relation is not None and "nothing" in self.words:
            self.negated = not self.negated
            return Group(self.everyone, "none")
        return found

    def _one_of(self, names: list[Name]) -> list[Name]:
        """Of the names in one clause, those that it is about: all of a list, else one."""
        if len(names) < 2:
            return names
        wide = max(names, key=lambda one: len(one.token.value))
        rest = [one for one in names if one is not wide]
        runs = set(wide.token.value)
        if len(runs) > 1 and all(set(one.token.value) < runs for one in rest):
            # "DSpark's fastest depth is max 3", "the best DSpark setting, max 3".
            self.domain = _group([wide])
            return [one._replace(quantifier=one.quantifier or wide.quantifier) for one in rest]
        if all(self._stands("listed", one.at) for one in names[1:]):
            return names
        if all(one.token.value == wide.token.value for one in names):
            return names[:1]
        if len(names) != len(self.stated):
            self._unclear("several runs, and nothing says which is meant")
        return names

    def _among(self, among: Group | None) -> None:
        if among is None:
            return
        kind = self.relation.kind if self.relation else ""
        if kind == "superlatives" and (self.subject is not None or len(among.runs) > 1):
            self.domain = among
        elif len(among.runs) == 2 and (kind == "changes" or self.subject is None):
            # "DSpark's acceptance shrinks from 56 % to 37 % between depths 2 and 5"
            self.reference, self.subject = Group(among.runs[:1]), Group(among.runs[1:])
            if not kind and "there" in self.words:
                self._unclear("of two runs, it does not say of which")  # "there is 0.13 s between"
        elif kind == "comparatives" and self.subject is not None and self.reference is None:
            self.reference = replace(among.without(self.subject), quantifier="all")
        elif self.subject is None:
            self.subject = among

    def _where(self, names: Sequence[Name]) -> Places | None:
        options: list[tuple[Place, ...]] = []
        for one in names:
            if one.token.kind == "many":
                options += one.token.value
            elif one.quantifier in _EVERY and one.token.value[0][0]:
                options += [(task,) for task in self.every("tasks", one.token.value)]
            else:
                options.append(one.token.value)
        said = next((one.quantifier for one in names if one.quantifier), "all")
        if said == "only":
            self._unclear("of the other tasks it says nothing by name")
        each = any(one.token.kind == "many" for one in names)
        said = "all" if said.startswith("=") and not each else said  # "the five code tasks"
        return Places(tuple(dict.fromkeys(options)), said, True, each) if names else None


def _group(names: Sequence[Name]) -> Group | None:
    if not names:
        return None
    runs = tuple(dict.fromkeys(run for one in names for run in one.token.value))
    said = next((one.quantifier for one in names if one.quantifier), "")
    return Group(runs, said or ("all" if len(names) > 1 else ""))


def is_range(tokens: Sequence[Token], figures: Sequence[Token]) -> bool:
    """``11-14 %``, ``between 11 and 14 %``."""
    if len(figures) != 2:
        return False
    at = next(at for at, one in enumerate(tokens) if one.start == figures[0].start)
    return stands("range", tokens[:at], tokens[at:]) is not None
