"""On which side of a clause's relation is each name, place and figure?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from analysis.cards.facts import Facts
from analysis.checking.amounts import counts, n_of_m, says_how_much
from analysis.checking.claim import Place
from analysis.checking.clauses import RELATIONS
from analysis.checking.tokens import Token, ahead
from analysis.checking.vocabulary import LINKS

__all__ = ["LISTING", "Name", "Parts"]

LISTING = {"conjunctions", "fillers", "quantifiers", "counted"}
"""What may stand between the names of a list."""
_TO_OTHER = {"fillers", "pronouns", "quantities", "counted", "of", "figure", "actions"}


class Name(NamedTuple):
    """A run's or a place's name, with the quantifier before it."""

    at: int
    token: Token
    quantifier: str


class Parts:
    """The parts of a clause, each name and figure with the side of the relation that it is on.

    `why` says what is not understood. `figures` are values of the subject and of the reference,
    `by` is the amount of the relation, `counts` are the numbers of "9 of 13"; `named` are runs
    named before, the last one last.
    """

    def __init__(self, tokens: list[Token], facts: Facts, named: Sequence[str]) -> None:
        self.tokens, self.facts, self.named = tokens, facts, named
        self.everyone = tuple(run.id for run in facts.real if run.predicted_tokens)
        self.drafting = tuple(run.id for run in facts.drafting)
        negations = [one for one in tokens if one.kind == "negations"]
        self.negated = bool(negations)
        self.degree = next((str(one.value) for one in tokens if one.kind == "degrees"), "")
        relations = [one for one in tokens if one.kind in RELATIONS]
        strong = [one for one in relations if one.kind != "equals"] or relations
        self.relation = strong[0] if len(strong) == 1 else None
        self.why = self._strange() or ("several relations in one clause" if strong[1:] else "")
        self.why = self.why or ("it negates twice" if negations[1:] else "")
        self.quantities, self.timed = self._nouns()
        numbers = [one for one in tokens if one.kind == "figure"]
        self.counts = n_of_m(tokens, numbers)
        pairs = pairwise(numbers) if len(numbers) > 2 else ()
        if any(n_of_m(tokens, pair) and counts(tokens, tokens.index(pair[1])) for pair in pairs):
            self._unclear("it counts tasks, and has another number")
        amounts = [one for one in numbers if says_how_much(tokens, one, self.relation)]
        self.by = amounts[-1] if amounts and not self.counts else None
        self.noun, self.passive, self.meant = "", False, ""
        self.figures: dict[str, list[Token]] = {"subject": [], "reference": []}
        self._runs: dict[str, list[Name]] = {"subject": [], "reference": [], "among": []}
        self._places: dict[str, list[Name]] = {"subject": [], "reference": []}
        self._side, self._owner, self._quantifier = "subject", "", ""
        for at, token in enumerate(tokens):
            self._take(at, token)

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

    def _strange(self) -> str:
        ranks = any(one.kind == "superlatives" for one in self.tokens)
        for one in self.tokens:
            if one.kind == "unknown":
                return f'"{one.text}" is not understood'
            placed = ranks and one.word in LINKS["anywhere"]
            if one.kind in ("hedges", "estimates") and not placed:
                return f'"{one.text}" is no statement of what was measured'
            if one.kind == "run" and not one.value:
                return "it names a run that this campaign does not have"
        return ""

    def _unclear(self, why: str) -> None:
        self.why = self.why or why

    def _nouns(self) -> tuple[set[str], bool]:
        """The quantities that it names, and whether time is among them as a noun."""
        nouns = {str(one.value) for one in self.tokens if one.kind == "quantities"}
        actions = {str(one.value) for one in self.tokens if one.kind == "actions"}
        # "needs 535 more drafted tokens", "generates fewer drafts": the noun says of what.
        said = nouns | (actions & {"accepted", "wasted", "drafted"} if nouns - actions else actions)
        whole = any(one.kind == "whole" and one.value == "effective" for one in self.tokens)
        if whole and said <= {"throughput", "speedup"}:
            said = {"effective"}
        return said, "time" in nouns

    # ---- the tokens one by one

    def _take(self, at: int, token: Token) -> None:
        kind, after = token.kind, self.tokens[at + 1 :]
        before = self.tokens[at - 1].kind if at else ""
        if kind in ("references", "equals") or (kind == "beats" and token is self.relation):
            words = [one.word for one in after if one.kind not in ("degrees", "fillers")]
            self.passive = kind == "beats" and words[:1] == ["by"]
            self._side = "reference"
        elif kind == "prepositions":
            self._preposition(token.word, after)
        elif kind == "quantifiers":
            self._quantifier = str(token.value)
        elif kind == "figure":
            self._figure(at, token, after)
        elif kind in ("run", "positions"):
            last = self._runs["among"][-1:]
            between = self.tokens[last[0].at + 1 : at] if last else []
            joined = any(one.kind == "conjunctions" or one.word == "to" for one in between)
            if self._side == "among" and last and not joined:
                self._side = "subject"  # "of the five runs DFlash is the fastest"
            self._name(self._runs[self._side], at, self._by_place(token))
            self._owner = self._side
        elif kind == "scope":
            if at and self.tokens[at - 1].word in LINKS["rest"]:
                self._unclear("which tasks are the others is not said")
            self._name(self._there(at, led=before in ("prepositions", "references")), at, token)
        elif kind == "counted":
            self._counted(at, token)
        elif kind == "break" or (
            kind in ("states", "comparatives", "changes", "superlatives")
            and (self._side == "among" or (kind == "states" and self._runs["reference"]))
        ):
            self._side = "subject"
        if kind in ("states", "break", "conjunctions", *RELATIONS) or token.word == "to":
            self._owner = ""

    def _name(self, names: list[Name], at: int, token: Token) -> None:
        names.append(Name(at, token, self._quantifier))
        self._quantifier = ""

    def _there(self, at: int, *, led: bool = False) -> list[Name]:
        """The places of the side that a place is on.

        "Faster than max 5 on code" is of both; "on code_cpp it is faster than max 5 on JSON" not.
        """
        last = self._places["subject"][-1:]
        between = self.tokens[last[0].at + 1 : at] if last else []
        listed = {"conjunctions"} <= {one.kind for one in between} <= {*LISTING, "break"}
        apart = self._runs["reference"] and last and not listed
        other = apart or (self._side == "reference" and led and not self._runs["reference"])
        return self._places["reference" if other else "subject"]

    def _preposition(self, word: str, after: Sequence[Token]) -> None:
        ranks = self.relation is not None and self.relation.kind == "superlatives"
        goes = any(one.word == "to" for one in after[:11]) or ahead(after, {"figure"}, {"fillers"})
        if word == "from" and goes and not self.words & (LINKS["ranging"] - {"between"}):
            self._side = "reference"
        elif word in LINKS["among"] or (word == "of" and ranks and self._side != "reference"):
            self._side = "among"
        elif (self._side == "among" and word != "of") or (
            self._side == "reference" and (self._runs["reference"] or word == "to")
        ):
            self._side = "subject"

    def _figure(self, at: int, token: Token, after: Sequence[Token]) -> None:
        figure = token.figure
        if figure is None or token in self.counts or self._quantifier == "only":
            self._quantifier = ""  # "only 492 with n_max 5"
        if figure is None or token in self.counts:
            return
        if token is not self.by:
            if not figure.unit and not figure.decimals and counts(self.tokens, at):
                self._quantifier = self._quantifier or f"={int(figure.value)}"
                return
            # "fewer than max 5 with 1,300"
            last = self._owner if self._side == "subject" else self._side
            self.figures["reference" if last == "reference" else "subject"].append(token)
        if figure.unit == "times" and ahead(after, {"run", "positions"}, _TO_OTHER, 7):
            self._side = "reference"  # "2.33 times the baseline's"

    def _by_place(self, token: Token) -> Token:
        """``the latter``, ``the deepest setting``: a run by its place."""
        if token.kind == "run":
            return token
        pair = list(dict.fromkeys(self.named))[-2:]
        if token.value in ("former", "latter"):
            if len(pair) < 2:
                self._unclear(f'nobody knows who "{token.text}" is')
            return replace(token, value=tuple(pair[token.value == "latter" :][:1]))
        named = [run for one in self.tokens if one.kind == "run" for run in one.value]
        pool = [self.facts.by_id[run] for run in named] or list(self.facts.drafting)
        depths = sorted((run.n_max, run.id) for run in pool if run.n_max is not None)
        if len({run.spec_type for run in pool if run.n_max is not None}) != 1:
            self._unclear("it does not say of which method")
        return replace(
            token, value=tuple(run for _, run in depths[-(token.value == "deepest") :][:1])
        )

    def _counted(self, at: int, token: Token) -> None:
        beside = self.tokens[max(0, at - 2) : at]
        named = {one.kind for one in beside[-1:]} == {"scope"} and token.word.endswith("s")
        if not named or token.value != "tasks" or self._quantifier:
            self.noun = self.noun or str(token.value)
        led = "on" in (one.word for one in self.tokens[:at][-3:])
        alone = not any(one.value == "tasks" for one in self.tokens[at + 1 : at + 4])
        if token.word in LINKS["rest"] and led and alone:
            self._unclear("which tasks are the others is not said")
        if token.value in ("tasks", "classes") and self._quantifier:
            places = self._there(at)
            within = [places.pop().token.value for one in beside if one.kind == "scope" and places]
            every = self.every(token.value, within[0] if within else ())
            kind = "pool" if self._side == "among" else "many"
            self._name(places, at, replace(token, kind=kind, value=[(one,) for one in every]))
        elif token.value == "runs":
            rest = self._side == "reference" and token.word in LINKS["rest"]
            grouped = any(one.group for one in self.tokens[at + 1 : at + 4])
            if (self._quantifier or rest) and not grouped and not any(
                one.kind == "run" for one in beside
            ):  # fmt: skip
                self._quantifier = self._quantifier or "all"
                whole = replace(token, value=self.everyone, group=True)
                self._name(self._runs[self._side], at, whole)
            self._quantifier = self._quantifier if grouped else ""
