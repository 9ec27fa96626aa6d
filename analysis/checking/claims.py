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
from analysis.checking.quantities import BAD, SPEED, carries, quantity_of
from analysis.checking.roles import EVERYTHING, Group, Parts, Place, Places, parts_of
from analysis.checking.tokens import Token

__all__ = ["Above", "Claim", "claims_of"]

Kind = Literal["value", "ratio", "difference", "order", "equal", "extreme", "range", "break_even",
               "counted", "pair", "unread"]  # fmt: skip
_SIGNS = (("better", 2), ("worse", -2), ("+", 1), ("-", -1))
_ABOVE = ("above", "over", "beyond", "reach", "reaches", "reached", "exceed", "exceeds", "higher",
          "surpasses", "clears", "tops", "beats")  # fmt: skip
_BELOW = ("below", "under", "lower", "less", "beneath", "misses")
_NEAR = ("fillers", "degrees", "prepositions")
UNKNOWN = "what it says of whom is not understood"


@dataclass(frozen=True)
class Claim:
    """One thing that is said.

    `sign` is 1 for more, -1 for less, 2 and -2 for better and worse. `axis` says what an extreme
    is one of: runs, tasks, or open. `why` says why it is unread.
    """

    kind: Kind
    start: int
    end: int
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
    before: Parts | None = None
    named: list[str] = list(above.pair or ())
    for clause in clauses(tokens):
        parts = parts_of(clause, facts, named)
        found += _Clause(parts, before, above, facts).read()
        groups = (parts.subject, parts.reference, parts.start)
        named += [run for group in groups if group is not None for run in group.runs]
        before = parts
    return sorted(found, key=lambda claim: claim.start)


