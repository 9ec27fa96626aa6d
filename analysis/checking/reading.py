"""What does a clause leave out, and where is that said: before it, or above it?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from analysis.cards.facts import Facts
from analysis.checking.claim import EVERYTHING, Above, Claim, Group, Kind, Places
from analysis.checking.clause import Clause
from analysis.checking.quantities import QUANTITIES, SPEED, meant_by
from analysis.checking.tokens import Token
from analysis.checking.vocabulary import LINKS

_SHARE_OF = {"accepted": "acceptance", "wasted": "rejected_share"}
__all__ = ["Reading"]


class Reading:
    """A clause with what stands before it and above it."""

    def __init__(self, clause: Clause, before: Clause | None, above: Above, facts: Facts) -> None:
        self.clause, self.before, self.above, self.facts = clause, before, above, facts

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
            none = before.subject.quantifier == "none"
            clause.subject, clause.sure = before.subject, clause.sure and before.sure and not none
        elif guess is not None:
            clause.subject, clause.sure = replace(guess, inferred=True), False
        elif {one.word for one in clause.tokens} & LINKS["any_depth"]:
            clause.subject = Group(clause.drafting, "all")
        elif len(self.facts.real) == 1:
            clause.subject = Group((self.facts.real[0].id,))
        elif not (above.pair or clause.has("position", "superlatives")) and any(
            "drafts" in QUANTITIES[one].flags for one in clause.quantities
        ):
            clause.subject, clause.sure = Group(clause.drafting, "all", inferred=True), False

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
        figure = next(iter(claim.figures), None)
        ratio = figure is not None and (figure.unit == "times" or figure.signed)
        kind = clause.relation.kind if clause.relation is not None else ""
        faster = kind == "changes" or (kind == "comparatives" and figure is not None)
        return not (ratio or (faster and claim.quantity in SPEED))

    def _elliptic(self, claim: Claim) -> bool:
        """Whether a clause says of what it is neither by a noun nor by the unit of its figure."""
        clause = self.clause
        said = clause.quantities or clause.relation or clause.has("advice", "position", "counted")
        units = {one.unit for one in claim.figures}
        return self.before is not None and not said and "rate" not in units

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
        sure = (
            claim.sure
            and clause.sure
            and clause.one_thing
            # "generates at 0.95x": a speed, or a number of tokens.
            and not (kind == "ratio" and quantity == "predicted")
            and not self.above.estimates
            and not self._guessed(claim)
            and not self._elliptic(claim)
        )
        return replace(claim, sure=sure)

    def _quantity(self, token: Token | None) -> str:
        clause = self.clause
        figure = token.figure if token else None
        found = meant_by(clause.quantities, figure, timed=clause.timed)
        before = self.before
        open_ = before is not None and bool(before.quantities) and not before.stated
        if not clause.quantities and figure is not None and found and (
            open_ or found == "forward_ms"
        ):  # fmt: skip
            # "A token takes 6.2 ms", "time saved by it: 1.66 s": of what is a guess.
            clause.sure = False
        if found == "forward_ms" and token and token.figure and not token.figure.unit:
            said = any("tokens" in one.word for one in clause.tokens)
            return "length" if said else found  # "each forward yields 3.6 tokens"
        if found or clause.quantities or self.before is None:
            return found
        bare = figure is not None and not figure.unit and not figure.decimals
        clause.sure = clause.sure and len(self.before.quantities) < 2 and not bare
        meant = "acceptance" if self.before.meant == "break_even" else self.before.meant
        other = clause.reference and not {one.id for one in (self.facts.baseline,) if one} & {
            *clause.reference.runs
        }
        times = meant and figure and figure.unit == "times" and not other
        if times and "drafts" in QUANTITIES[meant].flags:
            return ""  # "accepts 73 % and still runs at 0.36x"
        share = figure is not None and figure.unit == "percent" and clause.relation is None
        return _SHARE_OF.get(meant, meant) if share else meant  # "24 accepted, i.e. 14.3 %"
