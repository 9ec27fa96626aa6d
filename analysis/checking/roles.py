"""On which side of a relation does each name, place and figure of a clause stand?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from analysis.cards.facts import Facts
from analysis.checking.amounts import RANGING, counts, n_of_m, says_how_much
from analysis.checking.claim import Place
from analysis.checking.clauses import RELATIONS
from analysis.checking.tokens import Token, ahead
from analysis.checking.vocabulary import vocabulary

__all__ = ["Named", "Roles"]

_REST = {"others", "the rest", "rest", "anything", "else", "other"}
_ANYWHERE = {*vocabulary()["links"]["anywhere"]}
_AMONG = {"among", "amongst", "between", "out of"}


class Named(NamedTuple):
    """A name with the quantifier before it."""

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
        self.tokens, self.facts, self.before = tokens, facts, before
        self.negated = sum(one.kind == "negations" for one in tokens) % 2 == 1
        self.degree = next((str(one.value) for one in tokens if one.kind == "degrees"), "")
        relations = [one for one in tokens if one.kind in RELATIONS]
        strong = [one for one in relations if one.kind != "equals"] or relations
        self.relation = strong[0] if len(strong) == 1 else None
        self.why = "several relations in one clause" if len(strong) > 1 else ""
        self.why = self._strange() or self.why
        nouns, actions = (
            {
                str(one.value)
                for at, one in enumerate(tokens)
                if one.kind == kind and not _of_runs(tokens, at)
            }
            for kind in ("quantities", "actions")
        )
        # "needs 535 more drafted tokens", "generates fewer drafts": the noun says of what.
        actions &= {"accepted", "wasted", "drafted"} if nouns - actions else actions
        self.quantities = nouns | actions
        if any(one.kind == "whole" and one.value == "effective" for one in tokens) and (
            self.quantities <= {"throughput", "speedup"}
        ):  # fmt: skip
            self.quantities = {"effective"}
        self.timed = "time" in nouns
        numbers = [one for one in tokens if one.kind == "figure"]
        self.counts = n_of_m(tokens, numbers)
        telling = [
            one for one in numbers if not self.counts and says_how_much(tokens, one, self.relation)
        ]
        self.by = telling[-1] if telling else None
        self.noun, self.passive, self.meant = "", False, ""
        self.figures: dict[str, list[Token]] = {"subject": [], "reference": []}
        self._runs: dict[str, list[Named]] = {"subject": [], "reference": [], "among": []}
        self._places: dict[str, list[Named]] = {"subject": [], "reference": []}
        self._role, self._owner, self._quantifier, self._comes_from = "subject", "", "", False
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

    def _strange(self) -> str:
        for one in self.tokens:
            if one.kind == "unknown":
                return f'"{one.text}" is not understood'
            ranks = self.relation is not None and self.relation.kind == "superlatives"
            if one.word in _ANYWHERE and ranks:
                continue
            if one.kind in ("hedges", "estimates"):
                return f'"{one.text}" is no statement of what was measured'
            if one.kind == "run" and not one.value:
                return "it names a run that this campaign does not have"
        return ""

    def _unclear(self, why: str) -> None:
        self.why = self.why or why

    def _word(self, at: int) -> str:
        return self.tokens[at].word if 0 <= at < len(self.tokens) else ""

    # ---- the tokens one by one

    def _take(self, at: int, token: Token) -> None:
        kind, after = token.kind, self.tokens[at + 1 :]
        if kind in ("references", "equals") or (kind == "beats" and token is self.relation):
            self.passive = kind == "beats" and self._word(at + 1) == "by"
            self._role = "reference"
        elif kind == "prepositions":
            self._preposition(token.word, after)
        elif kind == "quantifiers":
            self._quantifier = str(token.value)
        elif kind == "figure":
            self._figure(at, token, after)
        elif kind == "positions" and (one := self._by_place(token)) is not None:
            self._name(self._runs[self._role], at, one)
        elif kind == "run":
            joined = at > 0 and self.tokens[at - 1].kind in (
                "conjunctions",
                "prepositions",
                "fillers",
            )
            if self._role == "among" and self._runs["among"] and not joined:
                self._role = "subject"  # "of the five runs DFlash is the fastest"
            self._name(self._runs[self._role], at, token)
        elif kind == "scope":
            led = at > 0 and self.tokens[at - 1].kind in ("prepositions", "references")
            self._name(self._where(led=led), at, token)
        elif kind == "counted":
            self._counted(at, token, after)
        elif kind == "break" or (
            kind in ("states", "comparatives", "changes", "superlatives")
            and (self._role == "among" or (kind == "states" and self._runs["reference"]))
        ):
            self._role = "subject"
        if kind in ("run", "positions"):
            self._owner = self._role
        elif kind in ("states", "break", "conjunctions", *RELATIONS):
            self._owner = ""

    def _name(self, names: list[Named], at: int, token: Token) -> None:
        names.append(Named(at, token, self._quantifier))
        self._quantifier = ""

    def _where(self, *, led: bool) -> list[Named]:
        """The places of the side that a place is on.

        "Faster than max 5 on code" is of both; "on code_cpp it is faster than max 5 on JSON" not.
        """
        against, own = self._runs["reference"], self._places["subject"]
        apart = bool(against and own) and own[0].at < against[0].at
        other = apart or (self._role == "reference" and led and not against)
        return self._places["reference" if other else "subject"]

    def _preposition(self, word: str, after: Sequence[Token]) -> None:
        ranks = self.relation is not None and self.relation.kind == "superlatives"
        ranging = any(one.word in RANGING - {"between"} for one in self.tokens)
        if (
            word == "from"
            and not ranging
            and (
                any(one.word == "to" for one in after[:11]) or ahead(after, {"figure"}, {"fillers"})
            )
        ):
            self._role, self._comes_from = "reference", True
        elif word in _AMONG or (word == "of" and ranks and self._role != "reference"):
            self._role = "among"
        elif word == "per":
            self._quantifier = "all"
        elif (self._role == "among" and word != "of") or (
            self._role == "reference" and (self._runs["reference"] or word == "to")
        ):
            self._role = "subject"
        self._owner = "" if word == "to" else self._owner

    def _figure(self, at: int, token: Token, after: Sequence[Token]) -> None:
        figure = token.figure
        if figure is None or figure.unit or token in self.counts:
            self._quantifier = ""
        if figure is None or token in self.counts:
            return
        if token is not self.by:
            if not figure.unit and not figure.decimals and counts(self.tokens, at):
                self._quantifier = self._quantifier or f"={int(figure.value)}"
                return
            # "fewer than max 5 with 1,300"
            last = self._owner if self._role == "subject" else self._role
            self.figures["reference" if last == "reference" else "subject"].append(token)
        free = {"fillers", "pronouns", "quantities", "counted", "of", "figure", "actions", "at",
                "with"}  # fmt: skip
        other = ahead(after, {"run", "positions"}, free, 7)
        led = other and [one.word for one in after[: after.index(other)]]
        value = other and any(one.figure for one in after[: after.index(other)])
        if (
            figure.unit == "times"
            and other
            and (value or "what" in (led or ()) or not {"at", "with"} & {*(led or ())})
        ):
            self._role = "reference"  # "2.33 times the baseline's"

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
        depths = {run.n_max: run.id for run in pool if run.n_max is not None}
        if len({run.spec_type for run in pool if run.n_max is not None}) != 1:
            self._unclear("it does not say of which method")
            return None
        chosen = max(depths) if token.value == "deepest" else min(depths)
        return replace(token, value=(depths[chosen],))

    def _counted(self, at: int, token: Token, after: Sequence[Token]) -> None:
        if not (self._word(at).endswith("s") and at and self.tokens[at - 1].kind == "scope"
                and token.value == "tasks" and not self._quantifier):  # fmt: skip
            self.noun = self.noun or str(token.value)
        just = self.tokens[max(0, at - 2) : at]
        if token.value in ("tasks", "classes") and self._quantifier:
            places = self._where(led=False)
            within = [places.pop().token.value for one in just if one.kind == "scope" and places]
            every = self.every(token.value, within[0] if within else ())
            self._name(places, at, replace(token, kind="many", value=[(one,) for one in every]))
        elif token.value == "runs" and not any(one.group for one in after[:3]):
            rest = self._role == "reference" and token.word in _REST
            if not any(one.kind == "run" for one in just) and (self._quantifier or rest):
                self._quantifier = self._quantifier or "all"
                whole = replace(token, value=self.everyone, group=True)
                self._name(self._runs[self._role], at, whole)
            self._quantifier = ""

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


def _of_runs(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word only says which runs: "the drafted configurations"."""
    return any(one.kind == "counted" and one.value == "runs" for one in tokens[at + 1 : at + 2])
