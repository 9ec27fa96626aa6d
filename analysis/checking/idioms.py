"""Claims that have words of their own: superlatives, break-even, advice, survival by position."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

from analysis.checking.claim import Claim, Group, Places
from analysis.checking.figures import Figure
from analysis.checking.quantities import SPEED, better, carries, direction, survival
from analysis.checking.reading import BOTH, BY_NOUN
from analysis.checking.tokens import Token
from analysis.checking.values import DRAFTS, StatedValues
from analysis.checking.vocabulary import LINKS

__all__ = ["Idioms"]

_ZERO = Figure("0", 0.0, 0, "percent", 0, 0, 0)


class Idioms(StatedValues):
    """What a clause claims in words of its own."""

    def _idiom(self) -> list[Claim] | None:
        """The claims of such a clause; null where it has no such words."""
        clause = self.clause
        if clause.has("advice"):
            return self._advice()
        if clause.has("position"):
            return self._survival()
        if not clause.stated and clause.relation is None and (share := self._whole_share()):
            return share
        if clause.has("trends"):
            clause.subject = self._depths(clause.subject)
        if "break_even" in clause.quantities and self._apart():
            return self._break_even()
        if clause.counts and not (clause.noun and clause.relation):
            return [] if clause.noun or clause.relation else self._part_of()
        return None

    def _depths(self, subject: Group | None) -> Group:
        """All depths of the one method of a subject: with each of them something changes."""
        methods = {self.facts.by_id[run].spec_type for run in subject.runs} if subject else set()
        own = tuple(run.id for run in self.facts.drafting if run.spec_type in methods)
        if subject is None or len(subject.runs) > 1 or len(own) < 2:
            return subject or Group(self.clause.drafting)
        return Group(own)

    def _whole_share(self) -> list[Claim]:
        """``every draft was accepted``, ``not one token was rejected``, ``it drafted nothing``."""
        clause = self.clause
        said = clause.quantities & {"accepted", "wasted", "acceptance"} or clause.quantities
        if not clause.quantities <= DRAFTS or not said or not clause.subject or clause.reference:
            return []
        words = {one.word for one in clause.tokens}
        none = (
            clause.negated or bool(words & LINKS["nothing"]) or clause.subject.quantifier == "none"
        )
        every = words & LINKS["entirely"] or any(one.value == "all" for one in clause.tokens)
        verb = {what for what in said if what == "drafted" and clause.has("states")}
        if verb or none == bool(every) or len(said) > 1 or clause.counts or clause.noun == "tasks":
            return []
        (what,) = said
        subject = replace(clause.subject, quantifier="all" if len(clause.subject.runs) > 1 else "")
        if none:
            quantity, value, unit = "accepted" if what == "acceptance" else what, 0.0, ""
        else:
            quantity = "rejected_share" if what == "wasted" else "acceptance"
            value, unit = 100.0, "percent"
        figure = Figure(f"{value:g}", value, 1, unit, 0, 0, 0)
        bound = "le" if none else "ge"
        return [self._made("value", quantity, figures=(figure,), bound=bound, subject=subject)]

    def _break_even(self) -> list[Claim]:
        """``stays below break-even``: acceptance minus break-even is above or below zero."""
        clause = self.clause
        if clause.counts and clause.noun:
            self._n_of_m()
        words = {one.word for one in clause.tokens}
        above, below = bool(words & LINKS["above"]), bool(words & LINKS["below"])
        if clause.relation is not None and clause.relation.kind == "beats":
            above = direction(clause.relation)[1] > 0
            below = not above
        behind = next((at for at, one in enumerate(clause.tokens) if one.value == "break_even"), 0)
        if any(one.kind == "negations" for one in clause.tokens[behind:]):
            return []  # "stays below its break-even acceptance, which is why it does not pay"
        if above == below or not clause.quantities <= {"break_even", "acceptance", "drafted"}:
            return (self._values() if clause.sequence == BOTH else None) or []
        bound = "gt" if above != clause.negated else "lt"
        zero = Figure("0", 0.0, 9, "", 0, 0, 0)
        clause.quantities = clause.quantities if clause.sequence in BY_NOUN else {"acceptance"}
        margin = self._made("value", "margin", figures=(zero,), bound=bound)
        values = self._values()
        return [] if values is None else [margin, *values]

    def _apart(self) -> bool:
        """Whether it says of what every figure is: "its acceptance of 43 % is above break-even"."""
        said = self.clause.sequence
        led = [one.word for one, behind in pairwise(self.clause.tokens) if behind.figure]
        # "clears its break-even with 43 %": that is what is accepted.
        accepted = said == BOTH[:3] or (said == ["break_even", ""] and led == ["with"])
        return not self.clause.stated or accepted or said in BY_NOUN

    def _advice(self) -> list[Claim]:
        """``use max 2 for translation``, ``leave it off``."""
        clause, facts = self.clause, self.facts
        said = [str(one.value) for one in clause.tokens if one.kind == "advice"]
        subject, negated = clause.subject, clause.negated != ("avoid" in said)
        if "off" in said and facts.baseline is not None:
            subject = Group((facts.baseline.id,))
        elif "on" in said or "off" in said:
            subject = Group(clause.drafting if "on" in said else ())
        if (
            subject is None
            or not subject.runs
            or subject.inferred
            or clause.stated
            or clause.quantities
        ):
            return []
        # "Rather max 2 than DFlash" advises neither against all the others.
        sure = clause.reference is None and (clause.places is None or clause.places.stated)
        return [self._made("advice", "throughput", subject=subject, negated=negated, sure=sure)]

    def _survival(self) -> list[Claim]:
        """``the third drafted token is accepted in 32 % of the rounds``."""
        clause = self.clause
        (position, *others) = [one.value for one in clause.tokens if one.kind == "position"]
        usual = {"accepted", "time", "acceptance", "drafted", "forwards", "forward_ms", "tasks"}
        if others or clause.relation or not clause.quantities <= usual:
            return []
        none = clause.negated or {one.word for one in clause.tokens} & LINKS["nothing"]
        if none and not clause.stated:
            # "No round ever accepts the fourth": less than one in a hundred.
            clause.figures["subject"] = [Token("figure", 0.0, "0", 0, 0, figure=_ZERO)]
        if len(clause.stated) != 1 or clause.figures["reference"]:
            return []
        clause.quantities = {survival(position)}
        named = clause.subject.runs if clause.subject else clause.drafting
        runs = [self.facts.by_id[run] for run in named]
        if len({run.spec_type for run in runs}) != 1:
            return []
        # It is one curve for all depths of a method.
        clause.subject = Group((max(runs, key=lambda run: run.n_max or 0).id,))
        found = self._value(clause.stated[0], clause.subject, clause.places or Places())
        return [found] if found else []

    # ---- superlatives

    def _extreme(self, relation: Token) -> list[Claim]:
        clause = self.clause
        own, sign = direction(relation)
        token = next(iter(clause.stated), None)
        figure, quantity = token.figure if token else None, self._quantity(token)
        if own == "throughput" and quantity == "time":
            own, sign = "time", 2 * sign  # "with 14.08 s DFlash is the quickest"
        fits = not own or quantity in ("", own, *(SPEED if own in SPEED else ()))
        quantity = quantity or own or ("throughput" if abs(sign) == 2 else "")
        if figure is not None and not carries(quantity, figure):
            quantity = "speedup" if figure.unit == "times" and quantity in SPEED else ""
        # "runs best with two drafted tokens": no number of tokens is better than another.
        fits = fits and not (abs(sign) == 2 and quantity in ("drafted", "predicted", "forwards"))
        # "the best DSpark setting" alone says nothing.
        says = self.before or clause.has("states", "actions", "quantities")
        says = says or relation.word.startswith("peak")
        fits = fits and (clause.subject is None or clause.subject.quantifier != "none")
        nobody = figure is None and not (says and (clause.subject or clause.places))
        if len(clause.stated) > 1 or not fits or not quantity or nobody:
            return []
        named = clause.has("run")
        kept = named or clause.has("pronouns") or figure is None
        at = clause.tokens.index(relation)
        before = clause.tokens[at - 1] if at else None
        axis = "both" if clause.words & LINKS["anywhere"] else self._axis(at, named=named)
        fields: dict[str, Any] = {
            "sign": better(sign, quantity),
            "rank": 2 if before is not None and before.word in ("second", "next") else 1,
            "axis": axis,
            "subject": (clause.subject if kept else None) or Group(),
            "domain": clause.domain,
        }
        if figure is not None and clause.places is not None and clause.places.each:
            # "the highest that it reached on any task, on translation"
            there = tuple(one.value for one in clause.tokens if one.kind == "scope")
            places = Places(there, "all", stated=True) if there else Places()
            fields |= {"places": places, "axis": "tasks" if there else "open"}
        beside = [one.value for one in clause.tokens[at + 1 : at + 2] if one.kind == "run"]
        if figure is not None and beside and len(beside[0]) > 1 and clause.domain is None:
            # "148.8 tok/s for the best DSpark setting"
            fields |= {"domain": Group(beside[0]), "subject": Group(), "axis": "runs"}
        led = before is not None and before.word == "the"
        fields["sure"] = not (
            (before is not None and before.kind == "pronouns")
            # "The smallest is qa_factual": the smallest of what?
            or (not own and abs(sign) == 1 and not clause.quantities)
            # "The best draft-free speed is 113.2", "the best DSpark setting, max 3": of its own.
            or (any(len(one) == 1 for one in beside) and (figure is not None or led))
            # "is accepted most on code": its tokens, or their share.
            or (figure is None and quantity == "accepted")
            or (fields["axis"] == "tasks" and clause.noun != "tasks")
        )
        return [self._made("extreme", quantity, *([token] if token else []), **fields)]

    def _axis(self, relation: int, *, named: bool) -> str:
        """What is ranked: runs, tasks, or either."""
        clause, tokens = self.clause, self.clause.tokens
        scope = next((at for at, one in enumerate(tokens) if one.kind == "scope"), None)
        if clause.noun == "runs" or clause.domain or (scope is None and not clause.stated):
            return "runs" if clause.subject or clause.noun == "runs" else "open"
        if scope is None:
            return "open"  # "its highest acceptance is 97.1 %": of its tasks
        options = [option[0] for option in clause.places.options] if clause.places else []
        # "Of the code tasks, code_python is the slowest" ranks the tasks of a class.
        within = len({task is None for _, task in options}) == 2
        if within or (clause.noun == "tasks" and not (clause.places and clause.places.each)):
            return "tasks"
        kinds = [one.kind for one in tokens[:relation]]
        if relation < scope and kinds[-1:] == ["states"] and {"quantities", "run"} <= {*kinds}:
            return "tasks"  # "its acceptance is lowest on translation"
        led = any(one.kind == "prepositions" for one in tokens[max(0, scope - 3) : scope])
        behind = [one.kind for one in tokens[relation:scope]]
        if "run" in behind and "states" in behind[behind.index("run") :]:
            return "tasks"  # "the highest acceptance of max 2 is on translation"
        # "Translation is fastest at depth 2" ranks depths, "translation is the slowest" tasks too.
        article = any(one.word == "the" for one in tokens[max(0, relation - 2) : relation])
        return "runs" if named and (led or not article) else "open"
