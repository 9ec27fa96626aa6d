"""What does a clause leave out, and where is that said: before it, or above it?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from analysis.cards.facts import Facts
from analysis.checking.claim import EVERYTHING, Above, Claim, Group, Kind, Places
from analysis.checking.clause import Clause
from analysis.checking.quantities import QUANTITIES, SPEED, direction, meant_by
from analysis.checking.tokens import Token
from analysis.checking.vocabulary import LINKS

_SHARE_OF = {"accepted": "acceptance", "wasted": "rejected_share"}
BOTH = ["acceptance", "", "break_even", ""]
"""``56.0 % against a break-even of 58.6 %``: quantities, and behind each its value."""
BY_NOUN = (BOTH, ["acceptance", "break_even", ""])
"""Sequences in which a value is of the quantity before it."""
__all__ = ["BOTH", "BY_NOUN", "Reading"]


class Reading:
    """A clause with what stands before it and above it."""

    def __init__(self, clause: Clause, before: Clause | None, above: Above, facts: Facts) -> None:
        self.clause, self.before, self.above, self.facts = clause, before, above, facts

    def _complete(self) -> None:
        clause, before, above = self.clause, self.before, self.above
        self._named = clause.subject is not None
        if clause.subject is None:
            self._subject()
        if clause.places is not None:
            return
        options = list(above.places)
        if before is not None and before.places is not None and not before.places.each:
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
            clause.subject = before.subject
        elif guess is not None:
            clause.subject = replace(guess, inferred=True)
        elif {one.word for one in clause.tokens} & LINKS["any_depth"]:
            clause.subject, self._named = Group(clause.drafting, "all"), True
        elif len(self.facts.real) == 1:
            clause.subject = Group((self.facts.real[0].id,))
        elif not (above.pair or clause.has("position", "superlatives")) and any(
            "drafts" in QUANTITIES[one].flags for one in clause.quantities
        ):
            clause.subject = Group(clause.drafting, "all", inferred=True)

    def _reference(self, subject: Group) -> Group:
        """What a subject is held against: named, the other of a pair, or the baseline."""
        pair, before, baseline = self.above.pair, self.before, self.facts.baseline
        if self.clause.reference is not None:
            return self.clause.reference
        if before is not None and before.reference is not None and before.subject is not None:
            # What the clause before held its subject against, or that subject.
            for group in (before.reference, before.subject):
                if not (set(group.runs) & set(subject.runs) or self.clause.has("pays")):
                    return replace(group, inferred=True)
        if pair is not None and len(subject.runs) == 1 and subject.runs[0] in pair:
            return Group(pair, inferred=True).without(subject)
        if baseline is None:
            return Group()
        alone = subject.runs == (baseline.id,)
        drafting = tuple(run.id for run in self.facts.drafting)
        return Group(drafting if alone else (baseline.id,), inferred=True)

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
        claim = replace(claim, left_out=self._left_out(claim))
        # A number without a noun and a unit may be of anything; whom a title means is a guess.
        bare = "quantity" in claim.left_out and any(not one.unit for one in claim.figures)
        guess = claim.subject.inferred and not claim.figures and claim.kind != "extreme"
        # "finished the thirteen prompts later": each of them, or all together.
        guess = guess or (claim.places.each and claim.quantity == "time" and claim.kind == "order")
        if claim.reference.inferred:
            # "was run three times", "43 %, comfortably above": of what, and above what?
            word = clause.relation.word if clause.relation is not None else ""
            times = claim.kind == "ratio" and claim.figures[0].text.endswith("times")
            guess = guess or (times and not word) or bool({*word.split()[-1:]} & LINKS["weak"])
        return replace(claim, sure=claim.sure and not (bare or guess or self.above.estimates))

    def _left_out(self, claim: Claim) -> frozenset[str]:
        """Which of subject, reference, places, quantity and axis the clause does not say."""
        clause, near = self.clause, self.above.near or claim.subject
        # Nothing said before may be what the subject is held against.
        alone = self.before is None and not self.above.pair and near.runs == claim.subject.runs
        kind, word, sign = "", "", 0
        if clause.relation is not None:
            kind, (word, sign) = clause.relation.kind, direction(clause.relation)
        figure = next(iter(claim.figures), None)
        exact = figure is not None and (figure.decimals > 0 or not figure.value) and not claim.bound
        factor = figure is not None and (figure.unit == "times" or figure.signed)
        # "generates at 0.95x": a speed, or a number of tokens.
        nouns = clause.quantities - ({"predicted"} if factor else set())
        # "Three times the rate of the baseline": of tokens, or of acceptance.
        nouns -= {"throughput"} if factor and "rate" in clause.words else set()
        # What is only said to be faster is faster than without speculation.
        faster = factor or nouns & {"speedup", "decode_speedup"} or (
            kind in ("changes", "comparatives") and claim.quantity in SPEED and alone
        )  # fmt: skip
        plain = self.facts.baseline
        usual = faster and plain is not None and claim.reference.runs == (plain.id,)
        speed = abs(sign) == 2 or (factor and not clause.quantities)
        # "After 80 % acceptance the gain is 1.6 %": the gain of speed is not that of acceptance.
        own = word == claim.quantity or {word, claim.quantity} <= {*SPEED} or kind == "pays"
        own = own or (kind == "beats" and claim.kind != "value")
        own = own or (speed and claim.quantity in SPEED)
        within = claim.kind == "within" and alone
        said = {
            "subject": clause.has("advice") or (self._named and not claim.subject.inferred),
            "reference": not claim.reference.inferred or kind == "pays" or usual,
            "places": claim.places.stated
            or (claim.places == Places() and (not exact or claim.kind in ("within", "extreme"))),
            "axis": claim.axis == "both" or clause.noun in ("runs", "tasks", "classes"),
            "quantity": nouns
            or own
            or within
            or clause.has("position", "advice")
            or claim.quantity in ("tasks", "runs", "repeats"),
        }
        return frozenset(name for name, is_said in said.items() if not is_said)

    def _quantity(self, token: Token | None) -> str:
        clause = self.clause
        figure = token.figure if token else None
        nouns = clause.quantities
        if token is not None and clause.sequence in BY_NOUN:
            before = clause.tokens[: clause.tokens.index(token)]
            nouns = {str(one.value) for one in before if one.kind == "quantities"}
        found = meant_by(nouns, figure, timed=clause.timed)
        if found == "forward_ms" and token and token.figure and not token.figure.unit:
            said = any("tokens" in one.word for one in clause.tokens)
            return "length" if said else found  # "each forward yields 3.6 tokens"
        if found or clause.quantities or self.before is None:
            return found
        meant = "acceptance" if self.before.meant == "break_even" else self.before.meant
        other = clause.reference and not {one.id for one in (self.facts.baseline,) if one} & {
            *clause.reference.runs
        }
        times = meant and figure and figure.unit == "times" and not other
        if times and "drafts" in QUANTITIES[meant].flags:
            return ""  # "accepts 73 % and still runs at 0.36x"
        share = figure is not None and figure.unit == "percent" and clause.relation is None
        return _SHARE_OF.get(meant, meant) if share else meant  # "24 accepted, i.e. 14.3 %"
