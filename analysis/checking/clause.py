"""Whom is a clause about, what is that held against, and which figure is of whom, and where?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from analysis.cards.facts import Facts
from analysis.checking.claim import Group, Place, Places
from analysis.checking.clauses import RELATIONS
from analysis.checking.quantities import QUANTITIES
from analysis.checking.tokens import Token, stands
from analysis.checking.vocabulary import LINKS

__all__ = ["Clause", "better", "direction", "is_range"]

LISTING = {"conjunctions", "fillers", "quantifiers", "counted", "break"}
"""What may stand between the names of a list."""
STRANGE = {
    "unknown": '"{}" is not understood',
    "hedges": '"{}" is no statement of what was measured',
    "estimates": '"{}" is no statement of what was measured',
}
"""Why a clause with a word of a kind is not read."""
ENDS = {
    "break": ("reference", "held", "beside", "among"),
    "states": ("held", "beside", "among"),
    **dict.fromkeys(("comparatives", "changes", "superlatives"), ("beside", "among")),
    **dict.fromkeys(("conjunctions", "beats", "pays", "equals"), ("beside",)),
}
"""Behind which sides of a relation a token of a kind leads back to the subject: the one that a
reference is awaited on, ``held`` once it came, ``beside`` it behind a preposition, ``among``."""
_SIGNS = (("better", 2), ("worse", -2), ("+", 1), ("-", -1))
_EVERY = ("all", "any", "none", "most", "some")


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
        relations = [one for one in relations if one.kind != "equals"] or relations
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
            if one.kind in STRANGE:
                return STRANGE[one.kind].format(one.text)
            if one.kind == "run" and not one.value:
                return "it names a run that this campaign does not have"
        if len(relations) > 1:
            return "several relations in one clause"
        return (
            "it negates twice" if [one.kind for one in self.tokens].count("negations") > 1 else ""
        )

    def _unclear(self, why: str) -> None:
        self.why = self.why or why

    def _nouns(self) -> tuple[set[str], bool]:
        """The quantities that it names, and whether time is among them as a noun."""
        nouns = {str(one.value) for one in self.tokens if one.kind == "quantities"}
        actions = {str(one.value) for one in self.tokens if one.kind == "actions"}
        # "needs 535 more drafted tokens", "generates fewer drafts": the noun says of what.
        said = nouns | (actions & {"accepted", "wasted", "drafted"} if nouns - actions else actions)
        whole = any(one.kind == "whole" and one.value == "effective" for one in self.tokens)
        return {"effective"} if whole and said <= {
            "throughput",
            "speedup",
        } else said, "time" in nouns

    def _amounts(self) -> tuple[tuple[Token, ...], Token | None]:
        """The two numbers of "9 of 13 tasks", and else the amount of the relation."""
        places = [at for at, one in enumerate(self.tokens) if one.kind == "figure"]
        numbers = [self.tokens[at] for at in places]
        if any(self._stands("n_of_m", at) for at in places):
            if len(numbers) == 2:
                few, many = sorted(numbers, key=lambda one: one.value)  # "3,243, of which 1,405"
                return (few, many), None
            if any(self._stands("n_of_m_tasks", at) for at in places):
                self._unclear("it counts tasks, and has another number")
        amounts = [self.tokens[at] for at in places if self._stands("amount", at)]
        return (), amounts[-1] if amounts and self.relation else None

    def _stands(self, rule: str, at: int) -> bool:
        return stands(rule, self.tokens[:at], self.tokens[at:]) is not None

    # ---- the tokens one by one

    def _take(self, at: int, token: Token) -> None:
        kind, side = token.kind, self._side
        if side in ENDS.get(kind, ()):
            self._side = "subject"
        if kind in ("references", "equals") or (kind == "beats" and token is self.relation):
            self.passive = kind == "beats" and self._stands("passive", at)
            self._side = "reference"
        elif kind == "prepositions":
            self._preposition(at, token.word)
        elif kind == "quantifiers":
            self._quantifier = str(token.value)
        elif kind == "figure":
            self._figure(at, token)
        elif kind == "run":
            last = self._runs["among"][-1:]
            goes_on = bool(last) and self._side_by_side(last[0].at, at)
            if side == "beside" or (side == "among" and last and not goes_on):
                self._side = "subject"  # "of the five runs DFlash is the fastest"
            side = "reference" if self._side == "held" else self._side
            self._name(self._runs[side], at, token)
            self._side = "held" if side == "reference" else side
        elif kind == "scope":
            led = self.tokens[at - 1].kind in ("prepositions", "references") if at else False
            self._name(self._there(at, led=led), at, token)
        elif kind == "counted":
            self._counted(at, token)

    def _preposition(self, at: int, word: str) -> None:
        side = self._side
        if self._stands("from", at) and not self.words & (LINKS["ranging"] - {"between"}):
            self._side = "reference"
        elif word in LINKS["among"] or (word == "of" and side in ("subject", "beside")):
            self._side = "among"
        elif (side == "among" and word != "of") or (side != "among" and word == "to"):
            self._side = "subject"
        elif side == "held":
            self._side = "beside"

    def _figure(self, at: int, token: Token) -> None:
        if token not in (*self.counts, self.by):
            if self._stands("counts", at):
                if self._quantifier in ("", "only"):
                    self._quantifier = f"={int(token.value)}"
                return
            # "fewer than max 5 with 1,300"
            of_other = self._side in ("reference", "held", "beside")
            self.figures["reference" if of_other else "subject"].append(token)
        self._quantifier = ""  # "only 492 with n_max 5"
        if self._stands("times_of", at):
            self._side = "reference"  # "2.33 times the baseline's"

    def _name(self, names: list[Name], at: int, token: Token) -> None:
        names.append(Name(at, token, self._quantifier))
        self._quantifier = ""

    def _side_by_side(self, at: int, other: int) -> bool:
        """Whether a list goes on from one name to another: ``max 2, max 3 and DFlash``."""
        between = self.tokens[at + 1 : other]
        kinds = {one.kind for one in between if one.word != "to"}
        return kinds <= LISTING and any(
            one.kind == "conjunctions" or one.word == "to" for one in between
        )

    def _there(self, at: int, *, led: bool = False) -> list[Name]:
        """The places of the side that a place is on.

        "Faster than max 5 on code" is of both; "on code_cpp it is faster than max 5 on JSON" not.
        """
        last = self._places["subject"][-1:]
        apart = self._runs["reference"] and last and not self._side_by_side(last[0].at, at)
        other = apart or (self._side == "reference" and led)
        return self._places["reference" if other else "subject"]

    def _counted(self, at: int, token: Token) -> None:
        beside = self.tokens[max(0, at - 2) : at]
        named = {one.kind for one in beside[-1:]} == {"scope"} and token.word.endswith("s")
        if not named or token.value != "tasks" or self._quantifier:
            self.noun = self.noun or str(token.value)
        if token.value in ("tasks", "classes") and self._quantifier:
            places = self._there(at)
            within = [places.pop().token.value for one in beside if one.kind == "scope" and places]
            every = self.every(token.value, within[0] if within else ())
            kind = "pool" if self._side == "among" else "many"
            self._name(places, at, replace(token, kind=kind, value=[(one,) for one in every]))
        elif token.value == "runs":
            side = "reference" if self._side in ("held", "beside") else self._side
            rest = side == "reference" and token.word in LINKS["rest"]
            grouped = any(one.group for one in self.tokens[at + 1 : at + 4])
            beside = [one for one in beside if one.kind == "run"]
            if (self._quantifier or rest) and not grouped and not beside:
                self._quantifier = self._quantifier or "all"
                whole = replace(token, value=self.everyone, group=True)
                self._name(self._runs[side], at, whole)
            self._quantifier = self._quantifier if grouped else ""

    # ---- what they come to

    def _subject(self) -> Group | None:
        found = _group(self._one_of(self._runs["subject"]))
        if found is None and self.relation is not None:
            if "nothing" in self.words:
                self.negated = not self.negated
                return Group(self.everyone, "none")
            if self.tokens[0].word == "everything":
                return Group(self.everyone, "all")
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
        if all(self._side_by_side(one.at, other.at) for one, other in pairwise(names)):
            return names
        if all(one.token.value == wide.token.value for one in names):
            return names[:1]
        compared = self.relation is not None and self.relation.kind in ("comparatives", "changes")
        if (compared and not self._runs["reference"]) or len(names) != len(self.stated):
            self._unclear("several runs, and nothing says which is meant")
        return names

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


def is_range(tokens: Sequence[Token], figures: Sequence[Token]) -> bool:
    """``11-14 %``, ``between 11 and 14 %``."""
    units = {one.figure.unit for one in figures if one.figure is not None}
    if len(figures) != 2 or len(units) != 1:
        return False
    at = next(at for at, one in enumerate(tokens) if one.start == figures[0].start)
    return stands("range", tokens[:at], tokens[at:]) is not None


def direction(relation: Token) -> tuple[str, int]:
    """Quantity and direction that a word of relation has; 2 is better, -2 worse."""
    said = str(relation.value)
    for word, sign in _SIGNS if relation.kind != "equals" else ():
        if said.endswith(word):
            return said.removesuffix(word), sign
    return "", 0 if said == "gap" else 1


def better(sign: int, quantity: str) -> int:
    """What better and worse come to: more or less of a quantity."""
    less = "less" in QUANTITIES[quantity].flags
    return sign if abs(sign) < 2 else sign // 2 * (-1 if less else 1)
