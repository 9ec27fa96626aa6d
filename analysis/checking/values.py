"""Which figure of a clause is a value of whom?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from analysis.checking.claim import EVERYTHING, Claim, Group, Kind, Places
from analysis.checking.clause import is_range
from analysis.checking.quantities import QUANTITIES, SPEED, carries, meant_by
from analysis.checking.reading import BY_NOUN, Reading
from analysis.checking.tokens import Token
from analysis.checking.vocabulary import LINKS

__all__ = ["DRAFTS", "RATIOS", "StatedValues"]

RATIOS = {"": "throughput", "speedup": "throughput", "decode_speedup": "decode"}
"""Of what a figure in times or with a sign is the ratio."""
DRAFTS = {"drafted", "accepted", "wasted", "acceptance"}
"""Quantities of which a part of the drafted tokens is said."""
FEW = 12
"""Of so many tokens nobody counts some: "three of four" is a share."""
_TURNED = {"gt": "le", "ge": "lt", "lt": "ge", "le": "gt"}


class StatedValues(Reading):
    """The values that a clause states."""

    def _values(self, bound: str = "") -> list[Claim] | None:
        """Every figure as a value of its side of the clause; null where one can't be."""
        clause = self.clause
        counted = self._numbers()
        if counted is not None:
            return [counted]
        if clause.negated and len(clause.figures["subject"]) == len(clause.stated) == 1:
            reaches = any(one.word.startswith(tuple(LINKS["reaching"])) for one in clause.tokens)
            turned = _TURNED.get(clause.stated[0].bound or ("ge" if reaches else ""))
            if turned:  # "does not get past 115 tok/s": at most
                clause.figures["subject"] = [replace(clause.stated[0], bound=turned)]
                clause.negated = False
        if clause.stated and clause.negated:
            return None
        found: list[Claim | None] = []
        sides, both = clause.figures, clause.subject.runs if clause.subject else ()
        if len(both) == 2 and clause.reference is None and all(map(len, sides.values())):
            sides = {"subject": clause.stated}  # "max 2 and max 3 are a wash, 108.5 vs 109.2"
        for side, stated in sides.items():
            figures = [replace(one, bound=one.bound or bound) for one in stated]
            group, places = clause.subject or Group(), clause.places or Places()
            own = clause.sequence in BY_NOUN and clause.reference is None
            if side == "reference" and figures and not own:
                group, places = self._reference(group), clause.other_places or places
            if clause.reference is None and is_range(clause.tokens, figures):
                found += self._range(*figures) or [None]
            else:
                # "fell from 105.3 tok/s": it does not say where that was.
                told = side == "subject" or own or clause.reference or clause.other_places
                # "DFlash is faster than the baseline with 133.9 tok/s": either's.
                open_ = {"subject"} if figures == clause.stated and side == "reference" else set()
                for one in self._spread(figures, group, places):
                    sure = one is not None and one.sure and bool(told)
                    found.append(one and replace(one, sure=sure, left_out=one.left_out | open_))
        return None if None in found else [one for one in found if one is not None]

    def _spread(self, figures: list[Token], group: Group, places: Places) -> list[Claim | None]:
        """Figures as values: which is of which run and task?"""
        size = len(figures)
        subjects, there, sure = [group] * size, [places] * size, True
        units = {meant_by((), one.figure) for one in figures}
        if size > 1 and group.quantifier not in ("", "all", f"={size}"):
            return [None]  # "none of depths 2 and 3 accepts 56 and 48 %"
        if size > 1 and len(group.runs) == size:
            subjects = [Group((run,)) for run in group.runs]
            # Of depths by one name the order is a guess, and so it is beside a pronoun.
            named = sum(one.kind == "run" and not one.group for one in self.clause.tokens)
            sure = named >= size and not self.clause.has("pronouns")
        elif size > 1 and len(places.options) == size:
            there = [Places((option,), stated=True) for option in places.options]
        elif size > 1 and not (len(group.runs) == 1 and len(units - {""}) == size):
            return [None]  # nobody gives one thing two values
        found = map(self._value, figures, subjects, there)
        return [one and replace(one, sure=one.sure and sure) for one in found]

    def _numbers(self) -> Claim | None:
        """``13 tasks``, ``five configurations``."""
        clause = self.clause
        numbers = [one for one in clause.tokens if one.kind == "figure"]
        if len(numbers) != 1 or clause.quantities or clause.negated or numbers[0].whole is None:
            return None
        (one,) = numbers
        nouns = [str(behind.value) for behind in clause.behind(one)[:2] if behind.kind == "counted"]
        if clause.has("run", "scope") or nouns[:1] not in (["tasks"], ["runs"], ["repeats"]):
            return None
        first = Group((self.facts.runs[0].id,))
        return self._made("value", nouns[0], one, subject=first, places=Places())

    def _range(self, low: Token, high: Token) -> list[Claim]:
        """The least and the most of some runs and tasks."""
        low, high = sorted((low, high), key=lambda one: one.value)
        clause, quantity = self.clause, self._quantity(high)
        held = all(one.figure is not None and carries(quantity, one.figure) for one in (low, high))
        if not held or not (clause.quantities or (high.figure and high.figure.unit)):
            return []  # an interval: "161.6 tok/s (156.9 to 166.2)"
        group = clause.subject or Group(self.above.pair or (), inferred=True)
        between = clause.words & LINKS["ranging"] == {"between"}
        if between and (len(group.runs) == 1 or group.quantifier == "all"):
            return [self._made("value", quantity, one, subject=group, bound=bound)
                    for one, bound in ((low, "ge"), (high, "le"))]  # fmt: skip
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
        if not subject.runs and token.bound in ("up_to", "down_to"):
            subject = Group(self.clause.drafting, inferred=True)
        if figure is None or not subject.runs:
            return None
        several = len(self.clause.stated) > 1 and len(self.clause.quantities) > 1
        if several and self.clause.sequence not in BY_NOUN:
            quantity = meant_by((), figure)
        held = carries(quantity, figure)
        of: dict[str, Any] = {"subject": subject, "places": places}
        ratio = figure.unit == "times" or (figure.unit == "percent" and figure.signed)
        sign = {"up_to": 1, "down_to": -1}.get(token.bound, 0)
        if sign and (held or (ratio and quantity in ("", *SPEED))):
            # Of the runs and tasks that are named it is the most, or the least.
            named = quantity if held else "speedup"
            return self._most(named, token, sign, domain=subject, places=places, bound="")
        fast = quantity in ("speedup", "decode_speedup") and figure.unit in ("times", "", "percent")
        own = fast and self.clause.reference is None and not self.above.pair
        if not own and (fast or (ratio and quantity not in ("geomean", "cost", "time_saved"))):
            plain = self.facts.baseline
            if plain is not None and all(self.clause.figures.values()):
                of["reference"] = Group((plain.id,), inferred=True)  # "from 1.16x to 1.36x"
            return self._compared("ratio", RATIOS.get(quantity, quantity), token, **of)
        bound = token.bound or ("ge" if subject.quantifier == "none" else "")
        # "one in nine of its drafts": of tokens nobody counts so few.
        few = quantity in ("drafted", "accepted", "wasted") and figure.value <= FEW
        made = self._made("value", quantity, token, bound=bound, sure=not few, **of)
        return made if fast or held else None

    def _compared(self, kind: Kind, quantity: str, *figures: Token, **fields: Any) -> Claim | None:
        """A claim that holds its subject against something."""
        subject: Group = fields.pop("subject")
        reference: Group = fields.pop("reference", None) or self._reference(subject)
        if subject.runs == reference.runs and len(subject.runs) > 1:
            reference = replace(reference, quantifier="all")
        elif len(reference.runs) > 1:
            reference = reference.without(subject)
        elif len(subject.runs) > 1:
            subject = subject.without(reference)
        plain = self.facts.baseline
        none = plain is not None and reference.runs == (plain.id,)
        if not reference.runs or (none and "drafts" in QUANTITIES[quantity].flags):
            return None  # nothing to hold it against
        return self._made(kind, quantity, *figures, subject=subject, reference=reference,
                          other_places=self.clause.other_places, **fields)  # fmt: skip

    def _part_of(self) -> list[Claim]:
        """``55 accepted of 119 drafted tokens``."""
        clause, before = self.clause, self.before.quantities if self.before else set()
        said = clause.quantities or before or ({"accepted"} if "/" in clause.words else set())
        if clause.negated or not said or not said <= DRAFTS or clause.counts[-1].value <= FEW:
            return []  # "472 of 1,877 forwards", "three of four drafted tokens"
        fields: dict[str, Any] = {}
        if clause.subject is None or (clause.subject.inferred and len(clause.subject.runs) > 1):
            fields = {"subject": Group(clause.everyone, "some", inferred=True)}
        if clause.places is None or not clause.places.stated:
            every = (*clause.every("classes"), *clause.every("tasks"))
            fields["places"] = Places(((EVERYTHING, *every),))
        wasted = "wasted" in (clause.quantities - {"drafted"} or before)
        quantity = "wasted" if wasted else "accepted"
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
