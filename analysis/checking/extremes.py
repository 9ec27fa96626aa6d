"""Which run or task is said to be the first of which others?"""

from __future__ import annotations

from typing import Any

from analysis.checking.claim import Claim, Group, Places
from analysis.checking.directions import better, direction
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
        fits = quantity in ("", own, *(SPEED if own in SPEED else ())) or not own
        quantity = quantity or own or ("throughput" if abs(sign) == 2 else "")
        if figure is not None and not carries(quantity, figure):
            quantity = "speedup" if figure.unit == "times" and quantity in SPEED else ""
        # "runs best with two drafted tokens": no number of tokens is better than another.
        fits = fits and not (abs(sign) == 2 and quantity in ("drafted", "predicted", "forwards"))
        nobody = figure is None and clause.subject is None and clause.places is None
        # "the best DSpark setting" alone says nothing.
        nobody = nobody or (
            figure is None
            and self.before is None
            and not clause.has("states", "actions", "quantities")
            and not relation.word.startswith("peak")
        )
        if len(clause.stated) > 1 or not fits or not quantity or nobody:
            return []
        runs = clause.has("run", "positions")
        kept = runs or clause.has("pronouns") or figure is None
        at = clause.tokens.index(relation)
        second = at > 0 and clause.tokens[at - 1].word in ("second", "next")
        anywhere = any(one.word in LINKS["anywhere"] for one in clause.tokens)
        fields: dict[str, Any] = {
            "sign": better(sign, quantity),
            "rank": 2 if second else 1,
            "axis": "both" if anywhere else self._axis(at, named=runs),
            "subject": (clause.subject if kept else None) or Group(),
            "domain": clause.domain,
        }
        if figure is not None and clause.places is not None and clause.places.each:
            # "the highest that it reached on any task, on translation"
            named = tuple(one.value for one in clause.tokens if one.kind == "scope")
            places = Places(named, "all", stated=True) if named else Places()
            fields |= {"places": places, "axis": "tasks" if named else "open"}
        its = at > 0 and clause.tokens[at - 1].kind == "pronouns"
        # "The smallest is qa_factual": the smallest of what?
        vague = not own and abs(sign) == 1 and not clause.quantities
        # "The best draft-free speed is 113.2": of its own.
        beside = [one for one in clause.tokens[at + 1 : at + 2] if one.kind == "run"]
        vague = vague or (figure is not None and any(len(one.value) == 1 for one in beside))
        groups = [Group(one.value) for one in beside if len(one.value) > 1]
        if figure is not None and groups and clause.domain is None:
            # "148.8 tok/s for the best DSpark setting"
            fields |= {"domain": groups[0], "subject": Group(), "axis": "runs"}
        # "is accepted most on code": its tokens, or their share.
        vague = vague or (quantity == "accepted" and figure is None)
        if its or vague or (fields["axis"] == "tasks" and clause.noun != "tasks"):
            fields["sure"] = False
        return [self._made("extreme", quantity, *([token] if token else []), **fields)]

    def _axis(self, relation: int, *, named: bool) -> str:
        """What is ranked: runs, tasks, or either."""
        clause, tokens = self.clause, self.clause.tokens
        scope = next((at for at, one in enumerate(tokens) if one.kind == "scope"), None)
        if (
            clause.noun == "runs"
            or clause.domain is not None
            or (scope is None and not clause.stated)
        ):
            return "runs" if clause.subject or clause.noun == "runs" else "open"
        if scope is None:
            return "open"  # "its highest acceptance is 97.1 %": of its tasks
        options = [option[0] for option in clause.places.options] if clause.places else []
        # "Of the code tasks, code_python is the slowest" ranks the tasks of a class.
        within = len({task is None for _, task in options}) == 2
        if within or (clause.noun == "tasks" and not (clause.places and clause.places.each)):
            return "tasks"
        noun = any(one.kind == "quantities" for one in tokens[:relation])
        alone = noun and tokens[max(0, relation - 1)].kind == "states"
        if alone and relation < scope and any(one.kind == "run" for one in tokens[:relation]):
            return "tasks"  # "its acceptance is lowest on translation"
        if any(one.kind == "prepositions" for one in tokens[max(0, scope - 3) : scope]):
            return "runs" if named else "open"
        # "Translation is fastest at depth 2" ranks depths, "translation is the slowest" tasks too.
        article = any(one.word == "the" for one in tokens[max(0, relation - 2) : relation])
        return "open" if article or not named else "runs"
