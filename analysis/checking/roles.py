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

__all__ = ["Name", "Roles"]

_JOINED = {"conjunctions", "fillers", "prepositions"}
_TO_OTHER = {"fillers", "pronouns", "quantities", "counted", "of", "figure", "actions", "at",
             "with"}  # fmt: skip


class Name(NamedTuple):
    """A run's or a place's name, with the quantifier before it."""

    at: int
    token: Token
    quantifier: str


class Roles:
    """The parts of a clause, each name and figure with the side of the relation that it is on.

    `why` says what is not understood. `figures` are values of the subject and of the reference,
    `by` is the amount of the relation, `counts` are the numbers of "9 of 13"; `before` are runs
    named before, the last one last.
    """

    def __init__(self, tokens: list[Token], facts: Facts, before: Sequence[str]) -> None:
        # "The same prompt runs at 126.3 tok/s" compares nothing.
        for at, (one, after) in enumerate(pairwise(tokens)):
            if one.kind == "equals" and after.kind == "counted":
                tokens = [*tokens[:at], replace(one, kind="fillers"), *tokens[at + 1 :]]
        self.tokens, self.facts, self.before = tokens, facts, before
        self.negated = sum(one.kind == "negations" for one in tokens) % 2 == 1
        self.degree = next((str(one.value) for one in tokens if one.kind == "degrees"), "")
        relations = [one for one in tokens if one.kind in RELATIONS]
        strong = [one for one in relations if one.kind != "equals"] or relations
        self.relation = strong[0] if len(strong) == 1 else None
        self.why = self._strange() or ("several relations in one clause" if strong[1:] else "")
        self.quantities, self.timed = self._nouns()
        numbers = [one for one in tokens if one.kind == "figure"]
        self.counts = n_of_m(tokens, numbers)
        amounts = [one for one in numbers if says_how_much(tokens, one, self.relation)]
        self.by = amounts[-1] if amounts and not self.counts else None
        self.noun, self.passive, self.meant = "", False, ""
        self.figures: dict[str, list[Token]] = {"subject": [], "reference": []}
        self._runs: dict[str, list[Name]] = {"subject": [], "reference": [], "among": []}
        self._places: dict[str, list[Name]] = {"subject": [], "reference": []}
        self._side, self._owner, self._quantifier, self._comes_from = "subject", "", "", False
        for at, token in enumerate(tokens):
            self._take(at, token)

    def has(self, *kinds: str) -> bool:
        """Whether it has a token of a kind."""
        return any(token.kind in kinds for token in self.tokens)

    @property
    def stated(self) -> list[Token]:
        """All its values."""
        return self.figures["subject"] + self.figures["reference"]

    def behind(self, token: Token) -> list[Token]:
        """What stands behind a token."""
        return self.tokens[self.tokens.index(token) + 1 :]

    @property
    def everyone(self) -> tuple[str, ...]:
        """All real runs."""
        return tuple(run.id for run in self.facts.real if run.predicted_tokens)

    @property
    def drafting(self) -> tuple[str, ...]:
        """All real runs that draft."""
        return tuple(run.id for run in self.facts.drafting)

    def every(self, noun: str, within: Sequence[Place] = ()) -> list[Place]:
        """All classes; or all tasks, those of some classes where any is named."""
        if noun == "classes":
            return [(name, None) for name in self.facts.workloads]
        classes = {workload for workload, _ in within if workload}
        rows = [str(row.task) for row in self.facts.tasks if row.workload in classes]
        return [(None, task) for task in dict.fromkeys(rows or self.facts.task_names)]

    def _strange(self) -> str:
        ranks = self.relation is not None and self.relation.kind == "superlatives"
        for one in self.tokens:
            if one.kind == "unknown":
                return f'"{one.text}" is not understood'
            if one.kind in ("hedges", "estimates") and not (
                ranks and one.word in LINKS["anywhere"]
            ):
                return f'"{one.text}" is no statement of what was measured'
            if one.kind == "run" and not one.value:
                return "it names a run that this campaign does not have"
        return ""

    def _unclear(self, why: str) -> None:
        self.why = self.why or why

    def _nouns(self) -> tuple[set[str], bool]:
        """The quantities that it names, and whether time is among them as a noun."""
        # "the drafted configurations" only says which.
        behind = [*self.tokens[1:], None]
        of = [one for one, after in zip(self.tokens, behind, strict=True)
              if not (after and after.kind == "counted" and after.value == "runs")]  # fmt: skip
        nouns = {str(one.value) for one in of if one.kind == "quantities"}
        actions = {str(one.value) for one in of if one.kind == "actions"}
        # "needs 535 more drafted tokens", "generates fewer drafts": the noun says of what.
        said = nouns | (actions & {"accepted", "wasted", "drafted"} if nouns - actions else actions)
        whole = any(one.kind == "whole" and one.value == "effective" for one in self.tokens)
        return {"effective"} if whole and said <= {"throughput", "speedup"} else said, (
            "time" in nouns
        )

    # ---- the tokens one by one

    def _take(self, at: int, token: Token) -> None:
        kind, after = token.kind, self.tokens[at + 1 :]
        before = self.tokens[at - 1].kind if at else ""
        if kind in ("references", "equals") or (kind == "beats" and token is self.relation):
            self.passive = kind == "beats" and [one.word for one in after[:1]] == ["by"]
            self._side = "reference"
        elif kind == "prepositions":
            self._preposition(token.word, after)
        elif kind == "quantifiers":
            self._quantifier = str(token.value)
        elif kind == "figure":
            self._figure(at, token, after)
        elif kind in ("run", "positions"):
            if self._side == "among" and self._runs["among"] and before not in _JOINED:
                self._side = "subject"  # "of the five runs DFlash is the fastest"
            one = token if kind == "run" else self._by_place(token)
            if one is not None:
                self._name(self._runs[self._side], at, one)
            self._owner = self._side
        elif kind == "scope":
            self._name(self._there(led=before in ("prepositions", "references")), at, token)
        elif kind == "counted":
            self._counted(at, token, after)
        elif kind == "break" or (
            kind in ("states", "comparatives", "changes", "superlatives")
            and (self._side == "among" or (kind == "states" and self._runs["reference"]))
        ):
            self._side = "subject"
        if kind in ("states", "break", "conjunctions", *RELATIONS):
            self._owner = ""

    def _name(self, names: list[Name], at: int, token: Token) -> None:
        names.append(Name(at, token, self._quantifier))
        self._quantifier = ""

    def _there(self, *, led: bool) -> list[Name]:
        """The places of the side that a place is on.

        "Faster than max 5 on code" is of both; "on code_cpp it is faster than max 5 on JSON" not.
        """
        apart = self._runs["reference"] and self._places["subject"]
        other = apart or (self._side == "reference" and led and not self._runs["reference"])
        return self._places["reference" if other else "subject"]

    def _preposition(self, word: str, after: Sequence[Token]) -> None:
        ranks = self.relation is not None and self.relation.kind == "superlatives"
        ranging = any(one.word in LINKS["ranging"] - {"between"} for one in self.tokens)
        goes = any(one.word == "to" for one in after[:11]) or ahead(after, {"figure"}, {"fillers"})
        if word == "from" and goes and not ranging:
            self._side, self._comes_from = "reference", True
        elif word in LINKS["among"] or (word == "of" and ranks and self._side != "reference"):
            self._side = "among"
        elif word == "per":
            self._quantifier = "all"
        elif (self._side == "among" and word != "of") or (
            self._side == "reference" and (self._runs["reference"] or word == "to")
        ):
            self._side = "subject"
        self._owner = "" if word == "to" else self._owner

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
        other = ahead(after, {"run", "positions"}, _TO_OTHER, 7)
        if figure.unit == "times" and other is not None:
            led = after[: after.index(other)]
            words = {one.word for one in led}
            if any(one.figure for one in led) or "what" in words or not words & {"at", "with"}:
                self._side = "reference"  # "2.33 times the baseline's"

    def _by_place(self, token: Token) -> Token | None:
        """``the latter``, ``the deepest setting``."""
        if token.value in ("former", "latter"):
            pair = list(dict.fromkeys(self.before))[-2:]
            if len(pair) == 2:
                return replace(token, value=(pair[token.value == "latter"],))
            self._unclear(f'nobody knows who "{token.text}" is')
            return None
        named = [run for one in self.tokens if one.kind == "run" for run in one.value]
        pool = [self.facts.by_id[run] for run in named] or list(self.facts.drafting)
        depths = sorted((run.n_max, run.id) for run in pool if run.n_max is not None)
        if len({run.spec_type for run in pool if run.n_max is not None}) != 1:
            self._unclear("it does not say of which method")
            return None
        return replace(token, value=(depths[-(token.value == "deepest")][1],))

    def _counted(self, at: int, token: Token, after: Sequence[Token]) -> None:
        beside = self.tokens[max(0, at - 2) : at]
        task = beside and beside[-1].kind == "scope" and token.value == "tasks"
        if not (task and token.word.endswith("s") and not self._quantifier):
            self.noun = self.noun or str(token.value)
        if token.value in ("tasks", "classes") and self._quantifier:
            places = self._there(led=False)
            within = [places.pop().token.value for one in beside if one.kind == "scope" and places]
            every = self.every(token.value, within[0] if within else ())
            kind = "pool" if self._side == "among" else "many"
            self._name(places, at, replace(token, kind=kind, value=[(one,) for one in every]))
        elif token.value == "runs" and not any(one.group for one in after[:3]):
            rest = self._side == "reference" and token.word in LINKS["rest"]
            if not any(one.kind == "run" for one in beside) and (self._quantifier or rest):
                self._quantifier = self._quantifier or "all"
                whole = replace(token, value=self.everyone, group=True)
                self._name(self._runs[self._side], at, whole)
            self._quantifier = ""
