"""What does a sentence claim: of whom, which quantity, which relation, which figure?

Each clause is read only if every word of it is understood. What it leaves out
it takes from the one before, then from the lines and titles above it; a claim
that rests on a guess is not `sure`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from analysis.cards.facts import Facts
from analysis.checking.clauses import clauses, predicates
from analysis.checking.figures import Figure
from analysis.checking.quantities import QUANTITIES, SPEED, carries, meant_by
from analysis.checking.roles import EVERYTHING, Clause, Group, Place, Places
from analysis.checking.tokens import Token

__all__ = ["Above", "Claim", "claims_of"]

Kind = Literal["value", "ratio", "difference", "order", "equal", "extreme", "unread"]
_SIGNS = (("better", 2), ("worse", -2), ("+", 1), ("-", -1))
_ABOVE = {"above", "over", "beyond", "reach", "reaches", "reached", "exceed", "exceeds", "higher",
          "surpasses", "clears", "tops", "beats"}  # fmt: skip
_BELOW = {"below", "under", "lower", "less", "beneath", "misses"}
_RATIOS = {"": "throughput", "speedup": "throughput", "decode_speedup": "decode"}
"""Of what a figure in times or with a sign is the ratio."""
FEW = 12
"""Of so many tokens nobody counts some: "three of four" is a share."""
UNKNOWN = "what it says of whom is not understood"


@dataclass(frozen=True)
class Claim:
    """One thing that is said.

    `sign` is 1 for more, -1 for less, 0 for a difference either way. `axis` says what an extreme is one of: runs, tasks, both,
    or open. `why` says why it is unread. A second figure is the number of drafted tokens that the
    first is a part of.
    """

    kind: Kind
    start: int = 0
    end: int = 0
    quantity: str = ""
    subject: Group = field(default_factory=Group)
    reference: Group = field(default_factory=Group)
    places: Places = field(default_factory=Places)
    other_places: Places | None = None
    sign: int = 1
    figures: tuple[Figure, ...] = ()
    bound: str = ""
    degree: str = ""
    negated: bool = False
    domain: Group | None = None
    rank: int = 1
    axis: str = ""
    sure: bool = True
    why: str = ""


@dataclass(frozen=True)
class Above:
    """What stands above a sentence: runs of titles, the run named last, a pair, classes and tasks.

    `near` is the run named last; a pronoun means it, and so does an `item` of a list. Behind
    `estimates` figures may be a model's.
    """

    subject: Group | None = None
    near: Group | None = None
    pair: tuple[str, str] | None = None
    places: tuple[Place, ...] = ()
    item: bool = False
    estimates: bool = False


def claims_of(tokens: Sequence[Token], facts: Facts, above: Above) -> list[Claim]:
    """The claims of a sentence; what can't be read is a claim of the kind ``unread``."""
    if any(one.kind in ("estimates", "hedges") for one in tokens):
        above = replace(above, estimates=True)
    found: list[Claim] = []
    before: Clause | None = None
    named: list[str] = list(above.pair or ())
    for part in clauses(tokens):
        clause = Clause(part, facts, named)
        found += _Reading(clause, before, above, facts).claims()
        for group in (clause.subject, clause.reference):
            named += group.runs if group is not None else ()
        before = clause
    if any(one.kind == "unread" for one in found):
        # What is left over may change what the rest means.
        found = [replace(one, sure=False) for one in found]
    return sorted(found, key=lambda claim: claim.start)


