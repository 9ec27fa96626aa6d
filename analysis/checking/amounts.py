"""Is a number of a clause an amount, a count of runs and tasks, a part of a whole, or a value?"""

from __future__ import annotations

from collections.abc import Sequence

from analysis.checking.tokens import Token, ahead
from analysis.checking.vocabulary import LINKS

__all__ = ["counts", "is_range", "n_of_m", "says_how_much"]

_NEAR = {"fillers", "degrees", "prepositions"}


def counts(tokens: Sequence[Token], at: int) -> bool:
    """Whether a number counts runs or tasks: ``all three depths``, ``of the four``."""
    after = tokens[at + 1 :]
    words = [after[0].word if after else "", *(one.word for one in tokens[max(0, at - 2) : at])]
    found = ahead(after, {"counted", "run"}, {"fillers", "prepositions", "scope"}, 3)
    if words[0].endswith(("token", "tokens")) or (found is not None and words[0] == "with"):
        return False
    if found is not None:
        named = found.kind == "run" and len(found.value) > 1
        return named or found.value in ("runs", "tasks", "classes")
    if after and after[0].kind == "scope" and words[0].endswith(("tasks", "prompts")):
        return True  # "all five code tasks"
    ended = not after or after[0].kind in ("prepositions", "conjunctions")
    return ended and words[2:] == ["the"] and words[1] in ("of", "all", "among")


def n_of_m(tokens: Sequence[Token], figures: Sequence[Token]) -> tuple[Token, ...]:
    """The two numbers of "9 of 13 tasks", "55 accepted of 119"."""
    if len(figures) != 2 or any(one.whole is None for one in figures):
        return ()
    places = [tokens.index(one) for one in figures]
    words = {one.word for one in tokens[places[0] + 1 : places[1]]}
    few, many = sorted(figures, key=lambda one: one.whole or 0)  # "3,243, of which 1,405"
    return (few, many) if words == {"in"} or words & {"of", "out of", "/", "out"} else ()


def says_how_much(tokens: Sequence[Token], token: Token, relation: Token | None) -> bool:
    """Whether a figure is the amount of the relation, not a value of one of its sides."""
    figure = token.figure
    if relation is None or figure is None:
        return False
    place, at = tokens.index(token), tokens.index(relation)
    between = tokens[min(place, at) + 1 : max(place, at)]
    kinds, words = {one.kind for one in between}, [one.word for one in between]
    if relation.kind in ("equals", "superlatives"):
        within = relation.value == "within" and figure.unit in ("percent", "rate", "s", "points")
        return within or (relation.kind == "equals" and figure.unit == "times")
    if place < at:
        said = bool(figure.unit) or relation.kind == "comparatives"
        return said and kinds <= _NEAR | {"quantities"}
    if (relation.value == "gap" and "from" not in words) or (
        figure.signed and figure.unit == "percent"
    ):
        return True
    behind_by = words[len(words) - words[::-1].index("by") :] if "by" in words else ["from"]
    if not {*behind_by} & {"from", "to", "at"}:
        return True
    share = figure.unit in ("percent", "points") and not kinds & {"references", "figure"}
    led = {"at", "to", "with", "from"} & {*words}
    return relation.kind == "changes" and not led and (kinds <= _NEAR or share)


def is_range(tokens: Sequence[Token], figures: Sequence[Token]) -> bool:
    """``11-14 %``, ``between 11 and 14 %``."""
    if len(figures) != 2:
        return False
    starts = [one.start for one in tokens]
    first, second = (starts.index(figure.start) for figure in figures)
    units = {one.figure.unit for one in figures if one.figure is not None}
    words = [one.word for one in tokens[first + 1 : second]]
    between = words == ["and"] and any(one.word in LINKS["ranging"] for one in tokens[:first])
    return len(units) == 1 and (words in ([], ["–"], ["—"], ["to"]) or between)
