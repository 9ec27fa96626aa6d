"""What does a sentence claim: of whom, which quantity, which relation, which figure?

Each clause is read only if every word of it is understood. What it leaves out
it takes from the one before, then from the lines and titles above it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, takewhile

from analysis.cards.facts import Facts
from analysis.checking.claim import Above, Claim, Group, Kind, Places
from analysis.checking.clause import Clause, is_range
from analysis.checking.clauses import RELATIONS, clauses, predicates
from analysis.checking.conditions import as_words, condition_claims
from analysis.checking.idioms import Idioms
from analysis.checking.quantities import QUANTITIES, SPEED, better, direction, meant_by
from analysis.checking.tokens import Token
from analysis.checking.values import RATIOS
from analysis.checking.vocabulary import LINKS

__all__ = ["claims_of"]

_CONDITIONS = ("conditions", "topics")
UNKNOWN = "what it says of whom is not understood"


def claims_of(tokens: Sequence[Token], facts: Facts, above: Above) -> list[Claim]:
    """The claims of a sentence; what can't be read is a claim of the kind ``unread``."""
    if any(one.kind == "quantities" and one.value == "break_even" for one in tokens):
        # "It would need 83 % to break even" says where it does.
        tokens = [replace(one, kind="fillers") if one.word == "would" else one for one in tokens]
    if any(one.kind in ("estimates", "hedges") for one in tokens):
        above = replace(above, estimates=True)
    found: list[Claim] = []
    before: Clause | None = None
    named: list[str] = list(above.pair or ())
    supposed = any(one.kind == "hedges" and one.word in LINKS["supposed"] for one in tokens)
    for part in clauses(tokens):
        conditions = [] if supposed else condition_claims(part, facts)
        found += conditions
        if conditions and not any(predicates([one]) for one in part if one.kind not in _CONDITIONS):
            continue
        clause = Clause(as_words(_pointed(part, named)), facts)
        said = _Statement(clause, before, above, facts).claims()
        if not (conditions or said) and any(one.kind == "conditions" for one in part):
            said = [Claim("unread", part[0].start, part[-1].end, why=UNKNOWN)]
        found += said
        for group in (clause.subject, clause.reference):
            named += group.runs if group is not None else ()
        before = clause
    doubted = any(one.kind == "fillers" and one.value == "doubt" for one in tokens)
    if doubted or _excepts(tokens) or any(one.kind == "unread" for one in found):
        # What is left over may change what the rest means.
        found = [replace(one, sure=one.kind == "condition") for one in found]
    return sorted(found, key=lambda claim: claim.start)


def _pointed(tokens: Sequence[Token], named: Sequence[str]) -> list[Token]:
    """``the former``, ``the latter``: one of the two runs that were named last."""
    pair = list(dict.fromkeys(named))[-2:]
    known = dict(zip(("former", "latter"), pair, strict=True)) if len(pair) == 2 else {}
    out = list(tokens)
    for at, one in enumerate(out):
        if one.kind == "pointers":
            run = known.get(one.value)
            out[at] = replace(one, kind="run" if run else "unknown", value=(run,))
    return out


def _excepts(tokens: Sequence[Token]) -> bool:
    """``on all tasks but translation``: a name alone behind *but* is left out of all."""
    for at in (at for at, one in enumerate(tokens, 1) if one.word == "but"):
        rest = takewhile(lambda one: one.kind != "conjunctions", tokens[at:])
        behind = {one.kind for one in rest} - {"fillers"}
        if behind and behind <= {"run", "scope"}:
            return True
    return False