class _Reading:
    """From the parts of a clause to its claims."""

    def __init__(self, clause: Clause, before: Clause | None, above: Above, facts: Facts) -> None:
        self.clause, self.before, self.above, self.facts = clause, before, above, facts

    def claims(self) -> list[Claim]:
        clause, tokens = self.clause, self.clause.tokens
        named = clause.has("run", "scope", "quantities", "actions", "positions")
        told = named or clause.has("figure", "whole", "counted", "pronouns")
        figures = any(one.figure for one in tokens if one.kind != "fillers")
        worth = figures or (named and clause.relation) if clause.why else (
            told or self.before is not None or self.above.subject is not None
        )  # fmt: skip
        if not worth or not predicates(tokens):
            return []
        if not clause.why:
            self._complete()
            found = self._read()
            if found:
                clause.meant = found[0].quantity
                return found
        return [Claim("unread", tokens[0].start, tokens[-1].end, why=clause.why or UNKNOWN)]

    # ---- what it leaves out

    def _complete(self) -> None:
        clause, before, above = self.clause, self.before, self.above
        if clause.subject is None:
            self._subject()
        if clause.places is not None:
            return
        options = list(above.places)
        if before is not None and before.places is not None and not before.places.each:
            if len(before.places.options) > 1 and before.places.stated:
                clause.places, clause.sure = replace(before.places, stated=False), False
                return
            options += [place for option in before.places.options for place in option]
        if options:
            # Of which of them it is said is open: of all prompts, or of those named before.
            clause.places = Places((tuple(dict.fromkeys([*options, EVERYTHING])),))

    def _subject(self) -> None:
        clause, before, above = self.clause, self.before, self.above
        free = ("fillers", "conjunctions", "prepositions")
        first = next((one.kind for one in clause.tokens if one.kind not in free), "")
        guess = above.near if above.item or clause.has("pronouns") else None
        guess = guess or (above.subject if first != "figure" else None)
        if before is not None and before.subject is not None and not before.why:
            clause.subject, clause.sure = before.subject, clause.sure and before.sure
        elif guess is not None:
            clause.subject, clause.sure = replace(guess, inferred=True), False
        elif len(self.facts.real) == 1:
            clause.subject = Group((self.facts.real[0].id,))

    def _reference(self, subject: Group) -> Group:
        """What a subject is held against: named, the other of a pair, or the baseline."""
        pair, before, baseline = self.above.pair, self.before, self.facts.baseline
        if self.clause.reference is not None:
            return self.clause.reference
        if before is not None and before.reference is not None and before.subject is not None:
            # What the clause before held its subject against, or that subject.
            for group in (before.reference, before.subject):
                if not set(group.runs) & set(subject.runs):
                    return group
        if pair is not None and len(subject.runs) == 1 and subject.runs[0] in pair:
            return Group(pair, inferred=True).without(subject)
        if baseline is None:
            return Group()
        alone = subject.runs == (baseline.id,)
        drafting = tuple(run.id for run in self.facts.drafting)
        return Group(drafting if alone else (baseline.id,), inferred=True)

    def _guessed(self, claim: Claim) -> bool:
        """Whether what it is held against is a guess: without a name it is the baseline mostly."""
        clause, near = self.clause, self.above.near
        speedups = clause.quantities & {"speedup", "decode_speedup"}
        if not claim.reference.inferred or clause.has("pays") or speedups:
            return False
        other = near is not None and near.runs != claim.subject.runs
        if self.above.pair or other or (self.before is not None and self.before.reference):
            return True
        times = bool(claim.figures) and claim.figures[0].unit == "times"
        changes = clause.relation is not None and clause.relation.kind == "changes"
        return not (times or (changes and claim.quantity in SPEED))

    def _made(self, kind: Kind, quantity: str, *figures: Token, **fields: Any) -> Claim:
        clause = self.clause
        claim = Claim(
            kind,
            clause.tokens[0].start,
            clause.tokens[-1].end,
            quantity,
            subject=clause.subject or Group(),
            places=clause.places or Places(),
            figures=tuple(one.figure for one in figures if one.figure is not None),
            bound=next((one.bound for one in figures if one.bound), ""),
            degree=clause.degree,
            negated=clause.negated,
        )
        claim = replace(claim, **fields)
        whole = claim.bound in ("", "about") and not claim.places.quantifier.startswith("=0")
        if claim.places.each and whole and kind in ("value", "ratio", "difference"):
            # "133.9 tok/s over all thirteen prompts": of them together.
            claim = replace(claim, places=Places(stated=True))
        sure = claim.sure and clause.sure and not self.above.estimates and not self._guessed(claim)
        return replace(claim, sure=sure)

    # ---- kinds of clauses

    def _read(self) -> list[Claim]:
        clause, relation = self.clause, self.clause.relation
        if "break_even" in clause.quantities and not clause.stated:
            return self._break_even()
        if clause.counts:
            if not clause.noun or relation is None:
                return [] if clause.noun else self._part_of()
            self._n_of_m()
        ranges = any(self._is_range(some) for some in clause.figures.values())
        if relation is None or (relation.kind == "changes" and ranges):
            return self._values() or []
        if relation.kind == "beats" and clause.reference is None and len(clause.stated) == 1:
            # "exceeds 110 tok/s"
            more = (_sign(relation)[1] > 0) != clause.negated
            clause.negated, bound = False, "gt" if more else "lt"
            return self._values(bound) or []
        if relation.kind == "superlatives":
            return self._extreme(relation)
        return self._related(relation) or []

    def _quantity(self, token: Token | None) -> str:
        clause = self.clause
        found = meant_by(clause.quantities, token.figure if token else None, timed=clause.timed)
        inherits = not found and not clause.quantities and self.before is not None
        return self.before.meant if inherits and self.before is not None else found

    def _break_even(self) -> list[Claim]:
        """``stays below break-even``: acceptance minus break-even is above or below zero."""
        clause = self.clause
        words = {one.word for one in clause.tokens}
        above, below = bool(words & _ABOVE), bool(words & _BELOW)
        if above == below or not clause.quantities <= {"break_even", "acceptance", "drafted"}:
            return []
        bound = "gt" if above != clause.negated else "lt"
        zero = Figure("0", 0.0, 9, "", 0, 0, 0)
        return [self._made("value", "margin", figures=(zero,), bound=bound)]

    def _part_of(self) -> list[Claim]:
        """``55 accepted of 119 drafted tokens``."""
        clause, said = self.clause, self.clause.quantities
        parts = said & {"accepted", "wasted", "acceptance"}
        if not parts or clause.negated or said - parts > {"drafted"}:
            return []
        fields: dict[str, Any] = {}
        if clause.subject is None:
            fields = {"subject": Group(clause.everyone, "some"), "sure": False}
        if clause.places is None or not clause.places.stated:
            every = (*clause.every("classes"), *clause.every("tasks"))
            fields["places"] = Places(((EVERYTHING, *every),))
        few, many = (float(one.value) for one in clause.counts)
        if many <= FEW:
            # "three of four drafted tokens"
            share = Figure(f"{few:g} of {many:g}", 100 * few / many, 0, "percent", 0, 0, 0, loose=True)
            return [self._made("value", "acceptance", figures=(share,), sure=False)]
        quantity = "wasted" if "wasted" in said else "accepted"
        return [self._made("value", quantity, *clause.counts, **fields)]

    def _n_of_m(self) -> None:
        """``on 9 of 13 tasks``, ``3 of the 4 runs``: of how many the relation holds."""
        clause = self.clause
        few, many = (int(one.value) for one in clause.counts)
        if clause.noun == "runs":
            group = clause.domain or clause.subject or Group()
            named = len(group.runs) > 1 and not group.inferred
            clause.subject = Group(group.runs if named else clause.everyone, f"{few}/{many}")
            return
        stated = clause.places is not None and clause.places.stated
        within = clause.places.options[0] if clause.places is not None and stated else ()
        names = clause.every(clause.noun, within)
        names = names if len(names) == many else clause.every(clause.noun)
        options = tuple((name,) for name in names)
        clause.places = Places(options, f"{few}/{many}", stated=True, each=True)

    # ---- values

    def _values(self, bound: str = "") -> list[Claim] | None:
        """Every figure as a value of its side of the clause; null where one can't be."""
        clause = self.clause
        counted = self._numbers()
        if counted is not None or (clause.stated and clause.negated):
            return None if counted is None else [counted]
        found: list[Claim | None] = []
        for side, stated in clause.figures.items():
            figures = [replace(one, bound=one.bound or bound) for one in stated]
            group, places = clause.subject or Group(), clause.places or Places()
            if side == "reference" and figures:
                group, places = self._reference(group), clause.other_places or places
            if self._is_range(figures):
                found += self._range(*figures) or [None]
            else:
                found += self._spread(figures, group, places)
        return None if None in found else [one for one in found if one is not None]

    def _spread(self, figures: list[Token], group: Group, places: Places) -> list[Claim | None]:
        """Figures as values: which is of which run and task?"""
        size = len(figures)
        if size > 1 and len(group.runs) == size:
            pairs = zip(figures, group.runs, strict=True)
            return [self._value(one, Group((run,)), places) for one, run in pairs]
        if size > 1 and len(group.runs) == 1 and len(places.options) == size:
            options = [Places((option,), stated=True) for option in places.options]
            return [
                self._value(one, group, place) for one, place in zip(figures, options, strict=True)
            ]
        if size > 1 and not (len(group.runs) == 1 and all(map(self._own_quantity, figures))):
            return [None]
        return [self._value(one, group, places) for one in figures]

    def _own_quantity(self, token: Token) -> str:
        """The quantity of a figure among others: of its unit, or of the noun beside it."""
        figure, tokens = token.figure, self.clause.tokens
        at = tokens.index(token)
        beside = [one for one in tokens[at + 1 : at + 3] if one.kind == "quantities"]
        found = "" if beside else meant_by((), figure)
        beside += [
            one for one in tokens[max(0, at - 1) : at] if one.kind in ("quantities", "actions")
        ]
        if found or figure is None or not beside:
            return found
        said = str(beside[0].value)
        return said if carries(said, figure) else ""

    def _numbers(self) -> Claim | None:
        """``13 tasks``, ``five configurations``."""
        clause, one = self.clause, next((one for one in self.clause.tokens if one.figure), None)
        if one is None or clause.has("run", "scope") or clause.quantities or clause.negated:
            return None
        noun = next(
            (str(next_.value) for next_ in clause.behind(one)[:2] if next_.kind == "counted"), ""
        )
        several = sum(other.kind == "figure" for other in clause.tokens) != 1
        if several or noun not in ("tasks", "runs", "repeats") or one.whole is None:
            return None
        first = Group((self.facts.runs[0].id,))
        return self._made("value", noun, one, subject=first, places=Places())

    def _is_range(self, figures: Sequence[Token]) -> bool:
        """``11-14 %``, ``between 11 and 14 %``."""
        if len(figures) != 2 or self.clause.reference is not None:
            return False
        tokens = self.clause.tokens
        first, second = (tokens.index(one) for one in figures)
        units = {one.figure.unit for one in figures if one.figure is not None}
        words = [one.word for one in tokens[first + 1 : second]]
        between = words == ["and"] and any(one.word == "between" for one in tokens[:first])
        return len(units) == 1 and (words in ([], ["–"], ["—"], ["to"]) or between)

    def _range(self, low: Token, high: Token) -> list[Claim]:
        """The least and the most of some runs and tasks."""
        clause, quantity = self.clause, self._quantity(high)
        held = all(one.figure is not None and carries(quantity, one.figure) for one in (low, high))
        if not held or not (clause.quantities or (high.figure and high.figure.unit)):
            return []  # an interval: "161.6 tok/s (156.9 to 166.2)"
        group = clause.subject or Group(self.above.pair or (), inferred=True)
        bound = low.bound or high.bound
        return [self._most(quantity, one, sign, domain=group, bound=bound)
                for one, sign in ((low, -1), (high, 1))]  # fmt: skip

    def _most(self, quantity: str, token: Token, sign: int, **fields: Any) -> Claim:
        """Of the runs and tasks that are named a figure is the most, or the least."""
        return self._made(
            "extreme", quantity, token, sign=sign, axis="both", subject=Group(), **fields
        )

    def _value(self, token: Token, subject: Group, places: Places) -> Claim | None:
        figure, quantity = token.figure, self._quantity(token)
        if figure is None or not subject.runs:
            return None
        if not quantity and len(self.clause.stated) > 1:
            quantity = self._own_quantity(token)
        if token.bound in ("up_to", "down_to") and carries(quantity, figure):
            sign = 1 if token.bound == "up_to" else -1
            return self._most(quantity, token, sign, domain=subject, places=places, bound="")
        change = figure.unit == "times" or (figure.unit == "percent" and figure.signed)
        fast = quantity in ("speedup", "decode_speedup") and figure.unit in ("times", "", "percent")
        if fast and self.clause.reference is None and not self.above.pair:
            return self._made("value", quantity, token, subject=subject, places=places)
        if fast or (change and quantity not in ("geomean", "cost", "time_saved")):
            of = _RATIOS.get(quantity, quantity)
            return self._compared("ratio", of, token, subject=subject, places=places)
        if not carries(quantity, figure):
            return None
        bound = token.bound or ("ge" if subject.quantifier == "none" else "")
        return self._made("value", quantity, token, subject=subject, places=places, bound=bound)

    def _compared(self, kind: Kind, quantity: str, *figures: Token, **fields: Any) -> Claim | None:
        """A claim that holds its subject against something."""
        subject: Group = fields.pop("subject")
        reference: Group = fields.pop("reference", None) or self._reference(subject)
        if len(reference.runs) > 1:
            reference = reference.without(subject)
        elif len(subject.runs) > 1:
            subject = subject.without(reference)
        if not reference.runs:
            return None
        return self._made(kind, quantity, *figures, subject=subject, reference=reference,
                          other_places=self.clause.other_places, **fields)  # fmt: skip

    # ---- extremes

    def _extreme(self, relation: Token) -> list[Claim]:
        clause = self.clause
        own, sign = _sign(relation)
        token = next(iter(clause.stated), None)
        figure, quantity = token.figure if token else None, self._quantity(token)
        fits = quantity in ("", own, *(SPEED if own in SPEED else ())) or not own
        quantity = quantity or own or ("throughput" if abs(sign) == 2 else "")
        if figure is not None and not carries(quantity, figure):
            quantity = "speedup" if figure.unit == "times" and quantity in SPEED else ""
        nobody = figure is None and clause.subject is None and clause.places is None
        if len(clause.stated) > 1 or not fits or not quantity or nobody:
            return []
        named = clause.has("run", "positions")
        kept = named or clause.has("pronouns") or figure is None
        at = clause.tokens.index(relation)
        second = at > 0 and clause.tokens[at - 1].word in ("second", "next")
        fields: dict[str, Any] = {
            "sign": _better(sign, quantity),
            "rank": 2 if second else 1,
            "axis": self._axis(at, named=named),
            "subject": (clause.subject if kept else None) or Group(),
            "domain": clause.domain,
        }
        return [self._made("extreme", quantity, *([token] if token else []), **fields)]

    def _axis(self, relation: int, *, named: bool) -> str:
        """What is ranked: runs, tasks, or either."""
        clause, tokens = self.clause, self.clause.tokens
        scope = next((at for at, one in enumerate(tokens) if one.kind == "scope"), None)
        if clause.noun == "runs" or clause.domain is not None or (scope is None and not clause.stated):
            return "runs" if named or clause.noun == "runs" else "open"
        if scope is None:
            return "open"  # "its highest acceptance is 97.1 %": of its tasks
        if clause.noun == "tasks" and not (clause.places and clause.places.each):
            return "tasks"
        if any(one.kind == "prepositions" for one in tokens[max(0, scope - 3) : scope]):
            return "runs" if named else "open"
        # "Translation is fastest at depth 2" ranks depths, "translation is the slowest" tasks too.
        article = any(one.word == "the" for one in tokens[max(0, relation - 2) : relation])
        return "open" if article or not named else "runs"

    # ---- relations

    def _related(self, relation: Token) -> list[Claim] | None:
        clause = self.clause
        own, sign = _sign(relation)
        subject, quantity = clause.subject, self._compares(relation, own, sign)
        kind = self._amount(relation, quantity)
        if subject is None or not subject.runs or not quantity or kind is None:
            return None
        reference = subject if clause.other_places and clause.reference is None else None
        behind = [one for one in clause.behind(relation) if one.kind not in ("fillers", "degrees")]
        to = relation.kind == "changes" and [one.word for one in behind[:1]] == ["to"]
        moves = to and bool(clause.figures["subject"]) and clause.reference is None
        if moves:
            # "rises to 129.6 tok/s": it does not say from where, so some run must be below.
            others = tuple(run for run in clause.everyone if run not in subject.runs)
            reference = Group(others, "some")
        values = self._values()
        claim = self._compared(
            kind,
            quantity,
            *([clause.by] if clause.by else []),
            subject=subject,
            reference=reference,
            sign=_better(-sign if clause.passive else sign, quantity),
            places=clause.places or Places(),
            sure=not moves,
        )
        return None if claim is None or values is None else [claim, *values]

    def _compares(self, relation: Token, own: str, sign: int) -> str:
        """The quantity that is compared."""
        clause = self.clause
        token = clause.by or next(iter(clause.stated), None)
        stated = meant_by(clause.quantities, token.figure if token else None, timed=clause.timed)
        if (clause.quantities and not stated) or (relation.kind == "pays" and stated):
            return ""
        figure = clause.by.figure if clause.by else None
        if figure and stated == "acceptance" and "acceptance" not in clause.quantities and (
            figure.unit == "percent"
        ):  # fmt: skip
            return "counted_share"  # "accepts 22 % more": more tokens, or a higher share
        share = [one.word for one in clause.behind(relation)[:1]] == ["of"]
        if {"accepted", "drafted"} <= clause.quantities and share:
            return "acceptance"  # "accepts fewer of its drafts": a share, not a number
        stated = _RATIOS.get(stated, stated) if stated else ""
        if own == "throughput" and stated == "time":
            return "pace"
        if own and stated and stated != own and not (own == "throughput" and stated in SPEED):
            return ""
        fast = relation.kind in ("beats", "pays") or abs(sign) == 2
        fast = fast or (relation.kind == "equals" and "fast" in relation.word)
        return stated or own or ("throughput" if fast else self._quantity(token))

    def _amount(self, relation: Token, quantity: str) -> Kind | None:
        """Whether by how much is a ratio or a difference; null where it can't be said so."""
        figure = self.clause.by.figure if self.clause.by else None
        if figure is None:
            return "equal" if relation.kind == "equals" else "order"
        points = figure.unit == "points" and quantity not in ("acceptance", "break_even")
        bare = quantity in ("acceptance", *SPEED) and not figure.unit and not figure.decimals
        if points or bare or self.clause.negated or relation.kind == "pays":
            return None
        return "ratio" if figure.unit in ("percent", "times") else "difference"


def _sign(relation: Token) -> tuple[str, int]:
    """Quantity and direction that a word of relation has; 2 is better, -2 worse."""
    said = str(relation.value)
    if said == "gap":
        return "", 0
    for word, sign in _SIGNS:
        if relation.kind != "equals" and said.endswith(word):
            return said.removesuffix(word), sign
    return "", 1


def _better(sign: int, quantity: str) -> int:
    """What better and worse come to: more or less of a quantity."""
    less = "less" in QUANTITIES[quantity].flags
    return sign if abs(sign) < 2 else sign // 2 * (-1 if less else 1)
