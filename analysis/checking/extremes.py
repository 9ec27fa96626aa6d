"""Which run or task is said to be the first of which others?"""

from __future__ import annotations

from typing import Any

from analysis.checking.claim import Claim, Group, Places
from analysis.checking.clause import better, direction
from analysis.checking.quantities import SPEED, carries
from analysis.checking.tokens import Token
from analysis.checking.values import StatedValues
from analysis.checking.vocabulary import LINKS

__all__ = ["Extremes"]


class Extremes(StatedValues):
    """The superlatives of a clause."""

    def _extreme(self, relation: Token) -> list[Claim]:
        clause = self.clause
        own, sign = direction(relation)
        token = next(iter(clause.stated), None)
        figure, quantity = token.figure if token else None, self._quantity(token)
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
        # "Translation is fastest at depth 2" ranks depths, "translation is the slowest" tasks too.
        article = any(one.word == "the" for one in tokens[max(0, relation - 2) : relation])
        return "runs" if named and (led or not article) else "open"