class _Statement(Idioms):
    """From the parts of a clause to its claims."""

    def claims(self) -> list[Claim]:
        clause, tokens = self.clause, self.clause.tokens
        named = clause.has("run", "scope", "quantities", "actions", "advice")
        told = named or clause.has("figure", "whole", "counted", "pronouns")
        worth = told or self.before is not None or self.above.subject is not None
        if clause.why:
            figures = any(one.figure for one in tokens if one.kind != "fillers")
            worth = figures or (named and clause.has(*RELATIONS))
        if not worth or not predicates(tokens):
            return []
        found = [] if clause.why else self._read()
        if found:
            meant = "acceptance" if found[0].quantity == "margin" else found[0].quantity
            clause.meant = meant if meant and QUANTITIES[meant].unit != "none" else ""
        why = clause.why or UNKNOWN
        return found or [Claim("unread", tokens[0].start, tokens[-1].end, why=why)]

    def _read(self) -> list[Claim]:
        self._complete()
        clause, before = self.clause, self.before
        if before is not None and self._repeats(before):
            # "the lookup loses 10.4 %, the pool 8.3 %"
            clause.relation, clause.by = before.relation, clause.stated[0]
            clause.tokens = [*clause.tokens, *([before.relation] if before.relation else [])]
            clause.figures = {"subject": [], "reference": []}
        relation = clause.relation
        idiom = self._idiom()
        if idiom is not None:
            return idiom
        if clause.counts:
            self._n_of_m()
        changes = relation is not None and relation.kind == "changes"
        bounded = [one.bound for one in clause.stated] in (["gt"], ["lt"], ["ge"], ["le"])
        if relation is None or (changes and bounded and not (clause.by or clause.reference)):
            return self._values() or []  # "drops below 100 tok/s" compares nobody
        ranged = any(is_range(clause.tokens, some) for some in clause.figures.values())
        if changes and ranged and clause.reference is None:
            # "acceptance falls to 11-14 % on translation": below what it is over everything.
            clause.subject = clause.subject or Group(self.above.pair or ())
            clause.other_places = clause.other_places or Places()
        if relation.kind == "beats" and clause.reference is None and len(clause.stated) == 1:
            # "exceeds 110 tok/s"
            more = (direction(relation)[1] > 0) != clause.negated
            clause.negated, bound = False, "gt" if more else "lt"
            clause.figures = {"subject": clause.stated, "reference": []}
            return self._values(bound) or []
        ranks = relation.kind == "superlatives"
        return self._extreme(relation) if ranks else self._related(relation) or []

    def _repeats(self, before: Clause) -> bool:
        """Whether a clause has a name and a figure only, and the one before has said of what."""
        clause = self.clause
        if clause.relation is not None or len(clause.stated) != 1 or before.by is None:
            return False
        figure, last = clause.stated[0].figure, before.by.figure
        if figure is None or last is None or figure.unit != last.unit:
            return False
        if clause.quantities - {*SPEED}:
            # "adds 311 drafted tokens and 47 accepted ones"
            return not figure.unit and not clause.has("run", "scope", "states", "pronouns")
        return clause.reference is not None or figure.unit in ("percent", "points")

    # ---- relations

    def _related(self, relation: Token) -> list[Claim] | None:
        clause, subject = self.clause, self.clause.subject
        own, sign = direction(relation)
        sign = -1 if relation.kind == "equals" and "slow" in relation.word else sign
        quantity = self._compares(relation, own, sign)
        if quantity == "time" and relation.word.startswith(tuple(LINKS["ahead"])):
            sign = -sign  # who is 0.13 s ahead took less
        kind = self._amount(relation, quantity)
        if subject is None or not subject.runs or not quantity or kind is None:
            return None
        if clause.has("trends"):
            return self._deeper(quantity, subject, better(sign, quantity))
        if clause.by and clause.by.bound in ("up_to", "down_to"):
            # "up to 2.33x as fast as the baseline"
            plain = self.facts.baseline
            usual = clause.reference is None or (plain and clause.reference.runs == (plain.id,))
            most = usual and self._value(clause.by, subject, clause.places or Places())
            return [most] if most and relation.kind == "equals" else None
        pairs = relation.value == "gap" or kind in ("equal", "within")
        places = clause.places.options if clause.places else ()
        reference = None
        if pairs and clause.reference and {*subject.runs} < {*clause.reference.runs}:
            clause.reference = None  # "max 3 and max 5 are within 1 % of each other with DFlash"
        alone = clause.reference is None and clause.other_places is None
        if alone and pairs and len(places) == 2:
            # "json_output and code_cpp run at the same speed"
            clause.places, clause.other_places = (
                Places((place,), stated=True) for place in places
            )  # fmt: skip
        elif alone and pairs and len(subject.runs) > 1:
            reference = subject
            if relation.value == "gap":
                reference, subject = Group(subject.runs[:1]), Group(subject.runs[1:])
        elif alone and relation.value == "gap":
            return None
        if clause.reference is None and clause.other_places is not None:
            reference = subject
        behind = [one for one in clause.behind(relation) if one.kind not in ("fillers", "degrees")]
        to = relation.kind == "changes" and [one.word for one in behind[:1]] == ["to"]
        if to and clause.figures["subject"] and clause.reference is None:
            # "rises to 129.6 tok/s": it does not say from where, so some run must be below.
            others = tuple(run for run in clause.everyone if run not in subject.runs)
            reference = Group(others, "some", inferred=True)
        claim = self._compared(
            kind,
            quantity,
            *([clause.by] if clause.by else []),
            subject=subject,
            reference=reference,
            sign=better(-sign if clause.passive else sign, quantity),
            places=clause.places or Places(),
        )
        values = self._values()
        return None if claim is None or values is None else [claim, *values]

    def _deeper(self, quantity: str, subject: Group, sign: int) -> list[Claim] | None:
        """``the deeper it drafts, the lower its acceptance``: each depth against the one before."""
        runs = [run for run in self.facts.drafting if run.id in subject.runs and run.n_max]
        methods = Counter(run.spec_type for run in runs)
        several = [method for method, depths in methods.items() if depths > 2]
        if len(several) != 1 or self.clause.stated or self.clause.negated:
            return None
        steps = sorted((run.n_max, run.id) for run in runs if run.spec_type in several)
        groups = [Group((run,)) for _, run in steps]
        return [self._made("order", quantity, subject=deep, reference=flat, sign=sign)
                for flat, deep in pairwise(groups)]  # fmt: skip

    def _compares(self, relation: Token, own: str, sign: int) -> str:
        """The quantity that is compared."""
        clause = self.clause
        token = clause.by or next(iter(clause.stated), None)
        stated = meant_by(clause.quantities, token.figure if token else None, timed=clause.timed)
        if own == "time" and not stated and self.before is not None and self.before.meant:
            own = self.before.meant  # "472 forwards, a saving of 75 %"
        if (clause.quantities and not stated) or (
            relation.kind == "pays" and stated not in ("", *SPEED)
        ):
            return ""
        figure = clause.by.figure if clause.by else None
        if "accepted" in clause.quantities and "predicted" not in clause.quantities:
            part = {one.word.partition(" ")[0] for one in clause.behind(relation)[:1]} == {"of"}
            if (part and figure is None) or clause.words & LINKS["shares"]:
                # "accepts fewer of its drafts": a share, if it does not also say how many.
                return "counted_share" if stated == "accepted" and clause.stated else "acceptance"
            if stated == "acceptance" and figure and figure.unit == "percent":
                return "counted_share"  # "accepts 22 % more": more tokens, or a higher share
        stated = RATIOS.get(stated, stated) if stated else ""
        if own == "throughput" and stated in ("time", "predicted"):
            return "pace" if stated == "time" else own  # "generates 32 % faster"
        if own == "throughput" and relation.kind != "changes" and stated not in ("", *SPEED):
            return ""  # "accepts faster"; but "a forward takes longer" says of what
        fast = relation.kind in ("beats", "pays") or abs(sign) == 2
        if relation.kind == "equals":
            fast = not LINKS["alike"] & {*relation.word.split()}
        return stated or own or ("throughput" if fast else self._quantity(token))

    def _amount(self, relation: Token, quantity: str) -> Kind | None:
        """Whether by how much is a ratio or a difference; null where it can't be said so."""
        figure = self.clause.by.figure if self.clause.by else None
        if relation.value == "within":
            return None if figure is None or self.clause.negated else "within"
        if relation.kind == "equals" and self.clause.words & LINKS["exact"]:
            return None
        if relation.value == "gap" and figure is None:
            return "equal" if self.clause.degree == "slightly" else None
        if figure is None:
            return "equal" if relation.kind == "equals" else "order"
        points = figure.unit == "points" and quantity not in ("acceptance", "break_even")
        bare = quantity in ("acceptance", *SPEED) and not figure.unit and not figure.decimals
        ratio = figure.unit in ("percent", "times")
        if points or bare or self.clause.negated or (relation.kind == "pays" and not ratio):
            return None
        return "ratio" if ratio else "difference"