class _Clause:
    """From the parts of a clause to its claims."""

    def __init__(self, parts: Parts, before: Parts | None, above: Above, facts: Facts) -> None:
        self.parts, self.before, self.above, self.facts = parts, before, above, facts
        self.start, self.end = parts.tokens[0].start, parts.tokens[-1].end

    def read(self) -> list[Claim]:
        parts = self.parts
        if not predicates(parts.tokens):
            return []
        named = parts.has("run", "scope", "quantities", "actions", "positions")
        if parts.why:
            strange = any(one.figure for one in parts.tokens if one.kind != "fillers")
            return [self._unread(parts.why)] if strange or (named and parts.relation) else []
        alone = self.before is None and self.above.subject is None
        if alone and not (parts.figures or named or parts.has("whole", "counted", "pronouns")):
            return []
        self._complete()
        found = self._claims()
        if found:
            parts.meant = found[0].quantity
        return found or [self._unread(UNKNOWN)]

    def _unread(self, why: str) -> Claim:
        return Claim("unread", self.start, self.end, why=why)

    # ---- what it leaves out

    def _complete(self) -> None:
        self._subject()
        parts, before = self.parts, self.before
        if parts.places is not None:
            return
        options = list(self.above.places)
        if before is not None and before.places is not None and not before.places.each:
            if len(before.places.options) > 1 and before.places.stated:
                parts.places, parts.sure = replace(before.places, stated=False), False
                return
            options += [place for option in before.places.options for place in option]
        if options:
            # Of which of them it is said is open: of all prompts, or of those named before.
            parts.places = Places((tuple(dict.fromkeys([*options, EVERYTHING])),))

    def _subject(self) -> None:
        parts, before, above = self.parts, self.before, self.above
        if parts.subject is not None or parts.start is not None:
            return
        free = ("fillers", "conjunctions", "prepositions")
        first = next((one.kind for one in parts.tokens if one.kind not in free), "")
        if before is not None and before.subject is not None and not before.why:
            parts.subject, parts.sure = before.subject, parts.sure and before.sure
        elif above.near is not None and (above.item or parts.has("pronouns")):
            parts.subject, parts.sure = replace(above.near, inferred=True), False
        elif above.subject is not None and first != "figure":
            parts.subject, parts.sure = replace(above.subject, inferred=True), False
        elif len(self.facts.real) == 1:
            parts.subject = Group((self.facts.real[0].id,))

    def _reference(self, subject: Group) -> Group:
        """What a subject is held against: named, the other of a pair, or the baseline."""
        parts, pair = self.parts, self.above.pair
        if parts.reference is not None:
            many = len(parts.reference.runs) > 1
            return parts.reference.without(subject) if many else parts.reference
        if parts.start is not None:
            return parts.start
        earlier = self._earlier(subject)
        if earlier is not None:
            return earlier
        if pair is not None and len(subject.runs) == 1 and subject.runs[0] in pair:
            return Group(tuple(run for run in pair if run != subject.runs[0]), inferred=True)
        return self._default(subject)

    def _earlier(self, subject: Group) -> Group | None:
        """What the clause before held its subject against, or that subject."""
        before = self.before
        if before is None or before.reference is None or before.subject is None:
            return None
        if not set(before.reference.runs) & set(subject.runs):
            return before.reference
        return before.subject if before.subject.runs != subject.runs else None

    def _default(self, subject: Group) -> Group:
        baseline = self.facts.baseline
        if baseline is None:
            return Group()
        if subject.runs == (baseline.id,):
            return Group(tuple(run.id for run in self.facts.drafting), inferred=True)
        if baseline.id in subject.runs:
            self.parts.subject = subject.without(Group((baseline.id,)))
        return Group((baseline.id,), inferred=True)

    def _guessed(self, claim: Claim) -> bool:
        """Whether what it is held against is a guess: without a name it is the baseline mostly."""
        if not claim.reference.inferred or self.parts.has("pays"):
            return False
        if set(self.parts.quantities) & {"speedup", "decode_speedup"}:
            return False
        near = self.above.near
        other = near is not None and near.runs != claim.subject.runs
        if self.above.pair or other or (self.before is not None and self.before.reference):
            return True
        times = bool(claim.figures) and claim.figures[0].unit == "times"
        relation = self.parts.relation
        changes = relation is not None and relation.kind == "changes"
        return not (times or (changes and claim.quantity in SPEED))

    def _made(self, kind: Kind, **fields: Any) -> Claim:
        parts = self.parts
        claim = Claim(
            kind,
            self.start,
            self.end,
            subject=parts.subject or Group(),
            places=parts.places or Places(),
            degree=parts.degree,
            negated=parts.negated,
        )
        claim = replace(claim, **fields)
        if claim.places.each and claim.kind in ("value", "ratio", "difference") and (
            claim.bound in ("", "about") and not claim.places.quantifier.startswith("=0")
        ):  # fmt: skip
            # "133.9 tok/s over all thirteen prompts": of them together.
            claim = replace(claim, places=Places(stated=True))
        sure = parts.sure and not self.above.estimates and not self._guessed(claim)
        return replace(claim, sure=sure)

    # ---- kinds of clauses

    def _claims(self) -> list[Claim]:
        parts = self.parts
        if "break_even" in parts.quantities and not parts.figures:
            return self._break_even()
        counts = self._counts()
        if counts is not None:
            return counts
        if parts.start is not None or parts.start_places is not None:
            return self._trend()
        if len(parts.figures) == 2 and self._has("from") and self._has("to"):
            parts.sure = False
        relation = parts.relation
        if relation is None or (relation.kind == "changes" and self._is_range()):
            return self._values()
        if relation.kind == "superlatives":
            return self._extreme(relation)
        return self._relation(relation)

    def _has(self, word: str) -> bool:
        return any(one.text.lower() == word for one in self.parts.tokens)

    def _quantity(self, figure: Figure | None) -> str:
        return quantity_of(self.parts, figure)

    def _inherited(self, figure: Figure | None) -> str:
        found = self._quantity(figure)
        if found or self.parts.quantities or self.before is None:
            return found
        return self.before.meant

    def _break_even(self) -> list[Claim]:
        words = {one.text.lower() for one in self.parts.tokens}
        above, below = bool(words & set(_ABOVE)), bool(words & set(_BELOW))
        known = {"break_even", "acceptance", "drafted"}
        if above == below or not set(self.parts.quantities) <= known:
            return []
        return [self._made("break_even", quantity="acceptance", sign=1 if above else -1)]

    def _counts(self) -> list[Claim] | None:
        """``9 of 13 tasks``, ``55 accepted of 119 drafted tokens``, ``3 of the 4 runs``."""
        tokens = self.parts.tokens
        figures = [one for one in tokens if one.kind == "figure" and one.figure is not None]
        whole = all(_is_count(one.figure) for one in figures)
        if len(figures) != 2 or not whole:
            return None
        first, second = tokens.index(figures[0]), tokens.index(figures[1])
        between = tokens[first + 1 : second]
        if not {"of", "out of", "/", "out"} & {one.text.lower() for one in between}:
            return None
        few, many = int(figures[0].value), int(figures[1].value)
        noun = _noun([*tokens[second + 1 : second + 5], *between])
        if noun and self.parts.relation is not None:
            return self._n_of_m(few, many, noun)
        said = set(self.parts.quantities)
        if not said & {"accepted", "wasted", "acceptance"} or noun:
            return []
        if not said <= {"accepted", "drafted", "wasted", "acceptance"} or self.parts.negated:
            return []
        pair = tuple(one.figure for one in figures if one.figure is not None)
        quantity = "wasted" if "wasted" in said else "accepted"
        return [self._made("pair", quantity=quantity, figures=pair)]

    def _n_of_m(self, few: int, many: int, noun: str) -> list[Claim]:
        parts = self.parts
        quantifier = f"{few}/{many}"
        if noun == "runs":
            group = parts.domain or parts.subject
            runs = tuple(run.id for run in self.facts.real if run.predicted_tokens)
            if group is not None and len(group.runs) > 1 and not group.inferred:
                runs = group.runs
            parts.subject = Group(runs, quantifier)
        else:
            names: list[Place] = [(None, task) for task in self.facts.task_names]
            if noun == "classes":
                names = [(name, None) for name in self.facts.workloads]
            own = self._class_tasks()
            names = own if noun == "tasks" and len(own) == many else names
            options = tuple((name,) for name in names)
            parts.places = Places(options, quantifier, stated=True, each=True)
        parts.figures = []
        relation = parts.relation
        if relation is None:
            return []
        if relation.kind == "superlatives":
            return self._extreme(relation)
        return self._relation(relation)

    def _class_tasks(self) -> list[Place]:
        places = self.parts.places
        name = places.options[0][0][0] if places is not None and places.stated else None
        rows = [str(row.task) for row in self.facts.tasks if name and row.workload == name]
        return [(None, task) for task in dict.fromkeys(rows)]

    def _trend(self) -> list[Claim]:
        """``from 56 % at max 2 to 36.8 % at max 5``, ``from max 2 to max 3 it grows by 0.6 %``."""
        parts = self.parts
        if len(parts.figures) != 2:
            known = parts.relation is not None and parts.start is not None
            return self._relation(parts.relation) if known and parts.relation else []
        first, second = parts.figures
        quantity = self._inherited(first.figure)
        if not all(carries(quantity, one.figure) for one in parts.figures):
            return []
        start = {"subject": parts.start or parts.subject or Group(),
                 "places": parts.start_places or parts.places or Places()}  # fmt: skip
        found = [
            self._made("value", quantity=quantity, figures=(one.figure,), bound=one.bound, **of)
            for one, of in ((first, start), (second, {}))
        ]
        if parts.relation is not None and parts.relation.kind in ("changes", "comparatives"):
            fields = {"sign": _sign(parts.relation)[1], "reference": start["subject"]}
            fields["other_places"] = parts.start_places
            found.append(self._made("order", quantity=quantity, **fields))
        return found

    # ---- values

    def _values(self) -> list[Claim]:
        parts = self.parts
        figures = parts.figures
        counted = self._numbers()
        if counted is not None:
            return counted
        if not figures or parts.negated:
            return []
        if self._is_range() or (len(figures) == 2 and self._has("between")):
            return self._range()
        found: list[Claim] = []
        for token, subject, places in self._distributed():
            one = self._value(token, subject, places)
            if one is None:
                return []
            found.append(one)
        return found

    def _numbers(self) -> list[Claim] | None:
        """``13 tasks``, ``five configurations``."""
        parts, tokens = self.parts, self.parts.tokens
        stated = [one for one in tokens if one.kind == "figure"]
        if len(stated) != 1 or parts.has("run", "scope") or parts.quantities or parts.negated:
            return None
        at, figure = tokens.index(stated[0]), stated[0].figure
        noun = _noun(tokens[at + 1 : at + 3], ("tasks", "runs", "repeats"))
        if not noun or figure is None or not _is_count(figure):
            return None
        return [self._made("counted", quantity=noun, figures=(figure,), bound=stated[0].bound)]

    def _is_range(self) -> bool:
        return [one.figure.role for one in self.parts.figures if one.figure] == ["low", "high"]

    def _range(self) -> list[Claim]:
        low, high = self.parts.figures
        quantity = self._inherited(high.figure)
        unit = "" if high.figure is None else high.figure.unit
        if not (unit or self.parts.quantities):
            return []  # an interval: "161.6 tok/s (156.9 to 166.2)"
        if not (carries(quantity, low.figure) and carries(quantity, high.figure)):
            return []
        pair = Group(self.above.pair) if self.above.pair else None
        return [self._made("range", quantity=quantity, figures=(low.figure, high.figure),
                           bound=low.bound or high.bound, domain=pair)]  # fmt: skip

    def _distributed(self) -> list[tuple[Token, Group, Places]]:
        """Which figure is of which run and task; empty where that is open."""
        parts, figures = self.parts, self.parts.figures
        subject, places = parts.subject or Group(), parts.places or Places()
        if self._leads_from():
            return [(figures[0], self._reference(subject), places)]
        if len(figures) == 1:
            one = figures[0].figure
            ratio = one is not None and (one.signed or one.unit in ("times", "percent"))
            open_ = parts.reference is not None and not ratio
            return [] if open_ or not subject.runs else [(figures[0], subject, places)]
        if len(subject.runs) == len(figures) and parts.reference is None:
            runs = zip(figures, subject.runs, strict=True)
            return [(one, Group((run,)), places) for one, run in runs]
        return self._of_one(figures, subject, places) if len(subject.runs) == 1 else []

    def _of_one(
        self, figures: list[Token], subject: Group, places: Places
    ) -> list[tuple[Token, Group, Places]]:
        """Several figures of one run: against another's, on several tasks, or of several kinds."""
        if len(figures) == 2 and self._between(figures):
            other = self._reference(subject)
            pair = [(figures[0], subject, places), (figures[1], other, places)]
            return pair if len(other.runs) == 1 else []
        if len(places.options) == len(figures):
            pairs = zip(figures, places.options, strict=True)
            return [(one, subject, Places((option,), stated=True)) for one, option in pairs]
        apart = self.parts.reference is None and all(self._own_quantity(one) for one in figures)
        return [(one, subject, places) for one in figures] if apart else []

    def _leads_from(self) -> bool:
        """``…, from 129.6 tok/s``: where it comes from, the baseline perhaps."""
        words = [one.text.lower() for one in self.parts.tokens if one.kind == "prepositions"]
        if len(self.parts.figures) == 1 and words == ["from"] and not self.parts.has("run"):
            self.parts.sure = False
            return True
        return False

    def _between(self, figures: list[Token]) -> bool:
        """Whether a name or a word of comparison stands between two figures."""
        tokens = self.parts.tokens
        inside = tokens[tokens.index(figures[0]) + 1 : tokens.index(figures[1])]
        return any(one.kind in ("references", "run") for one in inside)

    def _own_quantity(self, token: Token) -> str:
        """The quantity of a figure among others: of its unit, or of the noun behind it."""
        figure, tokens = token.figure, self.parts.tokens
        at = tokens.index(token)
        for one in tokens[at + 1 : at + 3]:
            if one.kind == "quantities":
                return str(one.value) if carries(str(one.value), figure) else ""
        unit = "" if figure is None else figure.unit
        found = {"rate": "throughput", "s": "time", "ms": "forward_ms"}.get(unit, "")
        if found or not at:
            return found
        before = tokens[at - 1]
        said = str(before.value) if before.kind in ("quantities", "actions") else ""
        return said if carries(said, figure) else ""

    def _value(self, token: Token, subject: Group, places: Places) -> Claim | None:
        figure = token.figure
        if figure is None or not subject.runs:
            return None
        common: dict[str, Any] = {
            "subject": subject,
            "places": places,
            "figures": (figure,),
            "bound": token.bound,
        }
        quantity = self._quantity(figure)
        if not quantity and len(self.parts.figures) > 1:
            quantity = self._own_quantity(token)
        if quantity in ("speedup", "decode_speedup") and figure.unit in ("times", "", "percent"):
            column = "decode" if quantity == "decode_speedup" else "speedup"
            return self._ratio(column, **common)
        if quantity in ("geomean", "cost", "time_saved"):
            return self._made("value", quantity=quantity, **common)
        if figure.unit == "times" or (figure.unit == "percent" and figure.signed):
            return self._ratio(quantity or "throughput", **common)
        quantity = quantity or self._inherited(figure)
        if not carries(quantity, figure):
            return None
        return self._made("value", quantity=quantity, **common)

    def _ratio(self, quantity: str, subject: Group, **fields: Any) -> Claim | None:
        reference = self._reference(subject)
        if not reference.runs:
            return None
        return self._made("ratio", quantity=quantity, subject=subject, reference=reference,
                          other_places=self.parts.other_places, **fields)  # fmt: skip

    # ---- extremes

    def _extreme(self, relation: Token) -> list[Claim]:
        parts = self.parts
        own, sign = _sign(relation)
        if len(parts.figures) > 1:
            return []
        figure = parts.figures[0].figure if parts.figures else None
        quantity = self._quantity(figure)
        if own and quantity not in ("", own, *(SPEED if own in SPEED else ())):
            return []
        quantity = quantity or own or ("throughput" if abs(sign) == 2 else "")
        quantity = quantity or self._inherited(figure)
        if figure is not None and not carries(quantity, figure):
            quantity = "speedup" if figure.unit == "times" and quantity in SPEED else ""
        named = parts.has("run", "positions")
        axis = self._axis(relation, named=named)
        kept = named or parts.has("pronouns") or figure is None
        if not quantity or (figure is None and parts.subject is None and parts.places is None):
            return []
        at = parts.tokens.index(relation)
        second = at > 0 and parts.tokens[at - 1].text.lower() in ("second", "next")
        return [
            self._made(
                "extreme",
                quantity=quantity,
                sign=sign,
                rank=2 if second else 1,
                axis=axis,
                subject=(parts.subject if kept else None) or Group(),
                domain=parts.domain,
                figures=() if figure is None else (figure,),
                bound=parts.figures[0].bound if parts.figures else "",
            )
        ]

    def _axis(self, relation: Token, *, named: bool) -> str:
        """What is ranked: runs, tasks, or either."""
        parts, tokens = self.parts, self.parts.tokens
        scopes = [at for at, one in enumerate(tokens) if one.kind == "scope"]
        if parts.noun == "runs" or not scopes:
            return "runs" if named or parts.noun == "runs" else "open"
        if parts.noun == "tasks" and not (parts.places and parts.places.each):
            return "tasks"
        if any(one.kind == "prepositions" for one in tokens[max(0, scopes[0] - 3) : scopes[0]]):
            return "runs" if named else "open"
        # "Translation is fastest at depth 2" ranks depths, "translation is the slowest" tasks too.
        at = tokens.index(relation)
        article = any(one.text.lower() == "the" for one in tokens[max(0, at - 2) : at])
        return "open" if article or not named else "runs"

    # ---- relations

    def _relation(self, relation: Token) -> list[Claim]:
        parts = self.parts
        subject = parts.subject
        if subject is None or not subject.runs:
            return []
        own, sign = _sign(relation)
        sign = -sign if parts.passive else sign
        towards = self._changes_to(relation)
        if towards is not None:
            claim = self._value(towards, subject, parts.places or Places())
            return [] if claim is None else [replace(claim, sign=sign, degree="moves")]
        figure, rest = self._difference(relation)
        quantity = self._related(relation, own, sign, figure or next(iter(rest), None))
        reference = self._reference(subject)
        subject = parts.subject or subject
        if parts.other_places is not None and parts.reference is None:
            reference = subject
        if not quantity or not reference.runs:
            return []
        if abs(sign) == 2:
            sign = sign // 2 * (-1 if quantity in BAD else 1)
        common = {"quantity": quantity, "subject": subject, "reference": reference, "sign": sign,
                  "other_places": parts.other_places}  # fmt: skip
        if figure is None:
            found = [self._made("equal" if relation.kind == "equals" else "order", **common)]
        else:
            found = self._by(relation, figure, common)
        values = self._rest(rest, subject, reference)
        return found + values if found and values is not None else []

    def _related(self, relation: Token, own: str, sign: int, token: Token | None) -> str:
        """The quantity that is compared."""
        figure = None if token is None else token.figure
        stated = self._quantity(figure)
        if (self.parts.quantities and not stated) or (relation.kind == "pays" and stated):
            return ""
        if self._share(relation):
            return "acceptance"
        stated = {"speedup": "throughput", "decode_speedup": "decode"}.get(stated, stated)
        if own == "throughput" and stated == "time":
            return "pace"
        if own and stated and stated != own and not (own == "throughput" and stated in SPEED):
            return ""
        default = relation.kind in ("beats", "pays") or abs(sign) == 2
        if relation.kind == "equals":
            default = "fast" in relation.text.lower() or "slow" in relation.text.lower()
        return stated or own or ("throughput" if default else self._inherited(figure))

    def _share(self, relation: Token) -> bool:
        """``accepts fewer of its drafts``: a share, not a number."""
        tokens = self.parts.tokens
        behind = tokens[tokens.index(relation) + 1 :][:1]
        drafts = {"accepted", "drafted"} <= set(self.parts.quantities)
        return drafts and bool(behind) and behind[0].text.lower() == "of"

    def _by(self, relation: Token, token: Token, common: dict[str, Any]) -> list[Claim]:
        """By how much: a ratio, or a difference."""
        figure = token.figure
        if figure is None or self.parts.negated or relation.kind == "pays":
            return []
        if relation.kind == "equals":
            if figure.unit != "times":
                return []
            common = {**common, "sign": 1}
        points = figure.unit == "points" and common["quantity"] not in ("acceptance", "break_even")
        bare = common["quantity"] in ("acceptance", *SPEED) and not figure.unit
        if points or (bare and not figure.decimals):
            return []
        kind: Kind = "ratio" if figure.unit in ("percent", "times") else "difference"
        return [self._made(kind, figures=(figure,), bound=token.bound, **common)]

    def _rest(self, rest: list[Token], subject: Group, reference: Group) -> list[Claim] | None:
        """Figures beside the one that compares: values of the one, the other, or of each."""
        owners = [Group((run,)) for run in subject.runs]
        if len(rest) == 1:
            owners = [reference if self._behind_reference(rest[0], reference) else subject]
        elif len(rest) == 2 and len(subject.runs) == 1 == len(reference.runs):
            owners = [subject, reference]
        if len(owners) != len(rest):
            return None if rest else []
        found = []
        for token, owner in zip(rest, owners, strict=True):
            one = self._value(token, owner, self.parts.places or Places())
            if one is None:
                return None
            found.append(one)
        return found

    def _behind_reference(self, token: Token, reference: Group) -> bool:
        """``fewer than max 5 with 1,300``."""
        before = self.parts.tokens[: self.parts.tokens.index(token)]
        runs = [one for one in before if one.kind == "run"]
        return bool(runs) and tuple(runs[-1].value) == reference.runs

    def _changes_to(self, relation: Token) -> Token | None:
        """``rises to 129.6 tok/s``."""
        tokens = self.parts.tokens
        behind = tokens[tokens.index(relation) + 1 :]
        after = [one for one in behind if one.kind not in ("fillers", "degrees")]
        led = relation.kind == "changes" and len(after) > 1 and after[0].text.lower() == "to"
        return after[1] if led and after[1].kind == "figure" else None

    def _difference(self, relation: Token) -> tuple[Token | None, list[Token]]:
        """The figure that says by how much, and the others."""
        figures = self.parts.figures
        telling = [one for one in figures if self._says_how_much(one, relation)]
        chosen = telling[-1] if telling else None
        return chosen, [one for one in figures if one is not chosen]

    def _says_how_much(self, token: Token, relation: Token) -> bool:
        tokens, figure = self.parts.tokens, token.figure
        place, at = tokens.index(token), tokens.index(relation)
        between = tokens[min(place, at) + 1 : max(place, at)]
        kinds, words = {one.kind for one in between}, {one.text.lower() for one in between}
        unit = "" if figure is None else figure.unit
        if relation.kind == "equals":
            return unit == "times"
        if place < at:
            free = {*_NEAR, "quantities"} if unit else set(_NEAR)
            return kinds <= free and bool(unit or relation.kind == "comparatives")
        if "by" in words or (figure is not None and figure.signed and unit == "percent"):
            return True
        if relation.kind != "changes" or words & {"at", "to", "with", "from"}:
            return False
        apart = kinds & {"run", "references", "figure"}
        return kinds <= set(_NEAR) or (unit in ("percent", "points") and not apart)


def _sign(relation: Token) -> tuple[str, int]:
    """Quantity and direction that a word of relation has."""
    said = str(relation.value)
    for word, sign in _SIGNS:
        if relation.kind != "equals" and said.endswith(word):
            return said.removesuffix(word), sign
    return "", 1


def _is_count(figure: Figure | None) -> bool:
    return figure is not None and not figure.unit and not figure.decimals


def _noun(tokens: Sequence[Token], wanted: Sequence[str] = ("tasks", "runs", "classes")) -> str:
    """What is counted."""
    for one in tokens:
        if one.kind == "counted" and one.value in wanted:
            return str(one.value)
        if one.kind == "run" and len(one.value) > 1 and "runs" in wanted:
            return "runs"
    return ""
